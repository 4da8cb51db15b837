"""Agents: systems that decide from step to step what to look for next, with tools that read the graph."""
