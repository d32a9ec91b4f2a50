"""A dataset of the user's own into the four tables that all later stages rely on."""

custom_settings = {name: as_json(settings) for name, settings in configuration.custom_datasets.items()}


localrules:
    freeze_custom,


rule freeze_custom:
    input:
        code=code_of("jvgn.settings.custom"),
    output:
        "results/datasets/{dataset}/settings.yaml",
    log:
        "logs/settings/dataset/{dataset}.log",
    wildcard_constraints:
        dataset=either_of(custom_settings),
    conda:
        "../../envs/jvgn.yaml"
    params:
        settings=lookup("{dataset}", within=custom_settings),
    shell:
        "python -m jvgn freeze custom {params.settings:q} {output:q} > {log:q} 2>&1"


rule read_custom:
    input:
        code=code_of("jvgn.datasets.custom", "jvgn.settings.custom", "parsers.words.tokens"),
        settings="results/datasets/{dataset}/settings.yaml",
        annotations=lookup("datasets/{dataset}/annotations", within=config),
        expressions=lookup("datasets/{dataset}/expressions", within=config),
        images=input_images,
    output:
        images="results/datasets/{dataset}/images.parquet",
        objects="results/datasets/{dataset}/objects.parquet",
        expressions="results/datasets/{dataset}/expressions.parquet",
        mentions="results/datasets/{dataset}/mentions.parquet",
    log:
        "logs/datasets/{dataset}.log",
    benchmark:
        "benchmarks/datasets/{dataset}.tsv"
    wildcard_constraints:
        dataset=either_of(custom_settings),
    conda:
        "../../envs/jvgn.yaml"
    resources:
        mem_mb=growing(8000),
        runtime=growing(30),
    params:
        folder=subpath(output.images, parent=True),
    shell:
        "python -m jvgn read-custom --settings {input.settings:q} --output {params.folder:q} > {log:q} 2>&1"
