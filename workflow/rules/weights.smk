"""The ImageNet weights that detectors start from, where the user has put none."""


localrules:
    fetch_weights,


rule fetch_weights:
    input:
        code=sources(
            *BASE,
            "jvgn/regions/__init__.py",
            "jvgn/regions/detector.py",
            "jvgn/regions/fetching.py",
            "jvgn/regions/source.py",
            "jvgn/regions/tiny.py",
            "jvgn/settings/detector.py",
            "jvgn/settings/regions.py",
        ),
    output:
        "resources/weights/{backbone}.pth",
    log:
        "logs/weights/{backbone}.log",
    wildcard_constraints:
        backbone=backbones_without_weights(),
    conda:
        "../../envs/jvgn.yaml"
    resources:
        mem_mb=1000,
        runtime=60,
    shell:
        "python -m jvgn fetch-weights {wildcards.backbone} {output:q} > {log:q} 2>&1"
