// The entities that a text may mean: by id or its beginning with or without "entity-", name, another name, or the same normal form, the surest way first.
// params: corpus: STRING, text: STRING, key: STRING
// returns: id: STRING, name: STRING, type: STRING, rank: INTEGER
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus})
WITH e, CASE WHEN e.id = $text OR e.name = $text THEN 0
             WHEN $text IN e.aliases THEN 1
             WHEN e.key = $key THEN 2
             WHEN EXISTS { (e)<-[:EXACT_EQUIVALENT]-(:Alias {key: $key}) } THEN 3
             WHEN $text STARTS WITH 'entity-' AND e.id STARTS WITH $text THEN 4
             WHEN $text =~ '[0-9a-f]{4,}' AND e.id STARTS WITH 'entity-' + $text THEN 5 END AS rank
WHERE rank IS NOT NULL
RETURN e.id AS id, e.name AS name, e.type AS type, rank ORDER BY rank, name, id
