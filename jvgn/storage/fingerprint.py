"""What an interrupted computation depends on, in one word: another word, and it starts anew."""

import hashlib
import json

from jvgn.storage.code import code_behind
from jvgn.storage.files import sha256


def fingerprint(module: str, *depends_on: str) -> str:
    """Of the code behind a module, and of these words."""
    parts = [*depends_on, *(sha256(file) for file in code_behind([module]).values())]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
