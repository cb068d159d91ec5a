#!/bin/sh
# The searches for slowness of docs/design/slowness.md and docs/design/slow-evolution.md, one after the other.
# What is done already is left out: run this again to go on. FOLDER gets a log of each search.
#
#   bench/slowness.sh SMELT FOLDER regressions|evolution [TIME]
set -eu
if [ $# -lt 3 ]; then
    echo "usage: bench/slowness.sh SMELT FOLDER regressions|evolution [TIME]" >&2
    exit 2
fi
smelt=$1
folder=$2
study=$3
time=${4:-5m}
mkdir -p "$folder"

# The arguments of a search; its name is that of its log.
search() {
    name=$1
    shift
    [ -e "$folder/$name.log" ] && return
    status=0
    "$smelt" hunt --goal slowdown --time "$time" --jobs 1 --dir "$folder/$name" "$@" > "$folder/$name.part" 2>&1 || status=$?
    # 1 means that there are findings.
    [ "$status" -le 1 ] || exit "$status"
    mv "$folder/$name.part" "$folder/$name.log"
}

case $study in
regressions)
    for releases in 4.8.7-4.8.8 4.8.8-4.8.9 5.1.0-5.3.0; do
        for technique in bandit no-dtw banditfuzz random; do
            search "$technique-$releases" --technique "$technique" --timeout 3 --alpha 1 --no-triage \
                --solver "z3@${releases%-*}" --solver "z3@${releases#*-}"
        done
    done
    ;;
evolution)
    for variant in default stringfuzz stringfuzz-difference only-time no-coverage no-complexity default-crowding; do
        search "$variant" --technique evolution --variant "$variant" --timeout 1 --confirm 20 \
            --solver cvc5@1.4.2 --solver "z3str3=z3@4.8.7 smt.string_solver=z3str3"
    done
    ;;
*)
    echo "error: no study is called $study" >&2
    exit 2
    ;;
esac
