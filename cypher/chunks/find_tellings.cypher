// Passages that hold, in title or text, a name and a verb of some supposed gaps, up to `most` a gap.
// params: corpus: STRING, rows: LIST<MAP>, most: INTEGER
// returns: id: STRING, passages: LIST<MAP>
// mode: read
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  CALL db.index.fulltext.queryNodes('chunk_text', row.words) YIELD node
  WHERE node.corpus = $corpus
  WITH node ORDER BY node.id LIMIT $most
  RETURN collect({title: coalesce(node.title, ''), text: node.text}) AS passages
}
RETURN row.id AS id, passages
