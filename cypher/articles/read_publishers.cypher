// What the articles of a corpus give as their source.
// params: corpus: STRING
// returns: source: STRING
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus}) WHERE a.source <> ''
RETURN DISTINCT a.source AS source ORDER BY source
