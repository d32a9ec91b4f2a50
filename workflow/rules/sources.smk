"""Files that others publish: downloaded, verified, unpacked. A rule makes only what is not there."""


localrules:
    download_source,
    provide_file,
    provide_folder,
    mark_folder,


rule download_source:
    input:
        code=code_of("jvgn.downloads.download"),
    output:
        "resources/{download}",
    log:
        "logs/sources/{download}.log",
    wildcard_constraints:
        download=names_of(absent(source_of_download)),
    conda:
        "../../envs/jvgn.yaml"
    resources:
        mem_mb=growing(500),
        runtime=1440,
    params:
        source=download_settings,
        downloads=as_json(configuration.downloads),
    shell:
        "python -m jvgn download --source {params.source:q} --downloads {params.downloads:q} > {log:q} 2>&1"


rule provide_file:
    input:
        code=code_of("jvgn.downloads.provision"),
        published=published_file,
    output:
        "resources/{provided}",
    log:
        "logs/sources/{provided}.log",
    wildcard_constraints:
        provided=names_of(absent(provided_files)),
    conda:
        "../../envs/jvgn.yaml"
    resources:
        mem_mb=growing(500),
        runtime=60,
    params:
        source=provision_settings,
    shell:
        "python -m jvgn provide --source {params.source:q} {output:q} > {log:q} 2>&1"


rule provide_folder:
    input:
        code=code_of("jvgn.downloads.provision"),
        published=published_file,
    output:
        directory("resources/{provided}"),
    log:
        "logs/sources/{provided}.log",
    wildcard_constraints:
        provided=names_of(absent(provided_folders)),
    conda:
        "../../envs/jvgn.yaml"
    resources:
        mem_mb=growing(500),
        runtime=240,
    params:
        source=provision_settings,
    shell:
        "python -m jvgn provide --source {params.source:q} {output:q} > {log:q} 2>&1"


rule mark_folder:
    input:
        ancient("resources/{provided}"),
    output:
        touch("resources/{provided}.ready"),
    wildcard_constraints:
        provided=names_of(provided_folders),
