"""Where the explorer listens. Loads nothing heavy: a port that is taken is told at once."""

import errno
import socket

from parsers.errors import UserError

ADDRESS = "127.0.0.1"


def listening(port: int) -> socket.socket:
    """A socket on which only this machine can reach us; port 0 is any free one."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((ADDRESS, port))
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise UserError(f"--port {port}: another program has it; give another, or 0 for any free one") from error
        raise UserError(f"--port {port}: cannot be opened ({error.strerror}); give another one") from error
    listener.listen()
    return listener
