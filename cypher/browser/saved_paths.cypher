// The paths that somebody kept with kg graph paths between --save, told fact by fact.
// params: none
// returns: corpus: STRING, id: STRING, hops: INTEGER, path: LIST<STRING>, also_drawn: BOOLEAN
// mode: read
CYPHER 25
MATCH (p:Path {saved: true})
RETURN p.corpus AS corpus, p.id AS id, p.hops AS hops,
       COLLECT { MATCH (p)-[h:HOP]->(:Claim) RETURN h.subject + ' | ' + h.predicate + ' | ' + h.object + coalesce(' (says ' + nullIf(h.attributed_to, '') + ')', '') ORDER BY h.index } AS path,
       coalesce(p.drawn, false) AS also_drawn
ORDER BY corpus, hops, id LIMIT 50
