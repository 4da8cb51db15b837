"""Retrievers: each finds chunks of a corpus for questions, in its own way."""
