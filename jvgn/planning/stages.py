"""The stages behind a run's metrics: what each would download, write, hold in memory and compute, and what exists."""

from dataclasses import dataclass
from pathlib import Path

from jvgn import layout
from jvgn.planning.experiment import Experiment
from jvgn.planning.operations import BACK, FLOAT

ROW_BYTES = {"image": 30, "object": 35, "expression": 55, "node": 7, "edge": 8, "prediction": 86}
"""Approximate bytes of a row of a compressed table, measured on the embedded world."""
BELIEF_BYTES = 8
"""Added to a prediction for each region of its image: two probabilities in float32, which hardly compress."""
PICTURE_BYTES = 18_000
"""Bytes of a drawn image with its annotations."""
REGION_BYTES = 32
"""Bytes of a stored region without its feature: box, score, label, object."""
CORENLP_BYTES = 484e6
NOT_KNOWN = "size unknown"


@dataclass(frozen=True)
class PlannedStage:
    """The files and the cost of one stage."""

    name: str
    files: tuple[str | Path, ...]
    """The stage is done if all of them exist."""
    rule: str | None = None
    """The rule of the workflow that asks for most memory."""
    download: float | None = 0.0
    """Bytes, as are disk and device memory; None if unknown."""
    disk: float | None = 0.0
    device_memory: float = 0.0
    operations: float = 0.0
    remark: str = ""

    @property
    def existing(self) -> int:
        """How many of its files exist."""
        return sum(Path(file).exists() for file in self.files)

    @property
    def is_done(self) -> bool:
        return self.existing == len(self.files)


def stages_of(experiment: Experiment) -> list[PlannedStage]:
    """Return all stages in the order in which they run."""
    return [
        *resource_stages(experiment),
        tables(experiment),
        *detector_stages(experiment),
        regions(experiment),
        graphs(experiment),
        vocabulary(experiment),
        *rule_stages(experiment),
        training(experiment),
        evaluation(experiment),
    ]


def resource_stages(experiment: Experiment) -> list[PlannedStage]:
    """Return a stage for each download, for drawing the world, and for each file that the user must provide."""
    sources = experiment.configuration.all_sources
    owner = {place: name for name, source in sources.items() for place in source.provides}
    downloads: dict[str, list[str]] = {}
    world: list[str] = []
    found = []
    for place in experiment.resources:
        if place in owner:
            downloads.setdefault(owner[place], []).append(place)
        elif place.startswith(f"{layout.WORLD}/"):
            world.append(place)
        elif place == layout.CORENLP:
            found.append(PlannedStage("download CoreNLP", (place,), "fetch_corenlp", CORENLP_BYTES, CORENLP_BYTES))
        else:
            found.append(PlannedStage("to be provided", (place,), disk=None, remark=place))
    if world:
        disk = experiment.size.images * PICTURE_BYTES
        found.append(PlannedStage("draw the world", tuple(world), "make_world", disk=disk))
    return [*(download(experiment, name, places) for name, places in downloads.items()), *found]


def download(experiment: Experiment, name: str, places: list[str]) -> PlannedStage:
    source = experiment.configuration.all_sources[name]
    unpacked = [place for place in places if (source.provides[place] or "").endswith("/")]
    disk = None if source.size is None else source.size * (1 + len(unpacked))
    is_loaded = Path(source.file).exists()
    remark = "already downloaded" if is_loaded else NOT_KNOWN if source.size is None else ""
    return PlannedStage(f"download {name}", tuple(places), None, 0.0 if is_loaded else source.size, disk, remark=remark)


def tables(experiment: Experiment) -> PlannedStage:
    size, results = experiment.size, experiment.results
    files = [layout.table(dataset, name, results) for dataset in experiment.datasets for name in layout.TABLES]
    if experiment.training_set:
        files += [layout.table(experiment.training_set, name, results) for name in ("images", "objects")]
    # The other datasets are about as large as the run's own.
    rows = {"image": size.images, "object": size.objects, "expression": size.all_expressions}
    disk = len(experiment.datasets) * sum(ROW_BYTES[name] * count for name, count in rows.items())
    return PlannedStage("read annotations", tuple(files), "read_dataset", disk=disk)


