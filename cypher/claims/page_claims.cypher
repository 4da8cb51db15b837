// Claims of a corpus by id, those after a place: of an article, about an entity, verified or not; null and an empty text stand for any.
// params: corpus: STRING, article: STRING, entity: STRING, verified: BOOLEAN, after: LIST<ANY>, limit: INTEGER
// returns: id: STRING, text: STRING, sentence: STRING, article: STRING, title: STRING, start: INTEGER, end: INTEGER, factual: FLOAT, verified: BOOLEAN, answers: INTEGER, error_rate: FLOAT
// mode: read
CYPHER 25
MATCH (c:Claim {corpus: $corpus})
WHERE ($after = [] OR c.id > $after[0]) AND ($article = '' OR c.article = $article)
  AND ($verified IS NULL OR c.verified = $verified)
  AND ($entity = '' OR EXISTS { (c)-[:MENTIONS]->(:Entity {id: $entity}) })
ORDER BY c.id LIMIT $limit
OPTIONAL MATCH (a:Article {id: c.article})
RETURN c.id AS id, c.text AS text, c.sentence AS sentence, c.article AS article, coalesce(a.title, '') AS title,
       c.start AS start, c.end AS end, c.factual AS factual, c.verified AS verified,
       coalesce(c.answers, 0) AS answers, c.error_rate AS error_rate
ORDER BY id
