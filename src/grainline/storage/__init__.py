"""Stores: what is written once and read only through a scope."""
