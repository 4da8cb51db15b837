"""An extractive reader by rules, the documented baseline without a model.

It reads the form of a question first. What cited articles have in common is looked up in their passages
(`cited_articles`). What speaks of a source of which nothing was found has no answer (`reported`). Two named
things are compared by what is told of each (`comparing_things`), or by the facts and sentences that share
words with the question (`comparing`), for yes or no, an order in time, or one of the two; what sources say is
held against their own sentences (`reported`). One of several clauses about one unknown is
answered by the candidate that they fit best on average (`clauses`). Any other is answered by the best
candidate of the wanted type that the question does not name itself. Candidates are

- the ends of walks along stated facts that begin at a name in the question, every fact of which but one
  takes up further words of the question; a walk's fit is the share of the question's words that it
  accounts for;
- names and dates in sentences; a sentence's fit is the share of the question's words in it.

Rare words weigh more, those of the clause that asks double; a candidate whose fact or sentence has no word
for the relation asked for counts less. Where the best fit is below `THRESHOLD` the reader abstains. It looks
at words, not at meaning.

Questions about what sources report: no answer without their articles, "Yes" where each says its part.

"Does the Gazette article suggest that X, while Harbour News reports Y?" is taken apart behind each source
that it names. Words can support a part, but hardly refute it: a sentence that shares few words with it may
say the same or the opposite. So there is "Yes" or no answer, and none where sources are compared with each
other.

Walks along the facts that passages state, from what a question names, led by the question's words.

The extractive reader as a generator, so that every system runs without a model.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from services.answers import INSUFFICIENT
from services.rag.cited_articles import citations, common
from services.rag.comparing import read_comparison
from services.rag.comparing_things import compared_things
from services.rag.decompose_rules import Clause, clauses_of, decompose
from services.rag.metadata import index_metadata, recognise
from services.rag.metadata_names import in_frame, index_names, name_lists, name_mentions, source_frame
from services.rag.protocol import Generation, Name, Passage, ReadTask, StatedFact
from services.rag.question_words import (
    QuestionForm,
    question_form,
    question_weights,
    relation_words,
    weight_of,
    weight_share,
    words,
)
from services.rag.sentence_match import Reading, Sentence, candidates, names_in, sentences_of

MOST_FACTS = 5
"""As many hops as a path of the corpus can have."""

MOST_WALKS = 64
"""Walks of a length that are gone on with; those that cover most of the question."""


@dataclass(frozen=True, slots=True)
class Walk:
    """A way to `end`: the question's words that its start, its facts and the names on it account for.

    `guessed` tells that it has a fact for which the question has no word, as in "the club of Mira Tolland";
    a walk may have one.
    """

    end: Name
    words: frozenset[str]
    facts: tuple[StatedFact, ...]
    chunk: str
    visited: frozenset[str]
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class _Edge:
    """A fact seen from one of its ends."""

    leads_to: Name
    fact: StatedFact
    words: frozenset[str]
    chunk: str


def walks(
    starts: Mapping[str, frozenset[str]], passages: Sequence[Passage], weights: Mapping[str, float]
) -> Iterator[Walk]:
    """Walks from entities (with the question's words that name them) in which every fact but one
    takes up further words of the question."""
    edges = _edges(passages)
    reached = [
        Walk(Name("", "", "MISC", start), named, (), "", frozenset({start}))
        for start, named in sorted(starts.items())
    ]
    for _ in range(MOST_FACTS):
        longer = [further for walk in reached for further in _further(walk, edges, weights)]
        longer.sort(
            key=lambda walk: (-_weight(walk.words, weights), walk.end.entity, walk.facts[-1].sentence)
        )
        reached = longer[:MOST_WALKS]
        yield from reached


def _further(
    walk: Walk, edges: Mapping[str, Sequence[_Edge]], weights: Mapping[str, float]
) -> Iterator[Walk]:
    for edge in edges.get(walk.end.entity, ()):
        if edge.leads_to.entity in walk.visited:
            continue
        taken = {word for word in edge.words if word in weights} - walk.words
        if taken or not walk.guessed:
            called = {word for word in _words_of(edge.leads_to.name) if word in weights}
            yield Walk(
                edge.leads_to,
                walk.words | taken | called,
                (*walk.facts, edge.fact),
                edge.chunk,
                walk.visited | {edge.leads_to.entity},
                walk.guessed or not taken,
            )


def _weight(found: Iterable[str], weights: Mapping[str, float]) -> float:
    return weight_of(weights.get(word, 0.0) for word in found)


def _edges(passages: Sequence[Passage]) -> dict[str, list[_Edge]]:
    """Each fact from both of its ends; of the same fact in two passages the better passage's."""
    edges: defaultdict[str, list[_Edge]] = defaultdict(list)
    seen: set[tuple[str, str, str]] = set()
    for passage in passages:
        for fact in passage.facts:
            key = (fact.subject.entity, fact.predicate, fact.object.entity)
            if key in seen:
                continue
            seen.add(key)
            found = _words_of(fact.predicate)
            edges[fact.subject.entity].append(_Edge(fact.object, fact, found, passage.chunk))
            edges[fact.object.entity].append(_Edge(fact.subject, fact, found, passage.chunk))
    return dict(edges)


@lru_cache(maxsize=16_384)
def _words_of(text: str) -> frozenset[str]:
    return frozenset(words(text))


FEWEST_WORDS = 3
"""Content words that a part must have to be looked for; "in another article" has none."""

_SAYS = re.compile(r"(?:do|does|did)\b", re.IGNORECASE)
_COMPARES = re.compile(
    r"\b(?:same|similar(?:ly)?|identical(?:ly)?|alike|differ\w*|contrast\w*|contradict\w*|compared|than|"
    r"(?:in)?consisten\w+|(?:dis)?agree\w*|change[ds]?|align\w*|before|after)\b",
    re.IGNORECASE,
)


def names_missing_source(question: str, passages: Sequence[Passage]) -> bool:
    """Whether a question speaks of the article of a source from which no passage is at hand."""
    sources = sorted({passage.source for passage in passages} - {""})
    return bool(sources and recognise(question, index_metadata(sources)).lacking)


def each_says(question: str, passages: Sequence[Passage], sentences: Sequence[Sentence]) -> Reading | None:
    """ "Yes" with the fit of the part that is supported least; None for another question.

    It is about what several reports say, each its own part; whether one says something is for the facts.
    """
    if not _SAYS.match(question) or _COMPARES.search(question):
        return None
    best: Reading | None = None
    parts = list(_parts(question, passages))
    for sources, said in parts if len(parts) > 1 else ():
        asked = set(words(said))
        if len(asked) < FEWEST_WORDS:
            continue
        weights = dict.fromkeys(asked, 1.0)
        own = [sentence for sentence in sentences if sentence.passage.source in sources]
        found = max(own, key=lambda one: weight_share(weights, one.words), default=None)
        if found is None:
            return None
        fit = weight_share(weights, found.words)
        if best is None or fit < best.fit:
            best = Reading("Yes", "", found.passage.chunk, found.text, fit)
    return best


def _parts(question: str, passages: Sequence[Passage]) -> Iterator[tuple[frozenset[str], str]]:
    """The sources that a question says something of, each list of them with the text up to the next."""
    index = index_names(sorted({passage.source for passage in passages} - {""}), sections=True)
    lists = name_lists(question, name_mentions(question, index))
    named = [members for members in lists if in_frame(question, members, source_frame)]
    ends = [*(members[0].start for members in named[1:]), len(question)][: len(named)]
    for members, end in zip(named, ends, strict=True):
        for one in members:
            yield frozenset(one.values), question[members[-1].end : end]


READER = "extractive-4"
NO_ANSWER = INSUFFICIENT

THRESHOLD = 0.4
"""The least fit of an answer. Picked on the bundled corpus' 83 questions; see docs/decisions/0018."""

SENTENCE_DISCOUNT = 0.8
"""What a sentence's fit counts beside a walk's: in a sentence the words may stand in any relation."""

SUPPORT_WEIGHT = 0.15
OTHER_TYPE = 0.7
"""What a walk counts that ends in another type than the wanted one: types are often wrong."""


UNRELATED = 0.6
"""What a reading counts that has no word for how the question relates the answer to what it names."""


def read_answer(question: str, passages: Sequence[Passage], threshold: float = THRESHOLD) -> Reading:
    """The answer that the passages, best first, give; `NO_ANSWER` where none fits well enough."""
    reading = _read_answer(question, passages)
    return reading if reading is not None and reading.fit >= threshold else Reading(NO_ANSWER)


def read_on_the_way(question: str, passages: Sequence[Passage]) -> Reading:
    """What the passages tell towards the answer, whatever its type: an intermediate answer."""
    found = _candidates(
        question, QuestionForm("open"), passages, names_in(question, passages), on_the_way=True
    )
    return _best(found) or Reading(NO_ANSWER)


def _read_answer(question: str, passages: Sequence[Passage]) -> Reading | None:
    cited = citations(question)
    if cited:
        return common(question, cited, passages)
    if names_missing_source(question, passages):
        return None
    form = question_form(question)
    found = compared_things(question, form, passages)
    if found is None and form.kind != "open":
        sentences = sentences_of(passages)
        weights = question_weights(question, (sentence.words for sentence in sentences))
        found = read_comparison(question, form, passages, sentences, weights)
        if found is None and form.kind == "yes or no":
            found = each_says(question, passages, sentences)
    if found or form.kind != "open":
        return found
    named = names_in(question, passages)
    clauses = clauses_of(question)
    if clauses:
        return _joint(question, clauses, form, passages, named)
    return _best(_candidates(question, form, passages, named))


def _joint(
    question: str,
    clauses: Sequence[Clause],
    form: QuestionForm,
    passages: Sequence[Passage],
    named: Mapping[str, frozenset[str]],
) -> Reading | None:
    """The candidate that the clauses of a question fit best on average, 0 where a clause does not have it.

    A clause that cites a source is read from the passages of that source alone.
    """
    fits: dict[str, float] = {}
    best: dict[str, Reading] = {}
    for clause in clauses:
        own = [one for one in passages if clause.may_be_read_in(one.source)]
        for key, (reading, _) in _candidates(clause.question, form, own, named).items():
            fits[key] = fits.get(key, 0.0) + reading.fit / len(clauses)
            if key not in best or reading.fit > best[key].fit:
                best[key] = reading
    if not best:
        return None
    key = max(fits, key=lambda key: (fits[key], best[key].answer))
    return replace(best[key], fit=fits[key])


def _best(found: Mapping[str, tuple[Reading, float]]) -> Reading | None:
    """The candidate with the best fit; what else supports it counts a little."""
    if not found:
        return None
    reading, _ = max(
        found.values(),
        key=lambda one: (one[0].fit + SUPPORT_WEIGHT * min(one[1] - one[0].fit, 1.0), one[0].answer),
    )
    return reading


def _candidates(
    question: str,
    form: QuestionForm,
    passages: Sequence[Passage],
    named: Mapping[str, frozenset[str]],
    on_the_way: bool = False,
) -> dict[str, tuple[Reading, float]]:
    """Each candidate's best reading and the sum of all its fits, by entity, or by text for a literal."""
    sentences = sentences_of(passages)
    weights = question_weights(question, (sentence.words for sentence in sentences))
    relation = frozenset() if on_the_way else relation_words(question, named.values())
    asked = set(words(question))
    best: dict[str, tuple[Reading, float]] = {}
    for reading in (
        *_readings_of_walks(form, named, passages, weights, relation),
        *_readings_of_sentences(form, sentences, weights, relation),
    ):
        found = set(words(reading.answer))
        if reading.entity in named or not found or found <= asked:
            continue
        key = reading.entity or reading.answer
        top, support = best.get(key, (reading, 0.0))
        best[key] = (reading if reading.fit > top.fit else top, support + reading.fit)
    return best


def _readings_of_walks(
    form: QuestionForm,
    named: Mapping[str, frozenset[str]],
    passages: Sequence[Passage],
    weights: Mapping[str, float],
    relation: frozenset[str],
) -> Iterator[Reading]:
    for walk in walks(named, passages, weights):
        end = walk.end
        fit = weight_share(weights, walk.words) * (
            1 if form.types is None or end.type in form.types else OTHER_TYPE
        )
        if relation and relation.isdisjoint(words(walk.facts[-1].predicate)):
            fit *= UNRELATED
        yield Reading(end.name, end.entity, walk.chunk, walk.facts[-1].sentence, fit)


def _readings_of_sentences(
    form: QuestionForm,
    sentences: Sequence[Sentence],
    weights: Mapping[str, float],
    relation: frozenset[str],
) -> Iterator[Reading]:
    for sentence in sentences:
        fit = weight_share(weights, sentence.words) * sentence.decay * SENTENCE_DISCOUNT
        if relation and relation.isdisjoint(sentence.words):
            fit *= UNRELATED
        if fit == 0:
            continue
        for name in candidates(sentence, form.types):
            yield Reading(_answer(name), name.entity, sentence.passage.chunk, sentence.text, fit)


def _answer(name: Name) -> str:
    return name.name


class RulesGenerator:
    """Answers by the rules of `services.rag.reader`; it never fails, and costs nothing."""

    @property
    def name(self) -> str:
        """The reader's version."""
        return READER

    def answer(self, tasks: Sequence[ReadTask]) -> Iterator[Generation]:
        """One answer a task, in order."""
        for task in tasks:
            reading = _read_task(task)
            yield Generation(
                reading.answer, entity=reading.entity, chunk=reading.chunk, sentence=reading.sentence
            )

    def decompose(self, questions: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Generation]]:
        """The sub-questions of each question, by the form of its clauses."""
        for question in questions:
            yield _side_by_side(question) or decompose(question), Generation("")


def _side_by_side(question: str) -> tuple[str, ...]:
    """Sub-questions that do not wait for each other: a question about each cited article, or each clause."""
    cited = tuple(f"What does {one} tell of?" for one in citations(question))
    return cited or tuple(clause.question for clause in clauses_of(question))


def _read_task(task: ReadTask) -> Reading:
    """An intermediate answer, or the final one.

    Where every part of a chain has an answer, the last sub-question is read, which has the names in it that
    the question only describes. A part that the passages do not support leaves the chain without an answer.
    """
    if task.on_the_way:
        return read_on_the_way(task.question, task.passages)
    asked = [note.rpartition(": ")[0] for note in task.notes]
    if not asked or asked[-1] == task.question or _side_by_side(task.question):
        return read_answer(task.question, task.passages)
    if len(asked) < len(decompose(task.question)):
        return Reading(NO_ANSWER)
    return read_answer(asked[-1], task.passages)
