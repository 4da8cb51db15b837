"""From the protocol's words to a judge who can be asked."""

from collections.abc import Iterator
from contextlib import contextmanager

from kg.errors import SettingsError
from kg.llm.budget import Budget
from kg.llm.open import open_model
from kg.settings import Settings
from services.standard.judging.model_judge import ModelJudge, judge_prompt
from services.standard.judging.protocol import StandardJudge
from services.standard.judging.rules_judge import RULES, RulesJudge
from services.standard.protocol import Judge


@contextmanager
def open_judge(judge: Judge, settings: Settings, budget: Budget | None = None) -> Iterator[StandardJudge]:
    """The judge that a protocol names; nothing is sent before he is asked.

    Raises:
        SettingsError: there are no such rules, the prompt is of another version, or no key or endpoint is
            set for the model.
    """
    check_judge(judge)
    if judge.kind == "rules":
        yield rules_judge(judge.name)
        return
    named = settings.model_copy(update={"hopgrade_judge_model": judge.name})
    with open_model("judge", named, budget) as model:
        yield ModelJudge(model, judge.temperature)


def check_judge(judge: Judge) -> None:
    """Do nothing, unless this version can't judge as the protocol says.

    Raises:
        SettingsError: there are no such rules, or the prompt is of another version.
    """
    if judge.kind == "rules":
        rules_judge(judge.name)
    elif judge.prompt not in ("", judge_prompt().id):
        raise SettingsError(
            f"the protocol wants the judge {judge.name!r} asked by {judge.prompt}, and this version has "
            f"{judge_prompt().id}.",
            f"Name {judge_prompt().id} in a new protocol, or use the version of Hopgrade that made this one.",
        )


def rules_judge(name: str) -> RulesJudge:
    """The judge of this name who goes by rules.

    Raises:
        SettingsError: there is none.
    """
    if name not in RULES:
        raise SettingsError(f"no judge by rules is called {name!r}.", f"Use one of {', '.join(RULES)}.")
    return RulesJudge(RULES[name])
