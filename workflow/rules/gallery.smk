"""Groundings to look at, as one page."""


rule write_gallery:
    input:
        unpack(run_inputs),
        code=code_of("jvgn.views.gallery.writing", "jvgn.settings.evaluation"),
        evaluation="results/evaluation.yaml",
        model="results/{dataset}_{setting}{run_folder}/model.safetensors",
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
    threads: 4
    resources:
        gpu=1,
        mem_mb=growing(16000),
        runtime=growing(120),
    params:
        inputs=run_options,
    shell:
        "python -m jvgn gallery --evaluation {input.evaluation:q} {params.inputs} --model {input.model:q}"
        " --images {input.images:q} --output {output:q} --title {wildcards.dataset:q}_{wildcards.setting}{wildcards.run_folder:q}"
        " --threads {threads} > {log:q} 2>&1"
