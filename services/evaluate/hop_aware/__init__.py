"""Hop-aware analysis of runs: what systems did at each hop of a question, read from their traces."""
