// One article all the way, as a table: each sentence that states something, the claim made of it, and the facts read from that.
// params: none
// returns: title: STRING, sentence: STRING, claim: STRING, facts: LIST<STRING>
// mode: read
CYPHER 25
MATCH (a:Article)-[:HAS_CHUNK]->(:Chunk)
// Instead of the line below: WITH DISTINCT a WHERE a.title CONTAINS 'words of its title'
WITH a, count(*) AS chunks ORDER BY chunks, a.id LIMIT 1
MATCH (a)-[:HAS_CHUNK]->(:Chunk)-[:HAS_CLAIM]->(c:Claim)
WITH DISTINCT a, c ORDER BY c.start
RETURN a.title AS title, c.sentence AS sentence, c.text AS claim,
       COLLECT { MATCH (c)-[:MENTIONS]->(s:Entity)-[r:RELATES {claim: c.id}]->(o:Entity)
                 RETURN DISTINCT s.name + ' | ' + r.predicate + ' | ' + o.name } AS facts
ORDER BY c.start
