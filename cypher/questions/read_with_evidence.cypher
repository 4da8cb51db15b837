// Questions with their path and their gold evidence, in the order of the ids asked for.
// params: ids: LIST<STRING>
// returns: question: MAP, path: STRING, evidence: LIST<MAP>
// mode: read
CYPHER 25
UNWIND range(0, size($ids) - 1) AS place
MATCH (q:Question {id: $ids[place]})
RETURN q {.id, .text, .answer, .accepted, .kind, .query_type, .hops, .status, .rejected_by, .rejected_why, .bin, .difficulty_min} AS question,
       head(COLLECT { MATCH (q)-[:FOLLOWS]->(p:Path) RETURN p.id }) AS path,
       COLLECT { MATCH (q)-[b:SUPPORTED_BY]->(k)<-[:HAS_CHUNK]-(a)
                 RETURN {hop: b.hop, similarity: b.similarity, chunk: k.id, title: a.title, text: k.text}
                 ORDER BY b.hop, b.similarity DESC, k.id } AS evidence
ORDER BY place
