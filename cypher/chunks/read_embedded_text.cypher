// What is embedded of some Chunk nodes: the title of their article, and below it their text.
// params: ids: LIST<STRING>
// returns: id: STRING, text: STRING
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (n:Chunk {id: id})
RETURN id, coalesce(n.title, '') + '\n' + n.text AS text
