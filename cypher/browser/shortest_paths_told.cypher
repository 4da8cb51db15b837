// All shortest paths between two entities, told fact by fact with the sentences behind them. A hub may only end one.
// params: none
// returns: path: LIST<STRING>, sentences: LIST<STRING>
// mode: read
CYPHER 25
MATCH (p:Path {hops: 3})-[start:VISITS]->(a:Entity), (p)-[finish:VISITS {index: 3}]->(b:Entity) WHERE start.index = 0
WITH a, b ORDER BY p.alternatives DESC, p.id LIMIT 1
// Instead of the two lines above: MATCH (a:Entity), (b:Entity) WHERE 'one name' IN [a.name] + a.aliases AND 'another' IN [b.name] + b.aliases
MATCH path = ALL SHORTEST (a)-[r:RELATES|MIRRORED WHERE r.in_paths]-{1,5}(b)
RETURN COLLECT { UNWIND r AS e
                 OPTIONAL MATCH ()-[t:RELATES {id: coalesce(e.mirror_of, e.id)}]->()
                 RETURN startNode(e).name + ' | ' + e.predicate + ' | ' + endNode(e).name
                        + coalesce(' (says ' + nullIf(t.attributed_to, '') + ')', '') } AS path,
       COLLECT { UNWIND r AS e MATCH (c:Claim {id: e.claim}) RETURN c.sentence } AS sentences
LIMIT 50
