#!/usr/bin/env bash
# Installs what lengthwise needs from Debian 12, and writes data/kjv.txt. Runs as root or with sudo; says nothing when there
# is nothing to do.
#
# data/kjv.txt is the King James Bible as Debian's bible-kjv prints it: one verse a line, its reference first, ASCII, LF:
#     Ge1:1 In the beginning God created the heaven and the earth.
# 31,102 lines, 4,404,412 bytes. The text is in the public domain.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(
  # the program
  g++ cmake ninja-build git libhdf5-dev libboost-program-options-dev libxtensor-dev libxsimd-dev libdnnl-dev zlib1g-dev
  # its tests and benchmarks
  libgtest-dev libgmock-dev libbenchmark-dev hdf5-tools
  # sweeps, pictures and notebooks
  python3-h5py python3-xarray python3-h5netcdf python3-netcdf4 python3-pandas python3-matplotlib
  python3-nbclient jupyter-nbconvert python3-ipykernel python3-nbformat
  # the text
  bible-kjv
)

if ! command -v dpkg-query >/dev/null; then
  echo "setup.sh: this is not Debian. Install these or their like by hand: ${packages[*]}" >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
done

if ((${#missing[@]})); then
  as_root=()
  ((EUID == 0)) || as_root=(sudo)
  apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=500)
  echo "Installing ${missing[*]}"
  "${apt[@]}" update || echo "setup.sh: the package lists could not be renewed; trying with those at hand" >&2
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}"
fi

text=data/kjv.txt
is_right() {
  echo "cd45f0c9cedab8e4439bd6486c8952c77cc8b0ecc5d1f6ae3513f2039f47229d  $1" | sha256sum --check --status 2>/dev/null
}
if ! is_right "$text"; then
  mkdir -p data
  # -p, since bible would take a bible.data of the current folder first; -f: one verse a line.
  bible -p /usr/lib -f 'gen1:1-rev22:21' </dev/null >"$text.tmp"
  if ! is_right "$text.tmp"; then
    echo "setup.sh: bible-kjv printed another text than expected ($(wc -c <"$text.tmp") bytes instead of 4404412);" \
      "see $text.tmp" >&2
    exit 1
  fi
  mv "$text.tmp" "$text"
  echo "Wrote $text"
fi
