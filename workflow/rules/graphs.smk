"""Sentences into language scene graphs."""


rule parse_expressions:
    input:
        code=sources("parsers"),
        settings="results/graphs/{dataset}/{parser}/settings.yaml",
        expressions="results/datasets/{dataset}/expressions.parquet",
        files=parser_files,
    output:
        nodes="results/graphs/{dataset}/{parser}/nodes.parquet",
        edges="results/graphs/{dataset}/{parser}/edges.parquet",
        coverage="results/graphs/{dataset}/{parser}/coverage.json",
    log:
        "logs/graphs/{dataset}/{parser}.log",
    benchmark:
        "benchmarks/graphs/{dataset}/{parser}.tsv"
    conda:
        "../../envs/parse.yaml"
    threads: 2
    resources:
        mem_mb=4000,
        runtime=60,
    shell:
        "python -m parsers parse --settings {input.settings:q} --threads {threads}"
        " {input.expressions:q} {output.nodes:q} {output.edges:q} {output.coverage:q} > {log:q} 2>&1"
