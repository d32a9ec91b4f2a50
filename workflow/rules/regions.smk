"""Regions of every image into HDF5: around the annotated objects (gt), or as the detector finds them (det)."""


rule extract_regions:
    input:
        unpack(detector_inputs),
        code=sources(*DETECTOR, *REGIONS, "jvgn/regions/extraction.py"),
        settings="results/regions/{dataset}_{setting}/settings.yaml",
        tables=collect("results/datasets/{{dataset}}/{table}.parquet", table=["images", "objects"]),
        images=images,
    output:
        "results/regions/{dataset}_{setting}/{detector}.h5",
    log:
        "logs/regions/{dataset}_{setting}/{detector}.log",
    benchmark:
        "benchmarks/regions/{dataset}_{setting}/{detector}.tsv"
    conda:
        "../../envs/jvgn.yaml"
    threads: 4
    resources:
        gpu=1,
        mem_mb=8000,
        runtime=1440,
    params:
        dataset=tables,
    shell:
        "python -m jvgn extract-regions {wildcards.setting} --settings {input.settings:q}"
        " --detector {input.detector:q} --dataset {params.dataset:q} --images {input.images:q}"
        " --weights {input.weights:q} --provenance {input.provenance:q} --output {output:q}"
        " --name {wildcards.dataset:q} {wildcards.detector:q} --threads {threads} > {log:q} 2>&1"
