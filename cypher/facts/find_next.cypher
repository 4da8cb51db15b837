// Chunks that state something of an entity, or of one that is the same in some context, other than those known and none of an article that is left out; hubs are left out, and only so many chunks of each entity are given.
// params: rows: LIST<MAP>, fan_out: INTEGER
// returns: id: STRING, entity: STRING, chunks: LIST<STRING>
// mode: read
CYPHER 25
UNWIND $rows AS row
MATCH (e:Entity {id: row.entity}) WHERE NOT coalesce(e.hub, false)
CALL (e) {
  RETURN e AS x
  UNION
  MATCH (e)-[:CONTEXT_EQUIVALENT]-(x) WHERE NOT coalesce(x.hub, false)
  RETURN x
}
RETURN row.id AS id, x.id AS entity,
       COLLECT { MATCH (x)-[r:RELATES WHERE r.stated]-(:Entity)
                 MATCH (:Claim {id: r.claim})<-[:HAS_CLAIM]-(k:Chunk)<-[:HAS_CHUNK]-(a:Article)
                 WHERE NOT k.id IN row.known AND NOT a.id IN row.articles
                 RETURN DISTINCT k.id AS chunk ORDER BY chunk LIMIT $fan_out } AS chunks
ORDER BY id, entity
