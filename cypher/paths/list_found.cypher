// Paths of a corpus of some lengths with the names along them, drawn or saved.
// params: corpus: STRING, hops: LIST<INTEGER>, saved: BOOLEAN, limit: INTEGER
// returns: id: STRING, hops: INTEGER, names: LIST<STRING>, alternatives: INTEGER, fitting: INTEGER, crosses_articles: BOOLEAN, uses_exact: BOOLEAN, uses_context: BOOLEAN, drawn: BOOLEAN, saved: BOOLEAN
// mode: read
CYPHER 25
MATCH (p:Path {corpus: $corpus})
WHERE p.hops IN $hops AND (coalesce(p.saved, false) OR NOT $saved)
ORDER BY p.hops, p.id LIMIT $limit
RETURN p.id AS id, p.hops AS hops, COLLECT { MATCH (p)-[v:VISITS]->(e) RETURN e.name ORDER BY v.index } AS names,
       p.alternatives AS alternatives, p.fitting AS fitting, p.crosses_articles AS crosses_articles,
       p.uses_exact AS uses_exact, p.uses_context AS uses_context,
       coalesce(p.drawn, false) AS drawn, coalesce(p.saved, false) AS saved
