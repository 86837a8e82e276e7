#!/bin/sh
# sh engine/docs/site/first_game_pictures.sh: takes the pictures of the six steps, assets/pictures/first_game_N.jpg,
# after a few seconds of each, played by pilot.lua. Needs ImageMagick.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
tmp=$(mktemp -d)
export XDG_DATA_HOME="$tmp/data" # keeps the player's best score unchanged
trap 'rm -rf "$tmp"' EXIT
picture() { # picture STEP TICKS [SEED]
  cp -r "$root/scripts/examples/first_game/$1" "$tmp/step"
  cp "$here/pilot.lua" "$tmp/step/systems/pilot.lua"
  # the first two steps have no glow-worms, and no collision layers that the pilot could name
  [ "$1" -ge 3 ] || sed -i '/^    for /,/^    end$/d' "$tmp/step/systems/pilot.lua"
  [ "$1" = 5 ] || [ ! -e "$tmp/step/scenes/title.lua" ] ||
    echo 'return { update = function() if world.tick == 5 then world.emit("play", {}) end end }' \
      >"$tmp/step/systems/play.lua"
  shoal="$root/build/release/bin/shoal"
  "$shoal" run "$tmp/step" --headless --no-watch --seed "${3:-4}" --ticks "$2" \
    --save "$tmp/save.sqlite" >"$tmp/log" 2>&1
  SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy "$shoal" run "$tmp/step" --no-watch --history 0 \
    --load "$tmp/save.sqlite" --ticks $(($2 + 3)) --screenshot "$tmp/picture.png" >"$tmp/log" 2>&1
  convert "$tmp/picture.png" -resize 960x540 -quality 84 "$root/assets/pictures/first_game_$1.jpg"
  rm -rf "$tmp/step"
}
picture 1 1000
picture 2 1000
picture 3 380
picture 4 1009 5
picture 5 60
picture 6 9540 8
