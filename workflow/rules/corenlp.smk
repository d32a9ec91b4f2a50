"""The paper's own parser: CoreNLP's jars at pinned versions, 484 MB, from Maven."""


localrules:
    fetch_corenlp,


rule fetch_corenlp:
    input:
        code=sources(
            "parsers/__init__.py",
            "parsers/files.py",
            "parsers/listening.py",
            "parsers/shown_text.py",
            "parsers/corenlp_jars.py",
        ),
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
        "python -m parsers.corenlp_jars {output:q} > {log:q} 2>&1"
