from kg.progress import Silent
from kg.queries import parse_query
from kg.server import ensure_running
from kg.settings import Settings
from kg.store.graph import Graph

VERSION = parse_query(
    "version",
    """// The plugin's version.
// params: none
// returns: version: STRING
// mode: read
RETURN gds.version() AS version""",
)


def test_the_graph_data_science_plugin_answers(own_settings: Settings) -> None:
    server = ensure_running(own_settings, Silent(), gds=True)
    assert server.gds
    with Graph.connect(server.uri, server.username, server.password) as graph:
        assert graph.rows(VERSION) == [{"version": "2.26.0"}]
