// Those of some chunks that the corpus doesn't hold.
// params: corpus: STRING, ids: LIST<STRING>
// returns: id: STRING
// mode: read
CYPHER 25
UNWIND $ids AS id
WITH id WHERE NOT EXISTS { (:Chunk {id: id, corpus: $corpus}) }
RETURN id
