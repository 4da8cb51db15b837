"""The graph platform: how knowledge gets into Neo4j and out of it."""

__version__ = "0.1.0"
