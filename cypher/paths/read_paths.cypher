// Paths with their hops and the entities they visit, in order.
// params: ids: LIST<STRING>
// returns: id: STRING, hops: INTEGER, edges: LIST<MAP>, entities: LIST<MAP>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (p:Path {id: id})
RETURN id, p.hops AS hops,
       COLLECT { MATCH (p)-[h:HOP]->() RETURN properties(h) ORDER BY h.index } AS edges,
       COLLECT { MATCH (p)-[v:VISITS]->(e) RETURN e {.id, .name, .type, .aliases} ORDER BY v.index } AS entities
