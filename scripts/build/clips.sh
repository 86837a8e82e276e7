#!/bin/sh
# sh scripts/build/clips.sh [NAME…]: renders the clips of README.md (NAME readme) and of the games' pages,
# assets/pictures/clips/NAME.webp, and the site's first video with its poster, site.mp4 and site.jpg (NAME site, which
# needs ffmpeg); by default all. Takes several minutes. The games play their demos, whose prompts are not shown; the
# input of README's clip and of the video is in clips/readme.txt. Fails if the clips are too large.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
shoal=$root/build/release/bin/shoal
out=$root/assets/pictures/clips
tmp=$(mktemp -d)
export XDG_DATA_HOME="$tmp/data" # settings and best scores of a new player
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$out"
names=${*:-readme site asteroids bounty_hunter hamlet invaders lantern pong rectangle_eater rpg_battle tron}

is_requested() { case " $names " in *" $1 "*) ;; *) return 1 ;; esac; }

# clip NAME MAX_KB GAME [options]: writes NAME.webp, or NAME if it has an extension.
clip() {
  name=$1 max_kb=$2 game=$3
  shift 3
  is_requested "${name%.*}" || return 0
  case $name in *.*) file=$name ;; *) file=$name.webp ;; esac
  "$shoal" clip "$game" --log error --out "$out/$file" "$@"
  [ "$(wc -c <"$out/$file")" -le $((max_kb * 1000)) ] ||
    { echo "clips.sh: $file is larger than $max_kb KB" >&2; exit 1; }
}

# demo NAME [options]: writes the clip of a game's demo.
demo() {
  name=$1
  shift
  is_requested "$name" || return 0
  sh "$root/scripts/build/copy_without_prompt.sh" "$root/scripts/games/$name" "$tmp/$name"
  clip "$name" 500 "$tmp/$name" "$@"
}

luajit "$root/scripts/build/recording.lua" "$root/scripts/build/clips/readme.txt" "$tmp/readme.replay"
clip readme 2000 boids --replay "$tmp/readme.replay" --from 4.5 --to 12.5 --quality 45
clip site.mp4 2000 boids --replay "$tmp/readme.replay" --from 4.5 --to 12.5 --size 960x540 --fps 30 --quality 55
! is_requested site || ffmpeg -nostdin -v error -y -ss 1.5 -i "$out/site.mp4" -frames:v 1 -q:v 5 "$out/site.jpg"
demo asteroids --from 28.8 --to 33.3 --fps 15
demo bounty_hunter --from 18 --to 22 --fps 15 --quality 56
demo hamlet --size 320x180 --from 23.9 --to 28.1 --fps 10 --quality 42
demo invaders --from 19 --to 22 --fps 15 --quality 65
demo lantern --size 320x180 --from 21 --to 25 --fps 15 --quality 60
demo pong --from 37.6 --to 42.6 --fps 15
demo rectangle_eater --from 16 --to 21 --fps 15
demo rpg_battle --from 18 --to 22 --fps 12 --quality 60
demo tron --from 17 --to 21 --fps 15
total=$(cat "$out"/* | wc -c)
[ "$total" -le $((8 << 20)) ] || { echo "clips.sh: all clips together are larger than 8 MB: $total bytes" >&2; exit 1; }
