// Of each of some lists of entities the names of the three with most facts.
// params: rows: LIST<MAP>
// returns: label: STRING, names: LIST<STRING>
// mode: read
CYPHER 25
UNWIND $rows AS row
RETURN row.label AS label,
       COLLECT { UNWIND row.entities AS id MATCH (e:Entity {id: id}) RETURN e.name ORDER BY e.degree DESC, e.name LIMIT 3 } AS names
