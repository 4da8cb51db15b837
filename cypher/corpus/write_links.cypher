// Remember who looks for equivalent entities in the clusters of a corpus.
// params: id: STRING, links: STRING
// returns: none
// mode: write
CYPHER 25
MATCH (c:Corpus {id: $id}) SET c.links = $links
