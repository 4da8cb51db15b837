// The runs of a corpus.
// params: corpus: STRING
// returns: name: STRING, system: STRING, answers: INTEGER, errors: INTEGER, finished_at: ZONED DATETIME
// mode: read
CYPHER 25
MATCH (r:Run {corpus: $corpus})
OPTIONAL MATCH (r)-[:GAVE]->(a:Answer)
RETURN r.name AS name, r.system AS system, count(a) AS answers, sum(CASE WHEN a.correct THEN 0 ELSE 1 END) AS errors,
       r.finished_at AS finished_at ORDER BY name
