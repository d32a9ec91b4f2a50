"""What is downloaded or brought: archives, word vectors, records of downloads."""

import gzip
import io
import shutil
import tarfile
import zipfile
from pathlib import Path
from random import Random

from tests.long.fuzz.damage import damaged
from tests.long.fuzz.formats.archives import TAR, TAR_GZ, ZIP, change_gzipped, change_zip, is_gzip, is_zip
from tests.long.fuzz.formats.arrays import ARRAY
from tests.long.fuzz.formats.cells import TEXT, VECTORS, change_vectors
from tests.long.fuzz.formats.trees import JSON
from tests.long.fuzz.reader import Format, Reader
from tests.long.fuzz.world import World, copied_world

FILES = {"set/refs.p": b"refs", "set/more/a.json": b'{"a": 1}' * 40, "other.txt": b"x"}
GLOVE = b"the 0.1 0.2 0.3 0.4\ndog -1 2e-3 0 5\nnew york 1 2 3 4\n. 1 1 1 1\ncat 0.5 0.5 0.5 0.5\n"


def make_zip(folder: Path) -> list[Path]:
    path = folder / "set.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in FILES.items():
            archive.writestr(name, content)
    return [path]


def make_tar(ending: str) -> Path:
    def make(folder: Path) -> list[Path]:
        path = folder / f"set.{ending}"
        with tarfile.open(path, "w:gz" if ending == "tar.gz" else "w", format=tarfile.PAX_FORMAT) as archive:
            for name, content in FILES.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
            long = tarfile.TarInfo("set/" + "n" * 120)
            archive.addfile(long)
        return [path]

    return make


def read_archive(path: Path) -> None:
    from jvgn.downloads.archives import is_archive, unpack

    is_archive(path)
    target = path.parent / "unpacked"
    try:
        unpack(path, "set/refs.p", target / "refs.p")
        unpack(path, "set/", target / "folder")
        unpack(path, "./", target / "all")
    finally:
        shutil.rmtree(target, ignore_errors=True)


def make_glove(folder: Path) -> list[Path]:
    path = folder / "glove.txt"
    path.write_bytes(GLOVE)
    return [path]


def make_glove_gz(folder: Path) -> list[Path]:
    path = folder / "glove.gz"
    path.write_bytes(gzip.compress(GLOVE, mtime=0))
    return [path]


def make_glove_zip(folder: Path) -> list[Path]:
    path = folder / "glove.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("glove.4d.txt", GLOVE)
        archive.writestr("glove.8d.txt", GLOVE)
    return [path]


def read_glove(path: Path) -> None:
    from jvgn.vocabulary.glove import glove_vectors

    list(glove_vectors(path, 4, ["the", "dog", "new york", "cat", "absent"]))


def change_lines_or_bytes(content: bytes, random: Random) -> bytes:
    return change_vectors(content, random) if content.startswith(b"the ") else damaged(content, random)


def make_part(folder: Path) -> list[Path]:
    (folder / "a.zip.part").write_bytes(b"12345")
    note = folder / "a.zip.part.json"
    note.write_text('{"mirror": "file:x", "validator": "tag", "size": 9}')
    return [note]


def read_part(path: Path) -> None:
    from jvgn.downloads.partial_download import Part

    part = Part(path.with_name("a.zip"))
    part.is_complete("file:x")
    known = part.resumable("file:x")
    if known:
        "".join(["bytes", known.validator or "", str(1 + (known.size or 0))])


def make_record(folder: Path) -> list[Path]:
    (folder / "a.zip").write_bytes(b"12345")
    record = folder / "a.zip.sha256"
    record.write_text("0" * 64 + "  a.zip\n")
    return [record]


def read_record(path: Path) -> None:
    from jvgn.downloads.checksums import recorded

    recorded(path.with_name("a.zip"))


def make_jar(folder: Path) -> list[Path]:
    return [path.rename(folder / "stanford.jar") for path in make_zip(folder)]


def read_jar(path: Path) -> None:
    from parsers.corenlp.jars import members_of

    members_of(path)


def make_vectors(folder: Path) -> list[Path]:
    return [copied_world(folder).vectors]


def read_vectors(path: Path) -> None:
    from jvgn.settings.run import ModelSettings, RunSettings
    from jvgn.training.checkpoint import new_model
    from jvgn.vocabulary.words import Vocabulary
    from jvgn.vocabulary.words import read_vectors as read

    made = World(path.parents[4])
    small = ModelSettings(spatial_size=4, hidden_size=4, layers=1)
    new_model(RunSettings(detector="none", vocabulary="small", model=small), read(path, Vocabulary.read(made.words)), 6)


GZIPPED_VECTORS = Format(change_gzipped(change_lines_or_bytes), is_gzip)
ZIPPED_VECTORS = Format(lambda content, random: change_zip(content, random, change_lines_or_bytes), is_zip)
READERS = [
    Reader("zip", ZIP, make_zip, read_archive, "unpacked", share=3),
    Reader("tar", TAR, make_tar("tar"), read_archive, "unpacked", share=3),
    Reader("tar.gz", TAR_GZ, make_tar("tar.gz"), read_archive, "unpacked", share=3),
    Reader("GloVe, text", VECTORS, make_glove, read_glove, share=3),
    Reader("GloVe, gzip", GZIPPED_VECTORS, make_glove_gz, read_glove, share=2),
    Reader("GloVe, zip", ZIPPED_VECTORS, make_glove_zip, read_glove, share=2),
    Reader("vectors.npy", ARRAY, make_vectors, read_vectors, share=2),
    Reader("note of a download", JSON, make_part, read_part, share=2),
    Reader("record of a hash", TEXT, make_record, read_record),
    Reader("jar", ZIP, make_jar, read_jar),
]
