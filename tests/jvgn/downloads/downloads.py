"""Where the sources of these tests are downloaded to, and what lies there when all is well."""

from pathlib import Path

FILE = Path("resources/downloads/data.bin")
KEPT = ["data.bin", "data.bin.sha256"]


def names():
    return sorted(path.name for path in FILE.parent.iterdir()) if FILE.parent.exists() else []
