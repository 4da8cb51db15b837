"""What a model gets to read: ranked passages as numbered blocks, within a budget of tokens.

What says nothing new is left out: a chunk that came twice, and one that for the most part stands in a better
one. The best are taken as long as there is room. Neighbours of an article are joined in its order, without
what they share. The blocks then stand in the order of the question's chain, so that each fact comes
after the one that leads to it: by the steps that brought them where these are known, then by how many shared
entities lie between them and what the question names, then by rank. Their numbers are what answers cite.

The passages that an answer cites by their numbers, "[2]" or "[1, 3]", checked against what was shown.

The same evidence for every system: so many tokens of the corpus for a question, over all its readings.

What counts is text that is shown for the first time, in WordPiece tokens of the text itself, without its
heading. Each question has a budget of its own, from which every reading of any of its sub-questions pays.

- A text that was shown before is free: reading it again tells nothing new.
- The last reading may spend all that is left; one before it half of what is left, or on a first text that
  fits into what is left, so that a later reading is never without evidence.
- Texts are taken in the order given, best first, and whole; one for which there is no room is passed over,
  and a shorter one behind it may still be taken.

So a system that retrieves twice has no more evidence than one that retrieves once. What a model's prompts
take beside that is told by the tokens that a run records.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from kg.errors import SettingsError
from kg.text.tokens import count_tokens, token_spans
from services.rag.protocol import Generation, Generator, Passage, ReadTask
from services.rag.sentence_match import all_names, names_in

LEAST_BUDGET = 64
"""A smaller budget would hold headings and no text."""

LONGEST_HEADING = 24
"""Tokens of a title or a source that are shown."""

SAME = 0.8
"""A passage is left out when so much of it stands in a better one, counted in runs of `RUN` words."""

RUN = 4

SHORTEST_OVERLAP = 12
"""Characters that neighbours share at least, for these to be taken as a stretch of the article in both."""


@dataclass(frozen=True, slots=True)
class Block:
    """One or more chunks of an article as a stretch of its text; `number` counts from 1."""

    number: int
    chunks: tuple[str, ...]
    heading: str
    text: str

    @property
    def full_text(self) -> str:
        """Heading and text as they are read."""
        return f"{self.heading}\n\n{self.text}"


@dataclass(frozen=True, slots=True)
class Context:
    """Blocks in the order in which they are read, and the tokens of all that they show.

    `repeats` are chunks left out because others say the same, `left_out` those for which there was no room.
    """

    blocks: tuple[Block, ...] = ()
    tokens: int = 0
    repeats: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def build_context(
    question: str,
    passages: Sequence[Passage],
    budget_tokens: int,
    steps: Mapping[str, int] | None = None,
    repeats: bool = False,
) -> Context:
    """The context of a question from its passages, best first, in at most `budget_tokens` WordPiece tokens.

    A first passage that alone is longer is cut to fit. `steps` tells for chunks by which step they came. With
    `repeats`, nothing is left out because another says the same.

    Raises:
        ValueError: the budget is below `LEAST_BUDGET`.
    """
    if budget_tokens < LEAST_BUDGET:
        raise ValueError(f"{budget_tokens} tokens are no room for a context")
    fresh, repeated = (list(passages), ()) if repeats else _without_repeats(passages)
    taken, left_out = _within(fresh, budget_tokens)
    if not taken and fresh:
        cut = _truncate(fresh[0], budget_tokens)
        taken, left_out = [cut], left_out[1:]
    ranks = {passage.chunk: rank for rank, passage in enumerate(taken)}
    groups = sorted(_group_neighbours(taken), key=lambda group: min(ranks[one.chunk] for one in group))
    blocks = tuple(
        Block(number, tuple(one.chunk for one in group), _heading(group[0]), _text(group))
        for number, group in enumerate(_in_chain(question, groups, steps or {}), start=1)
    )
    return Context(blocks, sum(count_tokens(block.full_text) for block in blocks), repeated, tuple(left_out))


def _without_repeats(passages: Sequence[Passage]) -> tuple[list[Passage], tuple[str, ...]]:
    """The passages that say something new, and the chunks of the others, each once."""
    kept: dict[str, Passage] = {}
    runs: list[frozenset[str]] = []
    repeated: dict[str, None] = {}
    for passage in passages:
        own = _runs(passage.text)
        if passage.chunk in kept or passage.chunk in repeated:
            continue
        if any(len(own & other) >= SAME * len(own) for other in runs):
            repeated[passage.chunk] = None
            continue
        kept[passage.chunk] = passage
        runs.append(own)
    return list(kept.values()), tuple(repeated)


def _runs(text: str) -> frozenset[str]:
    """Every `RUN` words that follow each other; a shorter text is one run."""
    words = text.casefold().split()
    return frozenset(" ".join(words[at : at + RUN]) for at in range(max(1, len(words) - RUN + 1)))


def _within(passages: Sequence[Passage], budget: int) -> tuple[list[Passage], list[str]]:
    """The passages that fit, best first, and the chunks of the others; joining only makes them shorter."""
    taken, left_out, room = [], [], budget
    for passage in passages:
        tokens = count_tokens(_heading(passage)) + count_tokens(passage.text)
        if tokens <= room:
            taken.append(passage)
            room -= tokens
        else:
            left_out.append(passage.chunk)
    return taken, left_out


def _truncate(passage: Passage, budget: int) -> Passage:
    room = budget - count_tokens(_heading(passage))
    return Passage(
        passage.chunk,
        first_words(passage.text, room),
        passage.title,
        passage.source,
        passage.names,
        passage.published,
        passage.facts,
    )


def _group_neighbours(passages: Sequence[Passage]) -> list[list[Passage]]:
    """The passages in stretches of neighbours, each in the order of its article."""
    by_chunk = {passage.chunk: passage for passage in passages}
    followed = {one.next_chunk for one in passages}
    groups: list[list[Passage]] = []
    seen: set[str] = set()
    # A ring of neighbours can't come from an article; the second round takes it apart somewhere.
    for passage in (*(one for one in passages if one.chunk not in followed), *passages):
        group: list[Passage] = []
        one: Passage | None = passage
        while one is not None and one.chunk not in seen:
            seen.add(one.chunk)
            group.append(one)
            one = by_chunk.get(one.next_chunk)
        if group:
            groups.append(group)
    return groups


def _text(group: Sequence[Passage]) -> str:
    text = group[0].text
    for passage in group[1:]:
        shared = _overlap(text, passage.text)
        rest = passage.text[shared:].lstrip()
        text = f"{text.rstrip()} {rest}" if rest else text
    return text


def _overlap(before: str, after: str) -> int:
    """How many characters at the end of one text are the beginning of the next, by whole words."""
    for start in range(max(0, len(before) - len(after)), len(before) - SHORTEST_OVERLAP + 1):
        shared = len(before) - start
        inside = start > 0 and before[start - 1].isalnum() and before[start].isalnum()
        split = after[shared - 1].isalnum() and after[shared : shared + 1].isalnum()
        if not inside and not split and after.startswith(before[start:]):
            return shared
    return 0


def _in_chain(
    question: str, groups: Sequence[Sequence[Passage]], steps: Mapping[str, int]
) -> list[Sequence[Passage]]:
    """The groups, best first, in the order in which the question's hops follow."""
    last = max(steps.values(), default=0)
    brought = [min(steps.get(one.chunk, last) for one in group) for group in groups]
    hops = _hops(question, groups)
    return [groups[at] for at in sorted(range(len(groups)), key=lambda at: (brought[at], hops[at], at))]


