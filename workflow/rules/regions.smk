"""Regions of every image as HDF5: the annotated objects (gt), or what the detector finds (det)."""


rule extract_regions:
    input:
        input_images,
        unpack(detector_inputs),
        code=code_of("jvgn.regions.extraction"),
        settings=REGIONS / "settings.yaml",
        tables=tables_in(DATASET, "images", "objects"),
    output:
        regions=temp(REGIONS / "{detector}.shards/{scatteritem}.h5"),
        record=temp(record_of(REGIONS / "{detector}.shards/{scatteritem}.h5")),
    log:
        "logs/regions/{dataset}_{setting}/{detector}.{scatteritem}.log",
    wildcard_constraints:
        detector=either_of(network_detectors),
    cache: True
    conda:
        detector_environment
    threads: 4
    resources:
        **asked_by("extract_regions"),
        gpu=1,
    params:
        inputs=input_options,
        images=pictures,
        # Parameters, because the cache between workflows does not look at wildcards.
        setting="{setting}",
        name=["{dataset}", "{detector}"],
        shard="{scatteritem}",
    shell:
        "python -m jvgn extract-regions {params.setting} {params.inputs} --images {params.images:q}"
        " --output {output.regions:q} --shard {params.shard} --name {params.name:q} --threads {threads} > {log:q} 2>&1"


rule import_regions:
    input:
        precomputed_files,
        code=code_of("jvgn.regions.precomputed"),
        settings=REGIONS / "settings.yaml",
        detector=layout.detector_folder("{dataset}", "{detector}") / "settings.yaml",
        tables=tables_in(DATASET, "images", "objects"),
    output:
        regions=temp(REGIONS / "{detector}.shards/{scatteritem}.h5"),
        record=temp(record_of(REGIONS / "{detector}.shards/{scatteritem}.h5")),
    log:
        "logs/regions/{dataset}_{setting}/{detector}.{scatteritem}.log",
    benchmark:
        "benchmarks/regions/{dataset}_{setting}/{detector}.{scatteritem}.tsv"
    wildcard_constraints:
        detector=either_of(precomputed_detectors),
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("import_regions"),
    params:
        inputs=input_options,
    shell:
        "python -m jvgn import-regions {wildcards.setting} {params.inputs} --output {output.regions:q}"
        " --name {wildcards.dataset:q} {wildcards.detector:q} > {log:q} 2>&1"


rule merge_regions:
    input:
        code=code_of("jvgn.regions.shards"),
        shards=region_shards,
        records=records_of(region_shards),
    output:
        regions=REGIONS / "{detector}.h5",
        skipped=REGIONS / "{detector}.skipped.csv",
    log:
        "logs/regions/{dataset}_{setting}/{detector}.log",
    benchmark:
        "benchmarks/regions/{dataset}_{setting}/{detector}.tsv"
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("merge_regions"),
    shell:
        "python -m jvgn merge-regions {input.shards:q} --output {output.regions:q} --skipped {output.skipped:q}"
        " > {log:q} 2>&1"


rule measure_recall:
    input:
        code=code_of("jvgn.regions.recall", "jvgn.settings.evaluation"),
        evaluation=layout.EVALUATION,
        regions=REGIONS / "{detector}.h5",
        tables=tables_in(DATASET, "objects", "expressions"),
    output:
        REGIONS / "{detector}.recall.json",
    log:
        "logs/regions/{dataset}_{setting}/{detector}.recall.log",
    priority: 50  # before any training
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("measure_recall"),
    params:
        inputs=input_options,
    shell:
        "python -m jvgn measure-recall {params.inputs} --output {output:q} > {log:q} 2>&1"
