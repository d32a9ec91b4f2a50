"""The paper's tables: its figures, and beside them ours. `jvgn tables` prints them as far as runs were made."""


rule write_table:
    input:
        code=code_of("jvgn.paper.paper_tables"),
        metrics=table_metrics,
    output:
        csv="results/tables/{table}.csv",
        markdown="results/tables/{table}.md",
    log:
        "logs/tables/{table}.log",
    wildcard_constraints:
        table=either_of(RUNS_OF_TABLES),
    conda:
        "../../envs/jvgn.yaml"
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    shell:
        "python -m jvgn tabulate {wildcards.table} --csv {output.csv:q} --markdown {output.markdown:q}"
        " {input.metrics:q} > {log:q} 2>&1"
