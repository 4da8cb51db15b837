"""An agent that walks the graph: from the names in a question along facts, until the chain is closed."""
