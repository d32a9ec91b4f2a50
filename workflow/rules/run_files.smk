"""The files of a run: what it is made of, and those it is compared with."""


def run_name(wildcards):
    return wildcards.get("run_folder", "").rpartition("/")[2] or DEFAULT_RUN


def run_of(wildcards):
    return configuration.run(wildcards.dataset, run_name(wildcards))


def nodes(wildcards):
    return f"results/graphs/{wildcards.dataset}/{run_of(wildcards).parser}/nodes.parquet"


def run_inputs(wildcards):
    """What a run is trained and evaluated on."""
    dataset, run = wildcards.dataset, run_of(wildcards)
    return {
        "tables": [f"{tables(wildcards)}/{name}.parquet" for name in ("images", "objects", "expressions", "mentions")],
        "regions": f"results/regions/{dataset}_{wildcards.setting}/{run.detector}.h5",
        "nodes": nodes(wildcards),
        "edges": f"results/graphs/{dataset}/{run.parser}/edges.parquet",
        "words": f"results/vocabulary/{dataset}/{run.vocabulary}/words.parquet",
        "vectors": f"results/vocabulary/{dataset}/{run.vocabulary}/vectors.npy",
    }


def run_options(wildcards):
    """`run_inputs` as the options of a command."""
    files = run_inputs(wildcards)
    options = {"dataset": tables(wildcards), **{name: files[name] for name in files if name != "tables"}}
    return " ".join(f"--{name} {shlex.quote(path)}" for name, path in options.items())


def recall(wildcards):
    return f"results/regions/{wildcards.dataset}_{wildcards.setting}/{run_of(wildcards).detector}.recall.json"


def proof(wildcards):
    return f"{detector_folder(wildcards.dataset, run_of(wildcards).detector)}/proof.json"


def compared_metrics(wildcards):
    """The metrics of every run and seed that are compared, as (name, path)."""
    folder = f"results/{wildcards.dataset}_{wildcards.setting}"
    return [
        (run, f"{folder}/metrics.json" if name == DEFAULT_RUN else f"{folder}/runs/{name}/metrics.json")
        for run, name in configuration.compared_runs(wildcards.dataset)
    ]


def compared_files(wildcards):
    return [path for _, path in compared_metrics(wildcards)]


def compared_options(wildcards):
    return " ".join(f"--run {shlex.quote(run)} {shlex.quote(path)}" for run, path in compared_metrics(wildcards))


def run_settings(wildcards):
    return json.dumps(configuration.merged(wildcards.dataset, run_name(wildcards)), sort_keys=True)
