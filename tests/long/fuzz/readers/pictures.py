"""Pictures: as stored, as seen, and as uploaded."""

from contextlib import suppress
from pathlib import Path

import numpy as np
from PIL import Image

from tests.long.fuzz.formats.cells import CSV
from tests.long.fuzz.formats.pictures import PICTURE
from tests.long.fuzz.reader import Reader

EXIF_ORIENTATION = 0x0112


def pixels() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 255, (9, 7, 3), np.uint8)


def make_png(folder: Path) -> list[Path]:
    plain = Image.fromarray(pixels())
    made = {
        "plain": plain,
        "palette": plain.quantize(16),
        "grey16": Image.fromarray(pixels()[..., 0].astype(np.uint16) * 257),
        "transparent": plain.convert("RGBA"),
        "one_bit": plain.convert("1"),
    }
    for name, image in made.items():
        image.save(folder / f"{name}.png")
    plain.save(folder / "animated.png", save_all=True, append_images=[plain.rotate(180)])
    return sorted(folder.glob("*.png"))


def make_jpeg(folder: Path) -> list[Path]:
    plain = Image.fromarray(pixels())
    turned = Image.Exif()
    turned[EXIF_ORIENTATION] = 6
    plain.save(folder / "plain.jpg")
    plain.save(folder / "turned.jpg", exif=turned)
    plain.save(folder / "progressive.jpg", progressive=True)
    plain.convert("CMYK").save(folder / "cmyk.jpg")
    plain.convert("L").save(folder / "grey.jpg")
    return sorted(folder.glob("*.jpg"))


def make_others(folder: Path) -> list[Path]:
    plain = Image.fromarray(pixels())
    for ending in ("bmp", "gif", "webp"):
        plain.save(folder / f"plain.{ending}")
    for ending in ("gif", "webp"):
        plain.save(folder / f"animated.{ending}", save_all=True, append_images=[plain.rotate(180)])
    return sorted(folder.iterdir())


def read_picture(path: Path) -> None:
    from jvgn.detector.images import read_image
    from jvgn.views.explorer.image_list import decoded
    from jvgn.views.self_contained_page import small_jpeg
    from parsers.errors import UserError

    with suppress(UserError):
        small_jpeg(decoded(path.read_bytes()), 64)
    read_image(path, as_seen=True)
    read_image(path)


def make_questions(folder: Path) -> list[Path]:
    Image.fromarray(pixels()).save(folder / "a.png")
    path = folder / "questions.csv"
    path.write_text('image,expression,note\na.png,the red dog,x\na.png,"dog, left of the cat",\nb.png,,\n')
    return [path]


def read_questions(path: Path) -> list[str | None]:
    from jvgn.grounding.questions import read_questions as read

    asked = read(path)
    return [question.located(question.problem or "") for question in asked]


READERS = [
    Reader("PNG", PICTURE, make_png, read_picture, share=4),
    Reader("JPEG", PICTURE, make_jpeg, read_picture, share=4),
    Reader("BMP, GIF, WebP", PICTURE, make_others, read_picture, share=3),
    Reader("questions", CSV, make_questions, read_questions, share=2),
]
