// Join composed questions to the atomic question of each of their hops, which must be there.
// params: rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (q:Question {id: row.question}), (x:Question {id: row.atomic})
MERGE (q)-[h:HAS_HOP_QUESTION {hop: row.hop}]->(x)
SET h.topology = row.topology
