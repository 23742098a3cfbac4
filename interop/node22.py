"""Node 22, which the suite and the Inspector need, from its npm package."""

import platform
from pathlib import Path

from lib.installs import node_folder


def node22() -> Path:
    """The program, installed once outside the checkout."""
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    node = node_folder("node22") / "node_modules" / f"node-linux-{machine}" / "bin" / "node"
    if not node.exists():
        raise RuntimeError(f"there is no Node 22 for {platform.system()} on {platform.machine()}")
    return node
