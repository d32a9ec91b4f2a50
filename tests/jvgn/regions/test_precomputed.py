"""Precomputed features in every format become the same regions; invalid ones are named."""

import base64
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from jvgn.datasets.tables import IMAGES, OBJECTS
from jvgn.detector.leakage_proof import prove_disjoint
from jvgn.detector.provenance import read_provenance
from jvgn.regions.feature_files import RegionFile
from jvgn.regions.hdf5_store import Regions, RegionStore, RegionWriter
from jvgn.regions.precomputed import Importer, declare_detector, import_regions
from jvgn.settings.detector import PrecomputedSettings, RegionSettings
from jvgn.storage.parquet import read_table
from parsers.errors import UserError

D = 5
HEADER = "image_id\timage_w\timage_h\tnum_boxes\tboxes\tfeatures\n"


def features_of(image) -> dict:
    """Three boxes, each with a feature and a score; the scores do not fall."""
    random = np.random.default_rng(image.image_id)
    corner = random.uniform(0, 20, (3, 2))
    return {
        "boxes": np.concatenate([corner, corner + random.uniform(5, 20, (3, 2))], axis=1).astype(np.float32),
        "features": random.normal(size=(3, D)).astype(np.float32),
        "objects_conf": np.asarray([0.5, 0.9, 0.7], np.float32),
    }


def images_of(drawn) -> pd.DataFrame:
    return read_table(drawn.tables["images"], IMAGES).to_pandas()


def encode(array) -> str:
    return base64.b64encode(np.ascontiguousarray(array)).decode()


def bottom_up_line(image, arrays) -> str:
    cells = (image.image_id, image.width, image.height, len(arrays["features"]))
    return "\t".join(map(str, (*cells, encode(arrays["boxes"]), encode(arrays["features"])))) + "\n"


def lxmert_line(image, arrays) -> str:
    ids, confidence = np.arange(3), arrays["objects_conf"]
    cells = (f"COCO_train2014_{image.image_id:012}", image.height, image.width, encode(ids), encode(confidence))
    cells += (encode(ids), encode(confidence), 3, encode(arrays["boxes"]), encode(arrays["features"]))
    return "\t".join(map(str, cells)) + "\n"


def write_tsv(line, header: str = ""):
    def write(images, path: Path) -> Path:
        # In no order: such files come from several processes.
        path.write_text(header + "".join(line(image, features_of(image)) for image in list(images.itertuples())[::-1]))
        return path

    return write


def write_npz(name: str, **renamed):
    def write(images, path: Path) -> Path:
        path.mkdir()
        for image in images.itertuples():
            arrays = {renamed.get(key, key): value for key, value in features_of(image).items()}
            if "x" in arrays:  # features in columns, and something that only a pickle can hold
                arrays |= {"x": arrays["x"].T, "num_bbox": np.asarray(3), "image_w": image.width}
                arrays |= {"image_h": image.height, "info": np.asarray({"never": "read"}, dtype=object)}
            np.savez(path / name.format(image_id=image.image_id, stem=Path(image.file_name).stem), **arrays)
        return path

    return write


def write_hdf5(images, path: Path) -> Path:
    with RegionWriter(path, D, "float32", {"dataset": "elsewhere", "setting": "det"}) as writer:
        for image in images.itertuples():
            arrays = features_of(image)
            regions = Regions(
                box=arrays["boxes"],
                feature=arrays["features"],
                score=arrays["objects_conf"],
                label=np.full(3, -1, np.int32),
                object_id=np.full(3, -1),
            )
            writer.append(image.image_id, regions)
    return path


FILES = {
    "bottom-up attention": ("tsv", write_tsv(bottom_up_line), False),
    "with a header": ("tsv", write_tsv(bottom_up_line, HEADER), False),
    "LXMERT": ("tsv", write_tsv(lxmert_line), True),
    "npz by id": ("npz", write_npz("{image_id}.npz", boxes="box", features="feature", objects_conf="score"), True),
    "npz by padded id": ("npz", write_npz("{image_id:012}.npz"), True),
    "npz as MCAN has them": ("npz", write_npz("{stem}.npz", boxes="bbox", features="x", objects_conf="else"), False),
    "npz by file": ("npz", write_npz("{stem}.png.npz"), True),
    "hdf5": ("hdf5", write_hdf5, True),
}


