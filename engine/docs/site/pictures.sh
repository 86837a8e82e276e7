#!/bin/sh
# sh engine/docs/site/pictures.sh: takes all pictures and clips of the pages and of the menu again, with
# build/release/bin/shoal. Takes about ten minutes. Needs the programs of the scripts below, and Chromium.
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
sh "$root/scripts/build/clips.sh"
sh "$root/engine/docs/site/readme_pictures.sh"
sh "$root/engine/docs/site/first_game_pictures.sh"
sh "$root/scripts/shoal/menu/pictures.sh"
# The tests of the cockpit that save pictures.
PICTURES=$root/assets/pictures "$root/shoal" test --long "cockpit_page: a level can be built" \
  "cockpit_page: the map shows the ship" "cockpit_page: the page Match shows" "cockpit_kinds: a new enemy" \
  "cockpit_rename: the page finds" "cockpit_levels: every control"
