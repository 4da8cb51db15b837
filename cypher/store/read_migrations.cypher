// The schema migrations that this database has seen.
// params: none
// returns: name: STRING
// mode: read
CYPHER 25
MATCH (m:Migration) RETURN m.name AS name
