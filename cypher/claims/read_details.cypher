// One claim of a corpus with its triples and the chunks that hold its sentence.
// params: corpus: STRING, id: STRING
// returns: id: STRING, text: STRING, sentence: STRING, article: STRING, title: STRING, start: INTEGER, end: INTEGER, factual: FLOAT, verified: BOOLEAN, answers: INTEGER, error_rate: FLOAT, doubt: STRING, extractor: STRING, chunks: LIST<STRING>, triples: LIST<MAP>
// mode: read
CYPHER 25
MATCH (c:Claim {id: $id, corpus: $corpus})
OPTIONAL MATCH (a:Article {id: c.article})
RETURN c.id AS id, c.text AS text, c.sentence AS sentence, c.article AS article, coalesce(a.title, '') AS title,
       c.start AS start, c.end AS end, c.factual AS factual, c.verified AS verified,
       coalesce(c.answers, 0) AS answers, c.error_rate AS error_rate, coalesce(c.doubt, '') AS doubt,
       coalesce(c.extractor, '') AS extractor,
       COLLECT { MATCH (k:Chunk)-[:HAS_CLAIM]->(c) RETURN k.id ORDER BY k.position, k.id } AS chunks,
       COLLECT { MATCH (s:Entity)-[r:RELATES {claim: c.id}]->(o:Entity)
                 RETURN {id: r.id, subject: s {.id, .name, .type}, predicate: r.predicate, object: o {.id, .name, .type},
                                  subject_as_written: r.subject, object_as_written: r.object, confidence: r.confidence,
                                  negated: r.negated, attributed_to: coalesce(r.attributed_to, ''), kept_out: coalesce(r.kept_out, '')} AS triple
                 ORDER BY triple.id } AS triples
