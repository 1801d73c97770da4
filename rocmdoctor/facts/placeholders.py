"""What stands in place of a private value: ``<host-1>`` is the same host wherever it stands, and no word that anybody said."""

from __future__ import annotations

from rocmdoctor import later

TOKEN = later.pattern(r"<[a-z]{1,12}-\d{1,9}ü?>")