def run(drawn, detector: PrecomputedSettings, output: Path, setting: str = "det", **settings) -> RegionStore:
    import_regions(
        RegionSettings(**{"batch_size": 1} | settings),
        setting,
        detector=detector,
        name="theirs",
        dataset="drawn",
        **drawn.tables,
        output=output,
    )
    return RegionStore(output)


def theirs(form: str, path: Path, **changes) -> PrecomputedSettings:
    return PrecomputedSettings(source="precomputed", format=form, **{"detections": str(path)} | changes)


@pytest.mark.parametrize("case", FILES)
def test_every_format_becomes_the_same_regions(drawn, tmp_path, case):
    form, write, has_scores = FILES[case]
    images = images_of(drawn)
    store = run(drawn, theirs(form, write(images, tmp_path / "theirs")), tmp_path / "out.h5", precision="float32")
    assert store.image_ids.tolist() == images["image_id"].tolist()
    for image in images.itertuples():
        arrays, found = features_of(image), store.read(image.image_id)
        order = [1, 2, 0] if has_scores else [0, 1, 2]
        np.testing.assert_array_equal(found.box, arrays["boxes"][order])
        np.testing.assert_array_equal(found.feature, arrays["features"][order])
        np.testing.assert_array_equal(found.score, arrays["objects_conf"][order] if has_scores else [np.nan] * 3)
        assert found.label.tolist() == found.object_id.tolist() == [-1, -1, -1]
        assert [column.dtype for column in vars(found).values()] == ["f4", "f4", "f4", "i4", "i8"]
    assert store.info["detector_sha256"] == "unknown" and store.info["imported_from"] == str(tmp_path / "theirs")
    assert {path.name for path in tmp_path.iterdir()} == {"drawn", "theirs", "out.h5"}


def spoil(column: str, change):
    """A TSV file whose second image has something wrong."""

    def write(images, path: Path) -> Path:
        lines = []
        for row, image in enumerate(images.itertuples()):
            arrays = features_of(image)
            if row == 1:
                arrays[column] = change(arrays[column].copy())
            lines.append(bottom_up_line(image, arrays))
        path.write_text("".join(lines))
        return path

    return write


def put(value):
    def change(array):
        array.flat[0] = value
        return array

    return change


def without_the_second(images, path: Path) -> Path:
    return write_tsv(bottom_up_line)(images.drop(index=1), path)


FLAWS = {
    "missing": (without_the_second, "has no line for image 20"),
    "outside": (spoil("boxes", put(-30)), r"image 20 .*box \(-30, .* is not inside"),
    "infinite": (spoil("features", put(np.inf)), "image 20 are not all finite"),
    "too large": (spoil("features", put(1e6)), "image 20 is too large for float16"),
    "other size of features": (spoil("features", lambda array: array[:, :3]), "image 20 .*have size 3"),
    "cut": (spoil("boxes", lambda array: array.ravel()[:5]), "image 20: not a readable line"),
}


