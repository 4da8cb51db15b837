// The shortest path from an entity that a question names to one that may answer it, in either direction of its edges, with the claims that it goes along.
// params: starts: LIST<STRING>, end: STRING
// returns: names: LIST<STRING>, steps: LIST<MAP>
// mode: read
CYPHER 25
MATCH (b:Entity {id: $end})
UNWIND $starts AS start
MATCH (a:Entity {id: start}) WHERE a <> b
MATCH p = ANY SHORTEST (a)-[r:RELATES|MIRRORED WHERE r.stated OR r.mirror_of IS NOT NULL]-{1,5}(b)
RETURN [n IN nodes(p) | n.name] AS names,
       [x IN relationships(p) | {subject: startNode(x).name, predicate: x.predicate, object: endNode(x).name, claim: x.claim}] AS steps
ORDER BY size(steps), names LIMIT 1
