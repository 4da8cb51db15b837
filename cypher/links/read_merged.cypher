// Merged entities with their aliases, the evidence for each, and some sentences for each name, those that have it first.
// params: ids: LIST<STRING>, sentences: INTEGER
// returns: id: STRING, name: STRING, type: STRING, sentences: LIST<MAP>, aliases: LIST<MAP>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (e:Entity {id: id})
RETURN id, e.name AS name, e.type AS type,
       COLLECT {
         MATCH (e)<-[:MENTIONS {name: e.name}]-(c:Claim)
         WITH DISTINCT c.sentence AS sentence, c.article AS article, c.sentence CONTAINS e.name AS named
         ORDER BY named DESC, sentence LIMIT $sentences
         MATCH (t:Article {id: article}) RETURN {sentence: sentence, article: t.title}
       } AS sentences,
       COLLECT {
         MATCH (e)<-[m:EXACT_EQUIVALENT]-(a:Alias)
         RETURN a {.name, score: m.score, evidence: m.evidence, sentences: COLLECT {
           MATCH (e)<-[:MENTIONS {name: a.name}]-(c:Claim)
           WITH DISTINCT c.sentence AS sentence, c.article AS article, c.sentence CONTAINS a.name AS named
           ORDER BY named DESC, sentence LIMIT $sentences
           MATCH (t:Article {id: article}) RETURN {sentence: sentence, article: t.title}
         }} ORDER BY a.name
       } AS aliases
