#!/bin/sh
# sh scripts/shoal/menu/pictures.sh [NAME…]: records the animated previews in the menu, of all games and examples or
# only of the named ones. Each is assets/NAME.jpg, with four frames in one row, and its sheet assets/NAME.json. Needs
# ImageMagick.
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
shoal=$root/build/release/bin/shoal
out=$here/assets
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$out"
record() { # record FOLDER
  name=$(basename "$1")
  for i in 1 2 3 4; do
    SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy timeout 30 "$shoal" run "$1" --no-watch --history 0 --seed 7 --width 320 \
      --height 180 --ticks $((90 + i * 12)) --screenshot "$tmp/$i.png" >"$tmp/log" 2>&1 || return 0
  done
  convert "$tmp"/[1-4].png -resize 320x180 -background black -gravity center -extent 320x180 +append -quality 78 \
    "$out/$name.jpg"
  echo '{ "grid": { "width": 320, "height": 180 }, "fps": 5 }' >"$out/$name.json"
  echo "$name"
}
for folder in "$root"/scripts/games/*/ "$root"/scripts/examples/*/; do
  name=$(basename "$folder")
  if [ -e "$folder/game.lua" ] && { [ $# = 0 ] || echo " $* " | grep -q " $name "; }; then
    record "${folder%/}"
  fi
done
