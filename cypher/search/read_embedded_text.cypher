// What is embedded of some chunks (the title of their article, and below it their text), claims, entities or facts (subject, predicate, object).
// params: target: STRING, ids: LIST<STRING>
// returns: id: STRING, text: STRING
// mode: read
CYPHER 25
UNWIND $ids AS id
CALL (id) {
  WHEN $target = 'chunks' THEN { MATCH (n:Chunk {id: id}) RETURN coalesce(n.title, '') + '\n' + n.text AS text }
  WHEN $target = 'claims' THEN { MATCH (n:Claim {id: id}) RETURN n.text AS text }
  WHEN $target = 'entities' THEN { MATCH (n:Entity {id: id}) RETURN n.name AS text }
  WHEN $target = 'facts' THEN { MATCH ()-[r:RELATES {id: id}]->() RETURN r.subject + ' ' + r.predicate + ' ' + r.object AS text }
}
RETURN id, text
