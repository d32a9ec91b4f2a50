"""What detectors learn from, where they are kept, and the regions they find."""


def training_images(wildcards):
    """The folder of the images that a detector learns from."""
    learned_from = configuration.training_sets.get(wildcards.trained_on) or configuration.datasets[wildcards.trained_on]
    return learned_from.images


def training_tables(wildcards):
    return f"results/datasets/{wildcards.trained_on}"


def withheld_expressions(wildcards):
    """The expressions of every dataset whose evaluation images a detector must not have seen."""
    return [f"results/datasets/{name}/expressions.parquet" for name in configuration.withheld(wildcards.trained_on)]


def detector_folder(dataset, detector):
    return f"results/detectors/{configuration.trained_on(dataset, detector)}/{detector}"


def detector_inputs(wildcards):
    """What regions are extracted with."""
    folder = detector_folder(wildcards.dataset, wildcards.detector)
    return {
        "detector": f"{folder}/settings.yaml",
        "weights": f"{folder}/weights.safetensors",
        "provenance": f"{folder}/provenance.json",
    }


def detectors_where(condition):
    """A pattern of the detectors whose settings meet a condition; of none, where none do."""
    return (
        "|".join(re.escape(name) for name, detector in configuration.detectors.items() if condition(detector)) or "(?!)"
    )


def is_given(detector):
    return detector.source != "precomputed" and detector.weights is not None


def is_precomputed(detector):
    return detector.source == "precomputed"


def is_network(detector):
    return detector.source != "precomputed"


def is_trained(detector):
    return detector.source != "precomputed" and detector.weights is None


def given_files(wildcards):
    """Weights trained elsewhere, and what is known of them."""
    detector = configuration.detectors[wildcards.detector]
    beside = str(Path(detector.weights).with_name("provenance.json"))
    return [detector.weights, *([detector.training_images] if detector.training_images else []), *existing(beside)]


def pretrained(wildcards):
    """The weights a detector starts from, if any."""
    return configuration.detectors[wildcards.detector].pretrained or []


def shards(wildcards):
    """The parts in which a dataset's regions are extracted; those that are only imported come as one."""
    pattern = "results/regions/{dataset}_{setting}/{detector}.shards/{{scatteritem}}.h5".format(**wildcards)
    if configuration.detectors[wildcards.detector].source == "precomputed":
        return [pattern.format(scatteritem="1-of-1")]
    return getattr(gather, wildcards.dataset)(pattern)


def records_of_shards(wildcards):
    return records_of(shards(wildcards))


def precomputed_files(wildcards):
    return features_of(wildcards.detector, wildcards.setting)


def features_of(name, setting):
    """The files of a precomputed detector's regions."""
    key = {"det": "detections", "gt": "objects"}[setting]
    files = getattr(configuration.detectors[name], key)
    if files is None:
        raise WorkflowError(
            f"config.yaml: detectors.{name} names no files of `{key}`, which the setting {setting} needs"
        )
    return files


def declared_training_images(wildcards):
    return configuration.detectors[wildcards.detector].training_images or []


def detector_settings(wildcards):
    return as_json(configuration.detectors[wildcards.detector])
