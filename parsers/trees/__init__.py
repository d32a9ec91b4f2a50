"""The road from dependency trees to scene graphs: `stanza`, and trees that you bring."""
