"""Annotations in the published formats, or the user's own, into the tables that all later stages read."""


rule read_dataset:
    input:
        code=code_of("jvgn.datasets.refer"),
        refs=refs,
        instances=instances,
    output:
        images=DATASET / "images.parquet",
        objects=DATASET / "objects.parquet",
        expressions=DATASET / "expressions.parquet",
        mentions=DATASET / "mentions.parquet",
    log:
        "logs/datasets/{dataset}.log",
    benchmark:
        "benchmarks/datasets/{dataset}.tsv"
    wildcard_constraints:
        dataset=either_of(refer_datasets),
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("read_dataset"),
    params:
        command="read-dataset",
        options=refer_options,
        folder=subpath(output.images, parent=True),
    shell:
        "python -m jvgn {params.command} {params.options} --output {params.folder:q} > {log:q} 2>&1"


use rule read_dataset as read_custom with:
    input:
        input_images,
        lookup("datasets/{dataset}/annotations", within=chosen),
        lookup("datasets/{dataset}/expressions", within=chosen),
        code=code_of("jvgn.datasets.custom", "jvgn.settings.custom", "parsers.words.tokens"),
        settings=DATASET / "settings.yaml",
    wildcard_constraints:
        dataset=either_of(configuration.custom_datasets),
    resources:
        **asked_by("read_custom"),
    params:
        command="read-custom",
        options=input_options,
        folder=subpath(output.images, parent=True),


use rule read_dataset as read_entities with:
    input:
        input_images,
        entities_files,
        code=code_of("jvgn.datasets.flickr30k", "jvgn.settings.entities", "parsers.lexical"),
        settings=DATASET / "settings.yaml",
    wildcard_constraints:
        dataset=either_of(configuration.entities_datasets),
    resources:
        **asked_by("read_entities"),
    params:
        command="read-entities",
        options=input_options,
        folder=subpath(output.images, parent=True),


rule read_training_set:
    input:
        code=code_of("jvgn.datasets.coco"),
        instances=training_annotations,
    output:
        images=TRAINING_SET / "images.parquet",
        objects=TRAINING_SET / "objects.parquet",
    log:
        "logs/datasets/{training_set}.log",
    benchmark:
        "benchmarks/datasets/{training_set}.tsv"
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("read_training_set"),
    params:
        parts=training_parts,
        folder=subpath(output.images, parent=True),
    shell:
        "python -m jvgn read-training-set {params.parts} --output {params.folder:q} > {log:q} 2>&1"
