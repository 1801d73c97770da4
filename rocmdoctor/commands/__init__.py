"""One module per command, named like it, with a click command ``command``; the folder is walked."""
