"""Tests of services/datasets."""
