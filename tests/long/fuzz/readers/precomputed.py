"""Regions: our own file, and features that somebody else computed."""

import base64
from pathlib import Path

import h5py
import numpy as np

from tests.long.fuzz.formats.arrays import ARRAYS_IN_ZIP
from tests.long.fuzz.formats.cells import TABS, TEXT
from tests.long.fuzz.formats.hdf5 import HDF5
from tests.long.fuzz.reader import Reader
from tests.long.fuzz.world import SIZE, TEXTS, World, copied_world

BOX = np.array([[1, 2, 11, 14], [20, 5, 35.5, 25]], np.float32)
FEATURE = np.arange(12, dtype=np.float32).reshape(2, 6)


def make_regions(folder: Path) -> list[Path]:
    return [copied_world(folder).regions]


def read_regions(path: Path) -> None:
    from jvgn.regions.recall import coverage
    from jvgn.regions.shards import Parts
    from jvgn.regions.store import RegionStore, RegionWriter
    from jvgn.views.regions_figure import RegionViewer, region_info

    made = World(path.parents[3])
    store = RegionStore(path)
    region_info(path)
    for image_id in store.image_ids.tolist():
        store.read(image_id)
    with RegionWriter(path.with_name("copy.h5"), 6, "float32", {}) as writer:
        writer.copy(store)
    Parts(path.with_name("whole.h5"), 6, "float32", {}, "").has(range(1), "stop")
    viewer = RegionViewer(path, made.tables)
    viewer.table(Path("1.png"))
    examples = made.inputs.examples(run_settings(made))
    for split in ("train", "val", "test"):
        list(examples.batches(split, 2))
    coverage(made.tables, path, examples.expressions["image_id"], 0.5)


def run_settings(made: World):
    from jvgn.settings.run import RunSettings

    return RunSettings.read(made.settings)


def make_tsv(folder: Path) -> list[Path]:
    def text(numbers: np.ndarray) -> str:
        return base64.b64encode(numbers.tobytes()).decode()

    plain = [f"{image}\t{SIZE[0]}\t{SIZE[1]}\t2\t{text(BOX)}\t{text(FEATURE)}" for image in TEXTS]
    named = "img_id\timg_h\timg_w\tobjects_conf\tnum_boxes\tboxes\tfeatures"
    confident = text(np.array([0.9, 0.8], np.float32))
    more = [f"x_{image}\t{SIZE[1]}\t{SIZE[0]}\t{confident}\t2\t{text(BOX)}\t{text(FEATURE)}" for image in TEXTS]
    for name, lines in (("plain.tsv", plain), ("named.tsv", [named, *more])):
        (folder / name).write_text("\n".join(lines) + "\n")
    return [folder / "plain.tsv", folder / "named.tsv"]


def make_npz(folder: Path) -> list[Path]:
    paths = []
    for number, image in enumerate(TEXTS):
        path = folder / f"{image}.npz"
        more = {"score": np.array([0.9, 0.8]), "label": np.array([1, 2]), "object_id": np.array([11, 12])}
        write = np.savez if number else np.savez_compressed
        write(path, box=BOX, feature=FEATURE, image_w=SIZE[0], image_h=SIZE[1], num_boxes=2, **(more if number else {}))
        paths.append(path)
    return paths


def make_hdf5(folder: Path) -> list[Path]:
    """Ours, and one as other programs write it: in HDF5's oldest format, which has no checksums, and compressed."""
    ours = copied_world(folder).regions
    theirs = ours.with_name("theirs.h5")
    with h5py.File(ours) as source, h5py.File(theirs, "w", libver="earliest") as file:
        file.attrs.update(dict(source.attrs))
        for name, values in source.items():
            if isinstance(values, h5py.Dataset):
                chunks = {"chunks": True, "compression": "gzip"} if values.ndim == 2 else {}
                file.create_dataset(name, data=values[:], **chunks)
    return [ours, theirs]


def importer(kind: str):
    """Reads features as the import does: the first image's length, then every image, in both settings."""

    def read(path: Path) -> None:
        import pyarrow as pa

        from jvgn.datasets.tables import IMAGES
        from jvgn.regions.annotated import Annotations
        from jvgn.regions.feature_files import FORMATS
        from jvgn.regions.precomputed import Importer, changes_of, first_feature_size
        from jvgn.settings.regions import RegionSettings

        changes_of(path)
        files = FORMATS[kind](path.parent if kind == "npz" else path)
        images = [
            {"image_id": image, "file_name": f"{image}.png", "width": SIZE[0], "height": SIZE[1]} for image in TEXTS
        ]
        size = first_feature_size(files, pa.Table.from_pylist(images, schema=IMAGES))
        own = {
            image: Annotations(BOX, np.array([1, 2], np.int32), np.array([10 * image + 1, 10 * image + 2]))
            for image in TEXTS
        }
        for annotated in (None, own):
            Importer(files, RegionSettings(on_bad_input="skip"), size, annotated).regions_of(images)

    return read


def make_image_ids(folder: Path) -> list[Path]:
    path = folder / "training.txt"
    path.write_text("1\n2\n300\n")
    return [path]


def read_image_ids(path: Path) -> None:
    from jvgn.regions.precomputed import declare_detector
    from jvgn.settings.detector import PrecomputedSettings

    settings = PrecomputedSettings(source="precomputed", format="tsv", detections="x", training_images=str(path))
    declare_detector(settings, path.with_name("provenance.json"))


READERS = [
    Reader("regions", HDF5, make_regions, read_regions, share=3),
    Reader("precomputed, TSV", TABS, make_tsv, importer("tsv"), share=3),
    Reader("precomputed, npz", ARRAYS_IN_ZIP, make_npz, importer("npz"), share=3),
    Reader("precomputed, HDF5", HDF5, make_hdf5, importer("hdf5"), share=3),
    Reader("list of training images", TEXT, make_image_ids, read_image_ids),
]
