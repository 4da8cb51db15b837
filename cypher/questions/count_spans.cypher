// The kept questions of a corpus by kind and by how many borders they cross, facet by facet; those of which a facet tells nothing are left out of it.
// params: corpus: STRING, facets: LIST<STRING>
// returns: facet: STRING, kind: STRING, crossings: INTEGER, questions: INTEGER
// mode: read
CYPHER 25
UNWIND $facets AS facet
MATCH (q:Question {corpus: $corpus, status: 'kept'})
WITH facet, q.kind AS kind, q['crossings_' + facet] AS crossings
WHERE crossings IS NOT NULL
RETURN facet, kind, crossings, count(*) AS questions ORDER BY facet, kind, crossings
