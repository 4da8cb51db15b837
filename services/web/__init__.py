"""The web: the API under /api, the page under /, and what both read from the graph."""
