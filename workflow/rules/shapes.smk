"""The embedded world, drawn from its seed in REFER's format."""


rule make_world:
    input:
        code=code_of("jvgn.shapes.world", "jvgn.settings.world"),
        settings="resources/shapes/settings.yaml",
    output:
        refs="resources/shapes/refs(jvgn).p",
        instances="resources/shapes/instances.json",
        images=directory("resources/shapes/images"),
    log:
        "logs/shapes/make_world.log",
    benchmark:
        "benchmarks/shapes/make_world.tsv"
    conda:
        "../../envs/jvgn.yaml"
    threads: 2
    resources:
        **asked_by("make_world"),
    params:
        folder=subpath(output.instances, parent=True),
    shell:
        "python -m jvgn world --settings {input.settings} --folder {params.folder} --threads {threads} > {log} 2>&1"
