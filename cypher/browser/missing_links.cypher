// How many paths of each depth need a missing link: a merged name (exact) or a name that means the same in context.
// params: none
// returns: corpus: STRING, hops: INTEGER, paths: INTEGER, exact: INTEGER, context: INTEGER
// mode: read
CYPHER 25
MATCH (p:Path)
RETURN p.corpus AS corpus, p.hops AS hops, count(*) AS paths,
       count(CASE WHEN p.uses_exact THEN 1 END) AS exact, count(CASE WHEN p.uses_context THEN 1 END) AS context
ORDER BY corpus, hops
