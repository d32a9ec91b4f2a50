"""The potentials, compiled on demand: they are the part of the model that is plain arithmetic on tensors."""

import os
import shutil

from jvgn.model import JVGN
from parsers.errors import UserError


def compile_potentials(model: JVGN) -> None:
    """The potentials run compiled from their next call on; in place, so that the weights keep their names."""
    named = os.environ.get("CXX")
    if not any(map(shutil.which, [named] if named else ["g++", "clang++"])):
        raise UserError(
            f"training.compile: torch.compile needs a C++ compiler, and {named or 'g++'} is not to be had here; install"
            " it, name another in the environment variable CXX, or set compile to false"
        )
    for potential in (model.unary, model.pairwise):
        potential.compile(dynamic=True)
