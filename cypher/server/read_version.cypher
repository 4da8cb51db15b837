// The server's product name, versions and edition.
// params: none
// returns: name: STRING, versions: LIST<STRING>, edition: STRING
// mode: read
CYPHER 25
CALL dbms.components() YIELD name, versions, edition RETURN name, versions, edition
