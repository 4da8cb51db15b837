"""What a run records of its options, and the text from which its key is made."""

import pytest

from kg.errors import SettingsError
from kg.settings import Settings
from services.rag import run_options
from services.rag.agents.protocol import AGENTS, BY_MODEL, BY_RULES, MODEL_ONLY
from services.rag.run_options import PROMPTS, SYSTEMS, RunOptions, RunSettings, parse_system, settle_run
from tests.examples import examples


def settled(**options: object) -> RunSettings:
    return settle_run(RunOptions(**options), Settings(), "words", "vector-10", "data-1")  # type: ignore[arg-type]


def test_the_text_of_a_run_without_limits_is_that_of_runs_before_there_were_any() -> None:
    """A golden value: a finished run stays finished with a later version."""
    assert repr(settled(name="mine")) == (
        "RunSettings(name='mine', system='single-step', retriever='vector-10', reranker='', "
        "generator='extractive-4', embedder='words', top=10, seed=0, prompts=(), dataset='data-1')"
    )


def test_another_version_of_an_agent_makes_its_runs_anew_and_no_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    by_rules = [name for name in SYSTEMS if name not in MODEL_ONLY]
    before = {name: repr(settled(system=name, name="mine")) for name in by_rules}
    monkeypatch.setattr(run_options, "BY_RULES", {name: f"{name}-rules-99" for name in AGENTS})
    after = {name: repr(settled(system=name, name="mine")) for name in by_rules}
    assert {name for name in by_rules if before[name] != after[name]} == set(AGENTS) - MODEL_ONLY


def test_limits_make_another_run_of_it_and_prefixes_do_not() -> None:
    texts = {
        repr(settled(system="react", name="mine", **limits))
        for limits in (
            {},
            {"prefixes": True},
            {"most_iterations": 3},
            {"evidence_tokens": 500},
            {"most_iterations": 3, "evidence_tokens": 500},
        )
    }
    assert len(texts) == 4
    assert any("most_iterations=3, evidence_tokens=500" in text for text in texts)


def test_a_reranker_and_given_evidence_make_another_run_of_it() -> None:
    texts = [
        repr(settled(name="mine", **options))
        for options in (
            {},
            {"reranker": "lexical"},
            {"reranker": "cross-encoder"},
            {"reranker": "lexical", "candidates": 20},
            {"evidence": "gold"},
            {"evidence": "none"},
        )
    ]
    assert len(set(texts)) == len(texts)
    assert settled(reranker="lexical").candidates == 30
    assert settled(system="decomposition", reranker="lexical").candidates is None
    assert settled(reranker="lexical").name == "single-step-reranked"


@examples("options, told")
def test_limits_that_can_not_work_are_refused(options: dict[str, object], told: str) -> None:
    with pytest.raises(SettingsError, match=told):
        settled(**options)


def test_every_system_has_its_prompts_and_every_agent_is_a_system() -> None:
    assert set(PROMPTS) == set(SYSTEMS)
    assert set(AGENTS) < set(SYSTEMS)
    assert set(BY_RULES) | MODEL_ONLY == set(BY_MODEL) == set(AGENTS)
    assert [parse_system(name) for name in SYSTEMS] == list(SYSTEMS)
