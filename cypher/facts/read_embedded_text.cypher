// What is embedded of some facts: subject, predicate, object.
// params: ids: LIST<STRING>
// returns: id: STRING, text: STRING
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH ()-[r:RELATES {id: id}]->()
RETURN id, r.subject + ' ' + r.predicate + ' ' + r.object AS text
