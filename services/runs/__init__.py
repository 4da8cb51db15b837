"""Runs: a RAG system answers the questions of a corpus, what that would take, and which runs there are."""
