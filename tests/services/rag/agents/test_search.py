"""What agents may ask of a search, when two searches are one, and the order of all that was seen."""

from hypothesis import given
from hypothesis import strategies as st

from services.rag.agents.course import best_ranked
from services.rag.agents.place import MOST_TOP, Search, SearchTool, read_search
from services.rag.agents.protocol import Asking, Call, same_search
from services.rag.agents.react import final_words
from services.rag.protocol import Filters, Hit
from tests.services.rag.agents.world import ByLastName, asked
from tests.small_world import tools

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=5), inside, max_size=3),
)


@given(query=JSON, top=JSON)
def test_any_arguments_are_a_search_within_bounds_or_a_reason(query: object, top: object) -> None:
    found = read_search(Call("search", {"query": query, "top_k": top}), 10)  # type: ignore[dict-item]
    if isinstance(found, Search):
        assert found.query.strip()
        assert 1 <= found.top_k <= MOST_TOP
    else:
        assert found


def test_arguments_are_read_leniently_where_they_are_clear() -> None:
    assert read_search(Call("search", {"query": " the  lamp "}), 7) == Search("the lamp", 7)
    assert read_search(Call("search", {"query": "lamp", "top_k": "5"}), 7) == Search("lamp", 5)
    assert read_search(Call("search", {"query": "lamp", "top_k": 99}), 7) == Search("lamp", MOST_TOP)
    assert read_search(Call("search", {"query": "lamp", "top_k": -1}), 7) == Search("lamp", 1)
    assert isinstance(read_search(Call("search", {"query": "lamp", "top_k": "many"}), 7), str)
    assert isinstance(read_search(Call("search", {"queries": ["lamp"]}), 7), str)


def test_good_and_bad_calls_of_a_turn_each_get_their_own() -> None:
    retriever, questions = ByLastName(), asked("one", "two", "three")
    calls = [
        Call("search", {"query": "Ostby Rovers", "top_k": 2}),
        Call("search", {"query": ""}),
        Call("search", {"query": "Harbour Fair", "top_k": 1}),
    ]
    tool = SearchTool(retriever, tools().embedder)
    first, bad, last = tool.run([Asking(one, call) for one, call in zip(questions, calls, strict=True)])
    assert [hit.chunk for hit in first.hits] == ["chunk-2", "chunk-1"]
    assert (bad.fault, bad.hits, bad.retrieves) == ("malformed call", (), False)
    assert [hit.chunk for hit in last.hits] == ["chunk-4"]
    assert retriever.rounds == [["Ostby Rovers", "Harbour Fair"]]
    assert tool.sought(calls[1]) is None


def test_the_same_search_is_known_by_words_and_filters() -> None:
    assert same_search("search", "Who owns the club?") == same_search("search", "  WHO owns, the club ")
    assert same_search("search", "Who owns the club?") != same_search("search", "Who owned the club?")
    filters = Filters(sources=("The Mail", "The Post"))
    assert same_search("s", "x", filters) == same_search("s", "x", Filters(sources=("the post", "the mail")))
    assert same_search("s", "x", filters) != same_search("s", "x")
    assert same_search("s", "x", Filters(since="2023-01-01")) != same_search(
        "s", "x", Filters(until="2023-01-01")
    )
    assert same_search("one", "x") != same_search("other", "x")


def test_the_first_of_each_search_stand_before_the_second_of_each() -> None:
    searches = [[Hit("a", 0.9), Hit("b", 0.8), Hit("c", 0.7)], [Hit("d", 0.5), Hit("c", 0.4)]]
    hits, first = best_ranked(searches)
    assert [(hit.chunk, hit.score) for hit in hits] == [("a", 0.9), ("d", 0.5), ("b", 0.8), ("c", 0.4)]
    assert first == {"a": 1, "b": 1, "c": 1, "d": 2}


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6, unique=True), max_size=5))
def test_every_chunk_that_was_seen_is_listed_once(searches: list[list[str]]) -> None:
    hits, first = best_ranked([[Hit(chunk, 1.0) for chunk in one] for one in searches])
    chunks = [hit.chunk for hit in hits]
    assert sorted(chunks) == sorted({chunk for one in searches for chunk in one}) == sorted(first)
    assert all(chunk in searches[first[chunk] - 1] for chunk in chunks)


def test_the_end_is_found_in_words_and_nowhere_else() -> None:
    assert final_words("I have it.\n**Final Answer:** Oda Wexler") == "Oda Wexler"
    assert final_words("Final_Answer: Oda Wexler") == "Oda Wexler"
    assert final_words("Answer: no.\nFinal answer: Yes") == "Yes"
    assert final_words('{"answer": "Oda Wexler"}') == "Oda Wexler"
    assert final_words("The answer must be looked for first.") == ""
    assert final_words("I will answer: after the next search") == ""
    assert final_words("Oda Wexler bought it.") == ""
