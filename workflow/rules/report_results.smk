"""How good runs are: the first part of the report."""


rule write_results:
    input:
        code=code_of("jvgn.views.report.result_pages"),
        metrics="results/{dataset}_{setting}{run_folder}/metrics.json",
        figures=report_figures,  # not read: whoever asks for a run's tables has its whole report
    output:
        report(
            "results/{dataset}_{setting}{run_folder}/report/results.html",
            caption="../report/results.rst",
            category="1 Results",
            labels={"figure": "accuracy (tables)", "run": "{dataset} {setting}{run_folder}"},
        ),
    log:
        "logs/report/results/{dataset}_{setting}{run_folder}.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    shell:
        "python -m jvgn figures results --metrics {input.metrics:q} --output {output:q} > {log:q} 2>&1"


rule draw_ablation:
    input:
        code=code_of("jvgn.views.report.run_figures"),
        ablation="results/{dataset}_{setting}/ablation.csv",
    output:
        figure=report(
            "results/{dataset}_{setting}/report/ablation.svg",
            caption="../report/ablation.rst",
            category="1 Results",
            labels={"figure": "marginalisation (ablation)", "run": "{dataset} {setting}"},
        ),
        numbers=report(
            "results/{dataset}_{setting}/report/ablation.csv",
            caption="../report/numbers.rst",
            category="1 Results",
            labels={"figure": "marginalisation (ablation): numbers", "run": "{dataset} {setting}"},
        ),
    log:
        "logs/report/ablation/{dataset}_{setting}.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    shell:
        "python -m jvgn figures ablation --ablation {input.ablation:q}"
        " --title '{wildcards.dataset} {wildcards.setting}'"
        " --figure {output.figure:q} --numbers {output.numbers:q} > {log:q} 2>&1"


rule show_paper_table:
    input:
        code=code_of("jvgn.views.report.result_pages"),
        csv="results/tables/{table}.csv",
    output:
        report(
            "results/tables/{table}.html",
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
        mem_mb=growing(2000),
        runtime=growing(10),
    shell:
        "python -m jvgn figures paper-table --csv {input.csv:q} --title {wildcards.table} --output {output:q} > {log:q} 2>&1"
