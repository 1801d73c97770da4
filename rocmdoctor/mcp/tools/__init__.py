"""One module per tool, named like it, with ``run(given, progress) -> Answer``; each runs in a process of its own (:mod:`rocmdoctor.mcp.worker`)."""
