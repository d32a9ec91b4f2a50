"""Weights from strangers: tensors are read, code is not run, and nothing takes more memory than its file."""

import io
import os
import pickle
import struct
import sys
import zipfile

import pytest
import torch
from torch import nn

from jvgn.storage.weights import fits, load_checkpoint, load_tensors

STATE = {"fingerprint": "x", "model": {"w": torch.ones(3)}, "optimiser": {"state": {0: {"step": torch.tensor(1.0)}}}}


class RunsCode:
    """When unpickled the ordinary way, makes a folder."""

    def __reduce__(self):
        return os.mkdir, ("trap",)


def with_pickle(path, content, called="data.pkl"):
    """A file of torch's whose pickle is another."""
    torch.save(STATE, path)
    with zipfile.ZipFile(path) as old:
        records = {entry.filename: old.read(entry) for entry in old.infolist()}
    with zipfile.ZipFile(path, "w") as new:
        for name, data in records.items():
            is_pickle = name.endswith("data.pkl")
            new.writestr(name.replace("data.pkl", called), content if is_pickle else data)
    return path


def text(value):
    return b"X" + struct.pack("<I", len(value.encode())) + value.encode()


def number(value):
    written = pickle.encode_long(value)
    return b"\x8a" + bytes([len(written)]) + written


def tensor(storage, size):
    """As torch writes one of three numbers, but for these parts."""
    return b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + b"QK\x00" + size + b"K\x01\x85\x89N" + b"tR"


STORAGE = b"(" + text("storage") + b"ctorch\nFloatStorage\n" + text("0") + text("cpu") + b"K\x03t"
LAUGHING = b")" + b"q\x00h\x00\x86" * 60
"""Tuples that are short to tell: each holds the one before it twice."""


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


def test_a_pickle_is_rehearsed_whatever_the_case_of_its_name(tmp_path):
    """torch's archives do not mind."""
    content = b"\x80\x02}N" + b"\x85" * 200_000 + b"Ns."
    with pytest.raises(ValueError, match="without end"):
        load_checkpoint(with_pickle(tmp_path / "state.pt", content, "data.PKL"))
    assert load_checkpoint(with_pickle(tmp_path / "state.pt", b"\x80\x02}.", "Data.pkl")) == {}


@pytest.mark.parametrize("is_archive", [True, False])
def test_what_trainings_save_is_read(tmp_path, is_archive):
    network = nn.Sequential(nn.Conv2d(1, 2, 1), nn.BatchNorm2d(2))
    optimiser = torch.optim.Adam(network.parameters())
    network(torch.ones(1, 1, 2, 2)).sum().backward()
    optimiser.step()
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimiser, [2, 5])
    # Before torch 1.6, an optimiser knew its parameters by where they were in memory.
    state = {"optimiser": optimiser.state_dict(), "scheduler": scheduler.state_dict(), "by place": {id(network): 1}}
    tensors = {
        "parameter": nn.Parameter(torch.ones(2)),
        "random": torch.get_rng_state(),
        "conjugate": torch.ones(2, dtype=torch.complex64).conj(),
        **{str(kind): torch.ones((), dtype=kind) for kind in (torch.bfloat16, torch.bool)},
    }
    if is_archive:  # older files cannot have it
        tensors["without a sign"] = torch.ones(2, dtype=torch.uint16)
    saved = {**state, **tensors, "model": network.state_dict()}
    torch.save(saved, tmp_path / "state.pt", _use_new_zipfile_serialization=is_archive)
    found = load_checkpoint(tmp_path / "state.pt")
    assert found["scheduler"] == state["scheduler"] and found["by place"] == state["by place"]
    assert found["optimiser"]["state"][0]["exp_avg"].equal(optimiser.state_dict()["state"][0]["exp_avg"])
    assert all(found[name].equal(value) for name, value in tensors.items())
    assert all(found["model"][name].equal(value) for name, value in network.state_dict().items())


def test_what_python_2_wrote_is_read(tmp_path):
    pairs = b"](](U\x01w" + tensor(STORAGE, b"K\x03\x85") + b"ee"
    path = with_pickle(tmp_path / "state.pt", b"\x80\x02ccollections\nOrderedDict\n" + pairs + b"\x85R.")
    assert load_tensors(path)["w"].tolist() == [1, 1, 1]


def test_what_weights_say_of_themselves_is_left(tmp_path):
    """torch's networks would take it at its word."""
    content = b"\x80\x02ccollections\nOrderedDict\n)R}" + text("_metadata") + b"K\x05sb."
    found = load_tensors(with_pickle(tmp_path / "state.pt", content))
    assert type(found) is dict and not hasattr(found, "_metadata")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"c_codecs\nencode\n" + text("letters") + text("punycode") + b"\x86R", "only tensors are made"),
        (b"cbuiltins\nbytearray\n" + number(3 * 10**9) + b"\x85R", "only tensors are made"),
        (b"ctorch\nTensor\n" + number(3 * 10**9) + b"\x85\x81", "other things"),
        (b"}(" + b"".join(number(i * sys.hash_info.modulus) + b"N" for i in range(1, 9)) + b"u", "usual size"),
        (tensor(b"(" + text("storage") + b"ctorch\nFloatStorage\n" + LAUGHING + b"NNt", b"K\x03\x85"), "other things"),
        (tensor(STORAGE, LAUGHING), "other things"),
        (b"ccollections\nCounter\n" + tensor(STORAGE, b"K\x03\x85") + b"\x85R", "other things"),
        (b"ccollections\nOrderedDict\n](](" + LAUGHING + b"Nee\x85R", "neither text nor a number"),
        (b"ccollections\nOrderedDict\n)R](" + LAUGHING + b"N\x86eb", "other things"),
    ],
)
def test_what_torch_would_take_all_memory_or_time_for_is_refused(tmp_path, content, why):
    with pytest.raises(ValueError, match=why):
        load_checkpoint(with_pickle(tmp_path / "state.pt", b"\x80\x02" + content + b"."))


@pytest.mark.parametrize(
    ("function", "values"),
    [
        (b"collections\nCounter", b"}(" + b"".join(text(str(i)) + b"N" for i in range(500)) + b"u\x85"),
        (
            b"torch._utils\n_rebuild_tensor_v2",
            b"(" + STORAGE + b"QK\x00(" + b"K\x01" * 500 + b"tq\x02h\x02\x89Nt",
        ),
    ],
    ids=["numbers", "shapes"],
)
def test_what_is_told_once_is_not_made_without_end(tmp_path, function, values):
    content = b"\x80\x02c" + function + b"\nq\x00" + values + b"q\x01](" + b"h\x00h\x01R" * 5000 + b"e."
    with pytest.raises(ValueError, match="far larger than honest ones"):
        load_checkpoint(with_pickle(tmp_path / "state.pt", content))


def test_names_of_data_are_text(tmp_path):
    """Those of an older file are looked for among others, and tuples in tuples would be for ever."""
    path = tmp_path / "state.pt"
    torch.save(STATE, path, _use_new_zipfile_serialization=False)
    before, _ = path.read_bytes().rsplit(b"\x80\x02]", 1)
    path.write_bytes(before + b"\x80\x02](" + LAUGHING + b"e.")
    with pytest.raises(ValueError, match="names are no text"):
        load_checkpoint(path)


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
