// What the edges that a path may take say, with the types of their ends and the claim behind them.
// params: corpus: STRING
// returns: id: STRING, subject: STRING, predicate: STRING, object: STRING, from_name: STRING, from_type: STRING, to_name: STRING,
//   to_type: STRING, claim: STRING, sentence: STRING, statement: STRING
// mode: read
CYPHER 25
MATCH (s:Entity {corpus: $corpus})-[r:RELATES|MIRRORED WHERE r.in_paths]->(o)
OPTIONAL MATCH ()-[t:RELATES {id: r.mirror_of}]->()
LET fact = coalesce(t, r)
MATCH (c:Claim {id: fact.claim})
RETURN r.id AS id, fact.subject AS subject, fact.predicate AS predicate, fact.object AS object, s.name AS from_name,
       s.type AS from_type, o.name AS to_name, o.type AS to_type, c.id AS claim, c.sentence AS sentence, c.text AS statement
ORDER BY id
