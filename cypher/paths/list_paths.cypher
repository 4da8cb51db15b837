// The paths of a corpus to make questions from: the first draw in its order, and those that were asked for by hand.
// params: corpus: STRING
// returns: id: STRING, hops: INTEGER, drawn: BOOLEAN
// mode: read
CYPHER 25
MATCH (p:Path {corpus: $corpus})
WHERE p.round IS NULL AND (p.drawn OR p.asked)
RETURN p.id AS id, p.hops AS hops, coalesce(p.drawn, false) AS drawn ORDER BY p.hops, p.place, id
