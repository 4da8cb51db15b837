"""Multi-hop questions composed step by step from atomic ones (AgenticRAGTracer, section 3)."""
