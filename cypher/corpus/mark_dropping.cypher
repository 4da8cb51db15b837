// Mark a corpus as being deleted, so that nobody takes what is left of it for the whole.
// params: id: STRING
// returns: none
// mode: write
CYPHER 25
MATCH (c:Corpus {id: $id}) SET c.dropping = true
