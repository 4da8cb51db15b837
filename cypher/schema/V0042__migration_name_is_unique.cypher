// A Migration's name is unique, so that two first starts at once record it once.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE CONSTRAINT migration_name IF NOT EXISTS FOR (n:Migration) REQUIRE n.name IS UNIQUE
