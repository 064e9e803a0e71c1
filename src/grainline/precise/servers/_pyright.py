"""What pyright and its fork share."""

from __future__ import annotations

from grainline.precise.servers.base import Object

ANALYSIS: Object = {
    "autoSearchPaths": True,
    "diagnosticMode": "openFilesOnly",
    "indexing": False,
    "typeCheckingMode": "off",
    "useLibraryCodeForTypes": False,
}
EXECUTES = "the Python interpreter that it finds on PATH, to ask for its folders"
