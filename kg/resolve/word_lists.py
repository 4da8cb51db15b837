"""Closed lists of English words that the rules of resolution look at."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTION_WORDS = _words("of the and for in on at to de la du von")
"""Words that initials may leave out ("Bank of England", "BE")."""

PREPOSITIONS = _words(
    """of in for from with on at by to as about over under after before during between against into among
    across near within without through that which who"""
)
"""Words after which a noun phrase goes on beyond its head; relative pronouns too."""

DETERMINERS = _words("his her its their our my your this that these those some")

GENERIC_WORDS = _words(
    """agency association bank board bureau club college commission committee company council court department
    federation foundation fund government group hospital house institute ministry museum office party police
    school senate society team union university american british european federal international national new
    royal north south east west united state central first world saint"""
)
"""Words that many organisations share: alone they name none of them."""
