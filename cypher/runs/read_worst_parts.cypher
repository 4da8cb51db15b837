// The articles, claims and entities on which a run's answers go wrong most often, each at most $limit: articles hold evidence for a question, claims are what one rests on, entities lie on its path, or are asked about, or answer it; no dates. Those with few answers come last.
// params: run: STRING, least: INTEGER, small: INTEGER, limit: INTEGER
// returns: part: STRING, id: STRING, name: STRING, answers: INTEGER, wrong: INTEGER
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question {status: 'kept'})
CALL (q) {
  MATCH (q)-[:SUPPORTED_BY]->(:Chunk)<-[:HAS_CHUNK]-(n:Article) RETURN 'articles' AS part, n, n.title AS name
  UNION
  MATCH (q)-[:RESTS_ON]->(n:Claim) RETURN 'claims' AS part, n, n.text AS name
  UNION
  MATCH (q)-[:FOLLOWS]->(:Path)-[:VISITS]->(n:Entity) WHERE coalesce(n.type, '') <> 'DATE'
  RETURN 'entities' AS part, n, n.name AS name
  UNION
  MATCH (q)-[:ASKS_ABOUT|ANSWERED_BY]->(n:Entity) WHERE coalesce(n.type, '') <> 'DATE'
  RETURN 'entities' AS part, n, n.name AS name
}
WITH part, n.id AS id, name, count(*) AS answers, count(CASE WHEN a.correct THEN null ELSE 1 END) AS wrong
WHERE answers >= $least AND wrong > 0
WITH * ORDER BY answers < $small, 1.0 * wrong / answers DESC, answers DESC, name, id
WITH part, collect({id: id, name: name, answers: answers, wrong: wrong})[..$limit] AS worst
UNWIND worst AS one
RETURN part, one.id AS id, one.name AS name, one.answers AS answers, one.wrong AS wrong
