"""Questions about what sources report: no answer without their articles, "Yes" where each says its part.

"Does the Gazette article suggest that X, while Harbour News reports Y?" is taken apart behind each source
that it names. Words can support a part, but hardly refute it: a sentence that shares few words with it may
say the same or the opposite. So there is "Yes" or no answer, and none where sources are compared with each
other.
"""

import re
from collections.abc import Iterator, Sequence

from services.rag.comparing import Compared
from services.rag.metadata import index_metadata, recognise
from services.rag.metadata_names import in_frame, index_names, name_lists, name_mentions, source_frame
from services.rag.protocol import Passage
from services.rag.question_words import covered, words
from services.rag.sentence_match import Sentence

FEWEST_WORDS = 3
"""Content words that a part must have to be looked for; "in another article" has none."""

_SAYS = re.compile(r"(?:do|does|did)\b", re.IGNORECASE)
_COMPARES = re.compile(
    r"\b(?:same|similar(?:ly)?|identical(?:ly)?|alike|differ\w*|contrast\w*|contradict\w*|compared|than|"
    r"(?:in)?consisten\w+|(?:dis)?agree\w*|change[ds]?|align\w*|before|after)\b",
    re.IGNORECASE,
)


def names_missing_source(question: str, passages: Sequence[Passage]) -> bool:
    """Whether a question speaks of the article of a source from which no passage is at hand."""
    sources = sorted({passage.source for passage in passages} - {""})
    return bool(sources and recognise(question, index_metadata(sources)).lacking)


def each_says(question: str, passages: Sequence[Passage], sentences: Sequence[Sentence]) -> Compared | None:
    """ "Yes" with the fit of the part that is supported least; None for another question.

    It is about what several reports say, each its own part; whether one says something is for the facts.
    """
    if not _SAYS.match(question) or _COMPARES.search(question):
        return None
    best: Compared | None = None
    parts = list(_parts(question, passages))
    for sources, said in parts if len(parts) > 1 else ():
        asked = set(words(said))
        if len(asked) < FEWEST_WORDS:
            continue
        weights = dict.fromkeys(asked, 1.0)
        own = [sentence for sentence in sentences if sentence.passage.source in sources]
        found = max(own, key=lambda one: covered(weights, one.words), default=None)
        if found is None:
            return None
        fit = covered(weights, found.words)
        if best is None or fit < best.fit:
            best = Compared("Yes", fit, found.passage.chunk, found.text)
    return best


def _parts(question: str, passages: Sequence[Passage]) -> Iterator[tuple[frozenset[str], str]]:
    """The sources that a question says something of, each list of them with the text up to the next."""
    index = index_names(sorted({passage.source for passage in passages} - {""}), sections=True)
    lists = name_lists(question, name_mentions(question, index))
    named = [members for members in lists if in_frame(question, members, source_frame)]
    ends = [*(members[0].start for members in named[1:]), len(question)][: len(named)]
    for members, end in zip(named, ends, strict=True):
        for one in members:
            yield frozenset(one.values), question[members[-1].end : end]
