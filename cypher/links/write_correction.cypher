// Remember what a person said of two names: that they are one thing, or that they are not; who, when and why.
// params: id: STRING, correction: MAP
// returns: none
// mode: write
CYPHER 25
MERGE (c:Correction {id: $id})
SET c = $correction, c.id = $id
