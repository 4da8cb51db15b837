// Full-text search over the text of claims.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE FULLTEXT INDEX claim_text IF NOT EXISTS FOR (n:Claim) ON EACH [n.text]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}}
