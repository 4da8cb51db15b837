"""What is done with the graph: questions, retrieval runs, evaluation."""
