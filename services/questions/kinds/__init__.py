"""Questions that follow no hop path: comparison, temporal, null, bridge entity, bridge topic."""
