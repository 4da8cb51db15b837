// How many drawn paths there are at each depth, those of the `first` draw only or of later rounds too, and how many of them cross articles, need an
//   exact link, a contextual one, or one of either kind.
// params: corpus: STRING, first: BOOLEAN
// returns: hops: INTEGER, paths: INTEGER, crossing: INTEGER, exact: INTEGER, context: INTEGER, either: INTEGER
// mode: read
CYPHER 25
MATCH (p:Path {corpus: $corpus}) WHERE p.drawn AND (NOT $first OR p.round IS NULL)
RETURN p.hops AS hops, count(*) AS paths,
       count(CASE WHEN p.crosses_articles THEN 1 END) AS crossing,
       count(CASE WHEN p.uses_exact THEN 1 END) AS exact,
       count(CASE WHEN p.uses_context THEN 1 END) AS context,
       count(CASE WHEN p.uses_exact OR p.uses_context THEN 1 END) AS either
ORDER BY hops
