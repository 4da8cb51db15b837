// Whether questions fail more often when their path needs a missing link: exact, contextual, or both.
// params: none
// returns: corpus: STRING, hops: INTEGER, link: STRING, questions: INTEGER, error_rate: FLOAT
// mode: read
CYPHER 25
MATCH (q:Question)-[:FOLLOWS]->(p:Path) WHERE q.answers > 0
RETURN q.corpus AS corpus, q.hops AS hops,
       CASE WHEN p.uses_context AND p.uses_exact THEN 'both' WHEN p.uses_context THEN 'contextual' WHEN p.uses_exact THEN 'exact' ELSE 'none' END AS link,
       count(*) AS questions, round(avg(q.error_rate), 2) AS error_rate
ORDER BY corpus, hops, link
