// The shortest path from an entity that a question names to one that may answer it, in either direction of its edges, with the claims that it goes along and who is reported to have said so. Of several the first by its names, then by its predicates and claims, so that a corpus tells the same whenever it is asked.
// params: starts: LIST<STRING>, end: STRING
// returns: names: LIST<STRING>, steps: LIST<MAP>
// mode: read
CYPHER 25
MATCH (b:Entity {id: $end})
UNWIND $starts AS start
MATCH (a:Entity {id: start}) WHERE a <> b
MATCH p = ALL SHORTEST (a)-[r:RELATES|MIRRORED WHERE r.stated OR r.in_paths OR r.mirror_of IS NOT NULL]-{1,5}(b)
WITH [n IN nodes(p) | n.name] AS names, relationships(p) AS taken
ORDER BY size(taken), names, [x IN taken | x.predicate], [x IN taken | x.claim] LIMIT 1
RETURN names,
       [x IN taken | {subject: startNode(x).name, predicate: x.predicate, object: endNode(x).name, claim: x.claim,
                      attributed_to: coalesce(x.attributed_to, COLLECT { MATCH ()-[t:RELATES {id: x.mirror_of}]->() RETURN t.attributed_to }[0], '')}] AS steps
