"""Groundings to look at, as one page."""


rule write_gallery:
    input:
        code=code_of("jvgn.views.gallery.gallery_page", "jvgn.settings.evaluation"),
        evaluation="results/evaluation.yaml",
        tables=collect(
            "results/datasets/{{dataset}}/{table}.parquet", table=["images", "objects", "expressions", "mentions"]
        ),
        regions=regions_of_run,
        nodes=nodes,
        edges=edges,
        predictions="results/{dataset}_{setting}{run_folder}/predictions.parquet",
        images=images,
    output:
        in_archive(
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
        mem_mb=growing(4000),
        runtime=growing(30),
    params:
        dataset=tables,
    shell:
        "python -m jvgn gallery --evaluation {input.evaluation:q} --dataset {params.dataset:q} --regions {input.regions:q}"
        " --nodes {input.nodes:q} --edges {input.edges:q} --predictions {input.predictions:q} --images {input.images:q}"
        " --title {wildcards.dataset:q}_{wildcards.setting}{wildcards.run_folder:q} --output {output:q} > {log:q} 2>&1"
