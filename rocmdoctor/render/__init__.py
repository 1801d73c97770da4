"""One module per output format: each has a function ``render`` from a Report to text."""
