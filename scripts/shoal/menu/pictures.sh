#!/bin/sh
# sh scripts/shoal/menu/pictures.sh [NAME…]: records the menu's moving pictures of all games and examples, or only of
# the named ones. Needs ImageMagick and the package webp.
#
# assets/NAME.webp: a game, or the example boids, while it plays its demo: 24 frames, four ticks apart.
# assets/NAME.jpg: any other example: four frames in one row.
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
shoal=$root/build/release/bin/shoal
out=$here/assets
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export XDG_DATA_HOME="$tmp/data" SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy
mkdir -p "$out"

# start_of NAME: prints the tick at which the picture of a game starts.
start_of() {
  case $1 in
    boids) echo 240 ;;
    lantern) echo 1320 ;;
    pong) echo 1380 ;;
    rectangle_eater) echo 1140 ;;
    tron) echo 1140 ;;
    *) echo 1680 ;;
  esac
}
record_game() { # record_game NAME FOLDER: 24 frames of a clip of the demo without its prompt, 1/15 s apart
  start_s=$(($(start_of "$1") / 60))
  game_folder=$2
  if [ "$1" != boids ]; then
    game_folder=$tmp/$1
    sh "$root/scripts/build/copy_without_prompt.sh" "$2" "$game_folder" || return
  fi
  "$shoal" clip "$game_folder" --seed 7 --from $start_s --to $((start_s + 1)).6 --fps 15 --size 240x135 --quality 95 \
    --out "$tmp/clip.webp" >"$tmp/log" 2>&1 || { cat "$tmp/log"; return; }
  convert "$tmp/clip.webp" -coalesce "$tmp/frame_%02d.png"
  # a clip stores equal frames once: each is repeated for its duration, in milliseconds
  frames=$(webpmux -info "$tmp/clip.webp" | awk -v tmp="$tmp" '$1 ~ /^[0-9]+:$/ {
    for (left = $7; left > 33; left -= 1000 / 15) printf "%s/frame_%02d.png ", tmp, $1 - 1
  }')
  # shellcheck disable=SC2086
  montage $frames -resize 240x135! -tile 6x4 -geometry 240x135+0+0 "$tmp/strip.png"
  cwebp -quiet -q 72 "$tmp/strip.png" -o "$out/$1.webp"
  echo '{ "grid": { "width": 240, "height": 135 } }' >"$out/$1.json"
  rm -f "$tmp"/frame_*.png
  echo "$1"
}
# record_example NAME FOLDER: four frames of a clip, 0.2 s apart; with three players if the game declares players
record_example() {
  rm -f "$tmp/replay"
  ! grep -q multiplayer "$2/game.lua" ||
    "$shoal" run "$2" --players 3 --seed 7 --headless --ticks 240 --record "$tmp/replay" >"$tmp/log" 2>&1 ||
    { cat "$tmp/log"; return; }
  # shellcheck disable=SC2046
  "$shoal" clip "$2" $([ -e "$tmp/replay" ] && echo --replay "$tmp/replay" || echo --seed 7) --from 3 --to 3.8 --fps 5 \
    --size 320x180 --quality 95 --out "$tmp/clip.webp" >"$tmp/log" 2>&1 || { cat "$tmp/log"; return; }
  for i in 1 2 3 4; do # a clip stores equal frames once
    webpmux -get frame $i "$tmp/clip.webp" -o "$tmp/$i.webp" 2>"$tmp/log" || cp "$tmp/$((i - 1)).webp" "$tmp/$i.webp"
  done
  convert "$tmp"/[1-4].webp -background black -gravity center -extent 320x180 +append -quality 82 "$out/$1.jpg"
  echo '{ "grid": { "width": 320, "height": 180 }, "fps": 5 }' >"$out/$1.json"
  echo "$1"
}
for folder in "$root"/scripts/games/*/ "$root"/scripts/examples/*/; do
  name=$(basename "$folder")
  if [ -e "$folder/game.lua" ] && { [ $# = 0 ] || echo " $* " | grep -q " $name "; }; then
    case $folder in
      */games/* | */boids/) record_game "$name" "${folder%/}" ;;
      *) record_example "$name" "${folder%/}" ;;
    esac
  fi
done
