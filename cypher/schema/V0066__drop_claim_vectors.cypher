// The vector index of claims is made anew by the next migration, with what articles are filtered by.
// params: none
// returns: none
// mode: write alone
CYPHER 25
DROP INDEX claim_embedding IF EXISTS
