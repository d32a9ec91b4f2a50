"""Joint visual grounding, learned from the referents' boxes alone."""


rule weigh_rules:
    input:
        unpack(run_inputs),
        input_images,
        code=code_of("jvgn.evaluation.rule_model"),
        settings=RUN / "settings.yaml",
    output:
        RUN / layout.RULES,
    log:
        "logs/rules/{dataset}_{setting}{run_folder}.log",
    benchmark:
        "benchmarks/rules/{dataset}_{setting}{run_folder}.tsv"
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("weigh_rules"),
    params:
        inputs=input_options,
        images=pictures,
    shell:
        "python -m jvgn weigh-rules {params.inputs} --images {params.images:q} --output {output:q} > {log:q} 2>&1"


rule train:
    input:
        unpack(run_inputs),
        rival_code,
        code=code_of("jvgn.training.run", "jvgn.runtime.distributed"),
        settings=RUN / "settings.yaml",
        rules=rule_logits,
    output:
        model=RUN / "model.safetensors",
        history=RUN / "history.parquet",
    log:
        "logs/training/{dataset}_{setting}{run_folder}.log",
    benchmark:
        "benchmarks/training/{dataset}_{setting}{run_folder}.tsv"
    conda:
        "../../envs/jvgn.yaml"
    threads: 4
    resources:
        **asked_by("train"),
        gpu=1,
        nodes=1,
    params:
        inputs=input_options,
        tensorboard="logs/tensorboard/{dataset}_{setting}{run_folder}",
    shell:
        "python -m jvgn train {params.inputs}"
        " --model {output.model:q} --history {output.history:q} --tensorboard {params.tensorboard:q}"
        " --threads {threads} --processes {resources.gpu} --machines {resources.nodes} > {log:q} 2>&1"
