"""Readers of each file format: content as it was written, or one line that names the file."""

import io
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from PIL import Image
from torch import nn

from jvgn.settings.base import load_yaml
from jvgn.storage import parquet
from jvgn.storage.parquet import count_rows, origin, read_rows, read_table, row_groups, write_table, writing
from jvgn.storage.pictures import read_picture
from jvgn.storage.tensor_files import fits, load_checkpoint, load_tensors
from parsers.errors import BrokenFile, UserError

SCHEMA = pa.schema(
    [("id", pa.int64()), ("text", pa.string()), ("score", pa.float32()), ("tags", pa.list_(pa.string()))]
)
ROWS = {"id": [1, 2], "text": ["a", "b"], "score": [0.5, None], "tags": [["x"], []]}
ORIENTATION = 0x0112


class Reduces:
    def __reduce__(self):
        return os.mkdir, ("trap",)


def save_rows(path):
    write_table(path, ROWS, SCHEMA, parser="lexical")


def test_a_table_is_read_as_it_was_written(tmp_path):
    save_rows(tmp_path / "a.parquet")
    table = read_table(tmp_path / "a.parquet", SCHEMA)
    assert table.to_pydict() == ROWS and table.schema == SCHEMA
    assert origin(tmp_path / "a.parquet", SCHEMA) == {"parser": "lexical"}
    assert count_rows(tmp_path / "a.parquet", SCHEMA) == 2


def test_the_same_rows_give_the_same_bytes_however_they_are_handed_over(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "ROW_GROUP", 4)
    table = pa.table({"id": list(range(10))})
    for name, size in (("a", 1), ("b", 3), ("c", 10)):
        with writing(tmp_path / name, table.schema) as write:
            for start in range(0, 10, size):
                write(table.slice(start, size))
    contents = {(tmp_path / name).read_bytes() for name in "abc"}
    assert len(contents) == 1
    assert [len(rows) for rows in row_groups(tmp_path / "a", table.schema)] == [4, 4, 2]
    assert read_rows(tmp_path / "a", table.schema, 3, 9)["id"].to_pylist() == list(range(3, 9))


@pytest.mark.parametrize(
    ("columns", "metadata"),
    [
        (ROWS, {"jvgn.format": "0"}),
        (ROWS, {}),
        ({"id": [1]}, {"jvgn.format": "1"}),
        (ROWS | {"id": ["1", "2"]}, {"jvgn.format": "1"}),
        (ROWS | {"text": ["a", None]}, {"jvgn.format": "1"}),
        (ROWS | {"tags": [["x", None], []]}, {"jvgn.format": "1"}),
    ],
    ids=["other version", "other program", "missing column", "other type", "empty cell", "empty cell in a list"],
)
def test_a_table_with_other_content_is_refused(tmp_path, columns, metadata):
    table = pa.table(columns)
    if "score" in columns:
        table = table.set_column(2, "score", table["score"].cast(pa.float32()))
    pq.write_table(table.replace_schema_metadata(metadata), tmp_path / "a.parquet")
    with pytest.raises(BrokenFile, match=r"a\.parquet: "):
        read_table(tmp_path / "a.parquet", SCHEMA)


@pytest.mark.parametrize("is_archive", [True, False])
def test_a_torch_file_with_code_is_refused_and_nothing_runs(tmp_path, monkeypatch, is_archive):
    monkeypatch.chdir(tmp_path)
    torch.save({"model": Reduces()}, "state.pt", _use_new_zipfile_serialization=is_archive)
    with pytest.raises(BrokenFile, match=r"state\.pt: "):
        load_checkpoint("state.pt")
    assert not Path("trap").exists()


@pytest.mark.parametrize("is_archive", [True, False])
def test_weights_are_read_from_old_and_new_torch_files(tmp_path, is_archive):
    network = nn.Linear(2, 3)
    torch.save(network.state_dict(), tmp_path / "a.pth", _use_new_zipfile_serialization=is_archive)
    found = load_tensors(tmp_path / "a.pth")
    assert all(found[name].equal(value) for name, value in network.state_dict().items())


