// Take back the paths that were drawn for questions after the first round, a bounded batch a transaction; those saved by hand stay as such.
// params: corpus: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (p:Path {corpus: $corpus}) WHERE p.round IS NOT NULL
CALL (p) {
  REMOVE p.round, p.drawn, p.place
  WITH p
  WHERE NOT coalesce(p.saved, false)
  DETACH DELETE p
} IN TRANSACTIONS OF 1000 ROWS
