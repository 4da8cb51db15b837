// Whether a corpus has kept questions with evidence, whether one of them lacks what it spans, and of which graph the others tell.
// params: corpus: STRING, id: STRING
// returns: questions: BOOLEAN, lacking: BOOLEAN, graph: STRING
// mode: read
CYPHER 25
OPTIONAL MATCH (c:Corpus {id: $id})
RETURN EXISTS { MATCH (q:Question {corpus: $corpus, status: 'kept'}) WHERE q.kind <> 'null' AND EXISTS { (q)-[:SUPPORTED_BY]->(:Chunk) } } AS questions,
       EXISTS { MATCH (q:Question {corpus: $corpus, status: 'kept'})
                WHERE q.spans_articles IS NULL AND q.kind <> 'null' AND coalesce(q.query_type, '') <> 'null'
                  AND EXISTS { (q)-[:SUPPORTED_BY]->(:Chunk)<-[:HAS_CHUNK]-(:Article) } } AS lacking,
       coalesce(c.spans_of, '') AS graph
