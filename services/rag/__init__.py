"""Retrieval-augmented generation against the graph: retrievers, readers, runs."""
