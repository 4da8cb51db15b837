// Every triple of a corpus with its ends, its claim, its article, and whose word it is where it is somebody's.
// params: corpus: STRING
// returns: id: STRING, claim: STRING, article: STRING, from: STRING, to: STRING, subject: STRING, predicate: STRING, object: STRING, subject_type: STRING, object_type: STRING, negated: BOOLEAN, attributed_to: STRING, extractor: STRING
// mode: read
CYPHER 25
MATCH (s:Entity {corpus: $corpus})-[r:RELATES]->(o)
RETURN r.id AS id, r.claim AS claim, r.article AS article, s.id AS from, o.id AS to, r.subject AS subject,
       r.predicate AS predicate, r.object AS object, r.subject_type AS subject_type, r.object_type AS object_type,
       r.negated AS negated, r.attributed_to AS attributed_to, r.extractor AS extractor
