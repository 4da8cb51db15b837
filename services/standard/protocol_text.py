"""A protocol as the text of `standard.yaml`: every field, with what it means above it, ready to be edited."""

from collections.abc import Iterator, Mapping
from typing import get_args

import yaml

from services.questions.spans.facets import FACETS
from services.standard.hashing import JsonData, protocol_document
from services.standard.protocol import (
    Correction,
    Direction,
    Measure,
    Protocol,
    SelectorName,
    Spending,
    SystemUnderTest,
)

_HEAD = """\
# A judged comparison, written down before anything is answered.
#
# Edit it, the hypotheses above all, and then:   kg standard check FOLDER
#                                                kg standard run FOLDER
# The run locks it: what is changed from then on is another comparison, with another name and folder.
"""

_SINGLE_STEP = SystemUnderTest.model_fields["system"].default


def _one_of(choices: object) -> str:
    return ", ".join(get_args(choices))


_ABOUT: Mapping[str, tuple[str, ...]] = {
    "name": ("What the comparison is called, with its runs and its archive.",),
    "dataset": (
        "Which questions: of this version of a corpus so many, drawn by seeds.sample; all without a number.",
    ),
    "pool": (
        "The only chunks that a system may show for a question: the first that a retriever found. They lie",
        "frozen in pool.jsonl.gz, and hash is over all of them.",
    ),
    "budget": ("Tokens of the evidence that may be shown for a question, and of an answer.",),
    "generator": ("Who answers for every system: rules, or a model with the versions of its prompts.",),
    "judge": ("Who judges: rules (exact or overlap), or a model that is not the generator.",),
    "second_judge": ("Who judges everything once more: what both say is what holds.",),
    "calibration": (
        "Judges are tried on answers of known quality. Discernment is sensitivity + specificity - 1; a judge",
        "who tells apart or repeats himself less than this, or is more biased, is adjusted or rejected.",
    ),
    "evidence_clusters": (f"What Cluster Recall counts: {', '.join(FACETS)}.",),
    "systems": (
        f"Ours take their evidence from the pool by a selector: {_one_of(SelectorName)}.",
        "Yours is a run that is begun after the lock, and told by its name:  - {name: mine, run: my-run}",
    ),
    "hypotheses": (
        "What is claimed before it is known: that system has, by measure, a mean in this direction from",
        "the mean of against. smallest is the smallest difference that matters: the margin of an",
        "equivalence, and what the planned power is about.",
        f"measure: {_one_of(Measure)}",
        f"direction: {_one_of(Direction)}",
    ),
    "inference": (
        "How all hypotheses together are decided. Questions are one cluster where their gold evidence is,",
        f"by {', '.join(FACETS)}.",
        f"correction: {_one_of(Correction)}; spending, with several looks: {_one_of(Spending)}.",
        "looks are the shares of the questions after which the results are looked at.",
    ),
    "seeds": ("The seeds of all that is drawn.",),
}
"""What is said above a field."""


def protocol_text(protocol: Protocol) -> str:
    """The text of a protocol's file; what is read from it is the same protocol."""
    return "\n".join(_parts(protocol))


def _parts(protocol: Protocol) -> Iterator[str]:
    yield _HEAD
    for name, value in protocol_document(protocol).items():
        about = (f"# {line}" for line in _ABOUT.get(name, ()))
        yield "\n".join((*about, *_lines(name, value, ""), ""))


def _lines(name: str, value: JsonData, indent: str) -> Iterator[str]:
    match value:
        # Nothing, and empty texts and lists, stand for themselves where they are left out.
        case None | "" | []:
            return
        case dict():
            yield f"{indent}{name}:"
            for inner, held in value.items():
                yield from _lines(inner, held, f"{indent}  ")
        case [dict(), *_]:
            yield f"{indent}{name}:"
            for item in value:
                yield from _item(item, f"{indent}  ")
        case _:
            yield f"{indent}{name}: {_flow(value)}"


def _item(item: JsonData, indent: str) -> Iterator[str]:
    """A part of a list: its first field behind the dash, the others below it."""
    fields = dict(item) if isinstance(item, Mapping) else {}
    if fields.get("run") and fields.get("system") == _SINGLE_STEP:
        del fields["system"]  # the default, which says nothing of a run that is made elsewhere
    lines = [line for inner, held in fields.items() for line in _lines(inner, held, f"{indent}  ")]
    yield f"{indent}- {lines[0].lstrip()}"
    yield from lines[1:]


def _flow(value: JsonData) -> str:
    """A value on one line, as YAML reads it back."""
    text = _dumped(value, as_it_is=True)
    # Line ends of other alphabets must be written out, or they are read as blanks.
    return text if text.isprintable() else _dumped(value, as_it_is=False)


def _dumped(value: JsonData, as_it_is: bool) -> str:
    text: str = yaml.safe_dump(value, default_flow_style=True, width=float("inf"), allow_unicode=as_it_is)
    return text.removesuffix("\n").removesuffix("\n...")
