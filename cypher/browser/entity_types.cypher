// Which types of entity there are, how many of each, and the best connected one.
// params: none
// returns: corpus: STRING, type: STRING, entities: INTEGER, example: STRING, facts_of_example: INTEGER
// mode: read
CYPHER 25
MATCH (e:Entity)
WITH e ORDER BY e.degree DESC, e.name
WITH e.corpus AS corpus, e.type AS type, count(*) AS entities, collect(e)[0] AS best
RETURN corpus, type, entities, best.name AS example, best.degree AS facts_of_example
ORDER BY corpus, entities DESC, type
