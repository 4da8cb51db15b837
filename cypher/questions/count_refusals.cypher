// Why a model made no question of chains: how often it named which problem, by depth.
// params: corpus: STRING, filter: STRING
// returns: hops: INTEGER, problem: STRING, questions: INTEGER
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus, kind: 'chain', status: 'rejected'}) WHERE q.rejected_by = $filter
RETURN q.hops AS hops, split(coalesce(q.rejected_why, ''), ':')[0] AS problem, count(*) AS questions
ORDER BY hops, problem
