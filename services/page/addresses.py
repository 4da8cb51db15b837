"""The page's addresses. A name may hold any character, so a slash in it is written out twice."""

from urllib.parse import quote, unquote, urlencode


def address(corpus: str = "", *parts: str, **parameters: str | int | float | bool | None) -> str:
    """The address of a view; parameters that are empty or None are left out.

    `address("mine", "questions", hops=2)` is "/c/mine/questions?hops=2", `address()` the list of corpora.
    """
    path = "/" if not corpus else "/c/" + "/".join(map(segment, (corpus, *parts)))
    given = {name.rstrip("_"): value for name, value in parameters.items() if value not in (None, "", False)}
    return f"{path}?{urlencode(given)}" if given else path


def api_address(corpus: str, *parts: str) -> str:
    """The address of what the API tells of a corpus."""
    return "/api/corpora/" + "/".join(map(segment, (corpus, *parts)))


def segment(name: str) -> str:
    """A name as one part of a path, whatever it holds."""
    once = name.replace("%", "%25").replace("/", "%2F")
    if not once.strip("."):
        once = once.replace(".", "%2E")
    return quote(once, safe="")


def name_of(part: str) -> str:
    """The name that a part of a path stands for, after the server decoded it once."""
    return unquote(part)
