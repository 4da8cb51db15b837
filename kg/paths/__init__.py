"""Hop paths: which are drawn, and how their triples join."""
