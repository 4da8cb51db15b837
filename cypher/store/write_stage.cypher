// Write one line of the ledger.
// params: id: STRING, stage: MAP
// returns: none
// mode: write
CYPHER 25
MERGE (s:Stage {id: $id}) SET s = $stage, s.id = $id
