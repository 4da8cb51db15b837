// Which of some names stand in the corpus, as an entity's name or within a claim, a passage or a title.
// params: corpus: STRING, rows: LIST<MAP>
// returns: id: STRING
// mode: read
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  CALL db.index.fulltext.queryNodes('entity_name', row.phrase) YIELD node
  WHERE node.corpus = $corpus
  RETURN node.id AS found LIMIT 1
  UNION
  CALL db.index.fulltext.queryNodes('claim_text', row.phrase) YIELD node
  WHERE node.corpus = $corpus
  RETURN node.id AS found LIMIT 1
  UNION
  CALL db.index.fulltext.queryNodes('chunk_text', row.phrase) YIELD node
  WHERE node.corpus = $corpus
  RETURN node.id AS found LIMIT 1
}
RETURN DISTINCT row.id AS id
