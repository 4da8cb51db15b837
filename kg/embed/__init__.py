"""Texts to unit vectors: a built-in model, sentence-transformers, or an OpenAI-compatible endpoint."""
