"""Compute the features of the study: ResNet-50 (ImageNet) on each box, cut out and scaled to 112 pixels.

python docs/examples/joint_grounding/crops.py gt     # annotated boxes: resources/flickr8k/objects.h5
python docs/examples/joint_grounding/crops.py det    # and the boxes of any detector: resources/flickr8k/detections.h5

It reads the tables of `snakemake --cores 1 results/datasets/flickr8k/objects.parquet`, the weights of `jvgn fetch
resnet50`, and for `det` resources/flickr8k/detections.json: detections in COCO's format of results, to which each whole
image is added as a region. An image takes 0.2 s (`gt`) or 0.5 s (`det`) on a core.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn
from torchvision.models import resnet50
from torchvision.transforms.functional import normalize, resized_crop
from tqdm import tqdm

from jvgn.boxes import xyxy_from_xywh
from jvgn.datasets.tables import BOX
from jvgn.detector.images import read_image
from jvgn.regions.hdf5_store import Regions, RegionWriter

DATASET, FOLDER = Path("results/datasets/flickr8k"), Path("resources/flickr8k")
WEIGHTS = Path("resources/weights/resnet50.pth")
FILES = {"gt": "objects.h5", "det": "detections.h5"}
SIDE = 112
UNKNOWN = {"object_id": -1, "category_id": -1}
"""Of a detection: its category is none of the dataset's."""


def network() -> nn.Module:
    net = resnet50()
    net.load_state_dict(torch.load(WEIGHTS, weights_only=True))
    net.fc = nn.Identity()
    return net.eval().to(memory_format=torch.channels_last)


def boxes_of_images(setting: str, images: pd.DataFrame) -> dict[int, pd.DataFrame]:
    """Return the regions of each image without their features."""
    sides = [name for name, _ in BOX]
    if setting == "gt":
        rows = pd.read_parquet(DATASET / "objects.parquet").assign(score=1.0)
    else:
        rows = pd.DataFrame(json.loads((FOLDER / "detections.json").read_text())).assign(**UNKNOWN)
        rows[sides] = xyxy_from_xywh(np.stack(rows.pop("bbox").to_list()))
        whole = images.assign(x1=0, y1=0, x2=images["width"], y2=images["height"], score=0.0, **UNKNOWN)
        rows = pd.concat([rows.sort_values("score", ascending=False), whole])
    return dict(list(rows[["image_id", *sides, "score", "category_id", "object_id"]].groupby("image_id")))


@torch.inference_mode()
def features(net: nn.Module, image_3HW: Tensor, box_N4: np.ndarray) -> np.ndarray:
    crops = []
    for x1, y1, x2, y2 in box_N4.tolist():
        left, top = int(x1), int(y1)
        size = [max(1, round(y2) - top), max(1, round(x2) - left)]
        crops.append(resized_crop(image_3HW, top, left, *size, [SIDE, SIDE], antialias=True))
    crop_N3HW = normalize(torch.stack(crops) / 255, [0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    return net(crop_N3HW.to(memory_format=torch.channels_last)).numpy().astype(np.float16)


def main(setting: str) -> None:
    images = pd.read_parquet(DATASET / "images.parquet")
    boxes, net = boxes_of_images(setting, images), network()
    with RegionWriter(FOLDER / FILES[setting], 2048, "float16", {"setting": setting}) as file:
        for image in tqdm(images.itertuples(), total=len(images)):
            own = boxes[image.image_id]
            box_N4 = own[[name for name, _ in BOX]].to_numpy(np.float32)
            feature_ND = features(net, read_image(FOLDER / "images" / image.file_name), box_N4)
            score, label = own["score"].to_numpy(np.float32), own["category_id"].to_numpy(np.int32)
            file.append(image.image_id, Regions(box_N4, feature_ND, score, label, own["object_id"].to_numpy(np.int64)))


if __name__ == "__main__":
    main(sys.argv[1])
