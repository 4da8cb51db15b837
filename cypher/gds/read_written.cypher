// The entities of a corpus with what the recipes of graph data science wrote onto them.
// params: corpus: STRING
// returns: id: STRING, name: STRING, type: STRING, degree: INTEGER, pagerank: FLOAT, community: INTEGER, graph_embedding: LIST<FLOAT>
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus})
RETURN e.id AS id, e.name AS name, e.type AS type, e.degree AS degree, e.pagerank AS pagerank, e.community AS community,
       e.graph_embedding AS graph_embedding
ORDER BY id
