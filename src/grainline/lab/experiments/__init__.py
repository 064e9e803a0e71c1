"""Experiments are data: a TOML file says which datasets meet which strategies with what parameters."""
