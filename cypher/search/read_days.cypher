// The days of the oldest and the newest article of a corpus as ISO dates, empty where no article has one.
// params: corpus: STRING
// returns: first: STRING, last: STRING
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus}) WHERE a.published_at IS NOT NULL
WITH date(a.published_at) AS day
RETURN coalesce(toString(min(day)), '') AS first, coalesce(toString(max(day)), '') AS last
