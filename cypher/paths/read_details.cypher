// One path of a corpus with the entities along it, what each hop says where, and the questions that follow it.
// params: corpus: STRING, id: STRING
// returns: id: STRING, hops: INTEGER, alternatives: INTEGER, crosses_articles: BOOLEAN, uses_exact: BOOLEAN, uses_context: BOOLEAN, drawn: BOOLEAN, saved: BOOLEAN, answers: INTEGER, error_rate: FLOAT, entities: LIST<MAP>, steps: LIST<MAP>, questions: LIST<STRING>
// mode: read
CYPHER 25
MATCH (p:Path {id: $id, corpus: $corpus})
RETURN p.id AS id, p.hops AS hops, coalesce(p.alternatives, 1) AS alternatives,
       coalesce(p.crosses_articles, false) AS crosses_articles, coalesce(p.uses_exact, false) AS uses_exact,
       coalesce(p.uses_context, false) AS uses_context, coalesce(p.drawn, false) AS drawn, coalesce(p.saved, false) AS saved,
       coalesce(p.answers, 0) AS answers, p.error_rate AS error_rate,
       COLLECT { MATCH (p)-[v:VISITS]->(e) RETURN e {.id, .name, .type} ORDER BY v.index } AS entities,
       COLLECT {
         MATCH (p)-[h:HOP]->(c:Claim)
         OPTIONAL MATCH (a:Article {id: c.article})
         RETURN {index: h.index, link: coalesce(h.link, ''), subject: h.subject, predicate: h.predicate, object: h.object, attributed_to: coalesce(h.attributed_to, ''),
                 reversed: coalesce(h.reversed, false), mirrored: h.edge <> h.triple, edge: h.edge, claim: c.id,
                 sentence: c.sentence, article: coalesce(a.id, ''), title: coalesce(a.title, '')}
         ORDER BY h.index
       } AS steps,
       COLLECT { MATCH (q:Question)-[:FOLLOWS]->(p) RETURN q.id ORDER BY q.id } AS questions
