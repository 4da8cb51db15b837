"""Pipelines of Haystack (haystack-ai), as their own objects offer them.

The question goes to every open input named query, question or text. The answer is the first of the "answers"
of the component that ran last among those that give any, or of "replies" where none does; the documents are
the answer's own, or those of the last component that gives "documents".
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from kg.errors import SettingsError
from kg.own_system import OwnAnswer, OwnSystem, RetrievedText
from services.external.adapters.retrieved import Answerer, count, retrieved_text

QUESTION_INPUTS = frozenset({"query", "question", "text"})

Outputs = Mapping[str, Mapping[str, object]]
"""What each component of a pipeline gave, by component and output, in the order in which they ran."""


class HaystackPipeline(Protocol):
    """A `haystack.Pipeline`."""

    def inputs(self) -> Mapping[str, Mapping[str, Mapping[str, object]]]:
        """The inputs that nothing in the pipeline fills, by component and name."""
        ...

    def outputs(
        self, include_components_with_connected_outputs: bool = False
    ) -> Mapping[str, Mapping[str, object]]:
        """The outputs that nothing in the pipeline takes, or all, by component and name."""
        ...

    def run(
        self, data: dict[str, object], include_outputs_from: set[str] | None = None
    ) -> Mapping[str, Mapping[str, object]]:
        """What the components gave."""
        ...


def pipeline_answers(pipeline: HaystackPipeline) -> bool:
    """Whether a pipeline has a component that gives answers or replies."""
    return bool(_output_names(pipeline) & {"answers", "replies"})


def haystack_pipeline(pipeline: HaystackPipeline, answer: Answerer | None = None) -> OwnSystem:
    """A pipeline that answers, or one that only finds documents, with who answers from them.

    Raises:
        SettingsError: no input takes a question, or it gives neither answers nor, with who answers from them,
            documents.
    """
    asked = _question_inputs(pipeline)
    given = set(pipeline.outputs(include_components_with_connected_outputs=True))
    names, answers = _output_names(pipeline), pipeline_answers(pipeline)
    if not answers and (answer is None or "documents" not in names):
        raise SettingsError(
            f"the pipeline gives no answers and no replies (found: {', '.join(sorted(names))}).",
            "Add a generator, or wrap the pipeline in a function of your own that returns an OwnAnswer.",
        )

    def system(question: str, /) -> OwnAnswer:
        data: dict[str, object] = {
            component: dict.fromkeys(inputs, question) for component, inputs in asked.items()
        }
        outputs = pipeline.run(data, include_outputs_from=given)
        if not answers and answer is not None:
            return answer(question, _texts(_last(outputs, "documents")))
        return _answer(outputs)

    return system


def _output_names(pipeline: HaystackPipeline) -> set[str]:
    given = pipeline.outputs(include_components_with_connected_outputs=True)
    return {name for outputs in given.values() for name in outputs}


def _question_inputs(pipeline: HaystackPipeline) -> dict[str, list[str]]:
    open_inputs = pipeline.inputs()
    asked = {
        component: [name for name in inputs if name in QUESTION_INPUTS]
        for component, inputs in open_inputs.items()
    }
    taken = {component: names for component, names in asked.items() if names}
    if not taken:
        found = sorted(
            {f"{component}.{name}" for component, inputs in open_inputs.items() for name in inputs}
        )
        raise SettingsError(
            f"no input of the pipeline is named query, question or text (found: {', '.join(found)}).",
            "Wrap the pipeline in a function of your own that takes a question.",
        )
    return taken


def _answer(outputs: Outputs) -> OwnAnswer:
    documents = _texts(_last(outputs, "documents"))
    best = next(iter(_last(outputs, "answers")), None)
    if best is not None:
        said = getattr(best, "data", None)
        own = getattr(best, "documents", None) or [getattr(best, "document", None)]
        return OwnAnswer(
            str(said or ""),
            _texts(one for one in own if one is not None) or documents,
            error="" if said else "the pipeline gave an answer without text",
        )
    reply = next(iter(_last(outputs, "replies")), None)
    said = reply if isinstance(reply, str) else getattr(reply, "text", None)
    used = _usage(outputs, reply)
    return OwnAnswer(
        said or "",
        documents,
        input_tokens=count(used.get("prompt_tokens")),
        output_tokens=count(used.get("completion_tokens")),
        error="" if said else "the pipeline gave no answer",
    )


def _last(outputs: Outputs, name: str) -> Sequence[object]:
    """An output of the component that ran last among those that gave it."""
    found = [one for given in outputs.values() if isinstance(one := given.get(name), list)]
    return found[-1] if found else ()


def _usage(outputs: Outputs, reply: object) -> Mapping[str, object]:
    told = getattr(reply, "meta", None) or next(iter(_last(outputs, "meta")), None)
    used = told.get("usage") if isinstance(told, Mapping) else None
    return used if isinstance(used, Mapping) else {}


def _texts(documents: Iterable[object]) -> tuple[RetrievedText, ...]:
    return tuple(
        retrieved_text(content, getattr(one, "meta", None), getattr(one, "score", None))
        for one in documents
        if isinstance(content := getattr(one, "content", None), str)
    )
