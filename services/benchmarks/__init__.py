"""Question sets that others published: read, matched to a corpus, measured, and written out again."""
