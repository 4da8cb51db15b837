// Articles with their words and the named entities that their claims mention.
// params: ids: LIST<STRING>
// returns: id: STRING, title: STRING, source: STRING, body: STRING, entities: LIST<MAP>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (a:Article {id: id})
RETURN id, a.title AS title, a.source AS source, a.body AS body, COLLECT {
  MATCH (a)-[:HAS_CHUNK]->()-[:HAS_CLAIM]->()-[:MENTIONS]->(e:Entity) WHERE e.named
  RETURN DISTINCT {id: e.id, type: e.type}
} AS entities
