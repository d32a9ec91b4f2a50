"""Draw the example of docs/custom.md: `python docs/examples/custom/draw.py FOLDER`.

It writes `annotations.json` in COCO's format, `expressions.csv`, and `pictures/`.
"""

import csv
import json
import sys
import tempfile
from pathlib import Path

from jvgn.settings.world import WorldSettings
from jvgn.shapes.world import make_world
from jvgn.storage.files import replacing
from jvgn.storage.pickles import load_plain_pickle

WORLD = WorldSettings(seed=11, train=24, val=4, test=4, adv=1)
COLUMNS = ("file_name", "object_id", "split", "text", "mentions")


def draw(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        make_world(WORLD, Path(name))
        (folder / "pictures").mkdir(parents=True, exist_ok=True)
        for picture in Path(name, "images").iterdir():
            (folder / "pictures" / picture.name).write_bytes(picture.read_bytes())
        with replacing(folder / "annotations.json") as temporary:
            temporary.write_bytes(Path(name, "instances.json").read_bytes())
        refs = load_plain_pickle(Path(name, "refs(jvgn).p"))
    with replacing(folder / "expressions.csv") as temporary, temporary.open("w", encoding="utf8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(COLUMNS)
        for ref in refs:
            if ref["split"] != "adv":
                for sentence in ref["sentences"]:
                    mentions = [
                        {"head_token": one["head_token"], "object_id": one["ann_id"]} for one in sentence["mentions"]
                    ]
                    row = (ref["file_name"], ref["ann_id"], ref["split"], sentence["sent"], json.dumps(mentions))
                    lines.writerow(row)


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
