"""The parts that compose questions by rules, without a model."""

from kg.store.graph import Graph
from services.questions.composed.atoms_by_rules import RuleAtoms
from services.questions.composed.checks_by_rules import (
    AtomsAsChains,
    ClearNames,
    ComposedAsDrafts,
    NoBareNumber,
)
from services.questions.composed.comparison_needed import ComparisonNeeded
from services.questions.composed.facts import FactShelf
from services.questions.composed.join_by_rules import RuleJoiner
from services.questions.composed.many_subjects import TrueOfOne
from services.questions.composed.parts import Parts
from services.questions.composed.refine_by_rules import RuleRefiner
from services.questions.filters.choose import rule_filters
from services.questions.filters.form import WELL_FORMED
from services.questions.filters.guesses import RetrievalNecessary
from services.questions.filters.hiding import ANSWER_HIDDEN
from services.questions.filters.need import Solvable
from services.questions.filters.rivals import OnlyAnswer
from services.questions.filters.rule_solver import RuleSolver
from services.questions.filters.specific import AnswerSpecific
from services.questions.filters.standing import StandsAlone

ATOMS_BEHIND_COMPARISON = 24
"""Trying costs nothing by rules."""


def rule_parts(graph: Graph, corpus: str, seed: int) -> Parts:
    """Everything by rules: atomic questions of verified triples, the validation chain's filters by rules."""
    shelf = FactShelf(graph)
    of_atoms = (
        WELL_FORMED,
        ANSWER_HIDDEN,
        StandsAlone(graph, corpus),
        AnswerSpecific(graph, corpus),
        OnlyAnswer(graph, corpus),
        RetrievalNecessary(graph, corpus),
        Solvable(RuleSolver(graph)),
    )
    return Parts(
        atom_maker=RuleAtoms(shelf, corpus),
        atom_filters=(NoBareNumber(), TrueOfOne(shelf), *(AtomsAsChains(one, shelf) for one in of_atoms)),
        joiner=RuleJoiner(shelf, seed),
        filters=(
            *(ComposedAsDrafts(one, shelf, seed) for one in rule_filters(graph, corpus)),
            ClearNames(shelf, corpus),
            ComparisonNeeded(shelf, seed),
        ),
        refiner=RuleRefiner(shelf),
        atoms_behind_comparison=ATOMS_BEHIND_COMPARISON,
    )
