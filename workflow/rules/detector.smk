"""Faster R-CNN, trained on images that no dataset evaluates on, and the proof that it was."""


rule exclude_images:
    input:
        code=code_of("jvgn.detector.provenance"),
        expressions=withheld_expressions,
    output:
        DETECTOR.parent / "excluded.parquet",
    log:
        "logs/detectors/{trained_on}.excluded.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("exclude_images"),
    shell:
        "python -m jvgn exclude-images --output {output:q} {input.expressions:q} > {log:q} 2>&1"


rule train_detector:
    input:
        code=code_of("jvgn.detector.training", "jvgn.runtime.distributed"),
        settings=DETECTOR / "settings.yaml",
        tables=tables_in(LEARNED_FROM, "images", "objects"),
        excluded=DETECTOR.parent / "excluded.parquet",
        images=input_training_images,
        pretrained=lookup("detectors/{detector}/pretrained", within=chosen, default=[]),
    output:
        weights=DETECTOR / "weights.safetensors",
        provenance=DETECTOR / "provenance.json",
        losses=DETECTOR / "losses.parquet",
        # Outputs, so that the cache between workflows keeps them too.
        weights_record=record_of(DETECTOR / "weights.safetensors"),
        provenance_record=record_of(DETECTOR / "provenance.json"),
        losses_record=record_of(DETECTOR / "losses.parquet"),
    log:
        "logs/detectors/{trained_on}/{detector}.log",
    wildcard_constraints:
        detector=either_of(trained_detectors),
    cache: True
    conda:
        detector_environment
    threads: 8
    resources:
        **asked_by("train_detector"),
        gpu=1,
        nodes=1,
    params:
        dataset=training_tables,
        images=training_images,
    shell:
        "python -m jvgn train-detector --settings {input.settings:q} --dataset {params.dataset:q}"
        " --excluded {input.excluded:q} --images {params.images:q} --weights {output.weights:q}"
        " --provenance {output.provenance:q} --losses {output.losses:q}"
        " --tensorboard logs/tensorboard/detectors/{wildcards.trained_on}/{wildcards.detector}"
        " --threads {threads} --processes {resources.gpu} --machines {resources.nodes} > {log:q} 2>&1"


rule adopt_detector:
    input:
        code=code_of("jvgn.detector.given_weights"),
        settings=DETECTOR / "settings.yaml",
        given=given_files,
    output:
        weights=DETECTOR / "weights.safetensors",
        provenance=DETECTOR / "provenance.json",
    log:
        "logs/detectors/{trained_on}/{detector}.log",
    wildcard_constraints:
        detector=either_of(given_detectors),
    conda:
        detector_environment
    resources:
        **asked_by("adopt_detector"),
    shell:
        "python -m jvgn adopt-detector --settings {input.settings:q} --weights {output.weights:q}"
        " --provenance {output.provenance:q} > {log:q} 2>&1"


rule declare_detector:
    input:
        code=code_of("jvgn.regions.precomputed"),
        settings=DETECTOR / "settings.yaml",
        training_images=lookup("detectors/{detector}/training_images", within=chosen, default=[]),
    output:
        provenance=DETECTOR / "provenance.json",
    log:
        "logs/detectors/{trained_on}/{detector}.log",
    wildcard_constraints:
        detector=either_of(precomputed_detectors),
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("declare_detector"),
    shell:
        "python -m jvgn declare-detector --settings {input.settings:q} --provenance {output.provenance:q}"
        " > {log:q} 2>&1"


rule measure_detector:
    input:
        input_training_images,
        code=code_of("jvgn.detector.average_precision", "jvgn.settings.evaluation"),
        evaluation=layout.EVALUATION,
        settings=DETECTOR / "settings.yaml",
        weights=DETECTOR / "weights.safetensors",
        tables=tables_in(LEARNED_FROM, "images", "objects"),
        excluded=DETECTOR.parent / "excluded.parquet",
    output:
        DETECTOR / "average_precision.json",
    log:
        "logs/detectors/{trained_on}/{detector}.average_precision.log",
    conda:
        detector_environment
    threads: 4
    resources:
        **asked_by("measure_detector"),
        gpu=1,
    params:
        inputs=input_options,
        images=training_images,
    shell:
        "python -m jvgn measure-detector {params.inputs} --images {params.images:q} --output {output:q}"
        " --threads {threads} > {log:q} 2>&1"


rule prove_detector:
    input:
        code=code_of("jvgn.detector.leakage_proof", "jvgn.settings.evaluation"),
        evaluation=layout.EVALUATION,
        provenance=DETECTOR / "provenance.json",
        expressions=withheld_expressions,
    output:
        DETECTOR / "proof.json",
    log:
        "logs/detectors/{trained_on}/{detector}.proof.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("prove_detector"),
    shell:
        "python -m jvgn prove-detector --evaluation {input.evaluation:q} --provenance {input.provenance:q} --output {output:q}"
        " {input.expressions:q} > {log:q} 2>&1"
