"""Archives of strangers: what is asked for comes out whole, and nothing gets outside of its place."""

import gzip
import io
import random
import stat
import tarfile
import time
import zipfile
from pathlib import Path

import pytest

from jvgn.downloads import unpacking
from jvgn.downloads.unpacking import unpack
from jvgn.downloads.verification import is_archive
from jvgn.storage import bounded
from jvgn.storage import picture_hashes as hashes
from parsers.errors import BrokenFile, UserError

FILES = {
    "set/refs(unc).p": b"refs",
    "set/instances.json": random.Random(0).randbytes(1_000_000),
    "set/more/a.jpg": b"picture",
    "other.txt": b"x",
}
FORMATS = ["zip", "tar", "tar.gz"]


def write_archive(path, files, odd=None):
    """An archive of plain files; `odd` is one more entry, a ZipInfo or TarInfo as it is."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
            if odd is not None:
                archive.writestr(odd, "/etc/passwd")
        return
    with tarfile.open(path, "w:gz" if path.suffix == ".gz" else "w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        if odd is not None:
            archive.addfile(odd)


@pytest.fixture(params=FORMATS)
def archive(tmp_path, request):
    path = tmp_path / f"set.{request.param}"
    write_archive(path, FILES)
    return path


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def everything_beside(archive):
    return sorted(path.name for path in archive.parent.rglob("*"))


def test_one_file_comes_out(archive, tmp_path):
    unpack(archive, "set/refs(unc).p", tmp_path / "out" / "refs(unc).p")
    assert contents(tmp_path / "out") == {"refs(unc).p": b"refs"}


@pytest.mark.parametrize("wanted", ["set/", "./"])
def test_a_folder_comes_out_and_nothing_else(archive, tmp_path, wanted):
    unpack(archive, wanted, tmp_path / "out" / "folder")
    inside = {name.removeprefix(wanted): FILES[name] for name in FILES if name.startswith(wanted) or wanted == "./"}
    found = contents(tmp_path / "out" / "folder")
    told = {name: found.pop(name) for name in [*found] if Path(name).name == hashes.NAME}
    assert found == inside and {Path(name).parent for name in told} == {
        folder for name in inside for folder in Path(name).parents
    }
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["folder"]


def test_what_a_killed_process_left_is_cleared_away(archive, tmp_path):
    left = tmp_path / ".folder.unpacking" / "set"
    left.mkdir(parents=True)
    (left / "half.jpg").write_bytes(b"ha")
    unpack(archive, "set/", tmp_path / "folder")
    assert not left.parent.exists() and "half.jpg" not in contents(tmp_path / "folder")


@pytest.mark.parametrize("wanted", ["set/absent.json", "absent/", "set"])
def test_what_is_not_there_is_named(archive, tmp_path, wanted):
    with pytest.raises(BrokenFile, match=f"it has no {wanted}"):
        unpack(archive, wanted, tmp_path / "out")
    assert not (tmp_path / "out").exists()


OUTSIDE = ["../evil", "set/../../evil", "/tmp/evil", "set/..", "..\\evil", "C:/evil"]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("wanted", ["set/", "set/refs(unc).p"])
def test_an_archive_with_a_name_outside_of_itself_is_refused_whole(tmp_path, format, name, wanted):
    archive = tmp_path / "inner" / f"set.{format}"
    archive.parent.mkdir()
    write_archive(archive, FILES | {name: b"evil"})
    before = everything_beside(archive)
    with pytest.raises(BrokenFile, match="outside of the archive"):
        unpack(archive, wanted, archive.parent / "out")
    assert everything_beside(archive) == before and not (tmp_path / "evil").exists()


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", ["set/a\nb", "set/a\rb", "set/\x1b[2J", "set/a\x7f", "set/a\x85b"])
def test_what_has_control_characters_in_its_name_is_refused(tmp_path, format, name):
    archive = tmp_path / f"set.{format}"
    write_archive(archive, FILES | {name: b"evil"})
    with pytest.raises(BrokenFile, match="control characters"):
        unpack(archive, "set/", tmp_path / "out")
    assert everything_beside(archive) == [archive.name]


@pytest.mark.parametrize("format", FORMATS)
def test_names_of_what_is_not_asked_for_may_have_them(tmp_path, format):
    archive = tmp_path / f"set.{format}"
    write_archive(archive, FILES | {"Icon\r": b"a Mac's"})
    unpack(archive, "set/", tmp_path / "out")
    assert (tmp_path / "out" / "refs(unc).p").read_bytes() == b"refs"


@pytest.mark.parametrize("format", FORMATS)
def test_names_are_in_any_language(tmp_path, format):
    names = ["set/café 猫.jpg", "set/a\u2028b", "set/👩‍👩‍👧.png", "set/~$(x)&'.jpg"]
    archive = tmp_path / f"set.{format}"
    write_archive(archive, dict.fromkeys(names, b"a"))
    unpack(archive, "set/", tmp_path / "set")
    assert {f"set/{name}" for name in contents(tmp_path / "set")} == {*names, f"set/{hashes.NAME}"}


def tar_entry(kind):
    entry = tarfile.TarInfo("set/odd")
    entry.type, entry.linkname = kind, "/etc/passwd"
    return entry


def zip_link():
    entry = zipfile.ZipInfo("set/odd")
    entry.create_system, entry.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    return entry


ODD = {
    "symbolic link": ("tar", tar_entry(tarfile.SYMTYPE)),
    "hard link": ("tar", tar_entry(tarfile.LNKTYPE)),
    "device": ("tar.gz", tar_entry(tarfile.CHRTYPE)),
    "pipe": ("tar", tar_entry(tarfile.FIFOTYPE)),
    "link in a zip": ("zip", zip_link()),
}


@pytest.mark.parametrize("kind", ODD)
def test_links_and_devices_are_refused(tmp_path, kind):
    format, entry = ODD[kind]
    archive = tmp_path / f"set.{format}"
    write_archive(archive, FILES, entry)
    with pytest.raises(BrokenFile, match="'set/odd' is a link or device"):
        unpack(archive, "set/", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_that_would_be_unpacked_without_a_limit_is_not_begun(tmp_path, monkeypatch, packing):
    path = tmp_path / "archive.zip"
    with zipfile.ZipFile(path, "w", packing) as archive:
        archive.writestr("data/file.txt", b"0" * 1000)
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: pytest.fail("it was opened"))
    with pytest.raises(BrokenFile, match="neither stored nor deflated"):
        unpack(path, "data/file.txt", tmp_path / "file.txt")
    assert not (tmp_path / "file.txt").exists()


def test_a_bomb_is_stopped_by_what_comes_out_of_it(archive, tmp_path, monkeypatch):
    monkeypatch.setattr(bounded, "AT_LEAST", 100_000)
    monkeypatch.setattr(bounded, "RATIO", 0)
    with pytest.raises(BrokenFile, match="far more than an honest archive"):
        unpack(archive, "set/", tmp_path / "out")
    assert everything_beside(archive) == [archive.name]


def test_a_million_entries_are_too_many(archive, tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "MOST_FILES", 3)
    with pytest.raises(BrokenFile, match="more than 3 entries"):
        unpack(archive, "./", tmp_path / "out")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("format", FORMATS)
def test_a_name_that_occurs_twice_is_refused(tmp_path, format):
    archive = tmp_path / f"set.{format}"
    write_archive(archive, {"set/a": b"1", "set/./a": b"2"})
    with pytest.raises(BrokenFile, match="it has a twice"):
        unpack(archive, "set/", tmp_path / "out")


@pytest.mark.parametrize("wanted", ["set/", "set/instances.json"])
def test_a_damaged_archive_is_named_and_leaves_nothing(archive, tmp_path, wanted):
    content = bytearray(archive.read_bytes())
    if archive.suffix == ".tar":
        content = content[: len(content) // 2]  # an uncompressed tar archive has no checksum of its files
    else:
        content[len(content) // 2] ^= 1
    archive.write_bytes(content)
    with pytest.raises(BrokenFile, match=rf"{archive.name}: not a readable archive"):
        unpack(archive, wanted, tmp_path / "out")
    assert everything_beside(archive) == [archive.name]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_is_no_fault_of_the_archives(archive, tmp_path, monkeypatch):
    full = io.FileIO("/dev/full", "w")
    monkeypatch.setattr(unpacking, "opened_for_writing", lambda *_: full)
    with pytest.raises(UserError, match=r"refs\(unc\)\.p: cannot be written \(No space left on device\)"):
        unpack(archive, "set/", tmp_path / "out")
    assert everything_beside(archive) == [archive.name]


def test_files_are_readable_whatever_their_modes_in_the_archive(tmp_path):
    path = tmp_path / "set.tar"
    with tarfile.open(path, "w") as archive:
        entry = tarfile.TarInfo("set/a")
        entry.mode = 0o4000
        archive.addfile(entry)
    unpack(path, "set/", tmp_path / "out")
    assert stat.S_IMODE(Path(tmp_path / "out" / "a").stat().st_mode) & 0o4400 == 0o400


def header(name, size=b"00000000000", kind=b"0"):
    """A tar archive's first block, with the checksum of what it says."""
    block = bytearray(512)
    block[: len(name)], block[124 : 124 + len(size)], block[156:157] = name, size, kind
    block[257:265], block[148:156] = b"ustar\x0000", b" " * 8
    block[148:156] = b"%06o\x00 " % sum(block)
    return bytes(block)


