"""Where an article names what."""

from collections.abc import Iterator

from kg.extract.entities import clean_name
from kg.extract.reading import Reading
from kg.model import LITERAL_TYPES, Mention


def named_mentions(reading: Reading, body: str) -> Iterator[Mention]:
    """Every named mention in text order; dates and numbers are no mentions."""
    for span in reading.spans:
        if span.type in LITERAL_TYPES:
            continue
        last = reading.doc[span.end - 1]
        start, end = reading.doc[span.start].idx, last.idx + len(last)
        name = reading.names.of(span)
        if clean_name(name.text):
            yield Mention(body[start:end], name.text, name.type, start, end)
