// Renew a lease that is still one's own. Inside a transaction that writes it is the proof that nobody else has the corpus, and nobody
//   gets it before that transaction has ended.
// params: id: STRING, token: STRING, milliseconds: INTEGER
// returns: token: STRING
// mode: write
CYPHER 25
MATCH (mine:Lease {id: $id, token: $token})
SET mine.until = timestamp() + $milliseconds
RETURN mine.token AS token
