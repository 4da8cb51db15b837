// Project the entities of a corpus, also those without a fact; a relationship joins two of them, its weight is the number of facts
// from one to the other. Those of the types in undirected ('*' is all) join both ways.
// params: name: STRING, corpus: STRING, mirrored: BOOLEAN, undirected: LIST<STRING>
// returns: nodes: INTEGER, relationships: INTEGER
// mode: read
CYPHER 25
MATCH (a:Entity {corpus: $corpus})
OPTIONAL MATCH (a)-[r:RELATES|MIRRORED WHERE $mirrored OR r.mirror_of IS NULL]->(b:Entity WHERE b <> a)
WITH a, b, count(r) AS facts
WITH gds.graph.project(
  $name, a, b, {relationshipProperties: {weight: toFloat(facts)}}, {undirectedRelationshipTypes: $undirected}
) AS projected
RETURN projected.nodeCount AS nodes, projected.relationshipCount AS relationships
