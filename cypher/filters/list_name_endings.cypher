// The named entities whose names end in words that are given as normal forms.
// params: corpus: STRING, keys: LIST<STRING>
// returns: key: STRING, entities: LIST<MAP>
// mode: read
CYPHER 25
UNWIND $keys AS key
RETURN key,
       COLLECT { MATCH (e:Entity {corpus: $corpus}) WHERE e.named AND e.key ENDS WITH ' ' + key
                 RETURN {id: e.id, name: e.name, type: e.type} AS one ORDER BY one.name, one.id } AS entities
