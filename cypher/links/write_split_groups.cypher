// Write names that look like one thing but were kept apart, with the reason and the part that each fell into.
// params: corpus: STRING, rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MERGE (g:SplitGroup {id: row.id})
SET g.corpus = $corpus, g.names = row.names, g.reason = row.reason
WITH g, row
UNWIND row.members AS member
MATCH (e:Entity {id: member.entity})
MERGE (g)-[k:KEPT_APART {name: member.name}]->(e)
SET k.part = member.part
