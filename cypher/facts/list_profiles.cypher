// Which of some predicates the named entities of a corpus have as subjects and as objects.
// params: corpus: STRING, predicates: LIST<STRING>
// returns: type: STRING, has: LIST<STRING>, gets: LIST<STRING>
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus}) WHERE e.named
WITH e.type AS type,
     COLLECT { MATCH (e)-[r:RELATES WHERE r.stated AND r.predicate IN $predicates]->() RETURN DISTINCT r.predicate LIMIT 60 } AS has,
     COLLECT { MATCH (e)<-[r:RELATES WHERE r.stated AND r.predicate IN $predicates]-() RETURN DISTINCT r.predicate LIMIT 60 } AS gets
WHERE size(has) + size(gets) > 1
RETURN type, has, gets
