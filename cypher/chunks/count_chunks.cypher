// How many chunks a corpus has.
// params: corpus: STRING
// returns: chunks: INTEGER
// mode: read
CYPHER 25
MATCH (c:Chunk {corpus: $corpus}) RETURN count(c) AS chunks
