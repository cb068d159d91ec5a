#!/bin/sh
# The evolution study of docs/design/evolution.md: correctness warm at 0.5 s, performance cold at 1 s.
# Both go on where they were stopped: run this again. FOLDER gets `correctness/index.html` and `performance/index.html`.
#
#   bench/evolve.sh SMELT FOLDER [FORMULAS] [COLD_FORMULAS]
set -eu
if [ $# -lt 2 ]; then
    echo "usage: bench/evolve.sh SMELT FOLDER [FORMULAS] [COLD_FORMULAS]" >&2
    exit 2
fi
smelt=$1
folder=$2
formulas=${3:-5000}
cold_formulas=${4:-300}
mkdir -p "$folder"

study() {
    status=0
    "$smelt" study --solver z3@4.8.5..4.12.0 --solver z3@5.4.0 --solver cvc4@1.6 --solver cvc5@1.2.0 \
        --solver cvc5@1.4.2 --theory strings,ints,bitvectors \
        --reference z3@5.4.0,cvc5@1.4.2,smelt "$@" || status=$?
    # 1 means that old releases have bugs.
    [ "$status" -le 1 ] || exit "$status"
}

study --mode warm --formulas "$formulas" --timeout 0.5 --dir "$folder/correctness"
study --mode cold --formulas "$cold_formulas" --timeout 1 --dir "$folder/performance"
