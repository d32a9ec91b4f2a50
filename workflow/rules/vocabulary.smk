"""The words that a model knows, the vectors they start from, and the sizes for other choices."""


rule build_vocabulary:
    input:
        code=code_of("jvgn.vocabulary.words", "jvgn.settings.run", "parsers.words.spelling"),
        settings=VOCABULARY / "settings.yaml",
        expressions=DATASET / "expressions.parquet",
        glove=lookup("vocabularies/{vocabulary}/glove", within=chosen, default=[]),
    output:
        words=VOCABULARY / "words.parquet",
        vectors=VOCABULARY / "vectors.npy",
        missing=VOCABULARY / "missing.csv",
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
        expressions=DATASET / "expressions.parquet",
    output:
        VOCABULARY.parent / "sweep.csv",
    log:
        "logs/vocabulary/{dataset}/sweep.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("sweep_vocabulary"),
    shell:
        "python -m jvgn sweep-vocabulary --expressions {input.expressions:q} --output {output:q}"
        " --dataset {wildcards.dataset:q} > {log:q} 2>&1"
