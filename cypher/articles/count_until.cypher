// How many articles of a corpus have a day of publication, how many have none, and how many were published up to a day.
// params: corpus: STRING, day: DATE
// returns: dated: INTEGER, undated: INTEGER, read: INTEGER
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus})
WITH date(a.published_at) AS published
RETURN count(published) AS dated, count(*) - count(published) AS undated,
       count(CASE WHEN published <= $day THEN 1 END) AS read
