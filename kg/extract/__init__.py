"""Claims, triples and named mentions out of an article's text, without a network."""
