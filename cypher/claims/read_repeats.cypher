// The claims of a corpus whose sentence another claim states as well, but for capitals and line breaks.
// params: corpus: STRING
// returns: claims: LIST<STRING>
// mode: read
CYPHER 25
MATCH (c:Claim {corpus: $corpus}) WHERE c.sentence IS NOT NULL
WITH toLower(trim(replace(replace(c.sentence, '\r', ''), '\n', ' '))) AS sentence, c.id AS claim ORDER BY claim
WITH sentence, collect(claim) AS claims WHERE size(claims) > 1
RETURN claims ORDER BY claims[0]
