"""The HTTP API over the graph, and the application that serves it beside the web page."""
