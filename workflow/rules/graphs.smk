"""Expressions into language scene graphs: a dataset at once, or in shards; or the user's own graphs."""


rule parse_expressions:
    input:
        code=code_of("jvgn.graphs.parsing"),
        settings=GRAPHS / "settings.yaml",
        expressions=DATASET / "expressions.parquet",
        files=lookup("{parser}", within=files_of_parsers),
    output:
        nodes=GRAPHS / "nodes.parquet",
        edges=GRAPHS / "edges.parquet",
        coverage=GRAPHS / "coverage.json",
    log:
        "logs/graphs/{dataset}/{parser}.log",
    benchmark:
        "benchmarks/graphs/{dataset}/{parser}.tsv"
    wildcard_constraints:
        dataset=either_of(datasets_at_once),
        parser=either_of(sentence_parsers),
    conda:
        "../../envs/parse.yaml"
    threads: 2
    resources:
        **asked_by("parse_expressions"),
        mem_mb=parser_memory,
    params:
        shard="1/1",
    shell:
        "python -m jvgn parse --settings {input.settings:q} --threads {threads} --shard {params.shard}"
        " {input.expressions:q} {output.nodes:q} {output.edges:q} {output.coverage:q} > {log:q} 2>&1"


use rule parse_expressions as parse_shard with:
    output:
        nodes=temp(GRAPH_SHARD / "nodes.parquet"),
        edges=temp(GRAPH_SHARD / "edges.parquet"),
        coverage=temp(GRAPH_SHARD / "coverage.json"),
        records=temp([record_of(GRAPH_SHARD / file) for file in GRAPH_FILES]),
    log:
        "logs/graphs/{dataset}/{parser}/{shard}_of_{shards}.log",
    benchmark:
        "benchmarks/graphs/{dataset}/{parser}/{shard}_of_{shards}.tsv"
    wildcard_constraints:
        dataset=either_of(datasets_in_shards),
        parser=either_of(sentence_parsers),
        shard=r"\d+",
        shards=r"\d+",
    resources:
        **asked_by("parse_shard"),
        mem_mb=parser_memory,
    params:
        shard="{shard}/{shards}",


rule merge_shards:
    input:
        code=code_of("jvgn.graphs.parsing"),
        shards=files_of_graph_shards,
        records=records_of(files_of_graph_shards),
    output:
        nodes=GRAPHS / "nodes.parquet",
        edges=GRAPHS / "edges.parquet",
        coverage=GRAPHS / "coverage.json",
    log:
        "logs/graphs/{dataset}/{parser}.log",
    wildcard_constraints:
        dataset=either_of(datasets_in_shards),
        parser=either_of(sentence_parsers),
    conda:
        "../../envs/parse.yaml"
    resources:
        **asked_by("merge_shards"),
    params:
        folders=graph_shards,
    shell:
        "python -m jvgn merge-graphs --nodes {output.nodes:q} --edges {output.edges:q} --coverage {output.coverage:q}"
        " {params.folders:q} > {log:q} 2>&1"


rule adopt_graphs:
    input:
        code=code_of("jvgn.graphs.given_graphs", "jvgn.settings.parser"),
        settings=GRAPHS / "settings.yaml",
        expressions=DATASET / "expressions.parquet",
        files=lookup("{parser}", within=files_of_parsers),
    output:
        nodes=GRAPHS / "nodes.parquet",
        edges=GRAPHS / "edges.parquet",
        coverage=GRAPHS / "coverage.json",
    log:
        "logs/graphs/{dataset}/{parser}.log",
    wildcard_constraints:
        parser=either_of(given_parsers),
    conda:
        "../../envs/parse.yaml"
    resources:
        **asked_by("adopt_graphs"),
    shell:
        "python -m jvgn adopt-graphs --settings {input.settings:q} {input.expressions:q}"
        " {output.nodes:q} {output.edges:q} {output.coverage:q} > {log:q} 2>&1"
