"""Formats that are not source code, one file each."""
