# Assets that change while a game shows them: the screen shows the new version immediately, or keeps the previous
# version if the new version is invalid. Each test depends on the tests before it.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/display.sh"

game=$tmp/gallery
rm -rf "$game"
mkdir -p "$game/assets/shaders"
cat >"$game/game.lua" <<'END'
return { title = "Gallery", width = 1280, height = 720, start = function()
  world.spawn("picture", { transform = { x = 320, y = 200 }, sprite = { image = "hero.png" } })
  world.spawn("word", { transform = { x = 640, y = 160 }, text = { value = "WWW", size = 96, font = "own.ttf" } })
  world.spawn("hum", { sound = { file = "hum.wav", loop = true } })
  music.play("tune")
end }
END
echo 'return { tune = "tune.wav" }' >"$game/music.lua"
cat >"$game/assemblages.lua" <<'END'
return { picture = { components = { transform = {}, sprite = {} } }, word = { components = { transform = {}, text = {} } },
  hum = { components = { sound = {} } } }
END
sounds=$root/scripts/games/asteroids/assets
painted() { convert -size "$2" "xc:$1" "$tmp/hero.png" && save assets/hero.png <"$tmp/hero.png"; }
painted '#ff0000' 200x200
save assets/own.ttf <"$root/assets/fonts/ui.ttf"
save assets/hum.wav <"$sounds/thrust.wav"
save assets/tune.wav <"$sounds/music.wav"

# box COLOUR: prints the width and height of the screen area with this colour.
box() {
  picture shown
  convert "$tmp/shown.png" -fuzz 5% -fill black +opaque "$1" -trim -format '%wx%h' info:
}
box_is() { [ "$(box "$1")" = "$2" ]; }
shows() { wait_for 10 box_is "$1" "$2" || fail "the area with colour $1 is $(box "$1"), expected $2: $(log_since_mark)"; }

start run "$game"
opens() {
  has_window Gallery
  shows '#ff0000' 200x200
}
it "a sprite without a width has the size of its image" opens

repainted() {
  mark_log
  painted '#0000ff' 300x100
  shows '#0000ff' 300x100
  log_has "reloaded assets/hero.png" || fail "no line: $(log_since_mark)"
}
it "saving an image shows the new version with its new size" repainted

kept() { # kept FILE MESSAGE: expects this message about FILE and the previous version on the screen
  wait_for 10 log_has "cannot load $1" || fail "no line: $(log_since_mark)"
  log_has "$2" || fail "expected '$2', got: $(log_since_mark)"
  box_is '#0000ff' 300x100 || fail "$(box '#0000ff')"
}
sheet() {
  mark_log
  echo '{ "grid": { "width": 150, "height": 100 } }' | save assets/hero.json
  shows '#0000ff' 150x100
  log_has "reloaded assets/hero.json" || fail "no line: $(log_since_mark)"
  echo '{ "grid": { "width": 150, }' | save assets/hero.json
  wait_for 10 log_has "cannot load assets/hero.json: line 1, column" || fail "no line: $(log_since_mark)"
  box_is '#0000ff' 150x100 || fail "$(box '#0000ff')"
  rm "$game/assets/hero.json"
  shows '#0000ff' 300x100
}
it "saving a sprite sheet splits the image into frames, an invalid sheet is rejected, and deleting the sheet shows the whole image" sheet

sized() { # WINDOW BOX
  sed "s/height = 720,/height = 720, window = { $1 },/" "$tmp/game.lua" | save game.lua
  shows '#0000ff' "$2"
}
other_window() {
  cp "$game/game.lua" "$tmp/game.lua"
  sized 'width = 640, height = 360' 150x50
  sized 'width = 640, height = 720, scale = "stretch"' 150x100
  sized 'width = 1000, height = 720, scale = "integer"' 234x78 # too small for a factor of 1
  sized 'width = 1280, height = 720' 300x100
}
it "saving game.lua changes the window's size and scale mode" other_window

half_written() {
  mark_log
  head -c 150 "$tmp/hero.png" >"$game/assets/hero.png"
  kept assets/hero.png "cannot load image: unexpected end of file"
}
deleted() {
  mark_log
  rm "$game/assets/hero.png"
  kept assets/hero.png "not found"
}
restored_image() {
  painted '#00ff00' 100x100
  shows '#00ff00' 100x100
}
it "a truncated image is reported, and the previous version stays in use" half_written
it "a deleted image is reported, and the previous version stays in use" deleted
it "an image that was truncated or deleted is loaded again once it is restored" restored_image

count_ink() { picture ink && convert "$tmp/ink.png" -crop 640x300+640+60 +repage -threshold 60% -format '%[fx:int(mean*w*h)]' info:; }
ink_is_not() { [ "$(count_ink)" -gt 500 ] && [ "$(count_ink)" != "$1" ]; }
edited_font() {
  before=$(count_ink)
  [ "$before" -gt 500 ] || fail "no text on the screen: $before"
  save assets/own.ttf <"$root/assets/fonts/mono.ttf"
  wait_for 10 ink_is_not "$before" || fail "the text has not changed: $(log_since_mark)"
}
it "saving a font redraws the text" edited_font

edited_shader() {
  sed 's/\(result = texture(.*)\) \*/\1.gbra */' "$root/assets/shaders/image.frag" | save assets/shaders/image.frag
  shows '#ff0000' 100x100
  mark_log
  echo "no shader" | save assets/shaders/image.frag
  wait_for 10 log_has "cannot load assets/shaders/image.frag" || fail "no line: $(log_since_mark)"
  box_is '#ff0000' 100x100 || fail "$(box '#ff0000')"
  rm "$game/assets/shaders/image.frag"
  shows '#00ff00' 100x100
}
it "a saved shader of a game is applied, an invalid shader is rejected, and deleting the file restores the engine's shader" edited_shader

