// All shortest paths between two entities, as a picture.
// params: none
// returns: path: PATH
// mode: read
CYPHER 25
MATCH (p:Path {hops: 3})-[start:VISITS]->(a:Entity), (p)-[finish:VISITS {index: 3}]->(b:Entity) WHERE start.index = 0
WITH a, b ORDER BY p.alternatives DESC, p.id LIMIT 1
// Instead of the two lines above: MATCH (a:Entity), (b:Entity) WHERE 'one name' IN [a.name] + a.aliases AND 'another' IN [b.name] + b.aliases
MATCH path = ALL SHORTEST (a)-[r:RELATES|MIRRORED WHERE r.in_paths]-{1,5}(b)
RETURN path LIMIT 50
