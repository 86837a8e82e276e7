#!/bin/sh
# sh engine/docs/site/readme_pictures.sh: takes pictures in assets/pictures again: games.jpg, the nine games while they
# play their demos, and asteroids.png, an error card, for README.md; ghosts.jpg for the page about time; grass.jpg and
# physics.jpg for the page about plugins; first_hour.jpg for the page about the default template. Needs ImageMagick and
# ffmpeg.
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
shoal=$root/build/release/bin/shoal
tmp=$(mktemp -d)
export XDG_DATA_HOME="$tmp/data" SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/games"

# game NAME TICKS: runs the demo headless for TICKS, then takes the picture in the window's size.
game() {
  sh "$root/scripts/build/copy_without_prompt.sh" "$root/scripts/games/$1" "$tmp/games/$1"
  "$shoal" run "$tmp/games/$1" --headless --no-watch --history 0 --seed 7 --ticks "$2" --save "$tmp/world" \
    >"$tmp/log" 2>&1
  "$shoal" run "$tmp/games/$1" --no-watch --history 0 --every-tick --width 1280 --height 720 \
    --load "$tmp/world" --ticks $(($2 + 3)) --screenshot "$tmp/$1.png" >"$tmp/log" 2>&1
}

# error_card: edits a system of a running copy of Asteroids so that the reload is rejected. The picture's tick is some
# seconds later.
error_card() {
  sh "$root/scripts/build/copy_without_prompt.sh" "$root/scripts/games/asteroids" "$tmp/asteroids"
  "$shoal" run "$tmp/asteroids" --seed 7 --width 1280 --height 720 --screenshot "$tmp/card.png" --at 1603 \
    >"$tmp/log" 2>&1 &
  running=$!
  sleep 16
  sed -i 's/q\.motion\.spin/q.motion.spn/' "$tmp/asteroids/systems/steering.lua"
  wait "$running" || true
  convert "$tmp/card.png" -colors 255 "png8:$root/assets/pictures/asteroids.png"
}

# ghosts: the last frame of a recorded pause, in which the paths are complete. Uses the copy that `game` has made.
ghosts() {
  luajit "$root/scripts/build/recording.lua" "$root/scripts/build/clips/ghosts.txt" "$tmp/ghosts.replay"
  "$shoal" clip "$tmp/games/asteroids" --log error --replay "$tmp/ghosts.replay" --last 0.1 --size 1280x720 \
    --out "$tmp/ghosts.mp4"
  ffmpeg -nostdin -v error -y -i "$tmp/ghosts.mp4" -frames:v 1 -q:v 3 "$root/assets/pictures/ghosts.jpg"
}

# folder NAME FOLDER SIZE TICKS: a game that runs without input, after TICKS, resized to SIZE.
folder() {
  "$shoal" run "$2" --no-watch --history 0 --every-tick --seed 7 --ticks "$4" \
    --screenshot "$tmp/$1.png" >"$tmp/log" 2>&1
  convert "$tmp/$1.png" -scale "$3" -quality 82 "$root/assets/pictures/$1.jpg"
}

game asteroids 1600
game bounty_hunter 1740
game tron 1180
game lantern 1360
game rectangle_eater 2100
game hamlet 1320
game invaders 1740
game rpg_battle 1150
game pong 1422
cd "$tmp"
montage asteroids.png bounty_hunter.png tron.png lantern.png hamlet.png rectangle_eater.png \
  invaders.png rpg_battle.png pong.png -resize 400x225! -tile 3x3 -geometry 400x225+3+3 -background '#10161d' \
  -quality 86 "$root/assets/pictures/games.jpg"
error_card
ghosts
folder grass "$root/scripts/examples/grass" 960x540 120
folder physics "$root/scripts/examples/physics" 1280x720 1200
"$root/shoal" new hall --at "$tmp" >"$tmp/log" 2>&1
folder first_hour "$tmp/hall" 640x352 115
