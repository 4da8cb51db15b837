// Make a list of nodes empty again that an import of CSV files left out; exported scripts hold this statement.
// params: label: STRING, name: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (n:$($label)) WHERE $name IN n.empty_lists
CALL (n) { SET n[$name] = [] } IN TRANSACTIONS OF 10000 ROWS
