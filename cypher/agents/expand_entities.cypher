// What is stated of some entities, on either side of a fact, what is mirrored onto them too: for each the facts most like a vector, one for each end and predicate.
// params: corpus: STRING, rows: LIST<MAP>, most: INTEGER
// returns: row: INTEGER, facts: LIST<MAP>
// mode: read
CYPHER 25
UNWIND $rows AS row
RETURN row.row AS row, COLLECT {
  MATCH (e:Entity {id: row.entity}) WHERE e.corpus = $corpus
  CALL (e) {
    MATCH (e)-[r:RELATES]-(o:Entity) WHERE r.stated AND o <> e
    RETURN r AS fact, o, startNode(r) = e AS forward, false AS mirrored
    UNION ALL
    MATCH (e)-[m:MIRRORED]-(o:Entity) WHERE o <> e
    MATCH ()-[r:RELATES {id: m.mirror_of}]->()
    RETURN r AS fact, o, startNode(m) = e AS forward, true AS mirrored
  }
  WITH e, fact, o, forward, mirrored, vector.similarity.cosine(fact.embedding, row.vector) AS score
  ORDER BY mirrored, score DESC, fact.id
  WITH e, o, forward, fact.predicate AS predicate, collect({claim: fact.claim, score: score, mirrored: mirrored}) AS said
  LET best = said[0]
  ORDER BY best.score DESC, predicate, o.id LIMIT $most
  RETURN {entity: e {.id, .name, .type}, end: o {.id, .name, .type}, forward: forward, predicate: predicate,
          claim: best.claim, score: best.score, mirrored: best.mirrored}
} AS facts
