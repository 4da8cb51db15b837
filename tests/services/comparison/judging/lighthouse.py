"""A question of three hops over four passages, and answers to it, for tests of judges."""

from dataclasses import replace

from services.comparison.judging.measures import Item
from services.comparison.records import Answer, Chunk, GoldHop, Question, Shown

CLAIMS = (
    "Oda Wexler founded Brandt Towing.",
    "Oda Wexler keeps the Brinmoor lighthouse.",
    "Tarn Museum bought the lamp of the Brinmoor lighthouse.",
)
CHUNKS = {
    chunk.id: chunk
    for chunk in (
        Chunk("firm", "a1", "Brandt Towing", "It was in 1988 that Oda Wexler founded the firm.", 12, "trade"),
        Chunk("keeper", "a2", "Oda Wexler", "Oda Wexler keeps the Brinmoor lighthouse.", 9, "coast"),
        Chunk(
            "lamp", "a3", "A lamp is sold", "Tarn Museum bought the Brinmoor lighthouse's lamp.", 11, "art"
        ),
        Chunk("copy", "a4", "News", "The lamp of the Brinmoor lighthouse: Tarn Museum bought it.", 13, "art"),
        Chunk("fair", "a5", "The fair", "Crowds came to the fair of Eldby on Sunday.", 10, "trade"),
        Chunk("boats", "a6", "Boats", "Anton Brask mends boats on the quay.", 8, "trade"),
        Chunk("bank", "a7", "The bank", "Kald Bank closed a branch in Ostby.", 8, "trade"),
    )
}
QUESTION = Question(
    id="q1",
    text="Who bought the lamp of the lighthouse that the founder of Brandt Towing keeps?",
    answer="Tarn Museum",
    accepted=("TM",),
    kind="chain",
    query_type="inference",
    hops=3,
    bin=1,
    cluster="a1",
    gold=(
        GoldHop(1, "firm", CLAIMS[0], "trade"),
        GoldHop(2, "keeper", CLAIMS[1], "coast"),
        GoldHop(3, "lamp", CLAIMS[2], "art"),
    ),
)
UNANSWERABLE = replace(
    QUESTION, id="q0", answer="Insufficient information", accepted=(), kind="null", gold=()
)


def answer(
    text: str = "Tarn Museum",
    shown: tuple[tuple[str, int], ...] = (("firm", 1), ("keeper", 1), ("lamp", 2)),
    cited: tuple[str, ...] = (),
    error: str = "",
    abstained: bool = False,
) -> Answer:
    """An answer that was shown these chunks, given with the search that brought each, in order of rank."""
    evidence = tuple(Shown(chunk, rank, step) for rank, (chunk, step) in enumerate(shown, start=1))
    tokens = sum(CHUNKS[chunk].tokens for chunk, _ in shown if chunk in CHUNKS)
    return Answer("top-k", "q1", text, error, abstained, evidence, cited, tokens, len(text.split()))


def item(given: Answer, question: Question = QUESTION) -> Item:
    """The answer to be judged."""
    return Item(given.system, question, given, CHUNKS)
