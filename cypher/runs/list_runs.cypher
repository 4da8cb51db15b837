// The runs of a corpus with what came of them; right is by the run's judge, cost is null where nothing has a price; a system from outside stands for who answers;
// answer_match and exact_match are shares of the answers, null without any.
// params: corpus: STRING
// returns: name: STRING, system: STRING, retriever: STRING, generator: STRING, judge: STRING, answers: INTEGER, right: INTEGER, answer_match: FLOAT, exact_match: FLOAT, f1: FLOAT,
//   abstained: INTEGER, errors: INTEGER, input_tokens: INTEGER, output_tokens: INTEGER, cost: FLOAT,
//   question_limit: INTEGER, dataset: STRING, started_at: ZONED DATETIME, finished_at: ZONED DATETIME
// mode: read
CYPHER 25
MATCH (r:Run {corpus: $corpus})
OPTIONAL MATCH (r)-[:GAVE]->(a:Answer)
WITH r, count(a) AS answers, sum(CASE WHEN a.correct THEN 1 ELSE 0 END) AS right,
     sum(CASE WHEN a.abstained THEN 1 ELSE 0 END) AS abstained, avg(a.f1) AS f1,
     avg(CASE WHEN a.exact_match THEN 1.0 WHEN a IS NOT NULL THEN 0.0 END) AS exact_match,
     avg(CASE WHEN coalesce(a.answer_match, a.exact_match) THEN 1.0 WHEN a IS NOT NULL THEN 0.0 END) AS answer_match,
     sum(CASE WHEN coalesce(a.error, '') = '' THEN 0 ELSE 1 END) AS errors, sum(a.input_tokens) AS input_tokens,
     sum(a.output_tokens) AS output_tokens, count(a.cost) AS priced, sum(a.cost) AS cost
RETURN r.name AS name, r.system AS system, coalesce(r.retriever, '') AS retriever, CASE r.generator WHEN '' THEN r.system ELSE r.generator END AS generator, r.judge AS judge, answers, right, answer_match, exact_match, f1, abstained, errors,
       input_tokens, output_tokens, CASE WHEN priced > 0 THEN toFloat(cost) END AS cost, r.question_limit AS question_limit,
       r.dataset AS dataset, r.started_at AS started_at, r.finished_at AS finished_at
ORDER BY name
