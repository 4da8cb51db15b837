// Delete the ledger's lines of a run and its matrix.
// params: corpus: STRING, names: LIST<STRING>
// returns: none
// mode: write
CYPHER 25
MATCH (s:Stage {corpus: $corpus}) WHERE s.name IN $names
DETACH DELETE s
