"""The numbers of the genetic selector: docs/decisions/0049-evidence-selectors."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """What each part of the fitness counts, see `genetic_fitness`; `power` is that of the relevance."""

    clusters: float = 0.15
    hops: float = 0.35
    similarity: float = 0.45
    redundancy: float = 0.1
    power: float = 2.0


@dataclass(frozen=True, slots=True)
class GeneticSettings:
    """How sets of evidence are bred.

    `population` sets live at a time, over so many `generations`. The fittest `elite` live on as they are.
    A parent is the fittest of a `tournament` of so many drawn sets. Each gene is changed with the chance
    `flips` / places of the pool.
    """

    weights: Weights = Weights()
    population: int = 40
    generations: int = 20
    tournament: int = 3
    elite: int = 2
    flips: float = 2.0
    most_links: int = 256


DEFAULT = GeneticSettings()
