// What a reader sees of some chunks: text, where and when it is from, the names in it, the facts that it states or that paths take as reported, and the chunk after it.
// params: ids: LIST<STRING>
// returns: id: STRING, text: STRING, title: STRING, source: STRING, published: STRING, names: LIST<MAP>, facts: LIST<MAP>, next: STRING
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (a:Article)-[:HAS_CHUNK]->(c:Chunk {id: id})
RETURN id, c.text AS text, a.title AS title, a.source AS source,
       coalesce(toString(date(a.published_at)), '') AS published,
       COLLECT { MATCH (c)-[n:NAMES]->(e) RETURN {surface: n.surface, name: e.name, type: e.type, entity: e.id}
                 ORDER BY n.surface, e.id } AS names,
       COLLECT { MATCH (c)-[:HAS_CLAIM]->(k:Claim)
                 MATCH (s:Entity)-[r:RELATES {claim: k.id}]->(o:Entity) WHERE r.stated OR r.in_paths
                 RETURN DISTINCT {subject: {surface: r.subject, name: s.name, type: s.type, entity: s.id},
                                  predicate: r.predicate,
                                  object: {surface: r.object, name: o.name, type: o.type, entity: o.id},
                                  sentence: k.sentence, id: r.id} AS fact
                 ORDER BY fact.id } AS facts,
       coalesce(COLLECT { MATCH (c)-[:NEXT]->(d:Chunk) RETURN d.id LIMIT 1 }[0], '') AS next
