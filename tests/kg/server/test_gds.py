import pytest

from kg.connect import open_graph
from kg.progress import Silent
from kg.queries import parse_query
from kg.server.process import server_status
from kg.settings import Settings

pytestmark = pytest.mark.campaign

VERSION = parse_query(
    "version",
    """// The plugin's version.
// params: none
// returns: version: STRING
// mode: read
RETURN gds.version() AS version""",
)


def test_the_graph_data_science_plugin_answers(gds_settings: Settings) -> None:
    with open_graph(gds_settings, Silent()) as graph:
        assert graph.rows(VERSION) == [{"version": "2.26.0"}]


def test_a_server_with_the_plugin_is_known_as_such(gds_settings: Settings) -> None:
    if gds_settings.neo4j_uri is None:
        status = server_status(gds_settings)
        assert status is not None
        assert status.gds
