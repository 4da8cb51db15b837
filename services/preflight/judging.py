"""A run judged as a job: its lease is held, its cost told and its prompt tried before the judge is asked."""

from kg.errors import SettingsError
from kg.llm.roles import open_model, role_budget
from kg.progress import Progress
from kg.settings import Settings
from kg.store.graph import Graph
from kg.store.leases import Waiting, answering_in
from services.answers import RULES
from services.evaluate.judge import (
    JudgeOptions,
    Judging,
    estimate_judging,
    follow_rule,
    judge_run,
)
from services.preflight.asking import prepare
from services.preflight.job_needs import judge_needs


def judged_by(judge: str | None, settings: Settings) -> Settings:
    """Settings in which the model of this name judges; None leaves it to the settings."""
    return settings if judge is None else settings.model_copy(update={"hopgrade_judge_model": judge})


def check_rule(rule: str, options: JudgeOptions) -> None:
    """Refuse options that only a model can follow.

    Raises:
        SettingsError: there is one.
    """
    if any((options.second, options.same_judge, options.exact_too, options.limit)):
        raise SettingsError(
            f"{rule} is a rule and asks no model.",
            "Leave --second, --same-judge, --exact-too and --limit out.",
        )


def judge_answers(
    graph: Graph,
    corpus: str,
    run: str,
    judge: str | None,
    options: JudgeOptions,
    settings: Settings,
    progress: Progress,
    waiting: Waiting | None = None,
) -> Judging | None:
    """Let a rule or a model, by its name, judge a run; see `services.evaluate.judge.judge_run`.

    None for `judge` is the model of the settings. None comes back where a rule judged, which counts nothing.
    `waiting` lets it wait for whoever works on the run; without it that is refused.

    Raises:
        UserError, NothingToDoError: as `services.evaluate.judge.plan_judging`, or the model fails its trial.
        SettingsError: no model is set for the judge, or an option is one that a rule can't follow.
        CorpusError: another job works on this run.
        ModelError: the model can't go on; what was judged is kept.
    """
    if judge in RULES:
        check_rule(RULES[judge], options)
        let_rule_judge(graph, corpus, run, RULES[judge], progress, waiting)
        return None
    settings = judged_by(judge, settings)
    budget = role_budget("judge", settings)
    with (
        answering_in(graph, corpus, run, waiting) as mine,
        open_model("judge", settings, budget) as model,
    ):
        prepare(
            judge_needs(options.scale),
            lambda: {"judging": estimate_judging(mine, corpus, run, model, options)},
            settings,
            progress,
            budget,
        )
        return judge_run(mine, corpus, run, model, options, progress)


def let_rule_judge(
    graph: Graph, corpus: str, run: str, rule: str, progress: Progress, waiting: Waiting | None = None
) -> None:
    """Let a rule, by its name in `services.answers.RULES`, decide what counts as right in a run."""
    with answering_in(graph, corpus, run, waiting) as mine:
        follow_rule(mine, corpus, run, rule, progress)
