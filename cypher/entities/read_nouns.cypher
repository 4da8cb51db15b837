// What stated claims call some entities ("drug maker"), what is said most often first.
// params: ids: LIST<STRING>
// returns: id: STRING, nouns: LIST<STRING>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (:Entity {id: id})-[r:RELATES]->(o:Entity {type: 'CONCEPT'})
WHERE r.predicate IN ['is', 'was'] AND r.stated
WITH id, r.object AS noun, count(*) AS times
ORDER BY id, times DESC, noun
RETURN id, collect(noun) AS nouns