edited_sounds() {
  mark_log
  save assets/hum.wav <"$sounds/wave.wav"
  save assets/tune.wav <"$sounds/thrust.wav"
  wait_for 10 log_has "reloaded assets/hum.wav" || fail "no line: $(log_since_mark)"
  wait_for 10 log_has "reloaded assets/tune.wav" || fail "no line: $(log_since_mark)"
  mark_log
  head -c 2000 "$sounds/wave.wav" | save assets/hum.wav
  wait_for 10 log_has "hum.wav: unexpected end of file" || fail "no line: $(log_since_mark)"
}
it "sounds and music are reloaded, and a truncated sound is reported" edited_sounds

files_open() { find "/proc/$program/fd" -type l | wc -l; }
closes_files() {
  open=$(files_open)
  mark_log
  for i in $(seq 1 20); do
    painted "rgb($i,0,255)" 64x64
    wait_for 10 log_has "reloaded assets/hero.png" || fail "change $i is not seen"
    mark_log
  done
  [ "$(files_open)" -le "$open" ] || fail "$(files_open) files are open, were $open"
}
it "twenty reloads of an image leave no additional files open" closes_files
stop_program
it "a game that reloaded assets exits with status 0" expect_exit 0

# ---- preloading

ahead=$tmp/ahead
rm -rf "$ahead"
mkdir -p "$ahead/assets" "$ahead/systems"
convert -size 512x512 plasma:red-blue "$tmp/large.png"
for i in $(seq 1 30); do cp "$tmp/large.png" "$ahead/assets/p$i.png"; done
head -c 20 "$tmp/large.png" >"$ahead/assets/broken.png"
cp "$sounds/wave.wav" "$ahead/assets/wave.wav"
cp "$root/assets/fonts/mono.ttf" "$ahead/assets/mono.ttf"
head -c 2000 "$root/assets/fonts/mono.ttf" >"$ahead/assets/broken.ttf"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >"$ahead/assets/plate.obj"
printf 'v 0 0 0\nf 1 2 3\n' >"$ahead/assets/broken.obj"
cat >"$ahead/game.lua" <<'END'
return { title = "Ahead", plugins = { "mesh" }, start = function()
  local names = { "broken.png", "wave.wav", "p1.pgn", "mono.ttf", "broken.ttf", "plate.obj", "broken.obj" }
  for i = 1, 30 do
    names[#names + 1] = "p" .. i .. ".png"
    world.spawn(nil, { transform = { x = i * 40, y = 300 }, sprite = { image = "p" .. i .. ".png" } })
  end
  assets.preload(names)
end }
END
echo 'return { load = shoal.types.single { ticks = 0, seen = 0, there = 0 } }' >"$ahead/components.lua"
cat >"$ahead/systems/wait.lua" <<'END'
return { update = function()
  local load, ready, there, asked = world.single.load, assets.ready()
  load.seen = load.seen * 1.5 + there
  if not ready then
    load.ticks = world.tick
  elseif load.there == 0 then
    load.there = world.tick
    log.info("%d of %d are there, waited for: %s", there, asked, tostring(load.ticks > 0))
  elseif world.tick > load.there + 5 then
    world.quit()
  end
end }
END
cat >"$ahead/systems/draw.lua" <<'END'
return { phase = "render", update = function()
  if assets.screen { title = "Wait" } then log.info("a loading screen") end
end }
END
preloads_in_background() {
  SDL_AUDIODRIVER=dummy
  export SDL_AUDIODRIVER
  launch "$release" run "$ahead" --log info --seed 1 --hash --record "$tmp/ahead.recording"
  wait_for 60 program_has_exited || fail "the program does not exit: $(tail -n 3 "$log")"
  log_has "a loading screen" || fail "no loading screen: $(cat "$log")"
  log_has "37 of 37 are there, waited for: true" || fail "the files were not loaded: $(cat "$log")"
  cp "$log" "$tmp/windowed"
}
it "preloaded images, sounds, fonts and meshes load while the game runs behind a loading screen" preloads_in_background

reports_invalid_preloads() {
  grep -qE 'broken.png: cannot load image: unexpected end of file \(requested by game.lua:7: assets.preload\)' "$tmp/windowed" &&
    grep -qE 'game.lua:7: assets.preload: p1.pgn: not found .*did you mean p1.png' "$tmp/windowed" &&
    grep -q 'broken.ttf: cannot load font: .*(requested by game.lua:7: assets.preload)' "$tmp/windowed" &&
    grep -q 'assets/broken.obj:2: expected "v x y z"' "$tmp/windowed" || cat "$tmp/windowed"
  [ "$(grep -c 'render:\|not found' "$tmp/windowed")" = 2 ] || fail "$(cat "$tmp/windowed")"
}
it "invalid and missing preloaded files are reported with the line that requested them" reports_invalid_preloads

replays() {
  for workers in 1 2 8; do
    run_for 60 "$release" run "$ahead" --headless --replay "$tmp/ahead.recording" --hash --workers "$workers"
    exits 0
    [ "$(grep '^tick ' "$tmp/out")" = "$(grep '^tick ' "$tmp/windowed")" ] || fail "$(cat "$tmp/out" "$tmp/windowed")"
  done
}
it "loading progress is recorded and replays headless with 1, 2 and 8 workers" replays
