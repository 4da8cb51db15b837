"""Which drafts of a kind are taken: the best first, answers even, no entity too often."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kg.ids import bare_id, content_hash
from services.questions.draft import Draft

SHARE_OF_AN_ENTITY = 10
"""An entity is in a tenth of a kind's drafts at most."""
SHARE_OF_A_THEME = 4
"""A predicate or a topic is in a quarter of them at most."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A draft that could be taken; `group` is what has to stay even, `theme` what must not fill the kind.

    `worth` orders: more is better; draws among equals are by `chance`. Of candidates with the same `chance`,
    such as one pair asked in either order, one is taken.
    """

    draft: Draft
    group: str
    theme: str
    worth: float
    chance: str


def chance(seed: int, *content: str) -> str:
    """A key that puts things into an order by chance, which is the same for the same seed."""
    return content_hash((str(seed), *map(bare_id, content)))


def spread(candidates: Iterable[Candidate], bundles: Sequence[Sequence[str]], limit: int) -> Iterator[Draft]:
    """Up to `limit` drafts, one for each mention of a group in a bundle at a time, until a group is used up.

    So the answers of a bundle ("yes", "no") stay even at any length. Bundles take turns; each needs groups of
    its own, or the same groups as the other.
    """
    caps = _Caps(max(1, limit // SHARE_OF_AN_ENTITY), max(1, -(-limit // SHARE_OF_A_THEME)))
    waiting = _by_group(candidates)
    running = [list(bundle) for bundle in bundles]
    taken = 0
    while running:
        for bundle in list(running):
            chosen = [caps.next_fitting(waiting.get(group, deque())) for group in bundle]
            complete = [candidate.draft for candidate in chosen if candidate is not None]
            if len(complete) < len(bundle) or taken + len(complete) > limit:
                running.remove(bundle)
                continue
            taken += len(complete)
            yield from complete


def _by_group(candidates: Iterable[Candidate]) -> dict[str, deque[Candidate]]:
    groups: dict[str, deque[Candidate]] = {}
    texts: set[str] = set()
    for candidate in sorted(candidates, key=lambda one: (-one.worth, one.chance)):
        if candidate.draft.text not in texts:
            texts.add(candidate.draft.text)
            groups.setdefault(candidate.group, deque()).append(candidate)
    return groups


class _Caps:
    """How often each entity and each theme was taken."""

    def __init__(self, entity: int, theme: int) -> None:
        self._entity, self._theme = entity, theme
        self._entities: Counter[str] = Counter()
        self._themes: Counter[str] = Counter()
        self._taken: set[str] = set()

    def next_fitting(self, group: deque[Candidate]) -> Candidate | None:
        """The first candidate that breaks no cap, counted as taken; what stands before it never will fit."""
        while group:
            candidate = group.popleft()
            if self._fits(candidate):
                self._count(candidate)
                return candidate
        return None

    def _fits(self, candidate: Candidate) -> bool:
        free = all(self._entities[stop.id] < self._entity for stop in candidate.draft.stops)
        return free and candidate.chance not in self._taken and self._themes[candidate.theme] < self._theme

    def _count(self, candidate: Candidate) -> None:
        self._entities.update({stop.id for stop in candidate.draft.stops})
        self._themes[candidate.theme] += 1
        self._taken.add(candidate.chance)
