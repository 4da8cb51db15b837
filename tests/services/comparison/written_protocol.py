"""A protocol for tests, and protocols by chance."""

from typing import get_args

from hypothesis import strategies as st

from services.comparison.protocol import (
    Answering,
    Budget,
    CandidatePool,
    Dataset,
    Direction,
    Hypothesis,
    Inference,
    Judge,
    Measure,
    Protocol,
    Seeds,
    SystemUnderTest,
)
from services.questions.spans.facets import FACETS


def protocol(name: str = "first", corpus: str = "valley", smallest: float = 0.05, seed: int = 0) -> Protocol:
    """Two of our systems, a run from elsewhere, and two hypotheses."""
    return Protocol(
        name=name,
        dataset=Dataset(corpus=corpus, version="v-0123456789ab", questions=40),
        pool=CandidatePool(retriever="hybrid", size=20, hash="0" * 64),
        budget=Budget(evidence_tokens=200),
        generator=Answering(kind="rules", name="extractive-4"),
        judge=Judge(kind="rules", name="exact"),
        second_judge=Judge(kind="rules", name="overlap"),
        systems=(
            SystemUnderTest(name="top-k", selector="top-k"),
            SystemUnderTest(name="mmr", selector="mmr"),
            SystemUnderTest(name="mine", run="mine/1"),
        ),
        hypotheses=(
            Hypothesis(id="H1", system="mmr", against="top-k", measure="cluster recall", smallest=smallest),
            Hypothesis(id="H2", system="mine", against="top-k", smallest=smallest),
        ),
        seeds=Seeds(sample=seed),
    )


_NAMES = st.builds(str.__add__, st.sampled_from("aé_7"), st.text("aé_7.:@+-", max_size=7))
_WORDS = st.sampled_from(
    (
        "a",
        "no",
        "1e3",
        "0x1F",
        "2024-01-01",
        "~",
        "é: #b",
        "- 'x\"",
        " blanks ",
        "{a}",
        "*a",
        "\t\\n",
        "日本",
        "\x85",
        "!",
    )
) | st.text("aB0: #'\"-", min_size=1, max_size=6)
"""Texts among which are many that YAML would take for something else."""
_MEASURES: tuple[Measure, ...] = get_args(Measure)
_DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
_JUDGES = st.builds(
    Judge,
    kind=st.sampled_from(("rules", "model")),
    name=_WORDS,
    prompt=st.just("") | _WORDS,
    temperature=st.floats(0, 2),
)


@st.composite
def protocols(draw: st.DrawFn) -> Protocol:
    """Any protocol that holds together."""
    names = draw(st.lists(_NAMES, min_size=2, max_size=4, unique=True))
    ids = draw(st.lists(st.sampled_from(("H1", "1", "a.b", "null")), min_size=1, max_size=3, unique=True))
    first = draw(_JUDGES)
    return Protocol(
        name=draw(_NAMES),
        dataset=Dataset(
            corpus=draw(_WORDS), version=draw(_WORDS), questions=draw(st.none() | st.integers(2, 10**6))
        ),
        pool=CandidatePool(retriever=draw(_WORDS), size=draw(st.integers(1, 1_000)), hash=draw(_WORDS)),
        budget=Budget(
            evidence_tokens=draw(st.integers(64, 10**6)), answer_tokens=draw(st.integers(1, 10**6))
        ),
        generator=Answering(
            kind="model", name=draw(_WORDS), prompts=tuple(draw(st.lists(_WORDS, max_size=2)))
        ),
        judge=first,
        second_judge=draw(_JUDGES.filter(lambda one: (one.kind, one.name) != (first.kind, first.name))),
        evidence_clusters=draw(st.sampled_from(FACETS)),
        systems=tuple(
            SystemUnderTest(name=name, run=f"{draw(_WORDS)}{place}")
            if draw(st.booleans())
            else SystemUnderTest(name=name, selector="mmr", system="multi-step")
            for place, name in enumerate(names)
        ),
        hypotheses=tuple(
            Hypothesis(
                id=id_,
                system=names[0],
                against=draw(st.sampled_from(names[1:])),
                measure=draw(st.sampled_from(_MEASURES)),
                direction=draw(st.sampled_from(_DIRECTIONS)),
                smallest=draw(st.floats(0, 1, exclude_min=True, exclude_max=True)),
            )
            for id_ in ids
        ),
        inference=Inference(looks=draw(st.sampled_from(((1.0,), (0.5, 1.0), (0.25, 0.5, 1.0))))),
        seeds=Seeds(selection=draw(st.integers(0, 2**32 - 1))),
    )
