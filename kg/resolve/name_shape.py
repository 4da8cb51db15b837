"""What the way a name is written tells: acronyms, articles, honorifics."""

from kg.resolve.normal_form import ARTICLES, FEMALE_HONORIFICS, MALE_HONORIFICS, normal_form
from kg.resolve.word_lists import FUNCTION_WORDS

_LONGEST_ACRONYM = 8


def is_acronym(text: str) -> bool:
    """Whether `text` is written like an acronym: "HVMA", "U.S.", "DoJ", "MI5" are; "Nato", "I" are not."""
    letters = text.replace(".", "")
    capitals = sum(character.isupper() for character in letters)
    return (
        2 <= len(letters) <= _LONGEST_ACRONYM
        and letters[0].isupper()
        and letters.replace("&", "").isalnum()
        and 2 * capitals > len(letters)
    )


def initials(name: str) -> frozenset[str]:
    """The first letters of the words of `name`, in capitals, with and without its function words."""
    words = normal_form(name).split()
    content = [word for word in words if word not in FUNCTION_WORDS]
    return frozenset("".join(word[0] for word in chosen).upper() for chosen in (words, content))


def abbreviates(acronym: str, name: str) -> bool:
    """Whether the letters of `acronym` run through a name of several words, the first at a word's start."""
    letters = normal_form(acronym).replace(" ", "")
    words = normal_form(name).split()
    if len(words) < 2:
        return False
    if letters.upper() in initials(name):
        return True
    return any(_runs_through(letters, " ".join(words[start:])) for start in range(len(words)))


def without_article(name: str) -> str:
    """`name` without its first word, if that is an article and not all there is."""
    first, _, rest = name.strip().partition(" ")
    return rest.strip() if rest and first.casefold() in ARTICLES else name.strip()


def gender_of_honorific(name: str) -> str:
    """ "m" for "Mr Brel", "f" for "Mrs Brel", else empty."""
    first, _, rest = name.strip().partition(" ")
    title = first.casefold().rstrip(".")
    if not rest:
        return ""
    return "m" if title in MALE_HONORIFICS else "f" if title in FEMALE_HONORIFICS else ""


def _runs_through(letters: str, text: str) -> bool:
    if not letters or text[:1] != letters[0]:
        return False
    remaining = iter(text)
    return all(letter in remaining for letter in letters)
