"""What other libraries' documents say of themselves, as `RetrievedText`.

Retrievers without a generator: what they find is answered from by one of ours.

Pipelines of Haystack (haystack-ai), as their own objects offer them.

The question goes to every open input named query, question or text. The answer is the first of the "answers"
of the component that ran last among those that give any, or of "replies" where none does; the documents are
the answer's own, or those of the last component that gives "documents".

Retrievers and chains of LangChain (langchain-core), as their own objects offer them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from kg.errors import SettingsError
from kg.own_system import OwnAnswer, OwnStep, OwnSystem, RetrievedText
from services.rag.protocol import Generator, Passage, ReadTask

Retrieve = Callable[[str], Sequence[RetrievedText]]
"""From a question to what a retriever found, best first."""

Answerer = Callable[[str, Sequence[RetrievedText]], OwnAnswer]
"""Answers a question from what was found for it."""

PassageFinder = Callable[[Sequence[RetrievedText]], Sequence[Passage]]
"""The passages that stand behind retrieved texts, in their order, each once."""


def retrieval_system(retrieve: Retrieve, answer: Answerer) -> OwnSystem:
    """A system that retrieves with the one and answers with the other."""

    def system(question: str, /) -> OwnAnswer:
        return answer(question, retrieve(question))

    return system


def generator_answerer(generator: Generator, find: PassageFinder) -> Answerer:
    """Answers by one of our generators.

    `find` gives the passages to read: those of the chunks that the texts were aligned to, with the names and
    facts that the rules read (`services.external.align`).
    """

    def answer(question: str, texts: Sequence[RetrievedText]) -> OwnAnswer:
        (made,) = generator.answer([ReadTask(question, tuple(find(texts)))])
        return OwnAnswer(
            made.text,
            tuple(texts),
            input_tokens=made.usage.input_tokens,
            output_tokens=made.usage.output_tokens,
            cost=made.cost,
            error=made.error,
            steps=(
                OwnStep("retrieve", question, f"{len(texts)} texts", retrieves=True),
                OwnStep("answer", question, made.error or made.text),
            ),
        )

    return answer


_TITLES = ("title", "file_name", "file_path")
_URLS = ("url", "source")


def retrieved_text(text: str, told: Mapping[str, object] | None, score: object = None) -> RetrievedText:
    """A document's text, with what its metadata `told` of it.

    "chunk" is read as the id of one of Hopgrade's chunks, "title", "file_name" or "file_path" as the title,
    and "url" or "source" as the address where it is one.
    """
    known = told or {}
    return RetrievedText(
        text,
        chunk=_first(known, ("chunk",)),
        title=_first(known, _TITLES),
        url=next((url for name in _URLS if "://" in (url := _first(known, (name,)))), ""),
        score=number(score),
    )


def number(value: object) -> float | None:
    """A score as a float; None for anything that is no number."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def count(value: object) -> int:
    """A number of tokens; 0 for anything that is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _first(known: Mapping[str, object], names: tuple[str, ...]) -> str:
    return next((value for name in names if isinstance(value := known.get(name), str) and value), "")


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
        return _haystack_answer(outputs)

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


def _haystack_answer(outputs: Outputs) -> OwnAnswer:
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
    used = _haystack_usage(outputs, reply)
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


def _haystack_usage(outputs: Outputs, reply: object) -> Mapping[str, object]:
    told = getattr(reply, "meta", None) or next(iter(_last(outputs, "meta")), None)
    used = told.get("usage") if isinstance(told, Mapping) else None
    return used if isinstance(used, Mapping) else {}


def _texts(documents: Iterable[object]) -> tuple[RetrievedText, ...]:
    return tuple(
        retrieved_text(content, getattr(one, "meta", None), getattr(one, "score", None))
        for one in documents
        if isinstance(content := getattr(one, "content", None), str)
    )


_ANSWERS = ("answer", "result", "output", "text", "response")
_DOCUMENTS = ("context", "source_documents", "documents")
"""The names that LangChain's own chains give to the answer and to the documents behind it."""

