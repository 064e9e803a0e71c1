"""Frozen values that every room speaks; no JSON, no files, no clock."""
