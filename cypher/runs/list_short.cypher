// The runs of a corpus as a list to choose from needs them: who answered, when, and how many questions, counted without reading an answer.
// params: corpus: STRING
// returns: name: STRING, system: STRING, retriever: STRING, generator: STRING, judge: STRING, answers: INTEGER, started_at: ZONED DATETIME, finished_at: ZONED DATETIME
// mode: read
CYPHER 25
MATCH (r:Run {corpus: $corpus})
RETURN r.name AS name, r.system AS system, coalesce(r.retriever, '') AS retriever, CASE r.generator WHEN '' THEN r.system ELSE r.generator END AS generator, r.judge AS judge,
       COUNT { (r)-[:GAVE]->() } AS answers, r.started_at AS started_at, r.finished_at AS finished_at
ORDER BY name
