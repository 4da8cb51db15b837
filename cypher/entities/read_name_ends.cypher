// Which names hang on which entity; of names with several senses, in which article, else without one.
// params: corpus: STRING, several: LIST<STRING>
// returns: name: STRING, entity: STRING, literal: BOOLEAN, article: STRING
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus})<-[n:NAMES|MENTIONS]-(x)
RETURN DISTINCT n.name AS name, e.id AS entity, e.literal AS literal,
       CASE WHEN n.name IN $several THEN
         COLLECT { MATCH (a:Article)-[:HAS_CHUNK]->()-[:HAS_CLAIM]->{0,1}(x) RETURN a.id LIMIT 1 }[0]
       END AS article
