"""`kg serve`: where it listens, whom it answers, and how it ends."""

import json
import signal
import socket
import subprocess
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.cli.conftest import KG, Kg


def test_it_says_where_it_is_answers_who_has_the_token_and_ends_at_ctrl_c(
    process_environment: dict[str, str],
) -> None:
    with subprocess.Popen(
        [*KG, "serve", "--token", "new", "--json"],
        env=process_environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        told = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")
        with pytest.raises(HTTPError) as refused:
            urlopen(f"{told['api']}/corpora")
        assert refused.value.code == 401
        asked = Request(f"{told['api']}/corpora", headers={"Authorization": f"Bearer {told['token']}"})
        with urlopen(asked) as answer:
            assert answer.status == 200
        process.send_signal(signal.SIGINT)
        _, log = process.communicate(timeout=60)
    assert process.returncode == 0, log
    assert told["token"] not in log
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    assert [line["status"] for line in lines if line["event"] == "request"] == [401, 200]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--host", "0.0.0.0"), "HOPGRADE_API_TOKEN"),
        (("--token", "short"), "at least 16"),
        (("--host", "no.such.host.invalid"), "no address to listen on"),
    ],
)
def test_what_is_not_safe_or_not_possible_is_refused(kg: Kg, arguments: tuple[str, ...], named: str) -> None:
    more = () if "--host" not in arguments or "invalid" not in arguments[1] else ("--token", "x" * 20)
    ended = kg("serve", *arguments, *more)
    assert ended.code == 2
    assert named in ended.err


def test_a_taken_port_is_told(kg: Kg) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ended = kg("serve", "--port", str(taken.getsockname()[1]))
    assert ended.code == 2
    assert "taken" in ended.err
