// What was extracted from some articles, found by their own ids or by their titles.
// params: corpus: STRING, ids: LIST<STRING>, titles: LIST<STRING>, factual_from: FLOAT
// returns: given_id: STRING, title: STRING, triples: LIST<MAP>, names: LIST<STRING>, extractors: LIST<STRING>
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus})
WHERE a.given_id IN $ids OR a.title IN $titles
RETURN a.given_id AS given_id, a.title AS title,
       COLLECT {
         MATCH (a)-[:HAS_CHUNK]->(:Chunk)-[:HAS_CLAIM]->(c:Claim)
         WITH DISTINCT c
         MATCH ()-[r:RELATES {claim: c.id}]->()
         RETURN {subject: r.subject, object: r.object, rule: r.rule,
                 kept: (coalesce(r.aside, false) OR c.verified AND c.factual >= $factual_from) AND NOT r.negated AND r.attributed_to = ''}
         ORDER BY c.start, r.id
       } AS triples,
       COLLECT {
         MATCH (a)-[:HAS_CHUNK]->(:Chunk)-[n:NAMES]->(:Entity)
         UNWIND [n.name, n.surface] AS name
         RETURN DISTINCT name ORDER BY name
       } AS names,
       COLLECT {
         MATCH (a)-[:HAS_CHUNK]->(:Chunk)-[:HAS_CLAIM]->(c:Claim)
         RETURN DISTINCT c.extractor AS extractor ORDER BY extractor
       } AS extractors
ORDER BY given_id, title
