#!/bin/sh
# ffi_functions.sh FOLDER: writes the tables of the functions that scripts call through ffi.C, because a program for
# Windows exports no names and libshoal hides its own. For each header engine/LAYER/MODULE/NAMEabi.h, whose macro
# ABI_FUNCTIONS contains the prototypes, FOLDER/NAMEabi_functions.h contains one line BIND_FUNCTION(function) for each
# function, sorted by name (bindings/bind.h). An unchanged file keeps its time, so that make compiles nothing.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
for header in "$root"/engine/*/*/*abi.h; do
  table=$1/$(basename "$header" .h)_functions.h
  sed -n '/^#define [A-Z_]*ABI_FUNCTIONS/,/^\/\/ clang-format on/p' "$header" | grep -o '[a-z_][a-z0-9_]*(' | tr -d '(' |
    LC_ALL=C sort -u | sed 's/.*/BIND_FUNCTION(&)/' >"$table.$$"
  if [ ! -s "$table.$$" ]; then
    rm -f "$table.$$"
    echo "shoal: ffi_functions.sh: $header contains no functions" >&2
    exit 2
  fi
  if cmp -s "$table.$$" "$table"; then rm -f "$table.$$"; else mv -f "$table.$$" "$table"; fi
done
