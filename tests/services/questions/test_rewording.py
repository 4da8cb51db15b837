"""Other kinds of questions in a model's words: what is taken, and why something is not."""

import re
from pathlib import Path

from kg.llm.prompts import load_prompt
from kg.llm.roles import open_model
from kg.progress import Silent
from kg.store.graph import Graph
from services.questions.draft import QuestionKind
from services.questions.generate import ENDS_RIGHT, FOUND, WRITER_CHECKS, WRITTEN
from services.questions.kinds.make import draft_kinds
from services.questions.rewording import SAME_NAMES, SORTS, lost_names, reword_by_model
from tests.examples import examples
from tests.scripted_endpoint import Answer, Asked, Said, scripted_endpoint

TOPIC = "a matter of some note"


def question_of(asked: Asked) -> tuple[str, str]:
    found = re.search(r"<<data \w+: question>>\n(.+)\nanswer: (.+)\n", asked.question)
    assert found
    return found[1], found[2]


def reworded(asked: Asked, **changes: str) -> Answer:
    text, answer = question_of(asked)
    told = {"problem": "none", "why": "", "topic": TOPIC, "question": f"On {TOPIC}: {text}", "answer": answer}
    return {**told, **changes}


def test_every_kind_is_worded_and_what_is_lost_is_told(
    graph: Graph, small_corpus: str, tmp_path: Path
) -> None:
    kinds: list[QuestionKind] = list(SORTS)
    drafts = list(draft_kinds(graph, small_corpus, kinds, 8, 0, Silent()))
    assert {draft.kind for draft in drafts} >= {"bridge entity", "null"}
    assert len(drafts) > 4
    refused, senseless, astray, bare = (draft.text for draft in drafts[:4])

    def answer(asked: Asked) -> Answer:
        match question_of(asked)[0]:
            case text if text == refused:
                return Said(content=None, refusal="I can't help with that.")
            case text if text == senseless:
                return reworded(asked, problem="senseless", why="nothing joins them", question="")
            case text if text == astray:
                return reworded(asked, answer="Somebody else")
            case text if text == bare:
                return reworded(asked, question="Is it so?")
        return reworded(asked)

    with scripted_endpoint(answer) as endpoint:
        settings = endpoint.settings(tmp_path, hopgrade_cache=tmp_path / "cache")
        with open_model("generate", settings, None, sleep=lambda _: None) as model:
            made = reword_by_model(graph, model, drafts)
    failed = [one.failed.filter if one.failed else "" for one in made]
    assert failed[:4] == [WRITTEN, FOUND, ENDS_RIGHT, SAME_NAMES]
    assert set(failed[4:]) == {""}
    for one, before in zip(made[4:], drafts[4:], strict=True):
        assert one.draft.text == f"On {TOPIC}: {before.text}"
        assert one.draft.generator == f"model-2/scripted/{load_prompt('reword-question').id}"
        assert (one.draft.answer, one.draft.facts) == (before.answer, before.facts)
        assert [check.filter for check in one.checks] == [*WRITER_CHECKS, SAME_NAMES]


@examples("before, after, lost")
def test_names_and_numbers_must_stay_in_whatever_order(before: str, after: str, lost: list[str]) -> None:
    assert lost_names(before, after) == lost
