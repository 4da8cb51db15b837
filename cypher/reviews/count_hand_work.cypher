// What people and runs did on the questions of a corpus: reviews, those that wait for their question, verdicts by hand, runs, and those of systems from outside.
// params: corpus: STRING
// returns: reviews: INTEGER, waiting: INTEGER, verdicts: INTEGER, annotators: LIST<STRING>, runs: LIST<STRING>, outside: LIST<STRING>
// mode: read
CYPHER 25
RETURN COUNT { (:Question)-[:HAS_REVIEW]->(:Review {corpus: $corpus}) } AS reviews,
       COUNT { (v:Review {corpus: $corpus}) WHERE NOT EXISTS { (v)<-[:HAS_REVIEW]-() } } AS waiting,
       COUNT { (:Verdict {corpus: $corpus, by_hand: true}) } AS verdicts,
       COLLECT { MATCH (:Question)-[:HAS_REVIEW]->(v:Review {corpus: $corpus}) RETURN DISTINCT v.annotator AS name ORDER BY name } AS annotators,
       COLLECT { MATCH (r:Run {corpus: $corpus}) RETURN r.name ORDER BY r.name } AS runs,
       COLLECT { MATCH (r:Run {corpus: $corpus}) WHERE r.source <> '' RETURN r.name ORDER BY r.name } AS outside
