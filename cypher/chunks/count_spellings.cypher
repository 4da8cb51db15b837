// In how many chunks words stand, and in how many of these in small letters; at most so many chunks are read for each row.
// params: corpus: STRING, rows: LIST<MAP>, limit: INTEGER
// returns: name: STRING, small: INTEGER, chunks: INTEGER
// mode: read
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  CALL db.index.fulltext.queryNodes('chunk_text', row.words) YIELD node
  WITH node WHERE node.corpus = $corpus AND node.text =~ ('(?i)' + row.pattern) LIMIT $limit
  RETURN count(*) AS chunks, sum(CASE WHEN node.text =~ row.pattern THEN 1 ELSE 0 END) AS small
}
RETURN row.name AS name, small, chunks
