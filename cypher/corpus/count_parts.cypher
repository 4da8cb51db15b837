// How much there is of each part of a corpus' graph.
// params: corpus: STRING
// returns: articles: INTEGER, chunks: INTEGER, claims: INTEGER, facts: INTEGER, entities: INTEGER, aliases: INTEGER, contextual: INTEGER, mirrored: INTEGER, paths: INTEGER, kept: INTEGER, rejected: INTEGER, runs: INTEGER
// mode: read
CYPHER 25
RETURN COUNT { (:Article {corpus: $corpus}) } AS articles, COUNT { (:Chunk {corpus: $corpus}) } AS chunks,
       COUNT { (:Claim {corpus: $corpus}) } AS claims, COUNT { (:Entity {corpus: $corpus})-[:RELATES]->() } AS facts,
       COUNT { (:Entity {corpus: $corpus}) } AS entities, COUNT { (:Alias {corpus: $corpus}) } AS aliases,
       COUNT { (:Entity {corpus: $corpus})-[:CONTEXT_EQUIVALENT]->() } AS contextual,
       COUNT { (:Entity {corpus: $corpus})-[:MIRRORED]->() } AS mirrored, COUNT { (:Path {corpus: $corpus}) } AS paths,
       COUNT { (:Question {corpus: $corpus, status: 'kept'}) } AS kept,
       COUNT { (:Question {corpus: $corpus, status: 'rejected'}) } AS rejected, COUNT { (:Run {corpus: $corpus}) } AS runs
