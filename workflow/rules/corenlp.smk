"""The paper's own parser: CoreNLP's jars at pinned versions, 484 MB, from Maven."""


localrules:
    fetch_corenlp,


rule fetch_corenlp:
    input:
        code=code_of("jvgn.downloads.corenlp_jars"),
    output:
        directory("resources/corenlp"),
    log:
        "logs/corenlp/fetch_corenlp.log",
    benchmark:
        "benchmarks/corenlp/fetch_corenlp.tsv"
    conda:
        "../../envs/corenlp.yaml"
    resources:
        mem_mb=growing(1000),
        runtime=growing(60),
    shell:
        "python -m jvgn fetch-corenlp {output:q} > {log:q} 2>&1"
