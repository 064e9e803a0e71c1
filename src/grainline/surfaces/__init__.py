"""Surfaces: parse input, call the engine, render."""
