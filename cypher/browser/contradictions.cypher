// What may be a contradiction: one subject and predicate with different objects, for predicates that mostly have one object.
// params: none
// returns: corpus: STRING, subject: STRING, predicate: STRING, one: STRING, other: STRING, one_sentence: STRING, other_sentence: STRING
// mode: read
CYPHER 25
MATCH (s:Entity)-[r:RELATES]->(o:Entity) WHERE r.stated AND o.type <> 'CONCEPT'
WITH r.corpus AS corpus, r.predicate AS predicate, s, count(DISTINCT o) AS objects
WITH corpus, predicate, count(*) AS subjects, count(CASE WHEN objects = 1 THEN 1 END) AS single,
     collect(CASE WHEN objects > 1 THEN s END) AS doubtful
WHERE 10 * single >= 6 * subjects
UNWIND doubtful AS s
MATCH (s)-[r:RELATES {predicate: predicate}]->(x:Entity), (s)-[t:RELATES {predicate: predicate}]->(y:Entity)
WHERE r.stated AND t.stated AND x.type <> 'CONCEPT' AND y.type <> 'CONCEPT' AND x.id < y.id AND r.claim <> t.claim
  // Two names of one thing are no contradiction.
  AND NOT EXISTS { (x)-[:CONTEXT_EQUIVALENT]-(y) }
MATCH (c:Claim {id: r.claim}), (d:Claim {id: t.claim})
RETURN corpus, s.name AS subject, predicate, x.name AS one, y.name AS other,
       c.sentence AS one_sentence, d.sentence AS other_sentence
ORDER BY corpus, 1.0 * single / subjects DESC, subject, predicate, one, other LIMIT 50
