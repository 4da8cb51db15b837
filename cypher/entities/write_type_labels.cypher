// Give each entity a second label by its type, so that Neo4j Browser can colour types apart.
// params: corpus: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (e:Entity {corpus: $corpus})
CALL (e) {
  REMOVE e:Person:Organisation:Place:People:Event:Thing:Concept:Literal
  SET e:$(CASE e.type
            WHEN 'PERSON' THEN 'Person'
            WHEN 'ORG' THEN 'Organisation'
            WHEN 'GPE' THEN 'Place' WHEN 'LOC' THEN 'Place' WHEN 'FAC' THEN 'Place'
            WHEN 'NORP' THEN 'People'
            WHEN 'EVENT' THEN 'Event'
            WHEN 'CONCEPT' THEN 'Concept'
            WHEN 'DATE' THEN 'Literal' WHEN 'NUMBER' THEN 'Literal'
            ELSE 'Thing' END)
} IN TRANSACTIONS OF 2000 ROWS
