// How many kept composed questions there are of each kind, number of hops and domain.
// params: corpus: STRING
// returns: kind: STRING, hops: INTEGER, domain: STRING, questions: INTEGER
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus, status: 'kept'}) WHERE q.kind IN ['sequential', 'parallel']
RETURN q.kind AS kind, q.hops AS hops, coalesce(q.domain, '') AS domain, count(*) AS questions
ORDER BY kind, hops, domain
