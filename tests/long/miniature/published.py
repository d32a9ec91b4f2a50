"""Small files in the formats and layouts of COCO, REFER, Flickr30k Entities, GloVe and torchvision.

The scenes are those of `shapes`, under file names, categories and ids of COCO. Each has a frame that even a hardly
trained detector finds: without any matching region, nothing could be trained.
"""

import io
import json
import pickle
import shutil
import zipfile
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from jvgn.datasets.flickr30k import TYPES
from jvgn.settings.built_in_sources import ENTITIES_COMMIT
from jvgn.settings.world import WorldSettings
from jvgn.shapes.world import make_world
from tests.jvgn.datasets.entities_files import annotation_xml

from . import python2_pickle
from .python2_pickle import Str

CATEGORIES = [(1, "person", "person"), (17, "cat", "animal"), (37, "sports ball", "sports"), (44, "bottle", "kitchen")]
CATEGORIES += [
    (62, "chair", "furniture"),
    (72, "tv", "electronic"),
    (88, "teddy bear", "indoor"),
    (90, "toothbrush", "indoor"),
]
WORLD = WorldSettings(seed=7, train=8, val=2, test=4, adv=1, expressions_per_image=4)
"""The images of `adv` have no sentences, like most images of COCO."""


class Photographs:
    """A drawn world with names of COCO."""

    def __init__(self, folder: Path) -> None:
        make_world(WORLD, folder)
        self.folder = folder
        drawn = json.loads((folder / "instances.json").read_text())
        self.refs = pickle.loads((folder / "refs(jvgn).p").read_bytes())
        split_of = {ref["image_id"]: ref["split"] for ref in self.refs}
        for image in drawn["images"]:
            note, ref = draw_frame(folder / "images" / image["file_name"], image["id"], split_of[image["id"]])
            drawn["annotations"].append(note)
            self.refs.append(ref)
        self.images = [coco_image(image) for image in drawn["images"]]
        self.drawn_names = {coco_id(image["id"]): image["file_name"] for image in drawn["images"]}
        self.annotations = [
            note | {"image_id": coco_id(note["image_id"]), "category_id": CATEGORIES[note["category_id"] % 8][0]}
            for note in drawn["annotations"]
        ]
        self.described = {coco_id(ref["image_id"]) for ref in self.refs if ref["split"] != "adv"}

    def instances(self, only_described: bool) -> bytes:
        """Return COCO's JSON, of all images or of those with sentences."""
        kept = {image["id"] for image in self.images if not only_described or image["id"] in self.described}
        return json.dumps(
            {
                "info": {"description": "a miniature", "version": "1.0", "year": 2014, "contributor": "", "url": ""},
                "licenses": [{"id": 1, "name": "none", "url": ""}],
                "images": [image for image in self.images if image["id"] in kept],
                "annotations": [note for note in self.annotations if note["image_id"] in kept],
                "categories": [
                    {"id": number, "name": name, "supercategory": kind} for number, name, kind in CATEGORIES
                ],
            }
        ).encode()

    def refs_of(self, splits: dict[str, list[str]], sentences: slice = slice(None)) -> list[dict]:
        """Return refs: each split of the world is distributed over the named ones, with `sentences` of each ref."""
        dealt = []
        for ref in (ref for ref in self.refs if ref["split"] in splits):
            names = splits[ref["split"]]
            chosen = ref["sentences"][sentences]
            if chosen:
                split = names[ref["image_id"] % len(names)]
                dealt.append(refer_ref(ref, chosen, split, CATEGORIES[ref["category_id"] % 8][0]))
        return dealt


