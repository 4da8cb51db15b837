// The entities that go by names, given as normal forms.
// params: corpus: STRING, keys: LIST<STRING>
// returns: key: STRING, entities: LIST<STRING>
// mode: read
CYPHER 25
UNWIND $keys AS key
RETURN key,
       COLLECT { MATCH (e:Entity {key: key}) WHERE e.corpus = $corpus RETURN e.id
                 UNION
                 MATCH (a:Alias {key: key} WHERE a.corpus = $corpus)-[:EXACT_EQUIVALENT]->(e) RETURN e.id } AS entities
