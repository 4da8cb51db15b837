// What tells whether the graph of a corpus changed: the database, and the ledger's lines of these stages.
// params: corpus: STRING, stages: LIST<STRING>
// returns: database: STRING, stage: MAP
// mode: read
CYPHER 25
CALL db.info() YIELD id AS database
OPTIONAL MATCH (s:Stage {corpus: $corpus}) WHERE s.name IN $stages
RETURN database, properties(s) AS stage ORDER BY s.position