def draw_frame(path: Path, image_id: int, split: str) -> tuple[dict, dict]:
    """Draw a frame; return its annotation and its ref."""
    with Image.open(path) as file:
        picture = file.convert("RGB")
    width, height = picture.size
    ImageDraw.Draw(picture).rectangle((4, 4, width - 5, height - 5), outline=(110, 70, 30), width=5)
    picture.save(path, quality=92)
    number, box = 10_000 + image_id, [4, 4, width - 8, height - 8]
    about = {"image_id": image_id, "category_id": len(CATEGORIES) - 1}
    note = about | {"id": number, "bbox": box, "area": box[2] * box[3], "iscrowd": 0, "segmentation": [box * 2]}
    sentences = [
        {"sent_id": 2 * number + index, "sent": text, "raw": text, "tokens": text.split()}
        for index, text in enumerate(("the brown frame", "frame around everything"))
    ]
    return note, about | {"ref_id": number, "ann_id": number, "split": split, "sentences": sentences}


def coco_id(image_id: int) -> int:
    return 100_003 + 977 * image_id


def coco_image(image: dict) -> dict:
    number = coco_id(image["id"])
    name = f"COCO_train2014_{number:012d}.jpg"
    address = f"http://127.0.0.1/train2014/{name}"
    size = {"height": image["height"], "width": image["width"]}
    about = {"license": 1, "file_name": name, "coco_url": address, "date_captured": "2013-11-14 11:18:45"}
    return about | size | {"flickr_url": address, "id": number}


def refer_ref(ref: dict, sentences: list[dict], split: str, category: int) -> dict:
    """Return a ref with the keys and types of REFER; its file name ends with the number of the object."""
    number = coco_id(ref["image_id"])
    return {
        "sent_ids": [sentence["sent_id"] for sentence in sentences],
        "file_name": f"COCO_train2014_{number:012d}_{ref['ann_id']}.jpg",
        "ann_id": ref["ann_id"],
        "ref_id": ref["ref_id"],
        "image_id": number,
        Str("split"): Str(split),
        "sentences": [
            {
                "tokens": sentence["tokens"],
                "raw": sentence["raw"].capitalize(),
                "sent_id": sentence["sent_id"],
                "sent": sentence["sent"],
            }
            for sentence in sentences
        ],
        "category_id": category,
    }


UNC = {"train": ["train"], "val": ["val"], "test": ["testA", "testB"]}
UMD = {"train": ["train"], "val": ["val"], "test": ["test"]}
GOOGLE = {"train": ["train", "train", "train", "val"], "val": ["train"], "test": ["val"]}


def publish(folder: Path) -> dict[str, dict[str, int]]:
    """Write the files under their published names; return the numbers of expressions by dataset and split."""
    photographs = Photographs(folder / "drawn")
    refs = {
        "refcoco": {"unc": photographs.refs_of(UNC), "google": photographs.refs_of(GOOGLE)},
        "refcoco+": {"unc": photographs.refs_of(UNC, slice(0, 1))},
        "refcocog": {"umd": photographs.refs_of(UMD), "google": photographs.refs_of(GOOGLE)},
    }
    for name, splits in refs.items():
        write_refer(folder / f"{name}.zip", name, splits, photographs.instances(only_described=True))
    write_images(folder / "train2014.zip", photographs)
    write_annotations(folder / "annotations_trainval2014.zip", photographs)
    write_glove(folder / "glove.840B.300d.zip", photographs)
    write_weights(folder / "resnet101-63fe2227.pth", "resnet101")
    write_weights(folder / "resnet50-0676ba61.pth", "resnet50")
    write_entities(folder, photographs)
    return {name: counted(next(iter(splits.values()))) for name, splits in refs.items()}


def counted(refs: list[dict]) -> dict[str, int]:
    splits = [str(ref[Str("split")]) for ref in refs for _ in ref["sentences"]]
    return {split: splits.count(split) for split in dict.fromkeys(splits)}


