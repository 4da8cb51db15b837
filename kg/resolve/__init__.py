"""Which names mean the same: always (exact merges), or within one cluster of claims (contextual links)."""
