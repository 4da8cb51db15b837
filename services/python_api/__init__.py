"""What `import hopgrade` offers: corpora, questions, runs and paths for notebooks and scripts."""
