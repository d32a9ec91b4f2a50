"""Figures and pages: examples, galleries, the report, the pictures of the README."""


rule draw_examples:
    input:
        code=code_of("jvgn.views.examples_figure"),
        tables=collect("results/datasets/{{dataset}}/{table}.parquet", table=["images", "expressions"]),
        nodes=nodes,
        predictions="results/{dataset}_{setting}{run_folder}/predictions.parquet",
        images=pictures,
    output:
        "results/{dataset}_{setting}{run_folder}/examples.png",
    log:
        "logs/examples/{dataset}_{setting}{run_folder}.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("draw_examples"),
    params:
        dataset=tables,
    shell:
        "python -m jvgn examples --dataset {params.dataset:q} --nodes {input.nodes:q}"
        " --predictions {input.predictions:q} --images {input.images:q} --output {output:q} > {log:q} 2>&1"


rule write_gallery:
    input:
        unpack(graph_inputs),
        code=code_of("jvgn.views.gallery.gallery_page", "jvgn.settings.evaluation"),
        evaluation="results/evaluation.yaml",
        tables=collect("results/datasets/{{dataset}}/{table}.parquet", table=layout.TABLES),
        regions=regions,
        predictions="results/{dataset}_{setting}{run_folder}/predictions.parquet",
        images=pictures,
    output:
        gallery(
            "results/{dataset}_{setting}{run_folder}/gallery/index.html",
            caption="../report/gallery.rst",
            category="5 Examples",
            labels={"figure": "gallery", "run": "{dataset} {setting}{run_folder}"},
        ),
    log:
        "logs/gallery/{dataset}_{setting}{run_folder}.log",
    benchmark:
        "benchmarks/gallery/{dataset}_{setting}{run_folder}.tsv"
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("write_gallery"),
    params:
        dataset=tables,
    shell:
        "python -m jvgn gallery --evaluation {input.evaluation:q} --dataset {params.dataset:q} --regions {input.regions:q}"
        " --nodes {input.nodes:q} --edges {input.edges:q} --predictions {input.predictions:q} --images {input.images:q}"
        " --title {wildcards.dataset:q}_{wildcards.setting}{wildcards.run_folder:q} --output {output:q} > {log:q} 2>&1"


# The report: each figure with a table of the numbers that it shows.


rule write_results:
    input:
        code=code_of("jvgn.views.report.result_pages"),
        metrics="results/{dataset}_{setting}{run_folder}/metrics.json",
        figures=report_figures,  # not read: asking for this page makes the whole report
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
        **asked_by("write_results"),
    shell:
        "python -m jvgn figures results --metrics {input.metrics:q} --output {output:q} > {log:q} 2>&1"


rule draw_ablation:
    input:
        code=code_of("jvgn.views.report.run_figures"),
        ablation="results/{dataset}_{setting}/ablation.csv",
    output:
        **figure(
            "results/{dataset}_{setting}/report/ablation",
            category="1 Results",
            title="marginalisation (ablation)",
            run="{dataset} {setting}",
        ),
    log:
        "logs/report/ablation/{dataset}_{setting}.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("draw_ablation"),
    shell:
        "python -m jvgn figures ablation --ablation {input.ablation:q}"
        " --title '{wildcards.dataset} {wildcards.setting}'"
        " --figure {output.figure:q} --numbers {output.numbers:q} > {log:q} 2>&1"


rule draw_learning:
    input:
        code=code_of("jvgn.views.report.run_figures"),
        history="results/{dataset}_{setting}{run_folder}/history.parquet",
    output:
        **figure(
            "results/{dataset}_{setting}{run_folder}/report/learning",
            category="2 Training",
            title="learning curves",
            run="{dataset} {setting}{run_folder}",
        ),
    log:
        "logs/report/learning/{dataset}_{setting}{run_folder}.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("draw_learning"),
    shell:
        "python -m jvgn figures learning --history {input.history:q}"
        " --title '{wildcards.dataset} {wildcards.setting}{wildcards.run_folder}'"
        " --figure {output.figure:q} --numbers {output.numbers:q} > {log:q} 2>&1"


