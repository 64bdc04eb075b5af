#!/usr/bin/env bash
# Checks the synthesized templates with cfn-lint, in a virtual environment of its own under node_modules/.cache.
# Skips with a line that says so where Python is not there. Usage: scripts/lint-templates.sh [folder, default cdk.out]
set -euo pipefail
cd "$(dirname "$0")/.."
out="${1:-cdk.out}"
venv="node_modules/.cache/cfn-lint"
version="1.58.0"

if ! command -v python3 >/dev/null || ! python3 -c 'import venv, ensurepip' 2>/dev/null; then
  echo "skipped: cfn-lint needs python3 with venv and pip"
  exit 0
fi
if [ ! -x "$venv/bin/cfn-lint" ]; then
  python3 -m venv "$venv"
  if ! "$venv/bin/pip" install --quiet "cfn-lint==$version"; then
    rm -rf "$venv"
    echo "skipped: cfn-lint $version could not be installed (no network?)"
    exit 0
  fi
fi
if ! compgen -G "$out/*.template.json" >/dev/null; then
  npx cdk synth --quiet --output "$out"
fi
npx -c "node scripts/synth-variants.ts '$out'"
# W3005: CDK lists dependencies that references already imply; harmless, and not ours to change.
"$venv/bin/cfn-lint" --ignore-checks W3005 --regions us-east-1 eu-west-1 --template "$out"/*.template.json examples/infra/*.yaml
echo "cfn-lint: no findings"
