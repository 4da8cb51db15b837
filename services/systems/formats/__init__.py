"""Readers of the files in which other tools keep their answers."""
