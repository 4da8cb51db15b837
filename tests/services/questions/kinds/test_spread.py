"""Which drafts are taken: even groups, capped entities and themes, the best first."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from services.questions.draft import Draft, Stop
from services.questions.kinds.spread import SHARE_OF_A_THEME, SHARE_OF_AN_ENTITY, Candidate, spread


def candidate(number: int, group: str, theme: str, entity: str, worth: float, twin: int) -> Candidate:
    draft = Draft(
        kind="comparison",
        text=f"Question {number}?",
        answer=group,
        accepted=(group,),
        answer_type="YES_NO",
        generator=theme,
        stops=(Stop(entity, entity, "ORG"),),
        facts=(),
    )
    return Candidate(draft, group, theme, worth, str(twin))


CANDIDATES = st.lists(
    st.tuples(
        st.sampled_from(["yes", "no", "other"]),
        st.sampled_from("abcd"),
        st.sampled_from("klmnopqrstuvwxyz"),
        st.integers(0, 3),
        st.integers(0, 60),
    ),
    max_size=80,
)


@given(CANDIDATES, st.integers(0, 40))
def test_groups_stay_even_and_nothing_fills_the_kind(
    rows: list[tuple[str, str, str, int, int]], limit: int
) -> None:
    candidates = [candidate(number, *row) for number, row in enumerate(rows)]
    drafts = list(spread(candidates, (("yes", "no"), ("other",)), limit))
    answers = Counter(draft.answer for draft in drafts)
    assert answers["yes"] == answers["no"]
    assert len(drafts) <= limit
    assert len({draft.text for draft in drafts}) == len(drafts)
    entities = Counter(draft.stops[0].id for draft in drafts)
    assert max(entities.values(), default=0) <= max(1, limit // SHARE_OF_AN_ENTITY)
    themes = Counter(draft.generator for draft in drafts)
    assert max(themes.values(), default=0) <= max(1, -(-limit // SHARE_OF_A_THEME))
    twins = Counter(one.chance for one in candidates if one.draft in drafts)
    assert max(twins.values(), default=0) <= 1


def test_the_best_come_first_whatever_their_order() -> None:
    candidates = [
        candidate(at, "other", str(at), str(at), worth, at) for at, worth in enumerate((1.0, 3.0, 2.0))
    ]
    texts = [draft.text for draft in spread(candidates, (("other",),), 10)]
    assert texts == ["Question 1?", "Question 2?", "Question 0?"]
    assert texts == [draft.text for draft in spread(candidates[::-1], (("other",),), 10)]
