"""Words that mean something only beside the text they were taken from."""

import re

_UNITS = "day|week|weekend|month|year|season|quarter|summer|winter|spring|autumn|night|morning|evening"
_DAYS = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
_DESCRIBED = (
    "company|firm|club|team|side|organi[sz]ation|person|man|woman|group|agency|place|city|town|country|"
    "event|study|project|product|drug|hospital|school|university|report|article|author|player|official|"
    "president|minister|mayor|chairman|spokesman|spokeswoman|director|government|court|party|bank|deal|"
    "match|game|law|incident|accident|former|latter|thing|latest|above|following"
)
_GOES_ON = (
    r"that|who|whom|whose|which|where|when|of|in|at|on|by|from|for|with|to|behind|between|against|over|"
    r"about|after|before|during|the|he|she|they|it|named|called|known|\w+ \w+ (?:which|whom)|"
    r"\w+ed|\w+ing|founded|led|run|built|won|held|made|sold|bought|taken|given|written|sent|shown|"
    r"[A-Z]\w*|XX"
)

_OWN = re.compile(r"\b(?:me|my|mine|we|us|our|ours|you|your|yours)\b")
_POINTING = re.compile(
    r"\b(?:this|these|those(?! (?:who|that|which|whom|whose)\b)|the (?:said|aforementioned) \w+|here)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?:he|she|it|they|him|them|his|her|hers|its|their|theirs|himself|herself|itself|themselves)\b",
    re.IGNORECASE,
)
_EXPLETIVE = re.compile(r"(?:Is|Was) it\b(?=.*\bthat\b)")
"""The "it" of "Is it true that", which stands for nothing."""
_RELATIVE_TIME = re.compile(
    rf"\b(?:yesterday|today|tomorrow|tonight|ago|(?:last|next|this|previous|coming) (?:{_UNITS}))\b",
    re.IGNORECASE,
)
_BARE_DAY = re.compile(
    rf"\b(?:on|by|until|since|last|next|this|early|late) (?:{_DAYS})\b(?!,? (?:the )?\d|\s+[A-Z])"
)
_VAGUE = re.compile(r"\b(?:certain|various|several|other) (?!of\b)[a-z]+s\b", re.IGNORECASE)
_BARE = re.compile(rf"\b[Tt]he (?:{_DESCRIBED})(?='s|[,.?;]|$|\s+(?!(?:{_GOES_ON})\b))")
_OWNER = re.compile(r"\b[Tt]he (?!world['\u2019])[a-z-]+['\u2019]s\b")
"""An owner that nothing defines: "the clinic's supply"."""
_NAME = re.compile(r"(?<!^)\b[A-Z0-9]|XX")


def vague_part(text: str, names: tuple[str, ...] = ()) -> str:
    """What in a text can't be understood without the text it came from, with a word on why; empty if nothing.

    `names` are left out of the search, so that a film called "Yesterday" is no date. A pronoun is one where
    no name stands before it to which it could go back.
    """
    masked = text
    for name in sorted(filter(None, names), key=len, reverse=True):
        masked = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "XX", masked, flags=re.IGNORECASE)
    searches = (
        (_OWN, "speaks of whoever wrote it"),
        (_POINTING, "points at something outside"),
        (_RELATIVE_TIME, "is a time that depends on the day of the article"),
        (_BARE_DAY, "is a day without a date"),
        (_BARE, "doesn't tell which one"),
        (_VAGUE, "doesn't tell which ones"),
        (_OWNER, "doesn't tell which one"),
    )
    for pattern, why in searches:
        if found := pattern.search(masked):
            return f'"{found[0].strip()}" {why}'
    expletive = _EXPLETIVE.match(masked)
    pronoun = _PRONOUN.search(masked, expletive.end() if expletive else 0)
    if pronoun and not _NAME.search(masked[: pronoun.start()]):
        return f'"{pronoun[0]}" goes back to nothing before it'
    return ""
