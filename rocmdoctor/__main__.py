"""``python -m rocmdoctor``, and the program ``rocmdoctor``."""

import sys

from rocmdoctor import VERSION_LINE


def main() -> None:
    """The version needs nothing else; whatever else was typed is for the commands."""
    if sys.argv[1:] == ["--version"]:
        print(VERSION_LINE)
        return
    from rocmdoctor.cli import main as commands

    commands()


if __name__ == "__main__":
    main()
