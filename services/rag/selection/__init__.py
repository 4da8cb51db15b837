"""Choosing a question's evidence from its pool: which candidates to show, within a budget of tokens."""