def write_refer(path: Path, name: str, refs: dict[str, list[dict]], instances: bytes) -> None:
    """Write an archive as macOS does, with entries of folders and extra files."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir(f"{name}/")
        archive.writestr(f"{name}/instances.json", instances)
        archive.mkdir("__MACOSX/")
        archive.writestr(f"__MACOSX/{name}/._instances.json", b"\0\5\26\7")
        for split_by, chosen in refs.items():
            archive.writestr(f"{name}/refs({split_by}).p", python2_pickle.dumps(chosen))


def write_images(path: Path, photographs: Photographs) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.mkdir("train2014/")
        for image in photographs.images:
            drawn = photographs.folder / "images" / photographs.drawn_names[image["id"]]
            archive.write(drawn, f"train2014/{image['file_name']}")


def write_annotations(path: Path, photographs: Photographs) -> None:
    """Write the archive with the other files of COCO in it."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for kind in ("instances", "person_keypoints", "captions"):
            for part in ("train2014", "val2014"):
                is_ours = (kind, part) == ("instances", "train2014")
                content = photographs.instances(only_described=False) if is_ours else b"{}"
                archive.writestr(f"annotations/{kind}_{part}.json", content)


def write_glove(path: Path, photographs: Photographs) -> None:
    """Write vectors of most words, and of one with a space in it, like the published file."""
    words = sorted({token for ref in photographs.refs for sentence in ref["sentences"] for token in sentence["tokens"]})
    random = np.random.default_rng(0)
    lines = io.StringIO()
    for word in dict.fromkeys([",", "the", *words[1:], "at name@domain.com", ". . ."]):
        print(word, *(f"{value:.5f}" for value in random.normal(size=300)), file=lines)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("glove.840B.300d.txt", lines.getvalue())


def write_entities(folder: Path, photographs: Photographs) -> None:
    """Write the archive of Flickr30k Entities, and the images that a user would have requested."""
    root, inner = f"flickr30k_entities-{ENTITIES_COMMIT}", io.BytesIO()
    requested = folder / "flickr30k-images"
    requested.mkdir()
    listed: dict[str, list[str]] = {"train": [], "val": [], "test": []}
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        for image in (image for image in photographs.images if image["id"] in photographs.described):
            number = image["id"]
            refs = [ref for ref in photographs.refs if coco_id(ref["image_id"]) == number]
            listed[refs[0]["split"]].append(f"{number}\n")
            captions = [caption(ref, sentence) for ref in refs for sentence in ref["sentences"]][-5:]
            notes = [note for note in photographs.annotations if note["image_id"] == number]
            boxes = [([note["id"]], inclusive(note["bbox"])) for note in notes]
            archive.writestr(f"Sentences/{number}.txt", "".join(captions))
            archive.writestr(f"Annotations/{number}.xml", annotation_xml(image["width"], image["height"], boxes))
            shutil.copy(photographs.folder / "images" / photographs.drawn_names[number], requested / f"{number}.jpg")
    with zipfile.ZipFile(folder / "flickr30k_entities.zip", "w") as archive:
        archive.writestr(f"{root}/annotations.zip", inner.getvalue())
        for split, lines in listed.items():
            archive.writestr(f"{root}/{split}.txt", "".join(lines))


def caption(ref: dict, sentence: dict) -> str:
    """Return a line of captions, in which the noun of each mentioned object is a phrase."""
    words = list(sentence["tokens"])
    frame = {"head_token": words.index("frame"), "ann_id": ref["ann_id"]} if "frame" in words else None
    for mention in sentence.get("mentions") or [frame]:
        entity, index = mention["ann_id"], mention["head_token"]
        words[index] = f"[/EN#{entity}/{TYPES[entity % len(TYPES)]} {words[index]}]"
    return " ".join(words) + " .\n"


def inclusive(box: list[float]) -> tuple[int, ...]:
    """Return x, y, width and height as the first and the last pixels, which count from 1."""
    x, y, width, height = map(round, box)
    return x + 1, y + 1, x + width, y + height


def write_weights(path: Path, name: str) -> None:
    """Write an untrained network with the names of torchvision."""
    import torch
    from torchvision.models import get_model

    torch.manual_seed(0)
    network = get_model(name)
    for name, layer in network.named_modules():
        if name.endswith("bn3"):
            torch.nn.init.constant_(layer.weight, 0.1)  # thirty random residuals would drown everything
    torch.save(network.state_dict(), path)
