# Several cameras, each with its own viewport, and the window icon.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
export SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy

# game ICON: creates a game with two viewports, which differ in their backgrounds. Only the right camera sees a white
# disc.
game() {
  rm -rf game
  mkdir -p game/systems
  cat >game/game.lua <<'END'
return { title = "views", width = 200, height = 100, window = { icon = "ICON" }, start = function()
  world.spawn(nil, { transform = {}, camera = { background = "#ff0000" }, viewport = { width = 100 } })
  world.spawn(nil, { transform = { x = 500 }, camera = { background = "#0000ff" }, viewport = { x = 100, width = 100 } })
  world.spawn(nil, { transform = { x = 500 }, shape = { radius = 20 } })
end }
END
  sed -i "s,ICON,$1," game/game.lua
}
colour_at() { # colour_at X,Y: prints the colour of this pixel of the image
  magick a.png -crop "1x1+${1%,*}+${1#*,}" txt:- 2>/dev/null || convert a.png -crop "1x1+${1%,*}+${1#*,}" txt:-
}
pixel_is() { # pixel_is X,Y COLOUR
  colour_at "$1" | grep -qi "$2" || fail "the pixel at $1 is $(colour_at "$1" | tail -1), not $2"
}

drawn() {
  game icons/none.png
  run_for 60 "$release" run game --no-watch --ticks 3 --screenshot a.png
  exits 0
  pixel_is 20,20 '#FF0000'
  pixel_is 180,20 '#0000FF'
  pixel_is 150,50 '#FFFFFF'
  pixel_is 50,50 '#FF0000'
  says err "window.icon: icons/none.png: not found"
}
it "each viewport shows its camera's view, and a missing icon file is reported" drawn

window_icon() {
  game icon.png
  mkdir game/assets
  cp a.png game/assets/icon.png
  run_for 60 "$release" run game --no-watch --ticks 3
  exits 0
  ! grep -q icon err || fail "$(cat err)"
}
it "window.icon loads an existing image without a warning" window_icon
