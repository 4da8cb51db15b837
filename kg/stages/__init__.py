"""The stages that build the graph: each reads it, works outside a transaction and writes bounded batches."""
