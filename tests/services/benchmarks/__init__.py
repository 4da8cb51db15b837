"""Tests of services/benchmarks."""
