"""MCP tools, one file each: `TOOL`. Descriptions are fixed text, never indexed content."""
