"""Retrieval over the graph itself: who and what a question names, and what lies around that."""