_STEPS = "intermediate_steps"
"""Where its agents list what they did, if they are told to return it: pairs of an action and what came."""


class LangChainDocument(Protocol):
    """A `langchain_core.documents.Document`."""

    @property
    def page_content(self) -> str:
        """The text."""
        ...

    @property
    def metadata(self) -> Mapping[str, object]:
        """What is known of it."""
        ...


class LangChainRetriever(Protocol):
    """A `langchain_core.retrievers.BaseRetriever`."""

    def invoke(self, input: str, /) -> Sequence[LangChainDocument]:  # noqa: A002
        """The documents for a question."""
        ...


class LangChainRunnable(Protocol):
    """A `langchain_core.runnables.Runnable` that takes a question."""

    def invoke(self, input: object, /) -> object:  # noqa: A002
        """The answer, in one of LangChain's forms."""
        ...


def langchain_retriever(retriever: LangChainRetriever) -> Retrieve:
    """A retriever, for one of our generators to answer from."""

    def retrieve(question: str) -> list[RetrievedText]:
        return [_text(document) for document in retriever.invoke(question)]

    return retrieve


def langchain_chain(chain: LangChainRunnable, input_name: str = "") -> OwnSystem:
    """A chain that answers: with text, a message, or a mapping that has the answer and perhaps documents.

    The chain gets the question as text, or under `input_name` in a mapping where that is given.
    """

    def system(question: str, /) -> OwnAnswer:
        return _chain_answer(chain.invoke({input_name: question} if input_name else question))

    return system


def _chain_answer(result: object) -> OwnAnswer:
    if not isinstance(result, Mapping):
        said, used = _answer_text(result), _chain_usage(result)
        return OwnAnswer(said or "", input_tokens=used[0], output_tokens=used[1], error=_error(said, result))
    value = next((result[name] for name in _ANSWERS if name in result), None)
    documents = next((found for name in _DOCUMENTS if isinstance(found := result.get(name), list)), None)
    said, used, steps = _answer_text(value), _chain_usage(value), tuple(_steps(result.get(_STEPS)))
    return OwnAnswer(
        said or "",
        tuple(_text(document) for document in documents or () if hasattr(document, "page_content")),
        input_tokens=used[0],
        output_tokens=used[1],
        error=_error(said, result),
        steps=steps,
        tells_retrieved=documents is not None or not steps,
    )


def _steps(value: object) -> Iterator[OwnStep]:
    """The steps of an agent; what a tool took is one text, which stands for its query, or a mapping."""
    for pair in value if isinstance(value, list) else ():
        action, came = pair if isinstance(pair, tuple | list) and len(pair) == 2 else (pair, "")
        given = getattr(action, "tool_input", "")
        queries = (
            [one for one in given.values() if isinstance(one, str)] if isinstance(given, Mapping) else []
        )
        yield OwnStep(
            str(getattr(action, "tool", "") or "step"),
            given if isinstance(given, str) else queries[0] if len(queries) == 1 else str(given),
            came if isinstance(came, str) else str(came),
            thought=str(getattr(action, "log", "")).strip(),
        )


def _answer_text(value: object) -> str | None:
    """The text of an answer, None where it has none; a message has it under `text`, whatever its parts."""
    if isinstance(value, str):
        return value
    said = getattr(value, "text", None)
    return str(said) if isinstance(said, str) else None


def _chain_usage(message: object) -> tuple[int, int]:
    used = getattr(message, "usage_metadata", None)
    if not isinstance(used, Mapping):
        return 0, 0
    return count(used.get("input_tokens")), count(used.get("output_tokens"))


def _error(said: str | None, result: object) -> str:
    if said is not None:
        return ""
    names = f" with {', '.join(map(str, result))}" if isinstance(result, Mapping) else ""
    return f"the chain gave no answer but {type(result).__name__}{names}"


def _text(document: LangChainDocument) -> RetrievedText:
    told = document.metadata
    return retrieved_text(document.page_content, told, told.get("score", told.get("relevance_score")))
