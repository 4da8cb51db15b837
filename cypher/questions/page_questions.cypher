// Questions of a corpus by depth and id, those after a place; an empty list or text stands for any.
// params: corpus: STRING, status: STRING, hops: LIST<INTEGER>, bins: LIST<INTEGER>, kinds: LIST<STRING>, rejected_by: STRING, text: STRING, entity: STRING, after: LIST<ANY>, limit: INTEGER
// returns: id: STRING, kind: STRING, hops: INTEGER, bin: INTEGER, difficulty: FLOAT, text: STRING, answer: STRING, status: STRING, rejected_by: STRING, rejected_why: STRING, answers: INTEGER, error_rate: FLOAT, crossings: MAP
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus, status: $status})
WITH q, coalesce(q.hops, 0) AS hops
WHERE ($after = [] OR hops > $after[0] OR (hops = $after[0] AND q.id > $after[1]))
  AND ($hops = [] OR hops IN $hops) AND ($bins = [] OR q.bin IN $bins) AND ($kinds = [] OR q.kind IN $kinds)
  AND ($rejected_by = '' OR q.rejected_by = $rejected_by)
  AND ($text = '' OR toLower(q.text) CONTAINS toLower($text) OR toLower(q.answer) CONTAINS toLower($text))
  AND ($entity = '' OR EXISTS { (q)-[:FOLLOWS]->(:Path)-[:VISITS]->(:Entity {id: $entity}) }
       OR EXISTS { (q)-[:ASKS_ABOUT|ANSWERED_BY]->(:Entity {id: $entity}) })
RETURN q.id AS id, q.kind AS kind, hops, q.bin AS bin, q.difficulty_min AS difficulty, coalesce(q.text, '') AS text,
       coalesce(q.answer, '') AS answer, q.status AS status, coalesce(q.rejected_by, '') AS rejected_by,
       coalesce(q.rejected_why, '') AS rejected_why, coalesce(q.answers, 0) AS answers, q.error_rate AS error_rate,
       {place: q.crossings_place, time: q.crossings_time, domain: q.crossings_domain, articles: q.crossings_articles, claims: q.crossings_claims, communities: q.crossings_communities} AS crossings
ORDER BY hops, id LIMIT $limit
