"""Lays out all knowledge in one file when a wheel is built (rocmdoctor/knowledge/compiled.py), so that no first run has to."""

from __future__ import annotations

import os
import sys
import tempfile
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledKnowledge(BuildHookInterface):  # type: ignore[type-arg]
    """The build hook of this project's wheels."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the file and have it put beside the rules; not for an editable install, whose rules may change."""
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        from rocmdoctor.knowledge import compiled

        handle, self._made = tempfile.mkstemp()
        with open(handle, "wb") as file:
            file.write(compiled.make())
        build_data["force_include"][self._made] = f"rocmdoctor/_rules/{compiled.NAME}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was made."""
        if version != "editable":
            os.unlink(self._made)
