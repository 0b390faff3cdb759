#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: demo.sh ASSAY PROGRAM DIR: asks assay a few things about examples/demo.c, compiled for this machine, and about
# the versions of examples/record.c that are in DIR.
set -eu
assay=$1
program=$2
versions=$3

ask() {
    printf '\n$ assay'
    printf ' %s' "$@"
    printf '\n'
    code=0
    "$assay" "$@" || code=$?
    [ "$code" -le 1 ]
}

echo 'examples/demo.c is a small packet parser. What does assay see in the compiled program?'
ask functions "$program"
ask cfg "$program" kind_name
ask lift "$program" clamp
ask explore --paths --stats "$program" clamp
ask explore --merge "$program" clamp
ask explore --paths "$program" parse

echo
echo 'examples/record.c is a function in three versions. 1.1 repairs a missing check; is it safe to apply?'
ask verify "$versions/record-10" "$versions/record-11"
echo
echo '1.2 has the check, too, and something else.'
ask verify "$versions/record-10" "$versions/record-12"
