// What people corrected by hand: which names are one thing and which are not, who said so and why, and what became of it.
// params: none
// returns: corpus: STRING, says: STRING, name: STRING, other: STRING, by: STRING, reason: STRING, made: STRING, effect: STRING
// mode: read
CYPHER 25
MATCH (c:Correction)
RETURN c.corpus AS corpus, CASE c.kind WHEN 'merge' THEN 'one thing' ELSE 'two things' END AS says, c.name AS name, c.other AS other,
       c.by AS by, c.reason AS reason, toString(c.created_at) AS made, coalesce(c.effect, 'not applied yet') AS effect
ORDER BY corpus, made, name
