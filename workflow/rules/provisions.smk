"""Which files come from the sources, and which of them are there already: those are used as they are."""

WORLD_IMAGES = "resources/shapes/images"

source_of_download = {source.file: source for source in configuration.all_sources.values()}
source_of = {target: source for source in configuration.all_sources.values() for target in source.provides}
provided_folders = [target for target, source in source_of.items() if (source.provides[target] or "").endswith("/")]
provided_files = [target for target in source_of if target not in provided_folders]


def names_of(paths):
    """A pattern of these paths under `resources/`."""
    return either_of(path.removeprefix("resources/") for path in paths)


def absent(paths):
    """Those that are not there: no rule makes what is, so that nothing of the user's is ever fetched over."""
    return [path for path in paths if not Path(path).exists()]


def download_settings(wildcards):
    return as_json(source_of_download[f"resources/{wildcards.download}"])


def provision_settings(wildcards):
    return as_json(source_of[f"resources/{wildcards.provided}"])


def published_file(wildcards):
    return source_of[f"resources/{wildcards.provided}"].file


def published_counts(wildcards):
    """The expressions that each split should have, where the source of the dataset says so."""
    source = source_of.get(refs(wildcards))
    return json.dumps(source.counts.get(dataset_of(wildcards).split_by, {}) if source else {})


def as_input(folder):
    """What says that a folder of images is there: the folder where the workflow draws it or would wait for it.

    Of one that comes from a source, a file beside it; any other is a parameter alone. Snakemake's cache between
    workflows hashes files, and stumbles over a folder.
    """
    if folder in provided_folders:
        return f"{folder}.ready"
    return [] if Path(folder).is_dir() and folder != WORLD_IMAGES else folder


def input_images(wildcards):
    return as_input(images(wildcards))


def input_training_images(wildcards):
    return as_input(training_images(wildcards))