def _hops(question: str, groups: Sequence[Sequence[Passage]]) -> list[int]:
    """For each group how many shared entities away it is from what the question names.

    What can't be reached is as far as there are groups. An entity that every group names leads nowhere.
    """
    names = [
        {name.entity for passage in group for name in all_names(passage) if name.entity} for group in groups
    ]
    of_entity: defaultdict[str, set[int]] = defaultdict(set)
    for at, entities in enumerate(names):
        for entity in entities:
            of_entity[entity].add(at)
    hops = [len(groups)] * len(groups)
    named = names_in(question, (passage for group in groups for passage in group))
    front = {at for entity in named for at in of_entity[entity]}
    for hop in range(len(groups)):
        for at in front:
            hops[at] = hop
        links = {one for at in front for one in names[at] if len(of_entity[one]) < len(groups)}
        front = {at for one in links for at in of_entity[one] if hops[at] == len(groups)}
    return hops


def _heading(passage: Passage) -> str:
    lines = (
        ("Title", first_words(passage.title, LONGEST_HEADING)),
        ("Source", first_words(passage.source, LONGEST_HEADING // 2)),
        ("Date", passage.published),
    )
    return "\n".join(f"{label}: {value}" for label, value in lines if value)


def first_words(text: str, most: int) -> str:
    """The first words of a text, at most so many WordPiece tokens of them."""
    if count_tokens(text) <= most:
        return text
    ends = token_spans(text)
    cut = ends[most][0]
    # A word that is cut in the middle goes whole, unless it is all there is.
    while cut > 0 and text[cut - 1].isalnum() and text[cut].isalnum():
        cut -= 1
    return text[: cut or ends[most][0]].rstrip()


_CITATION = re.compile(
    r"\s*\[\s*(?:passages?\s+)?(?P<numbers>\d{1,3}(?:\s*(?:[,;&\u2013-]|and)\s*(?:passage\s+)?\d{1,3})*)\s*\]",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+")
_SPAN = re.compile(r"(\d+)\s*[\u2013-]\s*(\d+)")


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """An answer without its citations, the chunks that it cites in the order of its text, each once, and the
    numbers that it cites though no passage had them."""

    text: str
    chunks: tuple[str, ...] = ()
    unknown: tuple[int, ...] = ()


def read_citations(answer: str, context: Context) -> CitedAnswer:
    """The citations of an answer that was given from a context; brackets with anything else in them stay."""
    numbers: dict[int, None] = {}
    for match in _CITATION.finditer(answer):
        numbers |= dict.fromkeys(_numbers(match["numbers"]))
    known = {block.number: block.chunks for block in context.blocks}
    chunks = (chunk for number in numbers for chunk in known.get(number, ()))
    return CitedAnswer(
        _CITATION.sub("", answer).strip(),
        tuple(dict.fromkeys(chunks)),
        tuple(number for number in numbers if number not in known),
    )


def _numbers(text: str) -> list[int]:
    """The numbers of a list, with all between the ends of a span: "1-3" is 1, 2, 3."""
    spans = {number for first, last in _SPAN.findall(text) for number in range(int(first), int(last) + 1)}
    return sorted(spans | {int(number) for number in _NUMBER.findall(text)})


LEAST_EVIDENCE_TOKENS = 64
"""With less, hardly a chunk could be read."""

KEPT = 2
"""An earlier reading takes at most one part in so many of what is left."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A text that is to be shown; `key` says which it is, such as the id of its chunk or claim."""

    key: str
    text: str


@dataclass(slots=True)
class _Account:
    """What was shown for a question, and what is left."""

    tokens_left: int
    chunks: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EvidenceBudget:
    """What each question has left of `tokens`; one object for all readings of a system."""

    tokens: int
    _accounts: dict[str, _Account] = field(default_factory=dict)

    def admit(self, question: str, pieces: Sequence[Piece], *, last: bool) -> tuple[bool, ...]:
        """Which texts may be shown for the question with this id, each in its place; they are paid for.

        `last` tells that nothing will be read for the question afterwards. A question without an id has a
        budget for this one reading.
        """
        account = self._accounts.setdefault(question, _Account(self.tokens)) if question else None
        account = account or _Account(self.tokens)
        room = account.tokens_left if last else account.tokens_left // KEPT
        taken: list[bool] = []
        for piece in pieces:
            free = piece.key in account.chunks
            tokens = 0 if free else _tokens(piece.text)
            first = not any(taken)
            fits = tokens <= room or (first and tokens <= account.tokens_left)
            taken.append(fits)
            if fits and not free:
                account.chunks[piece.key] = None
                account.tokens_left -= tokens
                room = max(room - tokens, 0)
        return tuple(taken)

    def tokens_left(self, question: str) -> int:
        """Tokens that the question with this id may still be shown."""
        account = self._accounts.get(question)
        return self.tokens if account is None else account.tokens_left

    def shown_keys(self, question: str) -> tuple[str, ...]:
        """The keys of all that the question with this id was shown, in the order of the first showing."""
        account = self._accounts.get(question)
        return () if account is None else tuple(account.chunks)


@dataclass(frozen=True, slots=True)
class WithinEvidence:
    """A generator that sees no more of a question's passages than its budget pays for."""

    generator: Generator
    budget: EvidenceBudget

    @property
    def name(self) -> str:
        """The generator's own: the budget is recorded beside it."""
        return self.generator.name

    def answer(self, tasks: Sequence[ReadTask]) -> Iterator[Generation]:
        """One answer a task, in order, from the passages that are paid for."""
        return self.generator.answer([self._within(task) for task in tasks])

    def decompose(self, questions: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Generation]]:
        """As the generator does: there is no evidence in it."""
        return self.generator.decompose(questions)

    def _within(self, task: ReadTask) -> ReadTask:
        last = not (task.on_the_way or task.part)
        return replace(task, passages=admitted_passages(self, task.question_id, task.passages, last=last))


def within_evidence(generator: Generator, tokens: int) -> Generator:
    """The generator, with at most so many tokens of evidence for each question.

    Raises:
        SettingsError: so few tokens are no evidence.
    """
    if tokens < LEAST_EVIDENCE_TOKENS:
        raise SettingsError(
            f"{tokens} tokens are too few to read anything.",
            f"Give a budget of evidence of at least {LEAST_EVIDENCE_TOKENS} tokens.",
        )
    return WithinEvidence(generator, EvidenceBudget(tokens))


def evidence_of(generator: Generator) -> EvidenceBudget | None:
    """The budget that a generator keeps to, for whoever shows evidence past it; None without one."""
    return generator.budget if isinstance(generator, WithinEvidence) else None


def admitted_passages(
    generator: Generator, question: str, passages: Sequence[Passage], *, last: bool
) -> tuple[Passage, ...]:
    """The passages that the question with this id may be shown, by the budget of `generator`."""
    budget = evidence_of(generator)
    if budget is None:
        return tuple(passages)
    pieces = [Piece(passage.chunk, passage.text) for passage in passages]
    taken = budget.admit(question, pieces, last=last)
    return tuple(passage for passage, fits in zip(passages, taken, strict=True) if fits)


@lru_cache(maxsize=4_096)
def _tokens(text: str) -> int:
    """The tokens of a text; the same chunk is shown for many questions."""
    return count_tokens(text)
