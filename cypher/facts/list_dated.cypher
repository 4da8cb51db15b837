// What claims date: named subjects with the predicate and the date, whether as a fact or with doubt; denials are left out.
// params: corpus: STRING
// returns: triple: STRING, subject: STRING, name: STRING, predicate: STRING, date: STRING, stated: BOOLEAN
// mode: read
CYPHER 25
MATCH (o:Entity {corpus: $corpus} WHERE o.type = 'DATE')<-[r:RELATES WHERE NOT r.negated]-(s:Entity WHERE s.named)
RETURN r.id AS triple, s.id AS subject, s.name AS name, r.predicate AS predicate, o.name AS date, r.stated AS stated
