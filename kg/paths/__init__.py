"""Hop paths: shortest, acyclic, between two entities, and which of them are drawn.

walk       what counts as a step, and how long a path may be
edges      the edges of a corpus as arrays, read in one stream
protocol   what an engine does: sources, reach (who lies how far), webs (all shortest paths of a pair)
sparse     the engine in memory: frontier products in blocks of sources
cypher     the engine in Neo4j: two phases, batches of sources
engines    which of the two a corpus gets
census     how many pairs there are at each distance; crossing counts those that need two articles
draw       a fair, seeded sample of pairs that does not depend on their order
choose     one of a pair's shortest paths, uniformly among those that fit
context_names   the names that only context knows, at which no path starts
spread     the paths of one depth, so that no entity and no fact fills them
sample     the draw, depth by depth
links      how the triples of a path join
path_rows  a path as the graph keeps it
between    all shortest paths between two entities by name
"""
