// Paths that hold only through a mirrored edge: a name that means the same in its context.
// params: none
// returns: corpus: STRING, hops: INTEGER, path: LIST<STRING>, mirrored: LIST<STRING>
// mode: read
CYPHER 25
MATCH (p:Path) WHERE p.uses_context
WITH p ORDER BY p.hops DESC, p.id LIMIT 20
RETURN p.corpus AS corpus, p.hops AS hops,
       COLLECT { MATCH (p)-[h:HOP]->(:Claim) RETURN h.subject + ' | ' + h.predicate + ' | ' + h.object ORDER BY h.index } AS path,
       COLLECT { MATCH (p)-[h:HOP]->(:Claim) MATCH (s:Entity)-[m:MIRRORED {id: h.edge}]->(o:Entity)
                 RETURN s.name + ' | ' + m.predicate + ' | ' + o.name ORDER BY h.index } AS mirrored
ORDER BY hops DESC
