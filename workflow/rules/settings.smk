"""Settings travel as files: each stage reads the full settings that lie beside its outputs."""


localrules:
    freeze_world,
    freeze_detector,
    freeze_regions,
    freeze_parser,
    freeze_vocabulary,
    freeze_run,
    freeze_evaluation,


rule freeze_world:
    input:
        code=code_of("jvgn.settings.world"),
    output:
        "resources/shapes/settings.yaml",
    log:
        "logs/settings/world.log",
    conda:
        "../../envs/jvgn.yaml"
    params:
        settings=as_json(configuration.shapes),
    shell:
        "python -m jvgn freeze world {params.settings:q} {output} > {log} 2>&1"


rule freeze_detector:
    input:
        code=code_of("jvgn.settings.detector"),
    output:
        "results/detectors/{trained_on}/{detector}/settings.yaml",
    log:
        "logs/settings/detector/{trained_on}/{detector}.log",
    conda:
        "../../envs/jvgn.yaml"
    params:
        settings=detector_settings,
    shell:
        "python -m jvgn freeze detector {params.settings:q} {output} > {log} 2>&1"


rule freeze_regions:
    input:
        code=code_of("jvgn.settings.regions"),
    output:
        "results/regions/{dataset}_{setting}/settings.yaml",
    log:
        "logs/settings/regions/{dataset}_{setting}.log",
    conda:
        "../../envs/jvgn.yaml"
    params:
        settings=region_settings,
    shell:
        "python -m jvgn freeze regions {params.settings:q} {output} > {log} 2>&1"


rule freeze_parser:
    input:
        code=code_of("jvgn.settings.parser"),
    output:
        "results/graphs/{dataset}/{parser}/settings.yaml",
    log:
        "logs/settings/parser/{dataset}/{parser}.log",
    conda:
        "../../envs/jvgn.yaml"
    params:
        settings=parser_settings,
    shell:
        "python -m jvgn freeze parser {params.settings:q} {output} > {log} 2>&1"


rule freeze_vocabulary:
    input:
        code=code_of("jvgn.settings.vocabulary"),
    output:
        "results/vocabulary/{dataset}/{vocabulary}/settings.yaml",
    log:
        "logs/settings/vocabulary/{dataset}/{vocabulary}.log",
    conda:
        "../../envs/jvgn.yaml"
    params:
        settings=vocabulary_settings,
    shell:
        "python -m jvgn freeze vocabulary {params.settings:q} {output} > {log} 2>&1"


rule freeze_run:
    input:
        code=code_of("jvgn.settings.run"),
    output:
        "results/{dataset}_{setting}{run_folder}/settings.yaml",
    log:
        "logs/settings/run/{dataset}_{setting}{run_folder}.log",
    conda:
        "../../envs/jvgn.yaml"
    params:
        settings=run_settings,
    shell:
        "python -m jvgn freeze run {params.settings:q} {output} > {log} 2>&1"


rule freeze_evaluation:
    input:
        code=code_of("jvgn.settings.evaluation"),
    output:
        "results/evaluation.yaml",
    log:
        "logs/settings/evaluation.log",
    conda:
        "../../envs/jvgn.yaml"
    params:
        settings=as_json(configuration.evaluation),
    shell:
        "python -m jvgn freeze evaluation {params.settings:q} {output} > {log} 2>&1"
