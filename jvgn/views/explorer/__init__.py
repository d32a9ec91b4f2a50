"""The explorer: a page on this machine that grounds sentences in images, message by message."""
