"""Several real nodes of Ray on one machine, for tests and benchmarks of the engine."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

STORE_BYTES = 80 << 20
"""Of a node's object store."""


@contextmanager
def ray_nodes(nodes: int) -> Iterator[Any]:
    """A `ray.cluster_utils.Cluster` of so many nodes of a core each, which nobody is connected to.

    Raises:
        ModuleNotFoundError: Ray is not installed.
    """
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
    from ray.cluster_utils import Cluster  # noqa: PLC0415 - only where it is installed

    of_one = {"num_cpus": 1, "object_store_memory": STORE_BYTES, "include_dashboard": False}
    running = Cluster(initialize_head=True, head_node_args=of_one)
    try:
        for _ in range(nodes - 1):
            running.add_node(num_cpus=1, object_store_memory=STORE_BYTES)
        yield running
    finally:
        running.shutdown()
