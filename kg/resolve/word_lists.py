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
    """agency association bank board bureau city club college commission committee company council county
    court department federation foundation fund government group hospital house institute ministry
    museum office party police school senate society team union university american british european
    federal international national new royal north south east west united state central first town world
    saint"""
)
"""Words that many organisations share: alone they name none of them."""

ORGANISATION_TAILS = _words(
    """airlines airways athletic bank city club college company corporation cricket fc football group
    holdings hospital international museum newspaper party rovers rugby school sports town united
    university wanderers"""
)
"""Words that end an organisation's full name without making it a part of the organisation."""

OFFICE_WORDS = _words(
    """acting analyst assistant attorney author boy candidate captain chair chairman chairperson chief co
    coach committee current deputy director engineer executive expert father first foreign former
    founder general girl governor head incumbent journalist judge lawyer lead leader leading man manager
    mayor member members minister mother new nominee officer official old owner partner player president
    presidential press prime producer professor public record representative researcher scientist second
    secretary senator senior son speaker spokesman spokesperson spokeswoman state study team vice wife
    woman writer young"""
)
"""Words of offices and relations that many people hold: together they name nobody ("former president")."""

KNOWN_ABBREVIATIONS = {
    "US": "united states",
    "USA": "united states",
    "UK": "united kingdom",
    "UAE": "united arab emirates",
    "EU": "european union",
    "UN": "united nations",
}
"""What news never spell out: the long name's key for an acronym that no article declares otherwise."""
