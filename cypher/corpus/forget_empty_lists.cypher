// Remove the note of which lists are empty, once they are made; exported scripts hold this statement.
// params: label: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (n:$($label)) WHERE n.empty_lists IS NOT NULL
CALL (n) { REMOVE n.empty_lists } IN TRANSACTIONS OF 10000 ROWS
