// The facts around an entity, mirrored ones among them, each with its claim and article; those that paths use first.
// params: id: STRING, limit: INTEGER
// returns: id: STRING, mirrored: BOOLEAN, subject: MAP, predicate: STRING, object: MAP, kept_out: STRING, claim: STRING, sentence: STRING, article: STRING, title: STRING
// mode: read
CYPHER 25
MATCH (e:Entity {id: $id})-[r:RELATES|MIRRORED]-()
WITH DISTINCT r ORDER BY r.in_paths DESC, r.mirror_of IS NOT NULL, r.id LIMIT $limit
WITH r, startNode(r) AS s, endNode(r) AS o
OPTIONAL MATCH (c:Claim {id: r.claim})
OPTIONAL MATCH (a:Article {id: c.article})
RETURN r.id AS id, r.mirror_of IS NOT NULL AS mirrored, s {.id, .name, .type, .answers, .error_rate} AS subject, r.predicate AS predicate,
       o {.id, .name, .type, .answers, .error_rate} AS object, r.kept_out AS kept_out, c.id AS claim, c.sentence AS sentence, a.id AS article, a.title AS title
ORDER BY mirrored, subject.name, predicate, object.name, id
