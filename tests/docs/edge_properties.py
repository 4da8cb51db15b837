"""What the properties of edges mean: the maintained half of docs/reference/graph-schema.md.

A test holds it to a real graph: what a corpus has is here, with its type. What a kind of edge means is in
`services.datasets.graph_content`.
"""

from collections.abc import Mapping

from tests.docs.graph_properties import EVIDENCE, PLACE, SHELF, VECTOR, Properties

EDGES: Mapping[str, Properties] = {
    "HAS_CHUNK": {"position": ("INTEGER", "The chunk's place, from 0.")},
    "NEXT": {},
    "HAS_CLAIM": {},
    "MENTIONS": {
        "role": ("STRING", "subject or object."),
        "name": ("STRING", "The name that the claim uses."),
    },
    "NAMES": {
        "name": ("STRING", "The article's full name for it."),
        "surface": ("STRING", "The name as it is written."),
        "type": ("STRING", "The type that was read there."),
        "count": ("INTEGER", "How often the chunk has it."),
    },
    "RELATES": {
        "id": ("STRING", "Unique."),
        "corpus": ("STRING", "The name of the corpus."),
        "subject": ("STRING", "The name in the place of the subject."),
        "predicate": ("STRING", "What joins them, in words."),
        "object": ("STRING", "The name in the place of the object."),
        "subject_type": ("STRING", "Its type."),
        "object_type": ("STRING", "Its type."),
        "claim": ("STRING", "Id of the claim."),
        "article": ("STRING", "Id of the article."),
        **PLACE,
        "confidence": ("FLOAT", "How sure the extractor is, 0 to 1."),
        "rule": ("STRING", "The rule that made it."),
        "extractor": ("STRING", "Who read it, with version."),
        "stated": ("BOOLEAN", "Whether it is stated as a fact: not denied, not only said by somebody."),
        "negated": ("BOOLEAN", "Whether the sentence denies it."),
        "attributed_to": ("STRING", "Who says so, where the article doesn't."),
        "in_paths": ("BOOLEAN", "Whether paths may take it."),
        "kept_out": ("STRING", "Why not."),
        **SHELF,
        **VECTOR,
    },
    "MIRRORED": {
        "id": ("STRING", "Unique."),
        "corpus": ("STRING", "The name of the corpus."),
        "mirror_of": ("STRING", "Id of the RELATES edge that it mirrors."),
        "via": ("STRING", "Id of the entity whose fact it is."),
        "cluster": ("STRING", "Id of the cluster within which both mean the same."),
        "predicate": ("STRING", "As of the mirrored edge."),
        "claim": ("STRING", "Id of the claim."),
        "in_paths": ("BOOLEAN", "Whether paths may take it."),
        "kept_out": ("STRING", "Why not."),
    },
    "EXACT_EQUIVALENT": EVIDENCE,
    "CONTEXT_EQUIVALENT": {"cluster": ("STRING", "Id of the cluster."), **EVIDENCE},
    "IN_CLUSTER": {"probability": ("FLOAT", "How likely the claim belongs to it.")},
    "KEPT_APART": {
        "name": ("STRING", "The name."),
        "part": ("INTEGER", "Names of one part are one entity."),
    },
    "HOP": {
        "index": ("INTEGER", "Its number on the path, from 1."),
        "link": ("STRING", "How it joins the hop before: start, shared, exact or context."),
        "subject": ("STRING", "As the fact has it."),
        "predicate": ("STRING", "As the fact has it."),
        "object": ("STRING", "As the fact has it."),
        "from": ("STRING", "Id of the entity where it begins."),
        "to": ("STRING", "Id of the entity where it ends."),
        "reversed": ("BOOLEAN", "Whether the path goes against the fact."),
        "attributed_to": ("STRING", "Who said so, where the fact is only reported."),
        "triple": ("STRING", "Id of the RELATES edge."),
        "edge": ("STRING", "Id of the edge that was walked: that one, or a MIRRORED one."),
        "claim": ("STRING", "Id of the claim."),
    },
    "VISITS": {"index": ("INTEGER", "Its place on the path, from 0.")},
    "ASKS_ABOUT": {},
    "ANSWERED_BY": {},
    "FOLLOWS": {},
    "HAS_PREFIX": {"hops": ("INTEGER", "Hops of the shorter question.")},
    "HAS_HOP_QUESTION": {
        "hop": ("INTEGER", "The hop that it asks for, from 1."),
        "topology": ("STRING", "How the hop was joined: start, inference, comparison."),
    },
    "RESTS_ON": {"index": ("INTEGER", "The hop that the claim states.")},
    "SUPPORTED_BY": {
        "hop": ("INTEGER", "The hop that the chunk is evidence for."),
        "similarity": ("FLOAT", "Cosine of question and chunk."),
    },
    "GAVE": {},
    "GAVE_PREFIX": {},
    "TO": {},
    "RETRIEVED": {
        "rank": ("INTEGER", "Its rank, from 1."),
        "score": ("FLOAT", "The retriever's score; larger is better, and only comparable within it."),
        "step": ("INTEGER", "The step that retrieved it."),
    },
    "HAS_REVIEW": {},
    "RATES": {
        "min": ("FLOAT", "The question's distance there."),
        "mean": ("FLOAT", "The same by the mean over hops."),
        "power": ("FLOAT", "The same by the power mean."),
        "bin": ("INTEGER", "Its quartile there."),
    },
    "HAS_VERDICT": {},
    "HAS_CELL": {},
    "HAS_FINDING": {},
    "TOOK": {},
    "COMPARES": {},
    "SAW": {
        "rank": ("INTEGER", "The chunk's place among those that the step saw."),
        "score": ("FLOAT", "What the retriever gave it."),
    },
}
