# The scale "expand" in wide and narrow windows: the picture, the pointer, a split screen, dimming, the tools and hashes.
# Each test of the picture depends on the tests before it.
# needs: release
. "$(dirname "$0")/../lib.sh"
screen_width=1900 screen_height=1200
. "$root/tests/display.sh"

game=$tmp/hall
mkdir -p "$game/systems"
cat >"$game/game.lua" <<'END'
return { title = "Hall", width = 320, height = 180, window = { scale = "expand", width = 1280, height = 720 },
  start = function()
    world.spawn("eye", { name = "whole" })
    for _, at in ipairs { { -40, 90 }, { 360, 90 }, { 160, -60 }, { 160, 240 }, { 10, 90 }, { 310, 90 } } do
      world.spawn("mark", { transform = { x = at[1], y = at[2] } })
    end
  end }
END
cat >"$game/assemblages.lua" <<'END'
return {
  eye = { components = { transform = { x = 160, y = 90 }, camera = { background = "#0000c0" } } },
  half = { components = { transform = { x = 160, y = 90 }, camera = { background = "#00a0a0" },
    viewport = { width = 160 } } },
  mark = { components = { transform = {}, shape = { kind = "rect", width = 12, height = 12, colour = "#ff0000" } } },
  menu = { components = { panel = { modal = true }, widget = { width = 60, height = 40 } } },
}
END
echo 'return { split = "key:s", menu = "key:m" }' >"$game/input.lua"
cat >"$game/systems/control.lua" <<'END'
return { phase = "input", update = function()
  local x, y = input.mouse()
  local world_x, world_y, camera = world.from_screen(x, y)
  if input.pressed("split") then
    world.find("whole").camera.enabled = false
    world.spawn("half", { name = "left" })
    world.spawn("half", { name = "right", viewport = { x = 160 } })
  end
  if input.pressed("menu") then world.spawn("menu") end
  log.info("pointer %.0f %.0f at %.0f %.0f in %s", x, y, world_x, world_y, camera:name())
end }
END
# A green square in each corner of the window, and a white square in the corner of the logical screen.
cat >"$game/systems/corners.lua" <<'END'
return { phase = "render", update = function()
  local left, top, width, height = window.area()
  draw.space("screen")
  draw.colour("#00ff00")
  for _, x in ipairs { left, left + width - 4 } do
    for _, y in ipairs { top, top + height - 4 } do draw.rect(x, y, 4, 4) end
  end
  draw.colour("#ffffff")
  draw.rect(4, 4, 4, 4)
end }
END

# has_pixels "X Y COLOUR"…: succeeds if the picture has these colours
has_pixels() {
  picture hall || return 1
  for pixel; do
    # shellcheck disable=SC2086
    set -- $pixel
    seen=$(convert "$tmp/hall.png" -format "%[pixel:p{$1,$2}]" info:)
    case $seen in "srgb($3)") ;; *) return 1 ;; esac
  done
}
shows() { wait_for 20 has_pixels "$@" || fail "the pixel ($pixel) is $seen: $(tail -n 1 "$log")"; }
resize() { xdotool windowsize "$(head -n 1 "$tmp/window_id")" "$1" "$2" windowmove "$(head -n 1 "$tmp/window_id")" 0 0; }
last_line() { tail -n 1 "$log"; }
is_at() { last_line | grep -q "pointer $1"; }
points() { # points X Y TEXT: moves the mouse to the pixel, which is at this position
  xdotool mousemove "$1" "$2"
  wait_for 20 is_at "$3" || fail "the mouse at $1, $2 is not at $3: $(last_line)"
}
green=0,255,0 red=255,0,0 white=255,255,255 blue=0,0,192 cyan=0,160,160 dim_cyan=1,65,67 dim_green=1,103,3

start run "$game"
opens() {
  has_window Hall
  focus
  resize 1280 720
  shows "2 2 $green" "1277 717 $green" "24 24 $white" "640 360 $blue"
  points 320 180 "80 45 at 80 45 in whole"
}
it "in a window with the game's aspect ratio, the picture is the logical screen" opens

