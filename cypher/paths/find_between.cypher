// The shortest path from an entity that a question names to one that may answer it, in either direction of its edges, with the claims that it goes along. Of several the first by its names, then by its predicates and claims, so that a corpus tells the same whenever it is asked.
// params: starts: LIST<STRING>, end: STRING
// returns: names: LIST<STRING>, steps: LIST<MAP>
// mode: read
CYPHER 25
MATCH (b:Entity {id: $end})
UNWIND $starts AS start
MATCH (a:Entity {id: start}) WHERE a <> b
MATCH p = ALL SHORTEST (a)-[r:RELATES|MIRRORED WHERE r.stated OR r.in_paths OR r.mirror_of IS NOT NULL]-{1,5}(b)
RETURN [n IN nodes(p) | n.name] AS names,
       [x IN relationships(p) | {subject: startNode(x).name, predicate: x.predicate, object: endNode(x).name, claim: x.claim}] AS steps
ORDER BY size(steps), names, [s IN steps | s.predicate], [s IN steps | s.claim] LIMIT 1
