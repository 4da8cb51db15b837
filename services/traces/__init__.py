"""What a system did for a question, to be looked at: read from the graph, drawn, written to files."""
