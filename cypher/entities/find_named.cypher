// The entities of a corpus that go by some normal forms of names, with all their names.
// params: corpus: STRING, ids: LIST<STRING>
// returns: key: STRING, id: STRING, name: STRING, type: STRING, names: LIST<STRING>
// mode: read
CYPHER 25
UNWIND $ids AS key
CALL (key) {
  MATCH (e:Entity {key: key}) WHERE e.corpus = $corpus RETURN e
  UNION
  MATCH (:Alias {key: key})-[:EXACT_EQUIVALENT]->(e:Entity) WHERE e.corpus = $corpus RETURN e
}
RETURN key, e.id AS id, e.name AS name, e.type AS type,
       coalesce(e.aliases, []) + COLLECT { MATCH (a:Alias)-[:EXACT_EQUIVALENT]->(e) RETURN a.name ORDER BY a.name } AS names
ORDER BY id, key
