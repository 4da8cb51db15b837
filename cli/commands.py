"""Every command of `kg`: the module that makes it, and the line that stands for it in a list of commands."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Command:
    """A command: the module that makes it, and the first paragraph of its help."""

    module: str
    help: str


@dataclass(frozen=True, slots=True)
class Group:
    """A group of commands: what it is about, and its commands in the order of the help."""

    help: str
    commands: Mapping[str, "Entry"]


Entry: TypeAlias = Command | Group

# fmt: off
_ENTITY: Mapping[str, Entry] = {
    "show": Command("cli.entity",
        "Show an entity: its names and why they were merged, its facts, links and mirrored edges."),
    "merge": Command("cli.entity",
        "Say that two entities are one thing, for good; the next build merges them."),
    "split": Command("cli.entity",
        "Say that a name is not the entity that it was merged with or linked to, for good."),
    "undo": Command("cli.entity", "Forget a correction; the next build takes back what it did."),
    "corrections": Command("cli.entity",
        "List the corrections: what was said, by whom, when and why, and what came of it."),
}

_PATHS: Mapping[str, Entry] = {
    "census": Command("cli.graph_export",
        "Count the ordered pairs of entities at each distance, with and without mirrored edges."),
    "draw": Command("cli.graph_export",
        "Draw the hop paths of a corpus anew. What is not given stays as it was in the last draw."),
    "between": Command("cli.graph_export",
        "Print all shortest paths between two entities, with the claims, sentences and articles "
        "behind them."),
    "list": Command("cli.graph_export",
        "List the paths that were drawn or saved, with the names along them."),
    "show": Command("cli.graph_export",
        "Show one path: what each hop says, in which sentence of which article."),
}

_GRAPH: Mapping[str, Entry] = {
    "export": Command("cli.graph_export",
        "Write the graph of a corpus as GraphML, a Cypher script, RDF, or CSV files for Neo4j's import."),
    "entity": Group("What an entity is made of, and corrections of it by hand.", _ENTITY),
    "paths": Group(
        "The hop paths of a corpus: how many there are, which are drawn, and those between two entities.",
        _PATHS),
}

_QUESTIONS: Mapping[str, Entry] = {
    "import": Command("cli.questions",
        "Import questions of another set, and find their evidence among the chunks of a corpus."),
    "make": Command("cli.questions_make",
        "Make the questions of a corpus; kg run-all makes them with the same options."),
    "compose": Command("cli.questions_compose",
        "Compose sequential and parallel questions of 2, 3 and 4 hops from atomic ones of single chunks."),
    "list": Command("cli.questions",
        "List questions with answer, difficulty and quartile; rejected ones with the reason."),
    "show": Command("cli.questions",
        "Show one question: its path and evidence, what each filter and each reviewer said, and answers."),
    "funnel": Command("cli.questions",
        "Count the questions of each depth and kind that were drawn, fell at each filter, and are kept."),
    "review": Command("cli.questions_review",
        "Look at questions with their evidence, and keep, drop or edit them."),
    "difficulty": Command("cli.questions_difficulty",
        "Show how hard the questions are to retrieve for, or how that changes with embedder and chunks."),
}

_RUN: Mapping[str, Entry] = {
    "export": Command("cli.runs",
        "Write a run's rankings as TREC run and qrels files, and its answers by the ids of their set."),
    "start": Command("cli.run_start",
        "Let a RAG system answer the kept questions; what is answered stays, so a run that was cut "
        "off goes on."),
    "list": Command("cli.runs",
        "List the runs of a corpus: who answered with what retriever, how much is wrong, at what cost."),
    "drop": Command("cli.runs", "Delete a run with its answers, verdicts and findings; asks first."),
    "judge": Command("cli.run_judge",
        "Let a model judge the answers of a run; a second judge shows how far the first can be trusted."),
    "sample": Command("cli.run_judge",
        "Draw answers of a run for people to label, by which its judge is held against them."),
    "label": Command("cli.run_judge",
        "Take in what people said of a sample: as verdicts by hand, and as what judges are compared with."),
    "revise": Command("cli.run_judge",
        "Say by hand whether an answer is right; this wins over every judge, now and later."),
    "report": Command("cli.run_report",
        "Report on runs: where they fail, why, and whether they differ; its numbers go into the graph too."),
    "matrix": Command("cli.matrix",
        "Print error rates by reasoning depth and retrieval distance, with intervals and correlations."),
    "trace": Command("cli.runs",
        "Show what a system did for one question: steps, what each saw of the gold chain, and why it "
        "failed."),
    "sweep": Command("cli.run_sweep",
        "Answer chain questions anew under other embedders, chunk sizes and numbers of chunks (GRADE, A.7, "
        "A.8)."),
    "analyse": Command("cli.run_analyse",
        "Analyse runs hop by hop: accuracy, depth, searches, and to what failures are due; writes nothing."),
    "gate": Command("cli.runs",
        "Fail, with exit code 1, when a run is worse than a baseline beyond chance; for CI."),
}

_EVALUATE: Mapping[str, Entry] = {
    "answers": Command("cli.evaluate", "Evaluate answers that a system wrote into a file; nothing is asked."),
    "endpoint": Command("cli.evaluate",
        "Evaluate a system behind an HTTP endpoint; a run that was cut off goes on where it was."),
    "chat": Command("cli.evaluate",
        "Evaluate a model behind an OpenAI-compatible endpoint, with or without our retrieval."),
    "callable": Command("cli.evaluate",
        "Evaluate Python code of your own; a changed function needs a new --name, for it can't be "
        "told apart."),
    "graphrag": Command("cli.evaluate_graphrag",
        "Evaluate Neo4j's GraphRAG library (neo4j-graphrag) over the graph of a corpus."),
}

_BENCHMARK: Mapping[str, Entry] = {
    "retrieval": Command("cli.benchmark",
        "Measure retrievers on question sets: recall, ranking, intervals, tests, latency and memory."),
    "embedders": Command("cli.benchmark_models",
        "Measure embedders, with rerankers and without, on the questions of a corpus, as MultiHop-RAG does."),
    "clusters": Command("cli.benchmark_models",
        "Measure what spreading over clusters and places in the graph add to retrieval, on a corpus' "
        "questions."),
    "multihop-rag": Command("cli.benchmark_multihop_rag",
        "Reproduce tables 5 and 6 and figure 3 of MultiHop-RAG with what is at hand, beside what it prints."),
    "prompts": Command("cli.benchmark_models",
        "Measure a model on the gold items of the prompts: passed, cut off, not parsed, wrong, tokens, "
        "seconds."),
    "extraction": Command("cli.benchmark_extraction",
        "Measure how many annotated pairs are found by triples, and how many triples are right."),
    "opinions": Command("cli.benchmark_extraction",
        "Measure how well the rules tell facts from opinions, by halves where the gold has them."),
    "resolution": Command("cli.benchmark_extraction",
        "Measure precision and recall of merged names and contextual links against a gold file."),
}

_CORPUS: Mapping[str, Entry] = {
    "list": Command("cli.corpus", "List the corpora with their sizes."),
    "drop": Command("cli.corpus", "Delete a corpus with everything made from it; asks first."),
    "rejects": Command("cli.corpus",
        "List the rows that were set aside, and notes on those that were kept, by file and line."),
    "ingest": Command("cli.articles",
        "Read article files into a corpus. Articles with the same text are merged; bad rows are set aside."),
    "build": Command("cli.articles",
        "Bring the graph of a corpus up to date: chunks, vectors, claims, triples, entities, paths."),
    "status": Command("cli.corpus",
        "Show which stages of a corpus ran, in which state they are, and what came of them."),
    "explain": Command("cli.corpus",
        "Show what the rules read in a text: claims, fact or opinion, names, and triples rule by rule."),
    "graph": Command("cli.corpus",
        "Measure the graph: who stands in several articles, pairs at each depth, missing links, hubs, gaps."),
    "audit": Command("cli.articles",
        "List merged names, contextual links and groups kept apart, with evidence, for a human reader."),
}

_DATASET: Mapping[str, Entry] = {
    "export": Command("cli.dataset",
        "Write kept questions and their articles into a new folder, with a dataset card and a manifest."),
    "verify": Command("cli.dataset",
        "Compare an export of a dataset or a graph with its manifest: checksums, and each record as it is "
        "read."),
    "formats": Command("cli.dataset", "List the formats that a dataset can be exported in."),
    "contamination": Command("cli.dataset",
        "Say what a model could have known before: by the age of articles, by heart, from published "
        "questions."),
    "statistics": Command("cli.dataset",
        "Describe a corpus and its kept questions: categories, types, evidence, first words, answers."),
    "import": Command("cli.dataset",
        "Bring a dataset in Hopgrade's own format into a new corpus, so that runs can answer its questions."),
}

_CACHE: Mapping[str, Entry] = {
    "stats": Command("cli.server", "Show what is kept, by model and prompt, with the tokens that it took."),
    "clear": Command("cli.server",
        "Delete kept answers; asks first. What is deleted is paid for again when it is needed again."),
}

_SERVER: Mapping[str, Entry] = {
    "start": Command("cli.server",
        "Start Neo4j and wait until it answers; the first time, fetch its files (165 MiB)."),
    "stop": Command("cli.server", "Stop Neo4j and wait until everything is on disk. The graph stays."),
    "status": Command("cli.server",
        "Show whether Neo4j runs, where, and how big it is. Starts nothing."),
    "guide": Command("cli.server",
        "Say how to play the guide in Neo4j Browser: queries over the graph, in five chapters, and "
        "their style."),
    "logs": Command("cli.server", "Show the end of a log of the last start."),
    "reset": Command("cli.server",
        "Stop Neo4j and delete its store: all corpora, questions and runs in it are gone."),
    "backup": Command("cli.server",
        "Write the whole store into one file. Neo4j is stopped meanwhile, and started again if it ran."),
    "restore": Command("cli.server",
        "Put a store back from a backup, which is unpacked and checked before another one goes."),
    "password": Command("cli.server", "Print the password of user neo4j, and nothing else."),
    "cache": Group(
        "The answers of language models, kept so that the same question is never paid for twice.",
        _CACHE),
}

_STANDARD: Mapping[str, Entry] = {
    "init": Command("cli.standard_init",
        "Draw questions, freeze their pools, and write a protocol to be edited; nothing is asked."),
    "check": Command("cli.standard_init",
        "Hold a protocol against its schema, the corpus and the pools; say what it can show and cost."),
    "candidates": Command("cli.standard_run",
        "Write each question with the texts that a system may show for it, for a system of your own."),
    "run": Command("cli.standard_run",
        "Lock the protocol, let every system answer, judge the answers, and write archive and report."),
    "list": Command("cli.standard_report",
        "List the comparisons that were locked on a corpus, with how their hypotheses were decided."),
    "verify": Command("cli.standard_report",
        "Compute every figure of an archive anew, without a graph; say equal, or where not."),
    "repeat": Command("cli.standard_init",
        "Write the protocol and the pools of an archive into a folder, to run the comparison again."),
    "report": Command("cli.standard_report",
        "Show the report of an archive; also as a page, JSON, LaTeX or Markdown."),
    "label": Command("cli.standard_report",
        "Draw answers for people to label blind; with their labels, tell how far each judge errs."),
    "power": Command("cli.standard_run",
        "Plan how many questions and clusters show a difference, or what a design can show."),
}

COMMANDS: Mapping[str, Entry] = {
    "demo": Command("cli.job",
        "Run the main job on the bundled corpus: 51 articles from an invented country; no key, no model."),
    "run-all": Command("cli.job",
        "Articles in, difficulty matrix out. Stopped half-way, the same command goes on where it was."),
    "ask": Command("cli.ask",
        "Answer questions from a corpus; show the steps, the chunks read and a path to the answer."),
    "retrieve": Command("cli.retrieve",
        "Show the chunks that a retriever finds for a question, best first, with what their scores "
        "are made of."),
    "serve": Command("cli.serve", "Serve the web page and the API, on this machine only, until Ctrl-C."),
    "doctor": Command("cli.doctor",
        "Check this machine and the settings: what is found, what is missing, and the remedy."),
    "graph": Group("Look into the knowledge graph, entities and hop paths, and export it.", _GRAPH),
    "questions": Group("The questions of a corpus: make, check, list and review them.", _QUESTIONS),
    "run": Group("Let RAG systems answer the questions of a corpus; judge, report and compare.", _RUN),
    "evaluate": Group(
        "Evaluate the system that you have: its answers, endpoint, model or Python code.",
        _EVALUATE),
    "standard": Group(
        "Compare RAG systems by a protocol that is fixed before the run, and that others can verify. "
        "Also: kg compare.",
        _STANDARD),
    "benchmark": Group(
        "Measure the parts on annotations and question sets: prompts, extraction, names, retrievers, "
        "embedders.",
        _BENCHMARK),
    "corpus": Group("From articles to the graph: read, build, look at, drop corpora.", _CORPUS),
    "dataset": Group(
        "Export the questions and articles of a corpus, describe them, check an export, bring one in.",
        _DATASET),
    "server": Group(
        "The managed Neo4j, reachable from this machine only; and the cache of models' answers.",
        _SERVER),
}
"""The tree of commands in the order of the help: all that `kg --help` reads. A test holds it to the code."""

ALIASES: Mapping[str, str] = {"compare": "standard", "review": "run"}
"""Other names of groups, that people look for first."""

ELSEWHERE: Mapping[str, str] = {"run compare": "kg run report RUN OTHER"}
"""What people look for and is not there, by its words, with the command that does it."""
