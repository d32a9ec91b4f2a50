"""Faster R-CNN, trained on images that no dataset evaluates on, and the proof that it was."""


rule exclude_images:
    input:
        code=code_of("jvgn.detector.excluded_images"),
        expressions=withheld_expressions,
    output:
        "results/detectors/{trained_on}/excluded.parquet",
    log:
        "logs/detectors/{trained_on}.excluded.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    shell:
        "python -m jvgn exclude-images --output {output:q} {input.expressions:q} > {log:q} 2>&1"


rule train_detector:
    input:
        code=code_of("jvgn.detector.training", "jvgn.runtime.distributed"),
        settings="results/detectors/{trained_on}/{detector}/settings.yaml",
        tables=collect("results/datasets/{{trained_on}}/{table}.parquet", table=["images", "objects"]),
        excluded="results/detectors/{trained_on}/excluded.parquet",
        images=input_training_images,
        pretrained=pretrained,
    output:
        weights="results/detectors/{trained_on}/{detector}/weights.safetensors",
        provenance="results/detectors/{trained_on}/{detector}/provenance.json",
        # Named here, so that the cache between workflows keeps them too.
        weights_record="results/detectors/{trained_on}/{detector}/.weights.safetensors.origin",
        provenance_record="results/detectors/{trained_on}/{detector}/.provenance.json.origin",
    log:
        "logs/detectors/{trained_on}/{detector}.log",
    wildcard_constraints:
        detector=detectors_where(is_trained),
    cache: True
    conda:
        "../../envs/jvgn.yaml"
    threads: 8
    resources:
        gpu=1,
        nodes=1,
        mem_mb=growing(16000),
        runtime=1440,
    params:
        dataset=training_tables,
        images=training_images,
    shell:
        "python -m jvgn train-detector --settings {input.settings:q} --dataset {params.dataset:q}"
        " --excluded {input.excluded:q} --images {params.images:q} --weights {output.weights:q}"
        " --provenance {output.provenance:q} --threads {threads} --processes {resources.gpu} --machines {resources.nodes}"
        " > {log:q} 2>&1"


rule adopt_detector:
    input:
        code=code_of("jvgn.detector.given_weights"),
        settings="results/detectors/{trained_on}/{detector}/settings.yaml",
        given=given_files,
    output:
        weights="results/detectors/{trained_on}/{detector}/weights.safetensors",
        provenance="results/detectors/{trained_on}/{detector}/provenance.json",
    log:
        "logs/detectors/{trained_on}/{detector}.log",
    wildcard_constraints:
        detector=detectors_where(is_given),
    conda:
        "../../envs/jvgn.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(30),
    shell:
        "python -m jvgn adopt-detector --settings {input.settings:q} --weights {output.weights:q}"
        " --provenance {output.provenance:q} > {log:q} 2>&1"


rule measure_detector:
    input:
        code=code_of("jvgn.detector.average_precision", "jvgn.settings.evaluation"),
        evaluation="results/evaluation.yaml",
        settings="results/detectors/{trained_on}/{detector}/settings.yaml",
        weights="results/detectors/{trained_on}/{detector}/weights.safetensors",
        tables=collect("results/datasets/{{trained_on}}/{table}.parquet", table=["images", "objects"]),
        excluded="results/detectors/{trained_on}/excluded.parquet",
        images=input_training_images,
    output:
        "results/detectors/{trained_on}/{detector}/average_precision.json",
    log:
        "logs/detectors/{trained_on}/{detector}.average_precision.log",
    conda:
        "../../envs/jvgn.yaml"
    threads: 4
    resources:
        gpu=1,
        mem_mb=growing(8000),
        runtime=growing(120),
    params:
        dataset=training_tables,
        images=training_images,
    shell:
        "python -m jvgn measure-detector --evaluation {input.evaluation:q} --settings {input.settings:q}"
        " --dataset {params.dataset:q} --excluded {input.excluded:q} --images {params.images:q}"
        " --weights {input.weights:q} --output {output:q} --threads {threads} > {log:q} 2>&1"


rule declare_detector:
    input:
        code=code_of("jvgn.regions.precomputed"),
        settings="results/detectors/{trained_on}/{detector}/settings.yaml",
        training_images=declared_training_images,
    output:
        provenance="results/detectors/{trained_on}/{detector}/provenance.json",
    log:
        "logs/detectors/{trained_on}/{detector}.log",
    wildcard_constraints:
        detector=detectors_where(is_precomputed),
    conda:
        "../../envs/jvgn.yaml"
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    shell:
        "python -m jvgn declare-detector --settings {input.settings:q} --provenance {output.provenance:q}"
        " > {log:q} 2>&1"


rule prove_detector:
    input:
        code=code_of("jvgn.detector.leakage_proof", "jvgn.settings.evaluation"),
        evaluation="results/evaluation.yaml",
        provenance="results/detectors/{trained_on}/{detector}/provenance.json",
        expressions=withheld_expressions,
    output:
        "results/detectors/{trained_on}/{detector}/proof.json",
    log:
        "logs/detectors/{trained_on}/{detector}.proof.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    shell:
        "python -m jvgn prove-detector --evaluation {input.evaluation:q} --provenance {input.provenance:q} --output {output:q}"
        " {input.expressions:q} > {log:q} 2>&1"
