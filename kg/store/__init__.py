"""The only part that talks to Neo4j's driver."""
