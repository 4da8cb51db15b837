"""Datasets and graphs in files that other tools read."""
