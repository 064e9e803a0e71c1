#!/usr/bin/env bash
# Rewrites the hash-locked requirement files from pyproject.toml. Needs the network.
# The user's own pip configuration is left out, so that the hashes of all published wheels get in.
set -euo pipefail
cd "$(dirname "$0")/.."
export PIP_CONFIG_FILE=/dev/null PIP_FIND_LINKS=

compile() {
  .venv/bin/pip-compile --quiet --generate-hashes --strip-extras --allow-unsafe --no-header \
    --no-annotate --no-emit-index-url --no-emit-find-links --no-emit-trusted-host \
    --no-emit-options --build-deps-for editable --constraint requirements/constraints.txt \
    "$@" pyproject.toml
}

compile --output-file requirements/core.txt
compile --extra lab --extra test --constraint requirements/core.txt \
  --output-file requirements/dev.txt
# Without a wheel for Linux on arm64, where the measures that need it are left out.
sed -i.bak -E 's/^(pytrec-eval-terrier==[^ ]+) \\/\1 ; platform_machine == "x86_64" or sys_platform == "darwin" \\/' \
  requirements/dev.txt
rm requirements/dev.txt.bak
