"""The guanxi server as a package of Python: it has the program, and this module finds it."""

import os
import sysconfig


def path() -> str:
    """The path of the program that was installed with this package.

    Raises FileNotFoundError when it is not there, for example because only the module was copied.
    """
    schemes = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", scheme=f"{os.name}_user")]
    # pip install --target puts scripts beside the module.
    schemes.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin"))
    for scripts in schemes:
        program = os.path.join(scripts, "guanxi")
        if os.path.isfile(program):
            return program
    raise FileNotFoundError(f"no program guanxi in {', '.join(schemes)}: install guanxi-server again")
