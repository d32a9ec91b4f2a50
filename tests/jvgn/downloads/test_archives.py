"""Archives: wanted files come out complete, and nothing is written outside of the target."""

import io
import random
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from jvgn.downloads.archives import unpack
from jvgn.storage.pictures import NAME
from parsers.errors import BrokenFile

FILES = {
    "set/refs(unc).p": b"refs",
    "set/instances.json": random.Random(0).randbytes(1_000_000),
    "set/more/a.jpg": b"picture",
    "other.txt": b"x",
}
FORMATS = ["zip", "tar", "tar.gz"]


def write_archive(path, files, odd=None):
    """Write an archive of plain files, and `odd` as one more entry, a ZipInfo or TarInfo."""
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
def test_a_folder_comes_out_with_checksums_and_nothing_else(archive, tmp_path, wanted):
    unpack(archive, wanted, tmp_path / "out" / "folder")
    inside = {name.removeprefix(wanted): FILES[name] for name in FILES if name.startswith(wanted) or wanted == "./"}
    found = contents(tmp_path / "out" / "folder")
    checksums = {name: found.pop(name) for name in [*found] if Path(name).name == NAME}
    assert found == inside
    assert {Path(name).parent for name in checksums} == {folder for name in inside for folder in Path(name).parents}
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["folder"]


@pytest.mark.parametrize("wanted", ["set/absent.json", "absent/", "set"])
def test_a_missing_entry_is_named(archive, tmp_path, wanted):
    with pytest.raises(BrokenFile, match=f"has no {wanted}"):
        unpack(archive, wanted, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", ["../evil", "set/../../evil", "/tmp/evil", "set/..", "..\\evil", "C:/evil"])
@pytest.mark.parametrize("wanted", ["set/", "set/refs(unc).p"])
def test_an_archive_with_a_name_outside_of_its_folder_is_refused_and_writes_nothing(tmp_path, format, name, wanted):
    archive = tmp_path / "inner" / f"set.{format}"
    archive.parent.mkdir()
    write_archive(archive, FILES | {name: b"evil"})
    with pytest.raises(BrokenFile, match="outside of the archive"):
        unpack(archive, wanted, archive.parent / "out")
    assert everything_beside(archive) == [archive.name] and not (tmp_path / "evil").exists()


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
    with pytest.raises(BrokenFile, match="'set/odd' is a link or a device"):
        unpack(archive, "set/", tmp_path / "out")
    assert everything_beside(archive) == [archive.name]