def detector_stages(experiment: Experiment) -> list[PlannedStage]:
    settings, folder = experiment.detector, experiment.detector_folder
    if settings.source == "precomputed":
        return []
    work = experiment.detector_work
    files = (folder / layout.WEIGHTS, folder / layout.PROVENANCE)
    if settings.weights is not None:
        return [PlannedStage("adopt the detector", files, "adopt_detector", disk=work.weight_bytes)]
    images, remark = experiment.detector_images
    return [
        PlannedStage(
            "train the detector",
            files,
            "train_detector",
            disk=work.weight_bytes,
            device_memory=work.train_bytes,
            operations=images * settings.epochs * work.train_image,
            remark=f"{images:,.0f} images, {settings.epochs} epochs{remark}",
        )
    ]


def regions(experiment: Experiment) -> PlannedStage:
    size, chosen = experiment.size, experiment.configuration.datasets[experiment.dataset].regions
    number = size.images * experiment.regions
    width = experiment.feature_size * (2 if chosen.precision == "float16" else FLOAT)
    operations = 0.0
    if experiment.detector.source != "precomputed":
        work = experiment.detector_work
        # A detection is computed twice: as a proposal, and as the final box that its feature is pooled from.
        proposals = (chosen.proposals or experiment.detector.test_proposals) if experiment.setting == "det" else 0
        operations = size.images * (work.image + (proposals + experiment.regions) * work.region)
    return PlannedStage(
        "extract regions",
        (experiment.paths.regions(experiment.run.detector),),
        "extract_regions",
        disk=number * (width + REGION_BYTES),
        operations=operations,
        remark=f"{size.images:,} images, {experiment.regions:.1f} regions each; twice the disk while shards are merged",
    )


def graphs(experiment: Experiment) -> PlannedStage:
    size, folder = experiment.size, experiment.paths.graphs(experiment.run.parser)
    rows = size.all_expressions * (size.language.nodes * ROW_BYTES["node"] + size.language.edges * ROW_BYTES["edge"])
    files = (folder / "nodes.parquet", folder / "edges.parquet")
    rule = "parse_expressions" if experiment.configuration.shards(experiment.dataset) == 1 else "parse_shard"
    if experiment.configuration.all_parsers[experiment.run.parser].backend == "graphs":
        rule = "adopt_graphs"
    return PlannedStage(
        "parse expressions", files, rule, disk=rows, remark=f"{size.all_expressions:,} expressions, on CPUs"
    )


def vocabulary(experiment: Experiment) -> PlannedStage:
    folder = experiment.paths.vocabulary(experiment.run.vocabulary)
    files = (folder / "words.parquet", folder / "vectors.npy")
    disk = experiment.words * experiment.vector_size * FLOAT
    return PlannedStage("build the vocabulary", files, "build_vocabulary", disk=disk, remark="on a CPU")


def rule_stages(experiment: Experiment) -> list[PlannedStage]:
    """Return the stage that writes the rules' log-potentials, if the run adds them to the network's."""
    if experiment.run.potentials != "both":
        return []
    size, regions = experiment.size, experiment.regions
    logits = size.all_expressions * (size.language.nodes * regions + size.language.edges * regions**2)
    files = (experiment.paths.rules,)
    return [PlannedStage("weigh the rules", files, "weigh_rules", disk=logits * FLOAT, remark="on a CPU")]


def training(experiment: Experiment) -> PlannedStage:
    chosen, work, batch = experiment.run.training, experiment.model_work, experiment.batch("train")
    operations = (1 + BACK) * experiment.batches("train") * work.forward(batch)
    if "val" in experiment.size.expressions:  # evaluated after each epoch
        operations += experiment.batches("val") * work.forward(experiment.batch("val"))
    return PlannedStage(
        "train the model",
        (experiment.paths.model,),
        "train",
        disk=work.weight_bytes,
        device_memory=work.train_bytes(batch),
        operations=chosen.epochs * operations,
        remark=f"{experiment.size.expressions['train']:,} expressions, {chosen.epochs} epochs",
    )


def evaluation(experiment: Experiment) -> PlannedStage:
    size, paths = experiment.size, experiment.paths
    nodes = sum(size.expressions[split] for split in size.evaluated) * size.language.nodes
    passes = [
        experiment.batches(split) * experiment.model_work.forward(experiment.batch(split)) for split in size.evaluated
    ]
    files = (paths.predictions, paths.metrics)
    disk = nodes * (ROW_BYTES["prediction"] + BELIEF_BYTES * experiment.regions)
    return PlannedStage("predict and score", files, "predict", disk=disk, operations=sum(passes))
