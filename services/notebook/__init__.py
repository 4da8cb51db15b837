"""The public Python API behind `import kg`: corpora, questions, runs and paths for notebooks and scripts."""
