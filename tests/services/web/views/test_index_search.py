"""What the index of names is asked for a text that somebody typed."""

from services.web.views.entities import MOST_WORDS, index_search


def test_each_word_is_looked_for_whole_begun_and_nearly() -> None:
    assert index_search("Ana Brel") == "ana^4 ana*^2 ana~ brel^4 brel*^2 brel~"
    assert index_search(" ?! ") == ""


def test_of_many_words_only_the_first_are_asked_for() -> None:
    many = [f"word{number}" for number in range(250)]
    assert index_search(" ".join(many)) == index_search(" ".join(many[:MOST_WORDS]))


def test_marks_of_the_query_language_are_no_part_of_a_word() -> None:
    assert index_search('name:"Ana" OR (*)') == index_search("name Ana OR")
