"""Installs the clients once, at the versions of the lock files, outside the checkout."""

import hashlib
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "querylayer" / "interop"
ONE_BY_ONE = threading.Lock()


def python_environment(lock: str) -> Path:
    """The interpreter of a virtual environment that holds exactly what `lock` names."""
    lock_file = ROOT / lock
    folder = CACHE / f"python-{lock_file.stem}-{digest(lock_file)}"
    interpreter = folder / "bin" / "python"
    with ONE_BY_ONE:
        if begin(folder):
            step([python(), "-m", "venv", folder], lock)
            step([interpreter, "-m", "pip", "install", "--quiet", "--no-deps", "-r", lock_file], lock)
            done(folder)
    return interpreter


def node_folder(project: str) -> Path:
    """A folder with the packages of `project`'s lock and a fresh copy of its scripts."""
    source = ROOT / project
    folder = CACHE / f"node-{project}-{digest(source / 'package-lock.json')}"
    with ONE_BY_ONE:
        if begin(folder):
            for name in ("package.json", "package-lock.json", ".npmrc"):
                shutil.copy(source / name, folder / name)
            step(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error",
                  "--prefix", folder], project)
            done(folder)
        for script in source.glob("*.mjs"):
            put(script, folder / script.name)
    return folder


def put(source: Path, target: Path) -> None:
    """Copies a script; one that a running client may be reading is left as it is."""
    if not target.exists() or target.read_bytes() != source.read_bytes():
        shutil.copy(source, target)


def python() -> str:
    """Hermes needs Python 3.11 or newer; the machine's own is taken if it is that."""
    if sys.version_info >= (3, 11):
        return sys.executable
    found = shutil.which("python3.11") or shutil.which("python3.12") or shutil.which("python3.13")
    if not found:
        raise RuntimeError("the interop run needs Python 3.11 or newer; install it and try again")
    return found


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:12]


def begin(folder: Path) -> bool:
    """True if `folder` must be filled. What an interrupted install left is removed first."""
    if (folder / ".complete").exists():
        return False
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return True


def done(folder: Path) -> None:
    (folder / ".complete").touch()


def step(command: list, what: str) -> None:
    print(f"installing {what}: {command[0]}", file=sys.stderr, flush=True)
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr)
