#!/bin/sh
# sh scripts/build/copy_without_prompt.sh FOLDER COPY: copies a game to the new folder COPY, without the prompt that its
# demo shows ("Press Space to play"), so that pictures and clips can be taken of the demo. Fails if it finds no prompt.
set -eu
cp -r "$1" "$2"
find "$2" -name '*.lua' -exec sed -i \
  -e 's/tr("menu\.press_to_play", {[^}]*})/""/g' \
  -e 's/demo = "Demo[^"]*"/demo = ""/' {} +
! diff -r "$1" "$2" >/dev/null || { echo "copy_without_prompt.sh: no prompt found in $1" >&2; exit 1; }
