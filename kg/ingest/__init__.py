"""Readers of article files: what comes in becomes articles, rejects and notes, row by row."""
