"""Sentences into language scene graphs."""


rule parse_expressions:
    input:
        code=sources("parsers"),
        expressions="results/datasets/{dataset}/expressions.parquet",
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
        "python -m parsers parse --backend {wildcards.parser:q} --threads {threads}"
        " {input.expressions:q} {output.nodes:q} {output.edges:q} {output.coverage:q} > {log:q} 2>&1"
