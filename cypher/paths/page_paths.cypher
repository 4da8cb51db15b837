// Paths of a corpus of some lengths, or saved by hand, by depth and id, those after a place, with the names along them; an empty list or text stands for any.
// params: corpus: STRING, hops: LIST<INTEGER>, link: STRING, saved: BOOLEAN, after: LIST<ANY>, limit: INTEGER
// returns: id: STRING, hops: INTEGER, names: LIST<STRING>, alternatives: INTEGER, fitting: INTEGER, crosses_articles: BOOLEAN, uses_exact: BOOLEAN, uses_context: BOOLEAN, drawn: BOOLEAN, saved: BOOLEAN, answers: INTEGER, error_rate: FLOAT
// mode: read
CYPHER 25
MATCH (p:Path {corpus: $corpus})
WHERE ($hops = [] OR p.hops IN $hops) AND (NOT $saved OR coalesce(p.saved, false)) AND ($after = [] OR p.hops > $after[0] OR (p.hops = $after[0] AND p.id > $after[1]))
  AND ($link = '' OR ($link = 'exact' AND p.uses_exact) OR ($link = 'context' AND p.uses_context)
       OR ($link = 'shared' AND NOT p.uses_exact AND NOT p.uses_context))
WITH p ORDER BY p.hops, p.id LIMIT $limit
RETURN p.id AS id, p.hops AS hops, COLLECT { MATCH (p)-[v:VISITS]->(e) RETURN e.name ORDER BY v.index } AS names,
       coalesce(p.alternatives, 1) AS alternatives, p.fitting AS fitting, coalesce(p.crosses_articles, false) AS crosses_articles,
       coalesce(p.uses_exact, false) AS uses_exact, coalesce(p.uses_context, false) AS uses_context,
       coalesce(p.drawn, false) AS drawn, coalesce(p.saved, false) AS saved,
       coalesce(p.answers, 0) AS answers, p.error_rate AS error_rate
ORDER BY hops, id
