"""Published files: downloaded, verified, unpacked. A rule makes only what is missing."""


localrules:
    download_source,
    provide_file,
    provide_folder,
    mark_folder,
    fetch_corenlp,


rule download_source:
    input:
        code=code_of("jvgn.downloads.download"),
    output:
        "resources/{download}",
    log:
        "logs/sources/{download}.log",
    wildcard_constraints:
        download=missing(source_of_download),
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("download_source"),
    params:
        source=download_settings,
        downloads=as_json(configuration.downloads),
    shell:
        "python -m jvgn download --source {params.source:q} --downloads {params.downloads:q} > {log:q} 2>&1"


rule provide_file:
    input:
        code=code_of("jvgn.downloads.download"),
        published=published_file,
    output:
        "resources/{provided}",
    log:
        "logs/sources/{provided}.log",
    wildcard_constraints:
        provided=missing(provided_files),
    conda:
        "../../envs/jvgn.yaml"
    resources:
        **asked_by("provide_file"),
    params:
        source=provision_settings,
    shell:
        "python -m jvgn provide --source {params.source:q} {output:q} > {log:q} 2>&1"


use rule provide_file as provide_folder with:
    output:
        directory("resources/{provided}"),
    wildcard_constraints:
        provided=missing(provided_folders),
    resources:
        **asked_by("provide_folder"),


rule mark_folder:
    input:
        ancient("resources/{provided}"),
    output:
        touch("resources/{provided}.ready"),
    wildcard_constraints:
        provided=names_of(provided_folders),


rule fetch_corenlp:
    input:
        code=code_of("jvgn.downloads.corenlp_jars"),
    output:
        directory("resources/corenlp"),  # jars at pinned versions, 484 MB, from Maven
    log:
        "logs/corenlp/fetch_corenlp.log",
    benchmark:
        "benchmarks/corenlp/fetch_corenlp.tsv"
    conda:
        "../../envs/corenlp.yaml"
    resources:
        **asked_by("fetch_corenlp"),
    shell:
        "python -m jvgn fetch-corenlp {output:q} > {log:q} 2>&1"