for drawn, title in {"sizes": "accuracy by size", "calibration": "calibration"}.items():

    rule:
        name:
            f"draw_{drawn}"
        input:
            unpack(graph_inputs),
            code=code_of("jvgn.views.report.run_figures"),
            tables=collect("results/datasets/{{dataset}}/{table}.parquet", table=["expressions", "mentions"]),
            predictions="results/{dataset}_{setting}{run_folder}/predictions.parquet",
        output:
            **figure(
                f"results/{{dataset}}_{{setting}}{{run_folder}}/report/{drawn}",
                category="3 Predictions",
                title=title,
                run="{dataset} {setting}{run_folder}",
            ),
        log:
            f"logs/report/{drawn}/{{dataset}}_{{setting}}{{run_folder}}.log",
        conda:
            "../../envs/jvgn.yaml"
        resources:
            **asked_by(f"draw_{drawn}"),
        params:
            command=f"figures {drawn}",  # a parameter: the text below is formatted after the loop
            dataset=tables,
        shell:
            "python -m jvgn {params.command} --dataset {params.dataset:q} --nodes {input.nodes:q}"
            " --edges {input.edges:q} --predictions {input.predictions:q}"
            " --title '{wildcards.dataset} {wildcards.setting}{wildcards.run_folder}'"
            " --figure {output.figure:q} --numbers {output.numbers:q} > {log:q} 2>&1"


rule draw_coverage:
    input:
        code=code_of("jvgn.views.report.input_figures"),
        expressions="results/datasets/{dataset}/expressions.parquet",
        nodes="results/graphs/{dataset}/{parser}/nodes.parquet",
        edges="results/graphs/{dataset}/{parser}/edges.parquet",
        coverage="results/graphs/{dataset}/{parser}/coverage.json",
    output:
        **figure(
            "results/graphs/{dataset}/{parser}/report/coverage",
            category="4 Inputs",
            title="scene graphs",
            of="{parser}, {dataset}",
        ),
    log:
        "logs/report/coverage/{dataset}/{parser}.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("draw_coverage"),
    shell:
        "python -m jvgn figures coverage --expressions {input.expressions:q} --nodes {input.nodes:q}"
        " --edges {input.edges:q} --coverage {input.coverage:q} --title '{wildcards.parser}, {wildcards.dataset}'"
        " --figure {output.figure:q} --numbers {output.numbers:q} > {log:q} 2>&1"


rule draw_recall:
    input:
        code=code_of("jvgn.views.report.input_figures"),
        tables=collect("results/datasets/{{dataset}}/{table}.parquet", table=["expressions", "objects"]),
        regions=regions,
    output:
        **figure(
            "results/{dataset}_{setting}{run_folder}/report/recall",
            category="4 Inputs",
            title="detector recall",
            of="{dataset} {setting}{run_folder}",
        ),
    log:
        "logs/report/recall/{dataset}_{setting}{run_folder}.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("draw_recall"),
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
        **figure(
            "results/detectors/{trained_on}/{detector}/report/average_precision",
            category="4 Inputs",
            title="detector precision",
            of="{detector}, trained on {trained_on}",
        ),
    log:
        "logs/report/average_precision/{trained_on}/{detector}.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("draw_average_precision"),
    shell:
        "python -m jvgn figures average-precision --measured {input.measured:q}"
        " --title '{wildcards.detector}, trained on {wildcards.trained_on}'"
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
        **asked_by("show_examples"),
    shell:
        "python -m jvgn figures picture --picture {input.picture:q}"
        " --title '{wildcards.dataset} {wildcards.setting}{wildcards.run_folder}: examples'"
        " --output {output:q} > {log:q} 2>&1"


# The pictures of the README, drawn from a finished demo: snakemake readme_pictures


localrules:
    readme_pictures,
    copy_examples,


rule readme_pictures:
    input:
        collect("docs/images/{picture}.png", picture=["examples", "show"]),


rule copy_examples:
    input:
        "results/shapes_det/examples.png",
    output:
        "docs/images/examples.png",
    log:
        "logs/readme/examples.log",
    conda:
        "../../envs/jvgn.yaml"
    shell:
        "cp {input} {output} > {log} 2>&1"


rule show_expression:
    input:
        code=code_of(
            "jvgn.detector.images",
            "jvgn.grounding.answer",
            "jvgn.grounding.answerer",
            "jvgn.grounding.questions",
            "jvgn.grounding.stored_expression",
            "jvgn.views.answer_figure",
        ),
        model="results/shapes_det/model.safetensors",
        predictions="results/shapes_det/predictions.parquet",
        images="resources/shapes/images",
    output:
        "docs/images/show.png",
    log:
        "logs/readme/show.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("show_expression"),
    params:
        run=subpath(input.model, parent=True),
    shell:
        "python -m jvgn show {params.run} --images {input.images} --output {output} > {log} 2>&1"
