"""The image and the composition: what they name exists, and their start-up steps work without an engine."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, cast
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
import yaml

from benchmarks.job import KG
from kg.settings import Settings
from tests.cli.command_tree import find
from tests.conftest import ServerAddress

ROOT = Path(__file__).parents[2]
TOKEN = "a-token-of-the-tests"
PATIENCE_SECONDS = 600
GIVEN = {"NEO4J_PASSWORD": "a password", "HOPGRADE_API_TOKEN": TOKEN}
_VARIABLE = re.compile(r"\$\$|\$\{(\w+)(?:(:-|:\?)([^}]*))?\}")


def composed(environment: dict[str, str]) -> dict[str, Any]:
    """The composition with its variables filled in, as Docker does it; a KeyError names what is missing."""

    def value(match: re.Match[str]) -> str:
        name, how, rest = match.groups()
        if name is None:
            return "$"
        if environment.get(name):
            return environment[name]
        if how == ":-":
            return str(rest)
        raise KeyError(name)

    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    body = "\n".join(line for line in text.split("\n") if not line.lstrip().startswith("#"))
    return cast(dict[str, Any], yaml.safe_load(_VARIABLE.sub(value, body)))


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile with what follows them."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    lines = "\n".join(line for line in text.split("\n") if not line.startswith("#")).replace("\\\n", " ")
    return [(words[0], words[2]) for line in lines.split("\n") if (words := line.partition(" "))[0]]


def last(name: str) -> str:
    return [rest for instruction, rest in instructions() if instruction == name][-1]


def test_docker_itself_takes_the_composition() -> None:
    docker = shutil.which("docker")
    asked = [docker or "docker", "compose", "version"]
    if docker is None or subprocess.run(asked, capture_output=True, check=False).returncode:
        pytest.skip("there is no docker compose here; the other tests check the file by its rules")
    command = [docker, "compose", "--file", str(ROOT / "docker-compose.yml"), "config", "--quiet"]
    done = subprocess.run(command, env=os.environ | GIVEN, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_ray_cluster_is_there_on_request_and_out_of_reach() -> None:
    made = composed(GIVEN)["services"]
    cluster = {name: one for name, one in made.items() if one.get("profiles") == ["ray"]}
    assert cluster.keys() == {"ray-head", "ray-worker"}
    assert all("ports" not in one and one["image"] == made["hopgrade"]["image"] for one in cluster.values())
    assert cluster["ray-worker"]["depends_on"] == {"ray-head": {"condition": "service_healthy"}}
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": TOKEN}
    for one in (*cluster.values(), made["hopgrade"]):
        assert one["environment"].items() >= token.items()
    # How commands address it.
    assert "--ray-client-server-port=10001" in cluster["ray-head"]["command"]
    assert composed(GIVEN | {"ENGINE": "ray"})["services"]["hopgrade"]["build"]["args"] == {"ENGINE": "ray"}


def test_the_manifests_of_a_cluster_on_kubernetes_are_whole_and_meet_each_other() -> None:
    page = (ROOT / "docs/how-to/cluster.md").read_text(encoding="utf-8")
    cluster, job = (yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL))
    pods = [cluster["spec"]["headGroupSpec"], *cluster["spec"]["workerGroupSpecs"], job["spec"]]
    containers = [pod["template"]["spec"]["containers"][0] for pod in pods]
    assert len({one["image"] for one in containers}) == 1
    assert all(one["env"] == containers[0]["env"] for one in containers)
    *_, option, address = containers[-1]["args"]
    assert address == f"ray://{cluster['metadata']['name']}-head-svc:10001"
    leaf, _ = find(" ".join(["kg", *containers[-1]["args"]]))
    assert option in {name for one in leaf.command.params for name in one.opts}


@pytest.mark.parametrize("name", GIVEN)
def test_no_secret_has_a_default(name: str) -> None:
    with pytest.raises(KeyError, match=name):
        composed({other: value for other, value in GIVEN.items() if other != name})


def test_services_are_reached_from_this_machine_only_and_wait_for_each_other() -> None:
    made = composed(GIVEN)
    usual = {name: one for name, one in made["services"].items() if "profiles" not in one}
    assert usual.keys() == {"neo4j", "hopgrade"}
    for service in usual.values():
        assert all(port.startswith("127.0.0.1:") for port in service["ports"])
        assert {place.split(":")[0] for place in service["volumes"]} <= made["volumes"].keys()
    assert made["services"]["neo4j"]["healthcheck"]["test"]
    assert made["services"]["hopgrade"]["depends_on"]["neo4j"] == {"condition": "service_healthy"}
    assert made["services"]["neo4j"]["environment"]["NEO4J_AUTH"] == "neo4j/a password"


def test_every_variable_of_the_service_is_a_setting() -> None:
    known = {name.upper() for name in Settings.model_fields}
    of_ray = {"RAY_AUTH_MODE", "RAY_AUTH_TOKEN"}
    assert composed(GIVEN)["services"]["hopgrade"]["environment"].keys() <= known | of_ray


def test_the_image_copies_what_exists_and_is_not_ignored() -> None:
    kept = [
        line[1:]
        for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").split("\n")
        if line.startswith("!")
    ]
    copied = [
        source
        for name, rest in instructions()
        if name == "COPY" and not rest.startswith("--from")
        for source in rest.split()[:-1]
    ]
    assert copied
    for source in copied:
        assert (ROOT / source).exists(), source
        assert any(fnmatch(source, pattern) for pattern in kept), source


def test_the_image_runs_a_command_that_exists_and_not_as_root() -> None:
    line = [*json.loads(last("ENTRYPOINT")), *json.loads(last("CMD"))]
    leaf, arguments = find(" ".join(line))
    leaf.command.make_context("kg", arguments).close()
    assert last("USER") not in {"root", "0"}
    assert last("EXPOSE") in line
    published = composed(GIVEN)["services"]["hopgrade"]["ports"][0]
    assert published.endswith(f":{last('EXPOSE')}")


@pytest.mark.campaign
@pytest.mark.usefixtures("graph")
def test_the_same_start_without_an_engine(server_address: ServerAddress, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    exposed = last("EXPOSE")
    command = [port if word == exposed else word for word in json.loads(last("CMD"))]
    check = json.loads(last("HEALTHCHECK").partition("CMD")[2])
    check = [sys.executable, *(word.replace(f":{exposed}/", f":{port}/") for word in check[1:])]
    settings = composed(GIVEN)["services"]["hopgrade"]["environment"] | server_address.environment()
    environment = os.environ | settings | {"HOPGRADE_HOME": str(tmp_path / "home")}
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen([*KG, *command], env=environment, cwd=tmp_path, stdout=log, stderr=log)
    try:
        wait_until_healthy(check, process, tmp_path / "log")
        assert status(f"http://127.0.0.1:{port}/", None) == 401
        assert status(f"http://127.0.0.1:{port}/", TOKEN) == 200
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=PATIENCE_SECONDS)
    finally:
        process.kill()
        process.wait()


def wait_until_healthy(check: list[str], process: subprocess.Popen[bytes], log: Path) -> None:
    """Ask as Docker does, until the answer is 0."""
    end = time.monotonic() + PATIENCE_SECONDS
    while subprocess.run(check, capture_output=True, check=False).returncode:
        said = log.read_text(encoding="utf-8")
        assert process.poll() is None, said
        assert time.monotonic() < end, said


def status(address: str, token: str | None) -> int:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    try:
        with urlopen(Request(address, headers=headers), timeout=PATIENCE_SECONDS) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code
