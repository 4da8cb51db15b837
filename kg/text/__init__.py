"""Text without a model: WordPiece tokens, sentences, chunks, fact or opinion."""
