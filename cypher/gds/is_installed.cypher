// Whether the server has the graph data science plugin.
// params: none
// returns: installed: BOOLEAN
// mode: read
CYPHER 25
SHOW PROCEDURES YIELD name WHERE name = 'gds.pageRank.stream'
RETURN count(*) > 0 AS installed
