// What some triples say, of whom, where, and every chunk in which a claim states a fact between the same two entities.
// params: ids: LIST<STRING>
// returns: id: STRING, subject: MAP, object: MAP, predicate: STRING, said_subject: STRING, said_object: STRING, claim: STRING, sentence: STRING, article: STRING, title: STRING, source: STRING, published: STRING, stated: LIST<MAP>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (s)-[r:RELATES {id: id}]->(o)
MATCH (c:Claim {id: r.claim})
OPTIONAL MATCH (a:Article {id: r.article})
RETURN id,
       s {.id, .name, .type, .aliases, nouns: COLLECT {
         MATCH (s)-[n:RELATES]->(noun) WHERE n.stated AND n.predicate IN ['is', 'was', 'are', 'were'] AND noun.type = 'CONCEPT'
         RETURN DISTINCT noun.name ORDER BY noun.name LIMIT 5 }} AS subject,
       o {.id, .name, .type, .aliases, nouns: COLLECT {
         MATCH (o)-[n:RELATES]->(noun) WHERE n.stated AND n.predicate IN ['is', 'was', 'are', 'were'] AND noun.type = 'CONCEPT'
         RETURN DISTINCT noun.name ORDER BY noun.name LIMIT 5 }} AS object,
       r.predicate AS predicate, r.subject AS said_subject, r.object AS said_object, c.id AS claim, c.sentence AS sentence,
       a.id AS article, a.title AS title, a.source AS source, toString(date(a.published_at)) AS published,
       COLLECT {
         MATCH (s)-[t:RELATES]->(o) WHERE t.stated
         MATCH (:Claim {id: t.claim})<-[:HAS_CLAIM]-(k:Chunk)
         RETURN DISTINCT {predicate: t.predicate, chunk: k.id, article: t.article} LIMIT 200
       } AS stated
