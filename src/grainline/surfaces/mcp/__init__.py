"""The MCP server: a few tools for coding agents, over standard input and output."""
