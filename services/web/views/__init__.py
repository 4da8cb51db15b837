"""What the API and the page show, read from the graph as plain values."""
