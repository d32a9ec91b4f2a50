"""A process that reads inputs until there are no more: `python -m tests.long.fuzz.worker FOLDER`.

Each line of its standard input is a job, a JSON object: `reader`, and either `seed`, `first` and `last`, the numbers of
its inputs, or `files`, of inputs that were kept. It answers with a line that it is ready, then one for each input.
"""

import faulthandler
import json
import os
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from parsers.errors import UserError
from tests.long.fuzz.inputs import Input, Inputs
from tests.long.fuzz.payloads import CANARY
from tests.long.fuzz.safety import Watch, limit_memory

MOST_SECONDS = 5.0
"""Of the processor's time, for one input."""


class Worker:
    def __init__(self, folder: Path) -> None:
        from tests.long.fuzz.readers import READERS

        self.folder, self.readers = folder, READERS
        self.inputs: dict[str, Inputs] = {}
        os.chdir(folder)
        self.watch = Watch(folder)
        self.watch.temporary.mkdir(exist_ok=True)

    def prepare(self, name: str) -> None:
        """The reader's valid files are there, and all that reading them loads is loaded."""
        if name not in self.inputs:
            made = Inputs(self.readers[name], self.folder / str(len(self.inputs)))
            for path in made.seeds:
                made.reader.read(path)
            self.inputs[name] = made

    def outcomes(self, job: dict[str, Any]) -> Iterator[dict[str, Any]]:
        made = self.inputs[job["reader"]]
        if "files" in job:
            for file in map(Path, job["files"]):
                # A corpus's file is named after the valid one whose place it takes.
                path = next(path for path in made.seeds if path.name == file.name.partition("--")[0])
                yield self.outcome(made, Input(file.read_bytes(), path, True))
        else:
            for number in range(job["first"], job["last"]):
                yield self.outcome(made, made.input(job["seed"], number))

    def outcome(self, made: Inputs, one: Input) -> dict[str, Any]:
        one.path.write_bytes(one.content)
        start = time.process_time()
        self.watch.begin(made.folder / made.reader.writes)
        try:
            made.reader.read(one.path)
            kind, said = "accepted", ""
        except UserError as error:
            kind, said = "refused", str(error)
        except Exception as error:
            kind, said = "raised", f"{type(error).__name__}: {error}\n" + traceback.format_exc(limit=-6)
        problems = self.watch.end()
        seconds = time.process_time() - start
        if Path(CANARY).exists():
            Path(CANARY).unlink()
            problems.append("ran code of the file's")
        if problems:
            kind, said = "misbehaved", "; ".join(problems)
        elif seconds > MOST_SECONDS:
            kind, said = "slow", f"took {seconds:.1f} s"
        made.restore(one.path)
        header = one.is_structured and made.reader.format.has_header(one.content)
        return {
            "kind": kind,
            "said": said[-3000:],
            "seconds": seconds,
            "structured": one.is_structured,
            "header": header,
        }


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a library prints is no answer
    faulthandler.enable()
    warnings.simplefilter("ignore")
    import torch

    torch.set_num_threads(1)
    worker = Worker(Path(sys.argv[1]))
    is_limited = False
    for line in sys.stdin:
        job = json.loads(line)
        worker.prepare(job["reader"])
        if not is_limited:
            limit_memory()
            is_limited = True
        print(json.dumps({"kind": "ready"}), file=answers)
        for outcome in worker.outcomes(job):
            print(json.dumps(outcome), file=answers)


if __name__ == "__main__":
    main()
