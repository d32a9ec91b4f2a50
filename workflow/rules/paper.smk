"""The paper's tables: its numbers, and ours beside them."""


rule write_table:
    input:
        code=code_of("jvgn.paper.paper_tables"),
        metrics=table_metrics,
    output:
        csv=PAPER_TABLES / "{table}.csv",
        markdown=PAPER_TABLES / "{table}.md",
    log:
        "logs/tables/{table}.log",
    wildcard_constraints:
        table=either_of(RUNS_OF_TABLES),
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("write_table"),
    shell:
        "python -m jvgn tabulate {wildcards.table} --csv {output.csv:q} --markdown {output.markdown:q}"
        " {input.metrics:q} > {log:q} 2>&1"


rule show_paper_table:
    input:
        code=code_of("jvgn.views.report.result_pages"),
        csv=PAPER_TABLES / "{table}.csv",
    output:
        report(
            PAPER_TABLES / "{table}.html",
            caption="../report/paper_table.rst",
            category="1 Results",
            labels={"figure": "paper: {table}", "run": "several"},
        ),
    log:
        "logs/report/paper_tables/{table}.log",
    wildcard_constraints:
        table=r"\w+",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("show_paper_table"),
    shell:
        "python -m jvgn figures paper-table --csv {input.csv:q} --title {wildcards.table} --output {output:q} > {log:q} 2>&1"
