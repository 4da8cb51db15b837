// The entities that hold more than one name.
// params: corpus: STRING
// returns: id: STRING
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus}) WHERE EXISTS { (e)<-[:EXACT_EQUIVALENT]-(:Alias) }
RETURN e.id AS id ORDER BY id
