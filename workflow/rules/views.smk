"""Figures and pages: examples, galleries, the report."""


rule draw_examples:
    input:
        code=code_of("jvgn.views.examples_figure"),
        tables=tables_in(DATASET, "images", "expressions"),
        nodes=file_of_run("nodes"),
        predictions=RUN / "predictions.parquet",
        images=pictures,
    output:
        RUN / "examples.png",
    log:
        "logs/examples/{dataset}_{setting}{run_folder}.log",
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("draw_examples"),
    params:
        inputs=input_options,
    shell:
        "python -m jvgn examples {params.inputs} --output {output:q} > {log:q} 2>&1"


rule write_gallery:
    input:
        code=code_of("jvgn.views.gallery.gallery_page", "jvgn.settings.evaluation"),
        evaluation=layout.EVALUATION,
        tables=tables_in(DATASET, *layout.TABLES),
        regions=file_of_run("regions"),
        nodes=file_of_run("nodes"),
        edges=file_of_run("edges"),
        predictions=RUN / "predictions.parquet",
        images=pictures,
    output:
        gallery(
            RUN / "gallery/index.html",
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
        inputs=input_options,
        title="{dataset}_{setting}{run_folder}",
    shell:
        "python -m jvgn gallery {params.inputs} --title {params.title:q} --output {output:q} > {log:q} 2>&1"


# The report: each figure with a table of the numbers that it shows.


rule write_results:
    input:
        code=code_of("jvgn.views.report.result_pages"),
        metrics=RUN / "metrics.json",
        figures=report_figures,  # not read: asking for this page makes the whole report
    output:
        report(
            RUN / "report/results.html",
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


# By figure: the module that draws it, the folder and the name of its subject, category and title in the report, inputs.
of_run = "{dataset}_{setting}{run_folder}", "{dataset} {setting}{run_folder}"
of_parser = "graphs/{dataset}/{parser}", "{parser}, {dataset}"
of_detector = "detectors/{trained_on}/{detector}", "{detector}, trained on {trained_on}"
of_predictions = {
    "tables": tables_in(DATASET, "expressions", "mentions"),
    "nodes": file_of_run("nodes"),
    "edges": file_of_run("edges"),
    "predictions": RUN / "predictions.parquet",
}
figures = {
    "ablation": (
        "run_figures",
        ("{dataset}_{setting}", "{dataset} {setting}"),
        ("1 Results", "marginalisation (ablation)"),
        {"ablation": EXPERIMENT / "ablation.csv"},
    ),
    "learning": (
        "run_figures",
        of_run,
        ("2 Training", "learning curves"),
        {"history": RUN / "history.parquet"},
    ),
    "sizes": ("run_figures", of_run, ("3 Predictions", "accuracy by size"), of_predictions),
    "calibration": ("run_figures", of_run, ("3 Predictions", "calibration"), of_predictions),
    "coverage": (
        "input_figures",
        of_parser,
        ("4 Inputs", "scene graphs"),
        {"expressions": DATASET / "expressions.parquet"}
        | {name: GRAPHS / f"{name}.parquet" for name in ("nodes", "edges")}
        | {"coverage": GRAPHS / "coverage.json"},
    ),
    "recall": (
        "input_figures",
        of_run,
        ("4 Inputs", "detector recall"),
        {
            "tables": tables_in(DATASET, "expressions", "objects"),
            "regions": file_of_run("regions"),
        },
    ),
    "average_precision": (
        "input_figures",
        of_detector,
        ("4 Inputs", "detector precision"),
        {"measured": DETECTOR / "average_precision.json"},
    ),
}

for drawn, (module, (folder, about), (category, title), files) in figures.items():

    rule:
        name:
            f"draw_{drawn}"
        input:
            **files,
            code=code_of(f"jvgn.views.report.{module}"),
        output:
            **figure(f"{layout.RESULTS}/{folder}/report/{drawn}", category, title, about),
        log:
            f"logs/report/{drawn}/{folder}.log",
        conda:
            "../../envs/jvgn.yaml"
        resources:
            **asked_by(f"draw_{drawn}"),
        params:
            # Parameters: the text below is formatted after the loop.
            command=f"figures {drawn.replace('_', '-')}",
            inputs=input_options,
            title=about,
        shell:
            "python -m jvgn {params.command} {params.inputs} --title {params.title:q}"
            " --figure {output.figure:q} --numbers {output.numbers:q} > {log:q} 2>&1"


rule show_examples:
    input:
        code=code_of("jvgn.views.report.result_pages"),
        picture=RUN / "examples.png",
    output:
        report(
            RUN / "report/examples.html",
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
    params:
        title="{dataset} {setting}{run_folder}: examples",
    shell:
        "python -m jvgn figures picture --picture {input.picture:q} --title {params.title:q} --output {output:q} > {log:q} 2>&1"
