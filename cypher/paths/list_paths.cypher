// The paths of a corpus to make questions from: those drawn, of the first draw only or of later rounds too, in its order, and those that were
//   asked for by hand.
// params: corpus: STRING, first: BOOLEAN
// returns: id: STRING, hops: INTEGER, drawn: BOOLEAN
// mode: read
CYPHER 25
MATCH (p:Path {corpus: $corpus})
WHERE (p.drawn OR p.asked) AND (NOT $first OR p.round IS NULL)
RETURN p.id AS id, p.hops AS hops, coalesce(p.drawn, false) AS drawn ORDER BY p.hops, p.place, id
