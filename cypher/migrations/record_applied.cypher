// Remember that a schema migration ran.
// params: name: STRING
// returns: none
// mode: write
CYPHER 25
MERGE (m:Migration {name: $name}) ON CREATE SET m.applied_at = datetime()
