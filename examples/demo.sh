#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: demo.sh ASSAY PROGRAM: asks assay a few things about examples/demo.c, compiled for this machine.
set -eu
assay=$1
program=$2

ask() {
    printf '\n$ assay'
    printf ' %s' "$@"
    printf '\n'
    "$assay" "$@"
}

echo 'examples/demo.c is a small packet parser. What does assay see in the compiled program?'
ask functions "$program"
ask cfg "$program" kind_name
ask lift "$program" clamp
ask explore --paths --stats "$program" clamp
ask explore --merge "$program" clamp
ask explore --paths "$program" parse
