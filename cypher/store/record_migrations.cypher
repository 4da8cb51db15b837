// Remember that schema migrations ran.
// params: names: LIST<STRING>
// returns: none
// mode: write
CYPHER 25
UNWIND $names AS name
MERGE (m:Migration {name: name}) ON CREATE SET m.applied_at = datetime()
