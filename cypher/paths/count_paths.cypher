// How many paths the first draw has at each depth, and how many of them need an exact or a contextual link.
// params: corpus: STRING
// returns: hops: INTEGER, paths: INTEGER, exact: INTEGER, context: INTEGER, crossing: INTEGER
// mode: read
CYPHER 25
MATCH (p:Path {corpus: $corpus}) WHERE p.drawn AND p.round IS NULL
RETURN p.hops AS hops, count(*) AS paths, sum(CASE WHEN p.uses_exact THEN 1 ELSE 0 END) AS exact,
       sum(CASE WHEN p.uses_context THEN 1 ELSE 0 END) AS context,
       sum(CASE WHEN p.crosses_articles THEN 1 ELSE 0 END) AS crossing
ORDER BY hops
