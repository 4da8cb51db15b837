// Claims that tell of an entity in one of some words, each with the other entities that it names.
// params: rows: LIST<MAP>, looked_at: INTEGER
// returns: id: STRING, claim: STRING, text: STRING, named: LIST<MAP>
// mode: read
CYPHER 25
UNWIND $rows AS row
MATCH (e:Entity {id: row.entity})
CALL (row, e) {
  MATCH (e)<-[:MENTIONS]-(c:Claim)
  WITH c ORDER BY c.id LIMIT $looked_at
  WHERE toLower(c.text) =~ row.words
  RETURN c
}
MATCH (c)-[:MENTIONS]->(other:Entity)
WHERE other <> e
RETURN row.id AS id, c.id AS claim, c.text AS text,
       collect({id: other.id, name: other.name, names: coalesce(other.aliases, []), type: other.type}) AS named
