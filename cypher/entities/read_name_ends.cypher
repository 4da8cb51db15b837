// Which names hang on which entity.
// params: corpus: STRING
// returns: name: STRING, entity: STRING, literal: BOOLEAN
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus})<-[n:NAMES|MENTIONS]-()
RETURN DISTINCT n.name AS name, e.id AS entity, e.literal AS literal
