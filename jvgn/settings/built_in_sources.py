"""The published files that the paper's experiments need.

Sizes are those that servers report in many public logs; some are unknown. Checksums that are not published are
recorded on the first download.
"""

from jvgn.settings.source import Counts, SourceSettings

DOWNLOADS = "resources/downloads"
COCO = ("https://s3.amazonaws.com/images.cocodataset.org", "http://images.cocodataset.org")
"""Only the bucket's own name has a certificate."""
REFER_HOME = "bvisionweb1.cs.unc.edu/licheng/referit/data"
STANZA_VERSION = "1.15.0"
ENTITIES_COMMIT = "68b3d6f12d1d710f96233f6bd2b6de799d6f4e5b"


def refer(name: str, snapshot: str, splits: tuple[str, ...], counts: Counts) -> SourceSettings:
    """Return an archive of REFER. `id_` asks the web archive for the original bytes."""
    files = [*(f"refs({split}).p" for split in splits), "instances.json"]
    return SourceSettings(
        file=f"{DOWNLOADS}/{name}.zip",
        mirrors=(
            f"https://web.archive.org/web/{snapshot}id_/https://{REFER_HOME}/{name}.zip",
            f"https://web.archive.org/web/2022id_/http://{REFER_HOME}/{name}.zip",
            f"https://{REFER_HOME}/{name}.zip",
            f"http://{REFER_HOME}/{name}.zip",
        ),
        provides={f"resources/{name}/{file}": f"{name}/{file}" for file in files},
        counts=counts,
    )


def weights(model: str, published: str, size: int | None) -> SourceSettings:
    """Return weights of torchvision, whose file names end with the first digits of their SHA-256."""
    return SourceSettings(
        file=f"{DOWNLOADS}/{published}",
        mirrors=(f"https://download.pytorch.org/models/{published}",),
        sha256=published.removesuffix(".pth").rpartition("-")[2],
        size=size,
        provides={f"resources/weights/{model}.pth": None},
    )


BUILT_IN_SOURCES: dict[str, SourceSettings] = {
    "coco-images": SourceSettings(
        file=f"{DOWNLOADS}/train2014.zip",
        mirrors=tuple(f"{home}/zips/train2014.zip" for home in COCO),
        size=13_510_573_713,
        provides={"resources/coco/train2014": "train2014/"},
    ),
    "coco-annotations": SourceSettings(
        file=f"{DOWNLOADS}/annotations_trainval2014.zip",
        mirrors=tuple(f"{home}/annotations/annotations_trainval2014.zip" for home in COCO),
        size=252_872_794,
        provides={
            f"resources/coco/annotations/instances_{part}.json": f"annotations/instances_{part}.json"
            for part in ("train2014", "val2014")
        },
    ),
    "coco-val-images": SourceSettings(
        file=f"{DOWNLOADS}/val2014.zip",
        mirrors=tuple(f"{home}/zips/val2014.zip" for home in COCO),
        provides={"resources/coco/val2014": "val2014/"},
    ),
    # The counts of RefCOCO and RefCOCO+ sum to the published totals, 142,210 and 141,564, but were not confirmed on the
    # archives. Those of RefCOCOg (umd) sum to 95,010, as others counted in the archive.
    "refcoco": refer(
        "refcoco",
        "20220413011718",
        ("unc", "google"),
        {"unc": {"train": 120_624, "val": 10_834, "testA": 5_657, "testB": 5_095}},
    ),
    "refcoco+": refer(
        "refcoco+",
        "20220413011656",
        ("unc",),
        {"unc": {"train": 120_191, "val": 10_758, "testA": 5_726, "testB": 4_889}},
    ),
    "refcocog": refer(
        "refcocog",
        "20220413012904",
        ("umd", "google"),
        {"umd": {"train": 80_512, "val": 4_896, "test": 9_602}},
    ),
    "glove": SourceSettings(
        file=f"{DOWNLOADS}/glove.840B.300d.zip",
        mirrors=(
            "https://nlp.stanford.edu/data/glove.840B.300d.zip",
            "https://downloads.cs.stanford.edu/nlp/data/glove.840B.300d.zip",
            "https://huggingface.co/stanfordnlp/glove/resolve/main/glove.840B.300d.zip",
        ),
        size=2_176_768_927,
        provides={"resources/glove/glove.840B.300d.zip": None},
    ),
    # The annotations and splits of one commit; nothing in it is needed but these. The images must be requested.
    "flickr30k-entities": SourceSettings(
        file=f"{DOWNLOADS}/flickr30k_entities.zip",
        mirrors=(f"https://github.com/BryanPlummer/flickr30k_entities/archive/{ENTITIES_COMMIT}.zip",),
        provides={
            f"resources/flickr30k/{file}": f"flickr30k_entities-{ENTITIES_COMMIT}/{file}"
            for file in ("annotations.zip", "train.txt", "val.txt", "test.txt")
        },
    ),
    "resnet50": weights("resnet50", "resnet50-0676ba61.pth", None),
    "resnet101": weights("resnet101", "resnet101-63fe2227.pth", None),
    "vgg16": weights("vgg16", "vgg16-397923af.pth", 553_433_881),
    "detectron2-resnet101": SourceSettings(
        file=f"{DOWNLOADS}/R-101.pkl",
        mirrors=("https://dl.fbaipublicfiles.com/detectron2/ImageNetPretrained/MSRA/R-101.pkl",),
        provides={"resources/weights/R-101.pkl": None},
    ),
    # The sizes are those that torchvision states, rounded, so they are not checked.
    "fasterrcnn_resnet50_fpn_v2": weights(
        "fasterrcnn_resnet50_fpn_v2", "fasterrcnn_resnet50_fpn_v2_coco-dd69338a.pth", None
    ),
    "fasterrcnn_mobilenet_v3_large_fpn": weights(
        "fasterrcnn_mobilenet_v3_large_fpn", "fasterrcnn_mobilenet_v3_large_fpn-fb6a3cc7.pth", None
    ),
    "stanza": SourceSettings(
        file=f"{DOWNLOADS}/stanza-en-{STANZA_VERSION}.zip",
        mirrors=(f"https://huggingface.co/stanfordnlp/stanza-en/resolve/v{STANZA_VERSION}/models/default.zip",),
        provides={"resources/stanza/en": "./"},
    ),
    "stanza-index": SourceSettings(
        file=f"{DOWNLOADS}/stanza-resources-{STANZA_VERSION}.json",
        mirrors=(
            f"https://raw.githubusercontent.com/stanfordnlp/stanza-resources/main/resources_{STANZA_VERSION}.json",
        ),
        provides={"resources/stanza/resources.json": None},
    ),
}
