// The runs of a corpus by name, with what came of them; cost is null where nothing has a price.
// params: corpus: STRING, name: STRING
// returns: name: STRING, system: STRING, retriever: STRING, generator: STRING, embedder: STRING, judge: STRING, top: INTEGER, dataset: STRING, answers: INTEGER, right: INTEGER, abstained: INTEGER, errors: INTEGER, input_tokens: INTEGER, output_tokens: INTEGER, cost: FLOAT, started_at: STRING, finished_at: STRING
// mode: read
CYPHER 25
MATCH (r:Run {corpus: $corpus}) WHERE $name = '' OR r.name = $name
OPTIONAL MATCH (r)-[:GAVE]->(a:Answer)
WITH r, count(a) AS answers, count(CASE WHEN a.correct THEN 1 END) AS right, count(CASE WHEN a.abstained THEN 1 END) AS abstained,
     count(CASE WHEN coalesce(a.error, '') <> '' THEN 1 END) AS errors, sum(a.input_tokens) AS input_tokens,
     sum(a.output_tokens) AS output_tokens, count(a.cost) AS priced, sum(a.cost) AS cost
RETURN r.name AS name, coalesce(r.system, '') AS system, coalesce(r.retriever, '') AS retriever,
       coalesce(r.generator, '') AS generator, coalesce(r.embedder, '') AS embedder, coalesce(r.judge, '') AS judge,
       r.top AS top, coalesce(r.dataset, '') AS dataset, answers, right, abstained, errors, input_tokens, output_tokens,
       CASE WHEN priced > 0 THEN toFloat(cost) END AS cost, toString(r.started_at) AS started_at, toString(r.finished_at) AS finished_at
ORDER BY name
