"""The program `airtcp`, also `python -m airtcp`.

Its first statements take Ctrl-C: until the command line has its own handling, Ctrl-C would end in
a traceback. Modules that are not part of every interpreter's start are imported after that.
"""

# pyright: reportMissingImports=false, reportUnknownMemberType=false

import _signal
import os


def _at_once(_number: object, _frame: object) -> None:
    os.write(2, b"interrupted\n")
    os._exit(130)


# A program that was started in the background may have to ignore Ctrl-C.
if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _at_once)

from airtcp.cli import main  # noqa: E402

__all__ = ["main"]

if __name__ == "__main__":
    main()
