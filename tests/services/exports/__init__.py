"""Tests of services/exports."""
