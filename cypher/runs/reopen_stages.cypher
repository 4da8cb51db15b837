// Mark a run and its matrix as outdated in the ledger, so that they go on.
// params: corpus: STRING, names: LIST<STRING>
// returns: none
// mode: write
CYPHER 25
MATCH (s:Stage {corpus: $corpus, state: 'done'}) WHERE s.name IN $names
SET s.state = 'outdated'
