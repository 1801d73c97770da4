"""``python -m rocmdoctor``."""

from rocmdoctor.cli import main

main()
