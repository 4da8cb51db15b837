"""Reports on runs: what is in one, how it is read from the graph, written back, and shown."""
