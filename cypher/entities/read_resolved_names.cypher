// Every name that an article of a corpus uses, as mention or in a triple, with the entity that it hangs on now.
// params: corpus: STRING
// returns: article: STRING, surface: STRING, name: STRING, entity: STRING
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus})
CALL (a) {
  MATCH (a)-[:HAS_CHUNK]->(:Chunk)-[n:NAMES]->(e:Entity)
  RETURN n.surface AS surface, n.name AS name, e.id AS entity
  UNION
  MATCH (a)-[:HAS_CHUNK]->(:Chunk)-[:HAS_CLAIM]->(:Claim)-[m:MENTIONS]->(e:Entity)
  RETURN m.name AS surface, m.name AS name, e.id AS entity
}
RETURN DISTINCT a.given_id AS article, surface, name, entity
