"""The pictures of the README, from a finished demo; made when asked for: snakemake readme_pictures."""


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
        code=code_of("jvgn.views.answer_figure", "jvgn.grounding.answerer", "jvgn.grounding.stored_expression"),
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
        mem_mb=growing(2000),
        runtime=growing(10),
    shell:
        "python -m jvgn show results/shapes_det --images {input.images} --output {output} > {log} 2>&1"
