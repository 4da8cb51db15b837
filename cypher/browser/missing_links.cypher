// How many of the drawn paths of each depth need a missing link: a merged name (exact), a name that means the same in context, or both.
// params: none
// returns: corpus: STRING, hops: INTEGER, paths: INTEGER, exact: INTEGER, context: INTEGER, both: INTEGER, share: FLOAT
// mode: read
CYPHER 25
MATCH (p:Path) WHERE p.drawn
WITH p.corpus AS corpus, p.hops AS hops, count(*) AS paths,
     count(CASE WHEN p.uses_exact AND NOT p.uses_context THEN 1 END) AS exact,
     count(CASE WHEN p.uses_context AND NOT p.uses_exact THEN 1 END) AS context,
     count(CASE WHEN p.uses_exact AND p.uses_context THEN 1 END) AS both
RETURN corpus, hops, paths, exact, context, both, round(1.0 * (exact + context + both) / paths, 3) AS share
ORDER BY corpus, hops
