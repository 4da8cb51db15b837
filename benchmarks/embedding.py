"""Texts that a model of sentence-transformers embeds a second: `python -m benchmarks.embedding [MODEL]`.

With `--devices cuda,cpu` on several devices. Texts as long as chunks (about 200 tokens) and as facts (about
12) go to the embedder in calls of the size that a build makes, and to the model in batches of several sizes.
MODEL is a name or a folder; without one a model of all-MiniLM-L6-v2's shape with weights by chance is made,
which is as quick, and whose vectors mean nothing. The last lines say how far apart the vectors of two devices
are. Needs the extra `sentence-transformers`.
"""

import argparse
import random
import sys
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from kg.embed.local import SentenceTransformersEmbedder

BATCHES = (32, 64, 128, 256, 512)
KINDS = {"chunks": (200, 64), "facts": (12, 512)}
"""Of each kind of text its length in words and how many texts a build gives in a call."""
CALLS = 8


def make_texts(words: int, count: int, seed: int) -> list[str]:
    """So many texts of about so many words, drawn by seed from the vocabulary of the built-in embedder."""
    listed = files("kg.text").joinpath("vocab.txt").read_text(encoding="utf-8").split("\n")
    usable = [word for word in listed if word.isalpha() and word.islower() and len(word) > 2]
    draw = random.Random(seed)
    return [" ".join(draw.choices(usable, k=draw.randint(words - 4, words + 4))) for _ in range(count)]


def make_model(folder: Path) -> str:
    """A model of all-MiniLM-L6-v2's shape with weights by chance, in a folder."""
    import torch  # noqa: PLC0415 - heavy and optional
    from sentence_transformers import SentenceTransformer, models  # noqa: PLC0415
    from transformers import BertConfig, BertModel, BertTokenizerFast  # noqa: PLC0415

    torch.manual_seed(1)
    bert = folder / "bert"
    config = BertConfig(hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536)
    BertModel(config).save_pretrained(bert)
    vocabulary = folder / "vocab.txt"
    vocabulary.write_bytes(files("kg.text").joinpath("vocab.txt").read_bytes())
    BertTokenizerFast(vocab_file=str(vocabulary)).save_pretrained(bert)
    words = models.Transformer(str(bert), max_seq_length=256)
    SentenceTransformer(modules=[words, models.Pooling(384)], device="cpu").save(str(folder / "model"))
    return str(folder / "model")


def texts_a_second(embedder: SentenceTransformersEmbedder, texts: Sequence[str], call: int) -> float:
    """How many texts a second, in calls of so many, after one call to warm up."""
    embedder.embed(texts[:call])
    started = perf_counter()
    for start in range(0, len(texts), call):
        embedder.embed(texts[start : start + call])
    return len(texts) / (perf_counter() - started)


def measure(
    model: str, devices: Sequence[str], batches: Sequence[int], show: Callable[[str], object]
) -> None:
    """Print a row for each device, kind of text and size of batch, and what devices differ by."""
    show(f"{'device':8} {'texts':8} {'a call':>6} {'batch':>6} {'texts/s':>9}")
    vectors = []
    for device in devices:
        for kind, (words, call) in KINDS.items():
            texts = make_texts(words, CALLS * call, seed=len(kind))
            for batch in batches:
                embedder = SentenceTransformersEmbedder(model, device=device, batch_texts=batch)
                rate = texts_a_second(embedder, texts, call)
                show(f"{device:8} {kind:8} {call:6} {batch:6} {rate:9.0f}")
            vectors.append((device, kind, embedder.embed(texts[:call])))
    for device, kind, found in vectors:
        _, _, first = next(one for one in vectors if one[1] == kind)
        far = float(np.abs(found - first).max())
        norms = float(np.abs(np.linalg.norm(found, axis=1) - 1).max())
        show(f"{device}, {kind}: within {far:.1e} of the first device's, of lengths within {norms:.1e} of 1")


def main(show: Callable[[str], object] = print) -> int:
    """Measure a model, or one by chance."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", nargs="?")
    parser.add_argument("--devices", default="cpu", type=lambda text: text.split(","))
    parser.add_argument("--batches", default=BATCHES, type=lambda text: [int(one) for one in text.split(",")])
    given = parser.parse_args()
    with TemporaryDirectory(prefix="hopgrade-embedding-") as folder:
        measure(given.model or make_model(Path(folder)), given.devices, given.batches, show)
    return 0


if __name__ == "__main__":
    sys.exit(main())
