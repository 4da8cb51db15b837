"""How much of a question a path must say for `kg ask` to show it.

    python -m benchmarks.ask_paths --corpus NAME [--seed 1] [--questions 400]

Asks chain questions of a corpus as `kg ask` does. The shortest path from a name of the question to the answer
explains it where all its claims are among those that the question was made from; any other path is one that
happens to be there. Printed for each threshold of `services.rag.ask.word_coverage`: how many of the paths
that would be shown explain the answer, and how many of those that do would be shown. The questions are worded
with the predicates of their facts, so on people's own words fewer explanations pass.
"""

import argparse
import random

from kg.connect import open_graph
from kg.embed.choose import embedder_of
from kg.progress import Silent
from kg.queries import query
from kg.settings import Settings
from services.rag.answering import read_passages
from services.rag.ask import LEAST_TOLD, ReadAnswer, shortest_path, word_coverage
from services.rag.protocol import RagQuestion
from services.rag.retrieval.choose import DEFAULT
from services.rag.run_options import RunOptions
from services.rag.systems import open_system

THRESHOLDS = (0.0, 0.25, 0.34, 0.4, 0.5, 0.6, 0.67, 0.75, 1.0)


def main() -> None:
    """Ask and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--questions", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    settings = Settings()
    shares: list[tuple[float, bool]] = []
    with open_graph(settings, Silent()) as graph:
        embedder = embedder_of(graph, given.corpus, settings)
        listed = graph.rows(
            query("questions/list_with_answers"),
            corpus=given.corpus, status="kept", hops=[], bins=[], kinds=["chain"], text="", run="", other="",
            outcome="", cause="", runs=[], skip=0, limit=100_000,
        )  # fmt: skip
        drawn = random.Random(given.seed).sample(listed, min(given.questions, len(listed)))
        chosen = RunOptions(system="single-step", retriever=DEFAULT, top=10)
        with open_system(graph, given.corpus, chosen, settings, embedder) as system:
            for row in drawn:
                text = row["text"]
                (answered,) = system.answer([RagQuestion("asked", text, embedder.embed_queries([text])[0])])
                found = read_passages(graph, [one.chunk for one in answered.retrieved])
                reading = ReadAnswer(answered.text, answered.entity, answered.chunk, answered.sentence)
                path = shortest_path(graph, text, reading, list(found.values()))
                if path:
                    (question,) = graph.rows(query("questions/read_question"), id=row["id"])
                    gold = {hop["claim"] for hop in question["hops"]}
                    shares.append((word_coverage(text, path), {step.claim for step in path} <= gold))
    explaining = sum(right for _, right in shares)
    print(
        f"{len(shares)} of {len(drawn)} questions had a path from a name to the answer, {explaining} of them "
        f"made of the question's own claims (shown from {LEAST_TOLD} on)\n"
    )
    print("| least share told | shown | explain, of those shown | shown, of those that explain |")
    print("| --- | --- | --- | --- |")
    for least in THRESHOLDS:
        shown = [right for share, right in shares if share >= least]
        print(
            f"| {least:.2f} | {len(shown)} | {sum(shown) / len(shown) if shown else float('nan'):.2f} | "
            f"{sum(shown) / explaining if explaining else float('nan'):.2f} |"
        )


if __name__ == "__main__":
    main()
