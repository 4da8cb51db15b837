// The full-text index of chunks is made anew by the next migration, with titles and with what is filtered by.
// params: none
// returns: none
// mode: write alone
CYPHER 25
DROP INDEX chunk_text IF EXISTS
