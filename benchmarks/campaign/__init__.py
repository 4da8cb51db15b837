"""Faults against the main job: `python -m benchmarks.campaign`."""
