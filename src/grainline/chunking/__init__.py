"""Chunking: one file of text and facts in, spans out; strategies are plug-ins by name."""
