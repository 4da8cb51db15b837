// The edges around an entity by id, those after a place, with the claim behind each; mirrored ones only where wanted.
// params: corpus: STRING, id: STRING, mirrored: BOOLEAN, in_paths: BOOLEAN, after: LIST<ANY>, limit: INTEGER
// returns: id: STRING, mirrored: BOOLEAN, subject: MAP, predicate: STRING, object: MAP, claim: STRING, article: STRING, sentence: STRING, in_paths: BOOLEAN, kept_out: STRING
// mode: read
CYPHER 25
MATCH (e:Entity {id: $id, corpus: $corpus})-[r:RELATES|MIRRORED]-(:Entity)
WHERE ($mirrored OR r.mirror_of IS NULL) AND ($after = [] OR r.id > $after[0]) AND (NOT $in_paths OR r.in_paths)
WITH DISTINCT r, startNode(r) AS s, endNode(r) AS o ORDER BY r.id LIMIT $limit
OPTIONAL MATCH (c:Claim {id: r.claim})
RETURN r.id AS id, r.mirror_of IS NOT NULL AS mirrored, s {.id, .name, .type} AS subject, r.predicate AS predicate,
       o {.id, .name, .type} AS object, coalesce(r.claim, '') AS claim, coalesce(c.article, '') AS article,
       coalesce(c.sentence, '') AS sentence, coalesce(r.in_paths, false) AS in_paths, coalesce(r.kept_out, '') AS kept_out
ORDER BY id
