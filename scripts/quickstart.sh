#!/usr/bin/env bash
# From a clean checkout to a picture: installs what is missing, builds the program, trains five positional encodings on
# 64 bytes of context, evaluates them on up to 1024, and draws the curves.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=/usr/bin/python3 # Debian's, which has the packages; a bare python3 may be another
[[ -x $python ]] || python=python3

scripts/setup.sh
cmake --preset release --log-level=WARNING
cmake --build --preset release --target lengthwise
"$python" scripts/sweep.py configs/quickstart.ini
echo
"$python" scripts/plot.py runs/quickstart -o runs/quickstart/quickstart.png
echo "
picture   runs/quickstart/quickstart.png
runs      runs/quickstart/*.h5, listed in runs/quickstart/index.csv
notebook  scripts/explore.ipynb
program   build/release/lengthwise --help"
