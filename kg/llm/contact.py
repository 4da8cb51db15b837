"""Whether the endpoint of a role answers, takes the key and knows the model: asked of it, not of settings."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from httpx2 import HTTPError
from openai import APIConnectionError, APIStatusError, OpenAI, OpenAIError

from kg.endpoints import without_key
from kg.llm.calls import open_client
from kg.llm.protocol import Role
from kg.llm.roles import RoleEndpoint, role_endpoint
from kg.settings import Settings

SECONDS = 15.0
_ONE_WORD = "Answer with the word OK."


@dataclass(frozen=True, slots=True)
class Contact:
    """What came of asking an endpoint; `roles` are those that go there."""

    endpoint: RoleEndpoint
    roles: tuple[Role, ...]
    state: Literal["ok", "missing"]
    detail: str
    remedy: str = ""


def contact_endpoints(settings: Settings) -> Iterator[Contact]:
    """One contact for each endpoint with its model; none where no model is set.

    Raises:
        SettingsError: a model is set for a role, and its endpoint can't be one.
    """
    by_place: dict[tuple[str | None, str, str], list[RoleEndpoint]] = {}
    for role in get_args(Role):
        if getattr(settings, f"hopgrade_{role}_model") is None and settings.hopgrade_model is None:
            continue
        endpoint = role_endpoint(role, settings)
        place = (endpoint.base_url, endpoint.model, endpoint.key.get_secret_value())
        by_place.setdefault(place, []).append(endpoint)
    for endpoints in by_place.values():
        yield _contact(endpoints[0], tuple(one.role for one in endpoints))


def _contact(endpoint: RoleEndpoint, roles: tuple[Role, ...]) -> Contact:
    key = endpoint.key.get_secret_value()
    with open_client(endpoint, SECONDS) as client:
        try:
            listed = _models(client)
            if endpoint.model in listed:
                return Contact(endpoint, roles, "ok", f"answers, and lists the model {endpoint.model!r}")
            # Names that a listing leaves out may work all the same: aliases, deployments, adapters.
            _one_word(client, endpoint.model)
        except APIConnectionError:
            return Contact(
                endpoint, roles, "missing", "does not answer", f"Start it, or check {endpoint.url_setting}."
            )
        except APIStatusError as error:
            return _refused(endpoint, roles, error)
        except (OpenAIError, HTTPError, ValueError) as error:
            told = without_key(" ".join(str(error).split()), key)[:160]
            remedy = f"Check {endpoint.url_setting}; it often ends in /v1."
            return Contact(endpoint, roles, "missing", f"does not answer as an endpoint does: {told}", remedy)
    return Contact(endpoint, roles, "ok", f"answers as the model {endpoint.model!r}")


def _models(client: OpenAI) -> tuple[str, ...]:
    """The names that the endpoint lists; none where it has no listing."""
    try:
        return tuple(model.id for model in client.models.list().data or ())
    except APIStatusError as error:
        if error.status_code in {401, 403}:
            raise
        return ()


def _one_word(client: OpenAI, model: str) -> None:
    try:
        client.chat.completions.create(
            model=model, messages=[{"role": "user", "content": _ONE_WORD}], max_tokens=16
        )
    except APIStatusError as error:
        # Another complaint than about the model is about a parameter, which the client learns to leave out.
        if error.status_code not in {400, 422} or "model" in str(error.message).casefold().replace(
            "with this model", ""
        ):
            raise


def _refused(endpoint: RoleEndpoint, roles: tuple[Role, ...], error: APIStatusError) -> Contact:
    told = without_key(" ".join(str(error.message).split()), endpoint.key.get_secret_value())[:160]
    if error.status_code in {401, 403}:
        return Contact(
            endpoint,
            roles,
            "missing",
            f"refuses the key ({error.status_code})",
            f"Check {endpoint.key_setting}.",
        )
    if error.status_code in {400, 404, 422}:
        return Contact(
            endpoint,
            roles,
            "missing",
            f"does not know the model {endpoint.model!r} ({error.status_code}: {told})",
            f"Check {endpoint.model_setting} and {endpoint.url_setting}.",
        )
    return Contact(
        endpoint, roles, "missing", f"answers with an error: {error.status_code}: {told}", "Try later."
    )
