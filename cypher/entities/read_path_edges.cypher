// The entities of a corpus, each with the edges that a path may take from it, or could but for the policy on hubs: id, end, claim, article, the end at which a mirrored edge has another entity ('subject' or 'object', else ''), the triple's own names, whether a hub kept it out.
// params: corpus: STRING
// returns: id: STRING, name: STRING, type: STRING, literal: BOOLEAN, hub: BOOLEAN, edges: LIST<LIST<ANY>>
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus})
RETURN e.id AS id, e.name AS name, e.type AS type, e.literal AS literal, e.hub AS hub,
       COLLECT {
         MATCH (e)-[r:RELATES|MIRRORED WHERE r.in_paths OR r.kept_out = 'hub']->(o)
         OPTIONAL MATCH (s)-[t:RELATES {id: r.mirror_of}]->()
         RETURN [r.id, o.id, r.claim, coalesce(r.article, t.article, ''),
                 CASE WHEN t IS NULL THEN '' WHEN s = e THEN 'object' ELSE 'subject' END,
                 coalesce(t.subject, r.subject, ''), coalesce(t.object, r.object, ''), NOT r.in_paths]
       } AS edges
