// What is stated of some entities, on either side of a fact, what is mirrored onto them too: for each the facts most like a vector, one for each end and predicate, and each fact once however often it is mirrored.
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
    MATCH ()-[r:RELATES {id: m.mirror_of}]->() WHERE r.stated
    RETURN r AS fact, o, startNode(m) = e AS forward, true AS mirrored
  }
  WITH e, fact, o, forward, mirrored, o IN [startNode(fact), endNode(fact)] AS its_own
  ORDER BY mirrored, its_own DESC, o.name, o.id
  WITH e, fact, forward, collect({o: o, mirrored: mirrored}) AS ends
  LET o = ends[0].o, mirrored = ends[0].mirrored, also = [end IN ends[1..] | end.o.name],
      score = vector.similarity.cosine(fact.embedding, row.vector)
  ORDER BY mirrored, score DESC, fact.id
  WITH e, o, forward, fact.predicate AS predicate,
       collect({fact: fact.id, claim: fact.claim, score: score, mirrored: mirrored, also: also}) AS said
  LET best = said[0]
  ORDER BY best.score DESC, predicate, o.id LIMIT $most
  RETURN {entity: e {.id, .name, .type}, end: o {.id, .name, .type}, forward: forward, predicate: predicate,
          fact: best.fact, claim: best.claim, score: best.score, mirrored: best.mirrored, also: best.also}
} AS facts