@pytest.mark.parametrize("overwritten", [False, True])
def test_an_interrupted_import_resumes_unless_a_file_was_overwritten(drawn, tmp_path, monkeypatch, overwritten):
    monkeypatch.setattr("jvgn.regions.precomputed.WINDOW", 1)
    images = images_of(drawn)
    folder = write_npz("{image_id}.npz")(images, tmp_path / "theirs")
    seen, regions_of = [], Importer.regions_of

    def interrupted(self, rows):
        seen.extend(row["image_id"] for row in rows)
        if len(seen) == 3:
            raise KeyboardInterrupt
        return regions_of(self, rows)

    monkeypatch.setattr(Importer, "regions_of", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(drawn, theirs("npz", folder), tmp_path / "out.h5")
    if overwritten:
        np.savez(folder / "10.npz", **dict(np.load(folder / "10.npz")) | {"features": np.ones((3, D))})
    store = run(drawn, theirs("npz", folder), tmp_path / "out.h5")
    assert seen == [10, 20, 30, *((10, 20) if overwritten else ()), 30, 40, 50]
    assert (store.read(10).feature == 1).all() == overwritten


@pytest.mark.parametrize("case", FLAWS)
def test_invalid_features_stop_the_import_or_are_skipped_and_listed(drawn, tmp_path, case):
    write, message = FLAWS[case]
    detector = theirs("tsv", write(images_of(drawn), tmp_path / "theirs.tsv"))
    with pytest.raises(UserError, match=message) as error:
        run(drawn, detector, tmp_path / "out.h5")
    assert "\n" not in str(error.value) and "on_bad_input: skip" in str(error.value)
    assert not (tmp_path / "out.h5").exists()
    store = run(drawn, detector, tmp_path / "out.h5", on_bad_input="skip")
    assert store.image_ids.tolist() == [10, 30, 40, 50]
    assert store.skipped_images == {20}


def write_object_features(drawn, folder: Path, with_ids: bool) -> Path:
    folder.mkdir()
    for image_id, own in read_table(drawn.tables["objects"], OBJECTS).to_pandas().groupby("image_id"):
        shuffled = own.sample(frac=1, random_state=0)
        arrays = {"box": shuffled[["x1", "y1", "x2", "y2"]].to_numpy(np.float32)}
        arrays["feature"] = shuffled["object_id"].to_numpy()[:, None] + np.arange(D)
        if with_ids:
            arrays |= {"object_id": shuffled["object_id"].to_numpy(), "box": arrays["box"] * 0 + [0, 0, 5, 5]}
        np.savez(folder / f"{image_id}.npz", **arrays)
    return folder


@pytest.mark.parametrize("with_ids", [True, False])
def test_annotated_objects_find_their_features_by_id_or_by_box(drawn, tmp_path, with_ids):
    folder = write_object_features(drawn, tmp_path / "theirs", with_ids)
    store = run(drawn, theirs("npz", folder, detections=None, objects=str(folder)), tmp_path / "out.h5", "gt")
    objects = read_table(drawn.tables["objects"], OBJECTS).to_pandas()
    for image_id in store.image_ids:
        own, found = objects[objects.image_id == image_id], store.read(image_id)
        np.testing.assert_array_equal(found.box, own[["x1", "y1", "x2", "y2"]])
        np.testing.assert_array_equal(found.object_id, own.object_id)
        np.testing.assert_array_equal(found.label, own.category_id)
        np.testing.assert_array_equal(found.feature[:, 0], own.object_id)
        assert (found.score == 1).all()


def test_an_annotated_object_without_features_is_named(drawn, tmp_path):
    folder = write_object_features(drawn, tmp_path / "theirs", with_ids=False)
    arrays = dict(np.load(folder / "20.npz"))
    np.savez(folder / "20.npz", **{name: array[:2] for name, array in arrays.items()})
    detector = theirs("npz", folder, objects=str(folder))
    with pytest.raises(UserError, match=r"object 10\d of image 20 has no precomputed features"):
        run(drawn, detector, tmp_path / "out.h5", "gt")
    store = run(drawn, detector, tmp_path / "out.h5", "gt", on_bad_input="skip")
    assert len(store.read(20)) == 2 and store.skipped_images == set() and len(store.skipped) == 1


@pytest.mark.parametrize(("listed", "verdict"), [(None, "unproven"), ("10\n20\n", "proved"), ("50\n", "leaking")])
def test_precomputed_features_are_unproven_unless_their_training_images_are_declared(drawn, tmp_path, listed, verdict):
    declared = {}
    if listed:
        (tmp_path / "ids.txt").write_text(listed)
        declared = {"training_images": str(tmp_path / "ids.txt")}
    declare_detector(theirs("npz", tmp_path, **declared), tmp_path / "provenance.json")
    assert read_provenance(tmp_path / "provenance.json").detector.source == "precomputed"
    found = prove_disjoint(tmp_path / "provenance.json", [drawn.expressions], tmp_path / "proof.json", True)
    assert found == verdict


def test_the_file_that_the_documentation_writes_is_read(tmp_path, monkeypatch):
    page = Path(__file__).parents[3] / "docs/custom.md"
    (code,) = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S)
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    found = RegionFile(Path("objects.h5")).read(5, "five.jpg")
    assert found.object_id.tolist() == [21, 20] and found.feature.shape == (2, 2048)
