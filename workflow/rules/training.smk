"""Joint visual grounding, learned from the referents' boxes alone."""


rule train:
    input:
        unpack(run_inputs),
        code=code_of("jvgn.training.run", "jvgn.runtime.distributed"),
        settings=RUN / "settings.yaml",
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
