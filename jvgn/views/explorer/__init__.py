"""The explorer: a page on this machine that grounds sentences in pictures, message by message."""
