// The vector index of chunks is made anew by the next migration, with what articles are filtered by.
// params: none
// returns: none
// mode: write alone
CYPHER 25
DROP INDEX chunk_embedding IF EXISTS