@pytest.mark.parametrize("value", [[torch.ones(1)], {"w": 1}, {1: torch.ones(1)}, torch.ones(1)])
def test_a_torch_file_without_named_tensors_is_refused(tmp_path, value):
    torch.save(value, tmp_path / "a.pth")
    with pytest.raises(BrokenFile, match="give a state dict"):
        load_tensors(tmp_path / "a.pth")


def test_weights_fit_a_network_with_their_names_shapes_and_types():
    weights = nn.Linear(2, 3).state_dict()
    assert fits(weights, lambda: nn.Linear(2, 3))
    assert not fits(weights, lambda: nn.Linear(3, 2))
    assert not fits({"weight": weights["weight"]}, lambda: nn.Linear(2, 3))
    assert not fits({name: value.half() for name, value in weights.items()}, lambda: nn.Linear(2, 3))


@pytest.mark.parametrize(
    "text", ["!!python/object/apply:os.mkdir [trap]", "a: {", "a: &a [*a", "a: 2026-06-31", "a: é".encode("latin1")]
)
def test_yaml_runs_no_code_and_its_problem_names_the_file(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(BrokenFile, match=r"^a\.yaml: .*; fix the file$"):
        load_yaml("a.yaml")
    assert not Path("trap").exists()


BLOCKS = np.array([[[255, 0, 0], [0, 255, 0]], [[0, 0, 255], [255, 255, 255]], [[0, 0, 0], [128, 128, 128]]], np.uint8)
"""Colours of three rows of two blocks, large enough to survive the losses of JPEG."""


def blocks(values=BLOCKS):
    return Image.fromarray(np.repeat(np.repeat(values, 16, axis=0), 16, axis=1))


def check_colours(image, expected, tolerance):
    found = np.asarray(image)[8::16, 8::16].astype(int)
    assert found.shape == expected.shape and np.abs(found - expected.astype(int)).max() <= tolerance


@pytest.mark.parametrize(
    ("mode", "suffix", "tolerance"),
    [
        ("RGB", "png", 0),
        ("RGB", "jpg", 4),
        ("RGB", "bmp", 0),
        ("RGB", "webp", 40),
        ("P", "png", 0),
        ("P", "gif", 0),
        ("RGBA", "png", 0),
        ("CMYK", "jpg", 6),
    ],
)
def test_a_picture_of_any_format_has_its_colours(tmp_path, mode, suffix, tolerance):
    image = blocks().quantize() if mode == "P" else blocks().convert(mode)
    image.save(tmp_path / f"a.{suffix}")
    found = read_picture(tmp_path / f"a.{suffix}")
    assert found.mode == "RGB"
    check_colours(found, BLOCKS, tolerance)


def test_the_upper_bits_of_a_16_bit_picture_are_taken(tmp_path):
    levels = np.array([[0, 255, 256], [0x7F00, 0x8000, 0xFFFF]], np.uint16)
    Image.fromarray(levels).save(tmp_path / "a.png")
    assert np.asarray(read_picture(tmp_path / "a.png"))[..., 0].tolist() == [[0, 0, 1], [0x7F, 0x80, 0xFF]]


TURNS = {
    1: lambda a: a,
    2: lambda a: a[:, ::-1],
    3: lambda a: a[::-1, ::-1],
    4: lambda a: a[::-1],
    5: lambda a: a.swapaxes(0, 1),
    6: lambda a: np.rot90(a, -1),
    7: lambda a: a[::-1, ::-1].swapaxes(0, 1),
    8: lambda a: np.rot90(a),
}


@pytest.mark.parametrize("orientation", TURNS)
def test_a_picture_is_turned_as_the_camera_noted_only_if_asked(tmp_path, orientation):
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    blocks().save(tmp_path / "a.jpg", exif=exif, quality=95)
    check_colours(read_picture(tmp_path / "a.jpg"), BLOCKS, 6)
    check_colours(read_picture(tmp_path / "a.jpg", as_seen=True), TURNS[orientation](BLOCKS), 6)


def test_a_picture_that_is_too_large_for_its_use_is_refused():
    content = io.BytesIO()
    blocks().save(content, "PNG")
    with pytest.raises(UserError, match="32 x 48 pixels"):
        read_picture(content, most_pixels=1000)
