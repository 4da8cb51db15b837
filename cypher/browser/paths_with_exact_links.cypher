// Paths that hold only because two names were merged: where one hop ends in one name and the next begins in another.
// params: none
// returns: corpus: STRING, hops: INTEGER, path: LIST<STRING>, joined: LIST<STRING>
// mode: read
CYPHER 25
MATCH (p:Path) WHERE p.uses_exact AND NOT p.uses_context
WITH p ORDER BY p.hops DESC, p.id LIMIT 20
RETURN p.corpus AS corpus, p.hops AS hops,
       COLLECT { MATCH (p)-[h:HOP]->(:Claim) RETURN h.subject + ' | ' + h.predicate + ' | ' + h.object ORDER BY h.index } AS path,
       COLLECT { MATCH (p)-[h:HOP]->(:Claim), (p)-[g:HOP]->(:Claim) WHERE g.index = h.index + 1 AND g.link = 'exact'
                 RETURN h.object + ' = ' + g.subject ORDER BY h.index } AS joined
ORDER BY hops DESC