TRAPS = {
    "an entry of exabytes": header(b"set/a", b"\x80" + b"\xff" * 11),
    "an entry of less than nothing": header(b"set/a", b"\xff" * 12),
    "an entry of gigabytes": header(b"set/a", b"77777777777"),
    "a name of gigabytes": header(b"././@LongLink", b"77777777777", b"L"),
    "notes of gigabytes": header(b"notes", b"77777777777", b"x"),
    "notes that lead back": header(b"notes", b"00000000024", b"x")
    + b"20 size=-999999999\n\n".ljust(512, b"\0")
    + header(b"set/a"),
    "a file full of holes": header(b"set/a", b"00000000000", b"S") + bytes(1024),
}


@pytest.mark.parametrize("trap", TRAPS)
@pytest.mark.parametrize("is_zipped", [False, True])
def test_a_header_is_not_believed(tmp_path, trap, is_zipped):
    archive = tmp_path / "set.tar.gz"
    archive.write_bytes(gzip.compress(TRAPS[trap]) if is_zipped else TRAPS[trap])
    start = time.process_time()
    with pytest.raises(BrokenFile, match=r"set\.tar\.gz"):
        unpack(archive, "set/", tmp_path / "out")
    assert time.process_time() - start < 3 and not (tmp_path / "out").exists()


def test_what_follows_the_last_entry_is_not_unpacked_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(bounded, "AT_LEAST", 1_000_000)
    archive = tmp_path / "set.tar.gz"
    archive.write_bytes(gzip.compress(header(b"set/a") + bytes(50_000_000)))
    with pytest.raises(BrokenFile, match="far more than an honest archive"):
        unpack(archive, "set/", tmp_path / "out")
    assert not is_archive(archive)


@pytest.mark.parametrize("compression", ["bz2", "xz"])
def test_other_compressions_are_no_archives_of_ours(tmp_path, compression):
    archive = tmp_path / f"set.tar.{compression}"
    with tarfile.open(archive, f"w:{compression}") as written:
        written.addfile(tarfile.TarInfo("set/a"))
    with pytest.raises(BrokenFile, match="not a readable archive"):
        unpack(archive, "set/", tmp_path / "out")
