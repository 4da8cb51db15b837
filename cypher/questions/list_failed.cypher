// The questions that a model did not write, or on which it gave no verdict, composed ones aside, with the path of those that follow one.
// params: corpus: STRING, written: STRING, not_checked: STRING
// returns: id: STRING, path: STRING
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus, status: 'rejected'})
WHERE NOT q.kind IN ['sequential', 'parallel'] AND (q.rejected_by = $written OR q.rejected_why STARTS WITH $not_checked)
OPTIONAL MATCH (q)-[:FOLLOWS]->(p:Path)
RETURN q.id AS id, p.id AS path ORDER BY id
