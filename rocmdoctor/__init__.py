"""rocmdoctor: what is wrong with this AMD GPU setup, and what to do first."""

__version__ = "0.1.0"
VERSION_LINE = f"rocmdoctor {__version__}"
