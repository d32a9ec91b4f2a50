"""Backends that turn dependency trees into scene graphs: `stanza`, and `conllu` for trees that the user brings."""
