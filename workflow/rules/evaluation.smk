"""Predictions of a run, their accuracy, the ablation, and comparisons of runs."""


rule predict:
    input:
        unpack(run_inputs),
        rival_code,
        code=code_of("jvgn.evaluation.predict", "jvgn.settings.evaluation"),
        evaluation=layout.EVALUATION,
        model=RUN / "model.safetensors",
        rules=rule_logits,
    output:
        RUN / "predictions.parquet",
    log:
        "logs/predictions/{dataset}_{setting}{run_folder}.log",
    benchmark:
        "benchmarks/predictions/{dataset}_{setting}{run_folder}.tsv"
    conda:
        "../../envs/jvgn.yaml"
    threads: 4
    resources:
        **asked_by("predict"),
        gpu=1,
    params:
        inputs=input_options,
    shell:
        "python -m jvgn predict {params.inputs} --output {output:q} --threads {threads} > {log:q} 2>&1"


rule predict_by_rules:
    input:
        unpack(run_inputs),
        input_images,
        code=code_of("jvgn.evaluation.rule_model", "jvgn.settings.evaluation"),
        evaluation=layout.EVALUATION,
        settings=RUN / "settings.yaml",
    output:
        RUN / "predictions.parquet",
    log:
        "logs/predictions/{dataset}_{setting}{run_folder}.log",
    benchmark:
        "benchmarks/predictions/{dataset}_{setting}{run_folder}.tsv"
    wildcard_constraints:
        run_folder=rule_run_folders,
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("predict"),
    params:
        inputs=input_options,
        images=lookup("datasets/{dataset}/images", within=chosen),
    shell:
        "python -m jvgn predict-rules {params.inputs} --images {params.images:q} --output {output:q} > {log:q} 2>&1"


ruleorder: predict_by_rules > predict


rule score:
    input:
        recall,  # not read: a run's recall is measured before the run is trained
        unpack(run_inputs),
        code=code_of("jvgn.evaluation.score", "jvgn.settings.evaluation"),
        evaluation=layout.EVALUATION,
        settings=RUN / "settings.yaml",
        model=trained_model,
        predictions=RUN / "predictions.parquet",
        proof=proof,
        supporting=supporting_annotations,
    output:
        RUN / "metrics.json",
    log:
        "logs/metrics/{dataset}_{setting}{run_folder}.log",
    benchmark:
        "benchmarks/metrics/{dataset}_{setting}{run_folder}.tsv"
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("score"),
    params:
        inputs=input_options,
        run=run_name,
    shell:
        "python -m jvgn score {params.inputs} --name {wildcards.dataset:q} {wildcards.setting} {params.run:q}"
        " --output {output:q} > {log:q} 2>&1"


rule ablate:
    input:
        code=code_of("jvgn.evaluation.run_comparison"),
        marginalised=[EXPERIMENT / "metrics.json", EXPERIMENT / "settings.yaml"],
        unmarginalised=[UNMARGINALISED / "metrics.json", UNMARGINALISED / "settings.yaml"],
    output:
        EXPERIMENT / "ablation.csv",
    log:
        "logs/ablation/{dataset}_{setting}.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("ablate"),
    shell:
        "python -m jvgn ablate --marginalised {input.marginalised:q} --unmarginalised {input.unmarginalised:q}"
        " --output {output:q} > {log:q} 2>&1"


rule compare:
    input:
        compared_files,
        code=code_of("jvgn.evaluation.run_comparison"),
        tables=tables_in(DATASET, "expressions", "mentions"),
    output:
        EXPERIMENT / "compare.csv",
    log:
        "logs/compare/{dataset}_{setting}.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("compare"),
    params:
        inputs=input_options,
        runs=compared_options,
    shell:
        "python -m jvgn compare {params.inputs} {params.runs} --output {output:q} > {log:q} 2>&1"
