"""The words a model knows, and the vectors they start from."""


rule build_vocabulary:
    input:
        code=sources(*TABLES, "jvgn/settings/vocabulary.py", "jvgn/vocabulary.py"),
        settings="results/vocabulary/{dataset}/{vocabulary}/settings.yaml",
        expressions="results/datasets/{dataset}/expressions.parquet",
        glove=glove,
    output:
        words="results/vocabulary/{dataset}/{vocabulary}/words.parquet",
        vectors="results/vocabulary/{dataset}/{vocabulary}/vectors.npy",
    log:
        "logs/vocabulary/{dataset}/{vocabulary}.log",
    benchmark:
        "benchmarks/vocabulary/{dataset}/{vocabulary}.tsv"
    conda:
        "../../envs/jvgn.yaml"
    resources:
        mem_mb=2000,
        runtime=60,
    shell:
        "python -m jvgn build-vocabulary --settings {input.settings:q} --expressions {input.expressions:q}"
        " --words {output.words:q} --vectors {output.vectors:q} > {log:q} 2>&1"