wide() { # the scale is 3.889, and the logical screen begins at pixel 328
  resize 1900 700
  shows "2 2 $green" "1897 697 $green" "351 23 $white" "20 350 $blue" "172 350 $red" "1728 350 $red"
  points 20 350 "-79 90 at -79 90 in whole"
  points 1880 350 "399 90 at 399 90 in whole"
}
it "a wide window shows the world beside the logical screen, and the pointer has coordinates there" wide

narrow() { # the scale is 2.1875, and the logical screen begins at pixel 403
  resize 700 1200
  shows "2 2 $green" "697 1197 $green" "13 416 $white" "20 20 $blue" "350 272 $red" "350 928 $red"
  points 350 20 "160 -175 at 160 -175 in whole"
}
it "a narrow window shows the world above and below the logical screen" narrow

split() {
  resize 1900 700
  xdotool key s
  shows "2 2 $green" "1897 697 $green" "20 350 $cyan" "1880 350 $cyan" "56 350 $red" "1844 350 $red"
  points 20 350 "-79 90 at 1 90 in left"
  points 1880 350 "399 90 at 319 90 in right"
}
it "the outer views of a split screen continue to the edges of the window" split

dims() {
  xdotool key m
  shows "20 350 $dim_cyan" "1880 350 $dim_cyan" "1897 697 $dim_green"
}
it "a modal panel dims the whole window" dims

has_strip() { # the picture, and its lower corners, end above the strip, which has one colour in both corners
  picture hall && [ "$(colours hall 40x20+5+675)" = 1 ] && [ "$(colours hall 40x20+1855+675)" = 1 ] &&
    has_pixels "2 2 $dim_green" "20 300 $dim_cyan" && ! has_pixels "20 685 $dim_cyan" && ! has_pixels "1880 685 $dim_cyan"
}
tools() {
  xdotool key F1
  wait_for 20 has_strip || fail "no strip of tools at the bottom of the window: $seen"
}
it "the strip of tools is as wide as the window" tools
stop_program

# plays_match FIELDS: starts a match of a game whose table `window` has these fields
plays_match() {
  game=$tmp/duel
  mkdir -p "$game/systems"
  cp "$tmp/hall/systems/corners.lua" "$game/systems/corners.lua"
  cat >"$game/game.lua" <<END
return { title = "Duel", width = 320, height = 180, window = { scale = "expand", $1 },
  multiplayer = { players = { 1, 2 } }, start = function() world.spawn("eye") end }
END
  grep -v 'half\|viewport\|mark\|menu' "$tmp/hall/assemblages.lua" >"$game/assemblages.lua"
  start run "$game" --net-sim 20ms,0ms,0%
}
shows_same_view() {
  plays_match ''
  has_window Duel
  resize 1900 700
  shows "20 350 0,0,0" "640 350 $blue" "330 2 $green"
  stop_program
}
it "in a match, all players see the same part of the world" shows_same_view
shows_more() {
  plays_match 'expand_in_match = true'
  has_window Duel
  resize 1900 700
  shows "20 350 $blue" "2 2 $green"
  stop_program
}
it "with expand_in_match = true, a wide window shows more of the world in a match" shows_more

# hash_of OPTIONS…: prints the hash after 120 ticks
hash_of() {
  run_for 20 env -u DISPLAY -u SDL_VIDEODRIVER "$release" run "$1" --no-watch --seed 5 --ticks 120 --hash ${2-}
  exits 0
  tail -n 1 "$tmp/out"
}
hashes() {
  for shipped in "$game" "$root/scripts/games/pong"; do
    expected=$(hash_of "$shipped" --headless)
    for size in "--width 1900 --height 700" "--width 700 --height 1200"; do
      found=$(hash_of "$shipped" "$size")
      [ "$found" = "$expected" ] || fail "$shipped $size: $found instead of $expected"
    done
  done
}
it "a world has the same hash in windows of all sizes" hashes
