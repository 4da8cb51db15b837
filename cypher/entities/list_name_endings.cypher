// The named entities whose names end in a word and have others before it; words are given as normal forms.
// params: corpus: STRING, keys: LIST<STRING>
// returns: key: STRING, entities: LIST<MAP>
// mode: read
CYPHER 25
// One walk over the entities for all words: a search for each word would walk over them as often.
MATCH (e:Entity {corpus: $corpus}) WHERE e.named AND e.key CONTAINS ' '
WITH e, split(e.key, ' ')[-1] AS key
WHERE key IN $keys
WITH key, e ORDER BY e.name, e.id
RETURN key, collect({id: e.id, name: e.name, type: e.type}) AS entities
