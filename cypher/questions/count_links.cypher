// Of the kept chain questions at each depth, how many follow a path with an exact link, a contextual one, either.
// params: corpus: STRING
// returns: hops: INTEGER, questions: INTEGER, exact: INTEGER, context: INTEGER, either: INTEGER
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus, status: 'kept', kind: 'chain'})-[:FOLLOWS]->(p:Path)
RETURN q.hops AS hops, count(*) AS questions, count(CASE WHEN p.uses_exact THEN 1 END) AS exact,
       count(CASE WHEN p.uses_context THEN 1 END) AS context, count(CASE WHEN p.uses_exact OR p.uses_context THEN 1 END) AS either
ORDER BY hops
