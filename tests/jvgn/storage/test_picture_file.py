"""Pictures of every kind give the pixels that people see; contrived ones are refused before they are decoded."""

import io
import struct
import subprocess
import warnings
import zlib

import numpy as np
import pytest
from PIL import Image

from jvgn.detector.images import read_image
from jvgn.grounding.questions import flaw_of_image
from jvgn.storage.pictures import MOST_PIXELS, MOST_SCANS, MOST_SEGMENTS, check_segments, checked_picture, read_picture
from jvgn.views.explorer.image_list import decoded
from jvgn.views.report.result_pages import write_picture_page
from parsers.errors import UserError

ORIENTATION = 0x0112
SCAN = b"\xff\xda"
COLOURS = np.array([[[255, 0, 0], [0, 255, 0]], [[0, 0, 255], [255, 255, 255]], [[0, 0, 0], [128, 128, 128]]], np.uint8)
"""Three rows of two blocks, which survive JPEG's losses."""


def blocks(values=COLOURS):
    return Image.fromarray(np.repeat(np.repeat(values, 16, axis=0), 16, axis=1))


def middles(image):
    return np.asarray(image)[8::16, 8::16].astype(int)


def near(found, expected, tolerance):
    return found.shape == expected.shape and np.abs(found - expected.astype(int)).max() <= tolerance


def saved(path, image, **options):
    image.save(path, **options)
    return path


@pytest.mark.parametrize(
    ("mode", "ending", "tolerance"),
    [
        ("RGB", "png", 0),
        ("RGB", "jpg", 4),
        ("RGB", "bmp", 0),
        ("RGB", "webp", 40),
        ("P", "png", 0),
        ("P", "gif", 0),
        ("RGBA", "png", 0),
        ("CMYK", "jpg", 6),
        ("YCbCr", "jpg", 6),
    ],
)
def test_a_picture_of_any_kind_has_its_colours(tmp_path, mode, ending, tolerance):
    image = blocks().quantize() if mode == "P" else blocks().convert(mode)
    path = saved(tmp_path / f"a.{ending}", image)
    for found in (read_picture(path), read_picture(path, as_seen=True)):
        assert found.mode == "RGB" and near(middles(found), COLOURS, tolerance)
    assert near(read_image(path).permute(1, 2, 0).numpy()[8::16, 8::16].astype(int), COLOURS, tolerance)


@pytest.mark.parametrize("mode", ["L", "1"])
def test_a_picture_without_colours_is_grey(tmp_path, mode):
    black_and_white = np.array([[0, 255], [255, 0]], np.uint8)
    grey = Image.fromarray(np.repeat(np.repeat(black_and_white, 16, axis=0), 16, axis=1)).convert(mode)
    found = middles(read_picture(saved(tmp_path / "a.png", grey)))
    assert near(found, np.repeat(black_and_white[..., None], 3, axis=2), 0)


def test_of_sixteen_bits_the_upper_ones_are_seen(tmp_path):
    """Pillow's own way makes white of nearly all of them."""
    levels = np.array([[0, 255, 256], [0x7F00, 0x8000, 0xFFFF]], np.uint16)
    path = saved(tmp_path / "a.png", Image.fromarray(levels))
    assert np.asarray(read_picture(path))[..., 0].tolist() == [[0, 0, 1], [0x7F, 0x80, 0xFF]]


@pytest.mark.parametrize("ending", ["gif", "webp", "png"])
def test_of_a_moving_picture_the_first_frame_is_seen(tmp_path, ending):
    first, second = blocks(), blocks(255 - COLOURS)
    options = {"lossless": True} if ending == "webp" else {}
    path = saved(tmp_path / f"a.{ending}", first, save_all=True, append_images=[second], duration=50, **options)
    assert near(middles(read_picture(path)), COLOURS, 8)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_what_the_camera_noted_turns_what_is_seen_and_not_what_is_stored(tmp_path, orientation):
    turns = {
        1: lambda a: a,
        2: lambda a: a[:, ::-1],
        3: lambda a: a[::-1, ::-1],
        4: lambda a: a[::-1],
        5: lambda a: a.swapaxes(0, 1),
        6: lambda a: np.rot90(a, -1),
        7: lambda a: a[::-1, ::-1].swapaxes(0, 1),
        8: lambda a: np.rot90(a),
    }
    noted = Image.Exif()
    noted[ORIENTATION] = orientation
    path = saved(tmp_path / "a.jpg", blocks(), exif=noted, quality=95)
    assert near(middles(read_picture(path)), COLOURS, 6)
    assert near(middles(read_picture(path, as_seen=True)), turns[orientation](COLOURS), 6)


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


