"""Cases by area: each module has `CASES`, and each case raises one error of docs/errors.md."""
