"""Run Snakemake in processes that are forked from one that has imported it: its imports take longer than a plan."""

import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]


def snakemake(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m snakemake` in a folder, with the environment of this process."""
    with tempfile.TemporaryDirectory() as streams:
        said = [Path(streams, name) for name in ("stdout", "stderr")]
        asked = {"folder": str(folder), "arguments": arguments, "environment": dict(os.environ)}
        forking = server()
        print(json.dumps(asked | {"said": list(map(str, said))}), file=forking.stdin, flush=True)
        code = int(forking.stdout.readline())
        return subprocess.CompletedProcess(arguments, code, *(path.read_text() for path in said))


@cache
def server() -> subprocess.Popen[str]:
    """Start the process that forks, once; it ends with this one, whose requests it reads."""
    command = [sys.executable, "-m", "tests.snakemake_process"]
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def serve() -> None:
    from snakemake.cli import main

    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            become(**json.loads(line))
            main()
            sys.exit()
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def become(folder: str, arguments: list[str], environment: dict[str, str], said: list[str]) -> None:
    """Take the folder, the command line and the streams of a command."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, path in enumerate([os.devnull, *said]):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), number)
    sys.path[0] = folder
    sys.argv = ["snakemake", *arguments]


if __name__ == "__main__":
    serve()
