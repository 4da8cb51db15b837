// The sentences of claims and the articles that they stand in.
// params: ids: LIST<STRING>
// returns: id: STRING, text: STRING, sentence: STRING, article: STRING, title: STRING, source: STRING, published_at: STRING
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (c:Claim {id: id})
OPTIONAL MATCH (a:Article {id: c.article})
RETURN id, c.text AS text, c.sentence AS sentence, a.id AS article, a.title AS title, a.source AS source,
       toString(date(a.published_at)) AS published_at
