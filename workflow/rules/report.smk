"""How a run learned, and what it finds: figures for the report, each with the numbers it is drawn from."""


rule draw_learning:
    input:
        code=code_of("jvgn.views.report.run_figures"),
        history="results/{dataset}_{setting}{run_folder}/history.parquet",
    output:
        figure=report(
            "results/{dataset}_{setting}{run_folder}/report/learning.svg",
            caption="../report/learning.rst",
            category="2 Training",
            labels={"figure": "learning curves", "run": "{dataset} {setting}{run_folder}"},
        ),
        numbers=report(
            "results/{dataset}_{setting}{run_folder}/report/learning.csv",
            caption="../report/numbers.rst",
            category="2 Training",
            labels={"figure": "learning curves: numbers", "run": "{dataset} {setting}{run_folder}"},
        ),
    log:
        "logs/report/learning/{dataset}_{setting}{run_folder}.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    shell:
        "python -m jvgn figures learning --history {input.history:q}"
        " --title '{wildcards.dataset} {wildcards.setting}{wildcards.run_folder}'"
        " --figure {output.figure:q} --numbers {output.numbers:q} > {log:q} 2>&1"


rule draw_sizes:
    input:
        code=code_of("jvgn.views.report.run_figures"),
        tables=collect("results/datasets/{{dataset}}/{table}.parquet", table=["expressions", "mentions"]),
        nodes=nodes,
        edges=edges,
        predictions="results/{dataset}_{setting}{run_folder}/predictions.parquet",
    output:
        figure=report(
            "results/{dataset}_{setting}{run_folder}/report/sizes.svg",
            caption="../report/sizes.rst",
            category="3 What it finds",
            labels={"figure": "accuracy by size", "run": "{dataset} {setting}{run_folder}"},
        ),
        numbers=report(
            "results/{dataset}_{setting}{run_folder}/report/sizes.csv",
            caption="../report/numbers.rst",
            category="3 What it finds",
            labels={"figure": "accuracy by size: numbers", "run": "{dataset} {setting}{run_folder}"},
        ),
    log:
        "logs/report/sizes/{dataset}_{setting}{run_folder}.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        dataset=tables,
    shell:
        "python -m jvgn figures sizes --dataset {params.dataset:q} --nodes {input.nodes:q} --edges {input.edges:q}"
        " --predictions {input.predictions:q}"
        " --title '{wildcards.dataset} {wildcards.setting}{wildcards.run_folder}'"
        " --figure {output.figure:q} --numbers {output.numbers:q} > {log:q} 2>&1"


rule draw_calibration:
    input:
        code=code_of("jvgn.views.report.run_figures"),
        tables=collect("results/datasets/{{dataset}}/{table}.parquet", table=["expressions", "mentions"]),
        nodes=nodes,
        edges=edges,
        predictions="results/{dataset}_{setting}{run_folder}/predictions.parquet",
    output:
        figure=report(
            "results/{dataset}_{setting}{run_folder}/report/calibration.svg",
            caption="../report/calibration.rst",
            category="3 What it finds",
            labels={"figure": "calibration", "run": "{dataset} {setting}{run_folder}"},
        ),
        numbers=report(
            "results/{dataset}_{setting}{run_folder}/report/calibration.csv",
            caption="../report/numbers.rst",
            category="3 What it finds",
            labels={"figure": "calibration: numbers", "run": "{dataset} {setting}{run_folder}"},
        ),
    log:
        "logs/report/calibration/{dataset}_{setting}{run_folder}.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        dataset=tables,
    shell:
        "python -m jvgn figures calibration --dataset {params.dataset:q} --nodes {input.nodes:q} --edges {input.edges:q}"
        " --predictions {input.predictions:q}"
        " --title '{wildcards.dataset} {wildcards.setting}{wildcards.run_folder}'"
        " --figure {output.figure:q} --numbers {output.numbers:q} > {log:q} 2>&1"


rule show_examples:
    input:
        code=code_of("jvgn.views.report.result_pages"),
        picture="results/{dataset}_{setting}{run_folder}/examples.png",
    output:
        report(
            "results/{dataset}_{setting}{run_folder}/report/examples.html",
            caption="../report/examples.rst",
            category="5 Examples",
            labels={"figure": "examples", "run": "{dataset} {setting}{run_folder}"},
        ),
    log:
        "logs/report/examples/{dataset}_{setting}{run_folder}.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    shell:
        "python -m jvgn figures picture --picture {input.picture:q}"
        " --title '{wildcards.dataset} {wildcards.setting}{wildcards.run_folder}: examples'"
        " --output {output:q} > {log:q} 2>&1"