@pytest.mark.parametrize("read", [read_image, checked_picture])
def test_a_picture_is_converted_once(tmp_path, monkeypatch, read):
    converted, convert = [], Image.Image.convert
    monkeypatch.setattr(Image.Image, "convert", lambda image, mode: converted.append(mode) or convert(image, mode))
    read(saved(tmp_path / "a.png", blocks()))
    assert converted == ["RGB"]


def png_of(width, height):
    """Its header says so; there is nothing to decode."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def truncated():
    written = io.BytesIO()
    blocks().save(written, "JPEG")
    return written.getvalue()[:-200]


def scanned(times, within=b"", behind=b""):
    """A progressive JPEG whose last scan is repeated; a segment and what is behind the picture hold any bytes."""
    written = io.BytesIO()
    blocks().save(written, "JPEG", progressive=True)
    content = written.getvalue()
    last = content[content.rindex(SCAN) : -2]
    note = b"\xff\xfe" + struct.pack(">H", len(within) + 2) + within
    return content[:2] + note + content[2:-2] + last * times + content[-2:] + behind


def segment(marker, content):
    return bytes([0xFF, marker]) + struct.pack(">H", len(content) + 2) + content


def noted(times, before=b""):
    """A JPEG with as many notes of a camera, which the library would join one by one."""
    written = io.BytesIO()
    blocks().save(written, "JPEG")
    content = written.getvalue()
    return content[:2] + before + segment(0xE1, b"Exif\0\0A") * times + content[2:]


def runs():
    """A BMP of 8 bits whose rows are each one run."""
    palette, rows = bytes(4 * 256), b"\x20\x01\0\0" * 48 + b"\0\1"
    offset = 14 + 40 + len(palette)
    header = struct.pack("<IiiHHIIiiII", 40, 32, 48, 1, 8, 1, len(rows), 0, 0, 256, 0)
    return b"BM" + struct.pack("<IHHI", offset + len(rows), 0, 0, offset) + header + palette + rows


SLOW = {
    "far too many scans": scanned(MOST_SCANS),
    "far too many notes": noted(MOST_SEGMENTS),
    "notes behind an end before the picture": noted(MOST_SEGMENTS, before=b"\xff\xd9"),
    "notes behind a second start": noted(MOST_SEGMENTS, before=b"\xff\xd8"),
    "notes behind a mark without a length": noted(MOST_SEGMENTS, before=b"\xff\xf0"),
}
BAD = {
    **SLOW,
    "packed in runs": runs(),
    "scans behind marks that mean nothing": scanned(MOST_SCANS, behind=SCAN).replace(SCAN, b"\xff\x01\xff\xff\xda"),
    "far too many pixels": png_of(2**31 - 1, 2**31 - 1),
    "more pixels than the library minds": png_of(20_000, 20_000),
    "a few pixels too many": png_of(2**13, MOST_PIXELS // 2**13 + 1),
    "cut off": truncated(),
    "not a picture": b"not a picture",
    "nothing": b"",
    "a program for a printer": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n%%EndComments\nshowpage\n",
}
PLACES = {
    "region extraction": read_image,
    "figures of examples": checked_picture,
    "a report": lambda path: write_picture_page("title", path, path.with_suffix(".html")),
    "an upload": lambda path: decoded(path.read_bytes()),
}


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("place", PLACES)
def test_a_bad_picture_is_one_line_wherever_it_is_opened(tmp_path, monkeypatch, place, bad):
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a program was started"))
    path = tmp_path / "a.jpg"
    path.write_bytes(BAD[bad])
    with pytest.raises(UserError) as error:
        PLACES[place](path)
    assert "\n" not in str(error.value)
    if "pixels" in bad:
        assert "pixels" in str(error.value)


@pytest.mark.parametrize("slow", SLOW)
def test_what_the_library_would_be_slow_to_open_it_is_not_given(tmp_path, monkeypatch, slow):
    monkeypatch.setattr(Image, "open", lambda *_, **__: pytest.fail("it was opened"))
    (tmp_path / "a.jpg").write_bytes(SLOW[slow])
    for source in (tmp_path / "a.jpg", io.BytesIO(SLOW[slow])):
        with pytest.raises(ValueError, match=r"it has more than (100 scans|300 segments)"):
            read_picture(source)


def test_what_is_slow_to_decode_is_not_decoded(tmp_path, monkeypatch):
    monkeypatch.setattr(Image.Image, "convert", lambda *_: pytest.fail("it was decoded"))
    (tmp_path / "a.bmp").write_bytes(runs())
    assert complaint(tmp_path / "a.bmp") == (
        f"{tmp_path}/a.bmp: not a readable image (it is a BMP packed in runs, as no photograph is); "
        "give a whole JPEG or PNG file"
    )


def test_many_notes_of_a_camera_are_not_refused(tmp_path):
    (tmp_path / "a.jpg").write_bytes(noted(MOST_SEGMENTS - 20))
    assert near(middles(read_picture(tmp_path / "a.jpg")), COLOURS, 8)


@pytest.mark.parametrize("ending", ["png", "jpg", "webp"])
def test_notes_that_no_camera_would_write_give_no_line(tmp_path, ending):
    beyond = [struct.pack("<HHII", 0x1000 + tag, 7, 50, 2**20) for tag in range(20)]
    turned = struct.pack("<HHIHH", ORIENTATION, 3, 1, 1, 0)
    notes = b"II*\0\x08\0\0\0" + struct.pack("<H", 21) + turned + b"".join(beyond) + bytes(4)
    path = saved(tmp_path / f"a.{ending}", blocks(), exif=b"Exif\0\0" + notes)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        read_picture(path, as_seen=True)
    assert not told


def test_a_large_file_of_another_format_is_not_read_for_its_segments(tmp_path):
    saved(tmp_path / "a.png", blocks())
    with (tmp_path / "a.png").open("rb") as file:
        check_segments(file)
        assert file.tell() == 3


def test_what_only_looks_like_scans_is_not_refused(tmp_path):
    """A thumbnail in what a camera noted, a film behind the picture, and a few scans more than usual."""
    (tmp_path / "a.jpg").write_bytes(scanned(MOST_SCANS // 2, within=SCAN * 1000, behind=SCAN * 1000))
    assert near(middles(read_picture(tmp_path / "a.jpg")), COLOURS, 8)


def test_of_several_pictures_in_a_file_the_scans_of_the_first_count(tmp_path, monkeypatch):
    more = [blocks(255 - COLOURS)] * 3
    path = saved(tmp_path / "a.mpo", blocks(), format="MPO", save_all=True, append_images=more, progressive=True)
    monkeypatch.setattr("jvgn.storage.pictures.MOST_SCANS", 15)
    assert path.read_bytes().count(SCAN) > 15
    assert near(middles(read_picture(path)), COLOURS, 8)
    monkeypatch.setattr("jvgn.storage.pictures.MOST_SCANS", 5)
    with pytest.raises(ValueError, match="it has more than 5 scans"):
        read_picture(path)


def test_a_folder_is_not_called_a_bad_picture(tmp_path):
    told = f"{tmp_path}: is a folder, expected an image file; give the path of one"
    assert flaw_of_image(tmp_path) == complaint(tmp_path) == told


def complaint(path):
    with pytest.raises(UserError) as error:
        checked_picture(path)
    return str(error.value)


def test_a_path_that_no_file_can_have_is_one_line(tmp_path):
    for path in (tmp_path / ("a" * 300) / "a.jpg", tmp_path / "a\0.jpg"):
        assert complaint(path).startswith(f"{path}: not a readable image (")


@pytest.mark.parametrize("bad", [bad for bad in BAD if bad != "cut off"])
def test_a_glance_at_a_question_finds_a_bad_picture(tmp_path, bad):
    path = tmp_path / "a.jpg"
    path.write_bytes(BAD[bad])
    assert "not a readable image" in flaw_of_image(path)


def test_the_largest_picture_that_is_read(tmp_path):
    assert read_picture(saved(tmp_path / "a.png", Image.new("1", (2**13, MOST_PIXELS // 2**13)))).width == 2**13
