// What edges say and where: their ends, the triple that they are or mirror, its claim and article. Of a mirrored edge `replaced` is the end at which context put another entity, 'subject' or 'object'; of others it is empty.
// params: ids: LIST<STRING>
// returns: id: STRING, mirrored: BOOLEAN, replaced: STRING, triple: STRING, claim: STRING, article: STRING, subject: STRING, predicate: STRING, object: STRING, attributed_to: STRING, from: MAP, to: MAP
// mode: read
CYPHER 25
UNWIND $ids AS id
CALL (id) {
  MATCH (s)-[r:RELATES {id: id}]->(o) RETURN s, r, o, false AS mirrored, '' AS replaced, r AS triple
  UNION
  MATCH (s)-[r:MIRRORED {id: id}]->(o)
  WITH s, r, o, r.mirror_of AS original LIMIT 1
  MATCH (of)-[t:RELATES {id: original}]->() RETURN s, r, o, true AS mirrored, CASE WHEN of = s THEN 'object' ELSE 'subject' END AS replaced, t AS triple
}
RETURN id, mirrored, replaced, triple.id AS triple, triple.claim AS claim, triple.article AS article,
       triple.subject AS subject, triple.predicate AS predicate, triple.object AS object, coalesce(triple.attributed_to, '') AS attributed_to,
       s {.id, .name, .type, .error_rate} AS from, o {.id, .name, .type, .error_rate} AS to
