"""The words that a model knows, the vectors they start from, and the sizes for other choices."""


rule build_vocabulary:
    input:
        code=code_of("jvgn.vocabulary.words", "jvgn.settings.run"),
        settings="results/vocabulary/{dataset}/{vocabulary}/settings.yaml",
        expressions="results/datasets/{dataset}/expressions.parquet",
        glove=lookup("vocabularies/{vocabulary}/glove", within=chosen, default=[]),
    output:
        words="results/vocabulary/{dataset}/{vocabulary}/words.parquet",
        vectors="results/vocabulary/{dataset}/{vocabulary}/vectors.npy",
        missing="results/vocabulary/{dataset}/{vocabulary}/missing.csv",
    log:
        "logs/vocabulary/{dataset}/{vocabulary}.log",
    benchmark:
        "benchmarks/vocabulary/{dataset}/{vocabulary}.tsv"
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("build_vocabulary"),
    shell:
        "python -m jvgn build-vocabulary --settings {input.settings:q} --expressions {input.expressions:q}"
        " --words {output.words:q} --vectors {output.vectors:q} --missing {output.missing:q} > {log:q} 2>&1"


rule sweep_vocabulary:
    input:
        code=code_of("jvgn.vocabulary.threshold_sweep"),
        expressions="results/datasets/{dataset}/expressions.parquet",
    output:
        "results/vocabulary/{dataset}/sweep.csv",
    log:
        "logs/vocabulary/{dataset}/sweep.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("sweep_vocabulary"),
    shell:
        "python -m jvgn sweep-vocabulary --expressions {input.expressions:q} --output {output:q}"
        " --dataset {wildcards.dataset:q} > {log:q} 2>&1"
