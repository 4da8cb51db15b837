"""What properties of nodes and edges mean: what several kinds have in common, and how one is looked up."""

from collections.abc import Mapping

Properties = Mapping[str, tuple[str, str]]
"""By name: the type as Cypher names it, and the meaning. A name that ends with * stands for several."""

EVERY_NODE: Properties = {
    "id": ("STRING", "Derived from content, so that a re-run finds the node again; unique for its kind."),
    "corpus": ("STRING", "The name of the corpus."),
}

RATES: Properties = {
    "answers": ("INTEGER", "Answers, over all runs, to questions that touch the node."),
    "error_rate": ("FLOAT", "The share of these answers that is wrong; absent without any."),
}
SHELF: Properties = {
    "shelf": ("STRING", "Corpus, source, category and author as one key, to filter vector search."),
    "published": ("STRING", "The article's time of publication as text, for filters in vector search."),
}
PLACE: Properties = {
    "start": ("INTEGER", "Where it begins in the article's body, in characters."),
    "end": ("INTEGER", "Where it ends there, exclusive."),
}
VECTOR: Properties = {"embedding": ("LIST<FLOAT>", "Its vector, of the corpus' embedder, of length 1.")}
EVIDENCE: Properties = {
    "score": ("FLOAT", "How sure the link is, 0 to 1."),
    "evidence": ("STRING", "What speaks for it, in words."),
}


def documented(listed: Properties, name: str) -> tuple[str, str] | None:
    """Type and meaning of a property, by its name or by the first that stands for several with it."""
    for key, told in listed.items():
        if key == name or (key.endswith("*") and name.startswith(key[:-1])):
            return told
    return None
