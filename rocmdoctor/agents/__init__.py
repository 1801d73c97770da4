"""For models: what one is told of a machine."""
