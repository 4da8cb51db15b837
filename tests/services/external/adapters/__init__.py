"""Tests against the real libraries; Haystack reads when it is imported whether it may report its use."""

import os

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
