"""How every command ends: a user's mistake is one sentence on standard error and an exit code, no traceback.

`--traceback` anywhere on the line shows the rest.
"""

import errno
import sys
import traceback

import click

from rig.core.errors import RigError, UsageError

_TRACEBACK = "--traceback"
_INTERRUPTED = 130
_FAILED = 1
_NOT_THE_USERS = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.ENOMEM}
"""A full or failing disk; other refusals (no such folder, read-only, not a folder) are in the command."""


def run(command: click.Command, arguments: list[str] | None = None) -> int:
    """Run a command and give its exit code.

    0 done, 1 a cell, check or verification failed, 2 the command or config is wrong, 3 a lock is missing,
    stale or overridden, 4 a lock was tampered with, 130 interrupted.
    """
    given = sys.argv[1:] if arguments is None else arguments
    wants_traceback = _TRACEBACK in given
    given = [argument for argument in given if argument != _TRACEBACK]
    try:
        status = command.main(args=given, standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted; finished cells are kept, run the same command to go on", err=True)
        return _INTERRUPTED
    except OSError as error:
        if wants_traceback:
            traceback.print_exc()
        where = f": {error.filename}" if error.filename else ""
        click.echo(f"Error: the system refused: {error.strerror or error}{where}", err=True)
        return _FAILED if error.errno in _NOT_THE_USERS else UsageError.exit_code
    except RigError as error:
        if wants_traceback:
            traceback.print_exc()
        click.echo(f"Error: {error}", err=True)
        return error.exit_code
    return status if isinstance(status, int) else 0
