// What atomic questions are made from: chunks with where and when they are from, the entities that they name, and their claims with the facts in them.
// params: ids: LIST<STRING>
// returns: id: STRING, text: STRING, article: STRING, title: STRING, source: STRING, published: STRING, domain: STRING, entities: LIST<MAP>, claims: LIST<MAP>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (a:Article)-[:HAS_CHUNK]->(c:Chunk {id: id})
RETURN id, c.text AS text, a.id AS article, a.title AS title, coalesce(a.source, '') AS source,
       coalesce(toString(date(a.published_at)), '') AS published, coalesce(a.category, '') AS domain,
       COLLECT { MATCH (c)-[:HAS_CLAIM|NAMES]->(x)
                 OPTIONAL MATCH (x)-[:MENTIONS]->(m:Entity)
                 LET e = coalesce(m, x)
                 FILTER e:Entity
                 WITH DISTINCT e ORDER BY e.id
                 RETURN {id: e.id, name: e.name, type: e.type, literal: coalesce(e.literal, false),
                         aliases: coalesce(e.aliases, [])} } AS entities,
       COLLECT { MATCH (c)-[:HAS_CLAIM]->(k:Claim)
                 WITH DISTINCT k ORDER BY k.id
                 RETURN {id: k.id, sentence: coalesce(k.sentence, k.text),
                         facts: COLLECT { MATCH (s)-[r:RELATES {claim: k.id}]->(o)
                                          WHERE coalesce(r.kept_out, '') <> 'negated'
                                          WITH r, s, o ORDER BY r.id
                                          RETURN [r.id, s.id, o.id] } } } AS claims
