// Write one node, in a transaction that the caller takes back, to see whether the database can be written.
// params: none
// returns: none
// mode: write
CYPHER 25
CREATE (:Migration)
