"""Evaluation: every claim is an experiment that one command reruns."""
