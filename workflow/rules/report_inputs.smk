"""What a run rests on: figures of its graphs, its regions and its detector, each with its numbers."""


rule draw_coverage:
    input:
        code=code_of("jvgn.views.report.input_figures"),
        expressions="results/datasets/{dataset}/expressions.parquet",
        nodes="results/graphs/{dataset}/{parser}/nodes.parquet",
        edges="results/graphs/{dataset}/{parser}/edges.parquet",
        coverage="results/graphs/{dataset}/{parser}/coverage.json",
    output:
        figure=report(
            "results/graphs/{dataset}/{parser}/report/coverage.svg",
            caption="../report/coverage.rst",
            category="4 What it rests on",
            labels={"figure": "scene graphs", "of": "{parser}, {dataset}"},
        ),
        numbers=report(
            "results/graphs/{dataset}/{parser}/report/coverage.csv",
            caption="../report/numbers.rst",
            category="4 What it rests on",
            labels={"figure": "scene graphs: numbers", "of": "{parser}, {dataset}"},
        ),
    log:
        "logs/report/coverage/{dataset}/{parser}.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    shell:
        "python -m jvgn figures coverage --expressions {input.expressions:q} --nodes {input.nodes:q} --edges {input.edges:q}"
        " --coverage {input.coverage:q}"
        " --title '{wildcards.parser}, {wildcards.dataset}'"
        " --figure {output.figure:q} --numbers {output.numbers:q} > {log:q} 2>&1"


rule draw_recall:
    input:
        code=code_of("jvgn.views.report.input_figures"),
        tables=collect("results/datasets/{{dataset}}/{table}.parquet", table=["expressions", "objects"]),
        regions=regions_of_run,
    output:
        figure=report(
            "results/{dataset}_{setting}{run_folder}/report/recall.svg",
            caption="../report/recall.rst",
            category="4 What it rests on",
            labels={"figure": "detector recall", "of": "{dataset} {setting}{run_folder}"},
        ),
        numbers=report(
            "results/{dataset}_{setting}{run_folder}/report/recall.csv",
            caption="../report/numbers.rst",
            category="4 What it rests on",
            labels={"figure": "detector recall: numbers", "of": "{dataset} {setting}{run_folder}"},
        ),
    log:
        "logs/report/recall/{dataset}_{setting}{run_folder}.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        dataset=tables,
    shell:
        "python -m jvgn figures recall --dataset {params.dataset:q} --regions {input.regions:q}"
        " --title '{wildcards.dataset} {wildcards.setting}{wildcards.run_folder}'"
        " --figure {output.figure:q} --numbers {output.numbers:q} > {log:q} 2>&1"


rule draw_average_precision:
    input:
        code=code_of("jvgn.views.report.input_figures"),
        measured="results/detectors/{trained_on}/{detector}/average_precision.json",
    output:
        figure=report(
            "results/detectors/{trained_on}/{detector}/report/average_precision.svg",
            caption="../report/average_precision.rst",
            category="4 What it rests on",
            labels={"figure": "detector precision", "of": "{detector}, trained on {trained_on}"},
        ),
        numbers=report(
            "results/detectors/{trained_on}/{detector}/report/average_precision.csv",
            caption="../report/numbers.rst",
            category="4 What it rests on",
            labels={"figure": "detector precision: numbers", "of": "{detector}, trained on {trained_on}"},
        ),
    log:
        "logs/report/average_precision/{trained_on}/{detector}.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    shell:
        "python -m jvgn figures average-precision --measured {input.measured:q}"
        " --title '{wildcards.detector}, trained on {wildcards.trained_on}'"
        " --figure {output.figure:q} --numbers {output.numbers:q} > {log:q} 2>&1"
