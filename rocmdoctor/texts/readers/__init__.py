"""One module per attached format. Every module here is walked; nothing is registered.

A reader module has three names, and may have two more:

* ``TRUST``: 3 the kernel's own word, 2 a vendor tool, 1 an application, 0 prose.
* ``recognises(text: str) -> bool``: by content, never by file name; cheap.
* ``read(text: str) -> Iterator[Reading]``: the facts, each with the line (1-based) it stands on.
* ``KINDS``: the kinds of lines (of ``texts/kinds.py``) it is given, all others emptied; without it all but prose.
* ``MARKS``: texts of which it needs one; the module is imported where one is there.
"""
