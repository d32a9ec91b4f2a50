"""Faster R-CNN, trained on images that no dataset evaluates on, and the proof that it was."""


rule train_detector:
    input:
        code=sources(
            *DETECTOR,
            "jvgn/regions/training.py",
            "jvgn/regions/proof.py",
            "jvgn/training_state.py",
            "jvgn/fingerprint.py",
        ),
        settings="results/detectors/{dataset}/{detector}/settings.yaml",
        tables=collect(
            "results/datasets/{{dataset}}/{table}.parquet",
            table=["images", "objects", "expressions"],
        ),
        others=other_expressions,
        images=images,
        pretrained=pretrained,
    output:
        weights="results/detectors/{dataset}/{detector}/weights.safetensors",
        provenance="results/detectors/{dataset}/{detector}/provenance.json",
    log:
        "logs/detectors/{dataset}/{detector}.log",
    benchmark:
        "benchmarks/detectors/{dataset}/{detector}.tsv"
    wildcard_constraints:
        detector=detectors_from("torchvision"),
    conda:
        "../../envs/jvgn.yaml"
    threads: 8
    resources:
        gpu=1,
        mem_mb=16000,
        runtime=2880,
    params:
        dataset=tables,
        others=other_expressions_as_options,
    shell:
        "python -m jvgn train-detector --settings {input.settings:q} --dataset {params.dataset:q}"
        " --images {input.images:q} --weights {output.weights:q} --provenance {output.provenance:q}"
        " {params.others} --threads {threads} > {log:q} 2>&1"


rule declare_detector:
    input:
        code=sources(
            *SHARDS,
            "jvgn/fingerprint.py",
            "jvgn/regions/annotations.py",
            "jvgn/regions/importing.py",
            "jvgn/regions/precomputed.py",
            "jvgn/regions/provenance.py",
            "jvgn/settings/detector.py",
            "jvgn/settings/regions.py",
        ),
        settings="results/detectors/{dataset}/{detector}/settings.yaml",
        training_images=declared_training_images,
    output:
        provenance="results/detectors/{dataset}/{detector}/provenance.json",
    log:
        "logs/detectors/{dataset}/{detector}.log",
    wildcard_constraints:
        detector=detectors_from("precomputed"),
    conda:
        "../../envs/jvgn.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    shell:
        "python -m jvgn declare-detector --settings {input.settings:q} --provenance {output.provenance:q}"
        " > {log:q} 2>&1"


rule prove_detector:
    input:
        code=sources(
            *TABLES,
            "jvgn/regions/__init__.py",
            "jvgn/regions/proof.py",
            "jvgn/regions/provenance.py",
            "jvgn/settings/detector.py",
            "jvgn/settings/evaluation.py",
        ),
        evaluation="results/evaluation.yaml",
        provenance="results/detectors/{dataset}/{detector}/provenance.json",
        expressions=expressions_with_these_images,
    output:
        "results/detectors/{dataset}/{detector}/proof.json",
    log:
        "logs/detectors/{dataset}/{detector}.proof.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    shell:
        "python -m jvgn prove-detector --evaluation {input.evaluation:q} --provenance {input.provenance:q} --output {output:q}"
        " {input.expressions:q} > {log:q} 2>&1"
