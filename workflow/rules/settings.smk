"""Settings files: each stage reads its settings from a file, so that it reruns when they change and not otherwise."""

# By kind: the file, the log, and the values that were set.
settings_files = {
    "world": ("resources/shapes/settings.yaml", "logs/settings/world.log", as_json(configuration.shapes)),
    "evaluation": ("results/evaluation.yaml", "logs/settings/evaluation.log", as_json(configuration.evaluation)),
    "custom": (
        "results/datasets/{dataset}/settings.yaml",
        "logs/settings/dataset/{dataset}.log",
        lookup("{dataset}", within=each_as_json(configuration.custom_datasets)),
    ),
    "entities": (
        "results/datasets/{dataset}/settings.yaml",
        "logs/settings/dataset/{dataset}.log",
        lookup("{dataset}", within=each_as_json(configuration.entities_datasets)),
    ),
    "detector": (
        "results/detectors/{trained_on}/{detector}/settings.yaml",
        "logs/settings/detector/{trained_on}/{detector}.log",
        lookup("{detector}", within=each_as_json(configuration.detectors)),
    ),
    "regions": (
        "results/regions/{dataset}_{setting}/settings.yaml",
        "logs/settings/regions/{dataset}_{setting}.log",
        lookup(
            "{dataset}", within={name: as_json(dataset.regions) for name, dataset in configuration.datasets.items()}
        ),
    ),
    "parser": (
        "results/graphs/{dataset}/{parser}/settings.yaml",
        "logs/settings/parser/{dataset}/{parser}.log",
        lookup("{parser}", within=each_as_json(configuration.all_parsers)),
    ),
    "vocabulary": (
        "results/vocabulary/{dataset}/{vocabulary}/settings.yaml",
        "logs/settings/vocabulary/{dataset}/{vocabulary}.log",
        lookup("{vocabulary}", within=each_as_json(configuration.vocabularies)),
    ),
    "run": (
        "results/{dataset}_{setting}{run_folder}/settings.yaml",
        "logs/settings/run/{dataset}_{setting}{run_folder}.log",
        run_settings,
    ),
}

modules_of_settings = {"regions": "detector", "vocabulary": "run"}
"""The module of `jvgn.settings`, where it has not the name of the kind."""

for kind, (file, log_file, values) in settings_files.items():

    rule:
        name:
            f"freeze_{kind}"
        input:
            code=code_of(f"jvgn.settings.{modules_of_settings.get(kind, kind)}"),
        output:
            file,
        log:
            log_file,
        wildcard_constraints:
            dataset=either_of(datasets_of_settings.get(kind, configuration.datasets)),
        localrule: True
        conda:
            "../../envs/jvgn.yaml"
        params:
            command=f"freeze {kind}",  # a parameter: the text below is formatted after the loop
            settings=values,
        shell:
            "python -m jvgn {params.command} {params.settings:q} {output:q} > {log:q} 2>&1"
