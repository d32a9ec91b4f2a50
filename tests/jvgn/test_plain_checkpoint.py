"""Weights from strangers: tensors are read, code is not run, and nothing takes more memory than its file."""

import io
import os
import pickle
import zipfile

import pytest
import torch
from torch import nn

from jvgn.plain_checkpoint import fits, load_checkpoint, load_tensors

STATE = {"fingerprint": "x", "model": {"w": torch.ones(3)}, "optimiser": {"state": {0: {"step": torch.tensor(1.0)}}}}


class RunsCode:
    """When unpickled the ordinary way, makes a folder."""

    def __reduce__(self):
        return os.mkdir, ("trap",)


def with_pickle(path, content):
    """A file of torch's whose pickle is another."""
    torch.save(STATE, path)
    with zipfile.ZipFile(path) as old:
        records = {entry.filename: old.read(entry) for entry in old.infolist()}
    with zipfile.ZipFile(path, "w") as new:
        for name, data in records.items():
            new.writestr(name, content if name.endswith("data.pkl") else data)
    return path


@pytest.mark.parametrize("is_archive", [True, False])
def test_what_torch_writes_is_read(tmp_path, is_archive):
    path = tmp_path / "state.pt"
    torch.save(STATE, path, _use_new_zipfile_serialization=is_archive)
    found = load_checkpoint(path)
    assert found["optimiser"]["state"][0]["step"] == 1 and found["model"]["w"].tolist() == [1, 1, 1]
    network = nn.Linear(2, 3)
    torch.save(network.state_dict(), path, _use_new_zipfile_serialization=is_archive)
    assert load_tensors(path).keys() == {"weight", "bias"}


@pytest.mark.parametrize("is_archive", [True, False])
def test_code_that_a_file_brings_is_not_run(tmp_path, monkeypatch, is_archive):
    monkeypatch.chdir(tmp_path)
    torch.save({"model": RunsCode()}, "state.pt", _use_new_zipfile_serialization=is_archive)
    with pytest.raises(ValueError, match=r".+"):
        load_checkpoint("state.pt")
    assert not (tmp_path / "trap").exists()


def test_tuples_in_tuples_do_not_end_the_process(tmp_path):
    """As a key, torch's own machine would follow them down to the end of its stack."""
    deep = b"N" + b"\x85" * 200_000
    for content in (b"\x80\x02}" + deep + b"Ns.", b"\x80\x02ccollections\nOrderedDict\n]" + deep + b"a\x85R."):
        with pytest.raises(ValueError, match=r"key|without end"):
            load_checkpoint(with_pickle(tmp_path / "state.pt", content))


def test_a_file_that_begins_as_one_kind_and_ends_as_another_is_refused(tmp_path):
    """torch would read what stands before an archive, in which nothing is looked at here."""
    path, archive, after = tmp_path / "state.pt", io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("a", b"")
    torch.save(STATE, after, _use_new_zipfile_serialization=False)
    for content in (after.getvalue() + archive.getvalue(), archive.getvalue()[:40] + after.getvalue()):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="begins as one kind of file and ends as another"):
            load_checkpoint(path)


def test_a_compressed_archive_is_refused(tmp_path):
    path = tmp_path / "state.pt"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", pickle.dumps({}, 2))
        archive.writestr("archive/data/0", bytes(50_000_000))
    with pytest.raises(ValueError, match="more bytes than it has"):
        load_checkpoint(path)


@pytest.mark.parametrize("value", [[torch.ones(1)], {"w": 1}, {1: torch.ones(1)}, torch.ones(1)])
def test_what_is_not_tensors_by_name_is_refused(tmp_path, value):
    torch.save(value, tmp_path / "weights.pth")
    with pytest.raises(TypeError, match="tensors by their names"):
        load_tensors(tmp_path / "weights.pth")


def test_weights_fit_what_has_their_names_shapes_and_kinds():
    weights = nn.Linear(2, 3).state_dict()
    assert fits(weights, lambda: nn.Linear(2, 3))
    assert not fits(weights, lambda: nn.Linear(3, 2))
    assert not fits({"weight": weights["weight"]}, lambda: nn.Linear(2, 3))
    assert not fits({name: value.half() for name, value in weights.items()}, lambda: nn.Linear(2, 3))


def test_what_would_take_all_memory_is_not_built():
    assert not fits({}, lambda: nn.Linear(2**40, 2**20))
