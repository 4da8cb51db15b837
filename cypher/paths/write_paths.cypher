// Write hop paths with the claims that they go along and the entities that they visit.
// params: corpus: STRING, rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MERGE (p:Path {id: row.path.id})
SET p += row.path, p.corpus = $corpus
WITH p, row
CALL (p, row) {
  UNWIND row.hops AS hop
  MATCH (c:Claim {id: hop.claim})
  MERGE (p)-[h:HOP {index: hop.index}]->(c)
  SET h += hop
}
CALL (p, row) {
  UNWIND row.entities AS entity
  MATCH (e:Entity {id: entity.id})
  MERGE (p)-[:VISITS {index: entity.index}]->(e)
}
