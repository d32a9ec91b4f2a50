"""Settings files: each stage reads its settings from a file, so that it reruns when they change and not otherwise."""

# By kind: the file, and the values that were set.
settings_files = {
    "world": ("resources/shapes/settings.yaml", as_json(configuration.shapes)),
    "evaluation": (layout.EVALUATION, as_json(configuration.evaluation)),
    "custom": (DATASET / "settings.yaml", chosen_json("{dataset}", configuration.custom_datasets)),
    "entities": (DATASET / "settings.yaml", chosen_json("{dataset}", configuration.entities_datasets)),
    "detector": (
        DETECTOR / "settings.yaml",
        chosen_json("{detector}", configuration.detectors),
    ),
    "regions": (
        REGIONS / "settings.yaml",
        chosen_json("{dataset}", {name: dataset.regions for name, dataset in configuration.datasets.items()}),
    ),
    "parser": (GRAPHS / "settings.yaml", chosen_json("{parser}", configuration.all_parsers)),
    "vocabulary": (
        VOCABULARY / "settings.yaml",
        chosen_json("{vocabulary}", configuration.vocabularies),
    ),
    "run": (RUN / "settings.yaml", run_settings),
}

modules_of_settings = {"regions": "detector", "vocabulary": "run"}
"""The module of `jvgn.settings`, where it has not the name of the kind."""

for kind, (file, values) in settings_files.items():

    rule:
        name:
            f"freeze_{kind}"
        input:
            code=code_of(f"jvgn.settings.{modules_of_settings.get(kind, kind)}"),
        output:
            file,
        log:
            f"logs/settings/{str(file).removeprefix('results/').removesuffix('.yaml')}.log",
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
