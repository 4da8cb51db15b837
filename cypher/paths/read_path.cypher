// One path with the entities along it and what each hop says, where.
// params: id: STRING
// returns: path: MAP, entities: LIST<MAP>, hops: LIST<MAP>
// mode: read
CYPHER 25
MATCH (p:Path {id: $id})
RETURN properties(p) AS path,
       COLLECT { MATCH (p)-[v:VISITS]->(e) RETURN e {.id, .name, .type} ORDER BY v.index } AS entities,
       COLLECT {
         MATCH (p)-[h:HOP]->(c:Claim)
         OPTIONAL MATCH (a:Article {id: c.article})
         RETURN h {.index, .link, .subject, .predicate, .object, .reversed, .edge, .triple, .claim, text: c.text, attributed_to: coalesce(h.attributed_to, ''),
                   sentence: c.sentence, article: a.id, title: a.title, source: a.source}
         ORDER BY h.index
       } AS hops
