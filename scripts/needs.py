"""What to say when a Python package is missing."""

import sys


def line(error: ModuleNotFoundError) -> str:
    """One line: which interpreter lacks which module, and the Debian package that has it."""
    module = error.name.partition(".")[0]
    return (f"{sys.executable} has no module '{module}': run scripts/setup.sh, which installs Debian's "
            f"python3-{module.lower()}, and use /usr/bin/python3 (or `pip install {module}` in a virtual environment)")
