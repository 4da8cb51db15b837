// Which of some supposed gaps a claim may fill: one that has a name and a verb of it, or, in an article that names the entity, one that says the verb of somebody it leaves unclear.
// params: corpus: STRING, rows: LIST<MAP>
// returns: id: STRING, sentence: STRING
// mode: read
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  CALL db.index.fulltext.queryNodes('claim_text', row.words) YIELD node
  WHERE node.corpus = $corpus
  RETURN node.sentence AS sentence LIMIT 1
  UNION
  UNWIND row.entities AS entity
  MATCH (:Entity {id: entity})<-[:MENTIONS]-(c:Claim)
  WITH DISTINCT row, c.article AS article LIMIT 50
  MATCH (:Article {id: article})-[:HAS_CHUNK]->()-[:HAS_CLAIM]->(d:Claim)
  WHERE NOT d.verified AND toLower(d.text) =~ row.verbs
  RETURN d.sentence AS sentence LIMIT 1
}
RETURN row.id AS id, sentence
