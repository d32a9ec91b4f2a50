"""Foreign annotations into the four tables that all later stages rely on."""


rule read_dataset:
    input:
        code=code_of("jvgn.datasets.refer"),
        refs=refs,
        instances=instances,
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
        dataset=either_of(name for name in configuration.datasets if name not in configuration.custom_datasets),
    conda:
        "../../envs/jvgn.yaml"
    resources:
        mem_mb=growing(8000),
        runtime=growing(30),
    params:
        folder=subpath(output.images, parent=True),
        counts=published_counts,
    shell:
        "python -m jvgn read-dataset --refs {input.refs:q} --instances {input.instances:q}"
        " --output {params.folder:q} --counts {params.counts:q} > {log:q} 2>&1"


rule read_training_set:
    input:
        code=code_of("jvgn.datasets.coco"),
        instances=annotations,
    output:
        images="results/datasets/{training_set}/images.parquet",
        objects="results/datasets/{training_set}/objects.parquet",
    log:
        "logs/datasets/{training_set}.log",
    benchmark:
        "benchmarks/datasets/{training_set}.tsv"
    conda:
        "../../envs/jvgn.yaml"
    resources:
        mem_mb=growing(8000),
        runtime=growing(30),
    params:
        folder=subpath(output.images, parent=True),
    shell:
        "python -m jvgn read-training-set --instances {input.instances:q}" " --output {params.folder:q} > {log:q} 2>&1"
