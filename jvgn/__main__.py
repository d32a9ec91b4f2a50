"""`python -m jvgn`: the same as the command `jvgn`."""

from jvgn.cli import main

if __name__ == "__main__":
    main(prog_name="jvgn")
