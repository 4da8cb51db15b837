// Full-text search over the names of entities.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE FULLTEXT INDEX entity_name IF NOT EXISTS FOR (n:Entity) ON EACH [n.name]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}}
