"""`guanxi-server` and `python -m guanxi_server`: becomes the program, with the same arguments."""

import os
import sys

from . import path


def main() -> None:
    program = path()
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
