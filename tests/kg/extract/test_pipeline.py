"""What is remembered of words gives the attributes that spaCy's own ruler gives, rule for rule.

Products by numpy's library give the parse that spaCy's own give.
"""

from typing import Any

from spacy.tokens import Doc
from thinc.api import NumpyOps

from kg.extract.pipeline import Model, load_model, run_pipeline

TEXT = (
    "There is nothin' that I'd not do, but y'all ain't gonna ask \"Dr. O'Neil\" whether it's hers.\n\n"
    "She got ta go to Rome because they did n't have what you have had, nor does he; that was his. "
    "Whatcha gon na do? There are 39 of them, which have been doin' so since 1998 (or so he says)."
)


def attributes(model: Model, ruler: str, text: str) -> list[tuple[str, ...]]:
    """The words of a text with what a ruler makes of their tags and their parse."""
    doc: Doc = model.nlp.make_doc(text)
    for name in ("tok2vec", "tagger", "parser", ruler):
        doc = model.nlp.get_pipe(name)(doc)
    return [(one.text, one.tag_, one.pos_, one.lemma_, str(one.morph), one.dep_) for one in doc]


def test_remembered_attributes_are_those_of_the_ruler() -> None:
    model = load_model()
    remembered = attributes(model, "remembered_attributes", TEXT)
    assert remembered == attributes(model, "attribute_ruler", TEXT)
    assert {pos for _, _, pos, _, _, _ in remembered} > {"AUX", "PRON", "SCONJ", "PART", "SPACE"}
    again = " ".join(reversed(TEXT.split()))
    assert attributes(model, "remembered_attributes", again) == attributes(model, "attribute_ruler", again)
    assert "attribute_ruler" not in model.nlp.pipe_names


def test_models_multiply_by_numpy_and_parse_as_before() -> None:
    model = load_model()
    models: list[Any] = [pipe.model for _, pipe in model.nlp.pipeline if hasattr(pipe, "model")]
    nodes = [node for one in models if one for node in one.walk()]
    assert nodes
    assert not any(node.ops.use_blis for node in nodes)
    by_numpy = parse_of(model, TEXT)
    for node in nodes:
        node.ops = NumpyOps()
    assert parse_of(model, TEXT) == by_numpy


def parse_of(model: Model, text: str) -> list[tuple[str, ...]]:
    """The words of a text with their tags, their place in the parse and their names."""
    doc = run_pipeline(model.nlp, model.nlp.make_doc(text))
    return [(one.text, one.tag_, one.dep_, str(one.head.i), one.lemma_, one.ent_type_) for one in doc]
