# Packages for Windows in a window, run with Wine: images, keys, the folders of the user, and the boxes that explain why a
# game cannot start. Skipped unless `./shoal build --target windows` has built the program.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/scenarios/lib/windows.sh"
. "$root/tests/display.sh"
export WINEPREFIX="$tmp/wine" # programs of one prefix share a display
unset SDL_VIDEODRIVER XDG_DATA_HOME XDG_CACHE_HOME # Windows has different drivers and folders
export SDL_AUDIODRIVER=dummy

# A game that draws a square, logs a key, and saves.
mkdir -p little/systems
echo 'return { title = "Little", id = "little", width = 320, height = 180 }' >little/game.lua
echo 'return { hop = { "key:space" }, again = { "key:a" } }' >little/input.lua
echo 'return { square = { components = { transform = { x = 160, y = 90 }, shape = { kind = "rect", width = 40 } } } }' \
  >little/assemblages.lua
cat >little/systems/log.lua <<'LUA'
return { update = function()
  if world.tick == 1 then world.spawn("square") end
  if input.pressed("hop") then log.error("hopped") end
  if world.tick == 10 then world.save("slot") end
end }
LUA

packaged() {
  needs_built_program
  sh "$root/scripts/build/package.sh" "$tmp/little" --for windows --program "$built" --to "$tmp/packages" >"$tmp/said" 2>&1 ||
    fail "$(cat "$tmp/said")"
  rm -rf play && cp -r packages/little-1.0-windows play
}
play() { launch "$wine" "$tmp/play/little.exe" "$@"; }
it_always "a game is packaged for Windows" packaged

reads_keys() {
  needs_built_program
  play
  has_window Little
  focus
  wait_for 20 presses_key || fail "the key was not read: $(tail -n 3 "$log")"
  stop_game
}
presses_key() { # the window may not have the focus yet
  xdotool key --delay 200 space
  log_has hopped
}
stop_game() {
  kill -KILL "$program"
  wait "$program" 2>/dev/null
  program=
}
it "a game on Windows reads keys in its window" reads_keys

# Wine stores the user's folders in its own folder.
uses_folders() {
  needs_built_program
  users=$WINEPREFIX/drive_c/users/$(id -un)/AppData
  rm -rf "$users/Roaming/shoal/saves/little" "$users/Local/cache/shoal/shaders"
  in_wine 60 "$tmp/play/little.exe" --every-tick --ticks 20 --seed 1
  [ -s "$users/Roaming/shoal/saves/little/slot.sqlite" ] || fail "no save: $(cat "$tmp/wine.err")"
  ls "$users/Local/cache/shoal/shaders"/*.program >/dev/null || fail "no cached shaders: $(cat "$tmp/wine.err")"
  in_wine 60 "$tmp/play/little.exe" --portable --every-tick --ticks 20 --seed 1
  [ -s "$tmp/play/saved/shoal/saves/little/slot.sqlite" ] || fail "no save with --portable: $(ls -R "$tmp/play/saved")"
}
it "a package on Windows stores saves and caches in the user's folders, or next to the program with --portable" uses_folders

# explains TITLE "text"… : the game must show a message box with this title and print these strings.
explains() {
  box=$1
  shift
  play
  wait_for 20 window_named "$box" || fail "no box with the title $box: $(tail -n 3 "$log")"
  expect_log "$@"
  wait_for 20 is_dismissed || fail "the program continues after its box was dismissed"
  program=
}
is_dismissed() {
  focus
  xdotool key Return
  has_exited "$program"
}
boxes() {
  needs_built_program
  cp play/little.data little.data
  printf '#' | dd of=play/little.data bs=1 seek=200 conv=notrunc 2>/dev/null
  explains "This game cannot start" "A file of this game is damaged"
  rm play/little.data
  explains "This game cannot start" "A file of this game is missing"
  mv little.data play/little.data
  export MESA_GL_VERSION_OVERRIDE=3.0
  explains Little "Little cannot start: cannot create an OpenGL 3.3 context" "install a newer driver for the graphics card"
}
it "a package on Windows shows a message box if a file is damaged or missing, or if OpenGL 3.3 is missing" boxes

without_sound() {
  needs_built_program
  SDL_AUDIODRIVER=nothing in_wine 60 "$tmp/play/little.exe" --every-tick --ticks 20 --seed 1
}
it "a package on Windows runs without a sound device" without_sound

# Some files of hostile_assets.lua: an endless font, a damaged image and a damaged sound. Good files follow each of them.
mkdir -p hostile/files/assets/shaders hostile/game/assets hostile/game/systems
luajit "$root/tests/window/hostile_assets.lua" hostile/files "$root/assets" || exit 1
(cd hostile/files/assets && cp doubling.ttf good.ttf overrun.jpg good.png alone.ogg good.mp3 "$tmp/hostile/game/assets/")
echo 'return { title = "Hostile", width = 320, height = 180 }' >hostile/game/game.lua
cat >hostile/game/systems/show.lua <<'LUA'
return { phase = "render", update = function()
  draw.image("overrun.jpg", 10, 10, 0, 0.1)
  draw.image("good.png", 60, 10, 0, 0.1)
  for _, font in ipairs { "doubling.ttf", "good.ttf" } do
    draw.font(font)
    draw.text("Hostile", 10, 60, 16)
  end
end }
LUA
cat >hostile/game/systems/hear.lua <<'LUA'
return { update = function()
  if world.tick == 2 then audio.play("alone.ogg") end
  if world.tick == 3 then audio.play("good.mp3") end
end }
LUA
rejects_files() {
  needs_built_program
  in_wine 120 "$built" run "$tmp/hostile/game" --every-tick --no-watch --ticks 20 --seed 1 >"$tmp/said"
  for line in "overrun.jpg: cannot load image: " "doubling.ttf: cannot load font: decoding took more than 2000 ms" \
    "cannot play alone.ogg: "; do
    [ "$(grep -cF "$line" "$tmp/wine.err")" = 1 ] || fail "expected once: $line, got: $(cat "$tmp/wine.err")"
  done
  ! grep good "$tmp/wine.err" || fail "a file was rejected without a reason"
}
it "damaged images, fonts and sounds are rejected on Windows, and the game continues" rejects_files

# Recorded keys are replayed on both systems, whose driver is the same (llvmpipe).
draws_the_same() { # draws_the_same GAME
  needs_built_program
  game=$root/scripts/games/$1
  luajit "$root/tests/scenarios/lib/random_input.lua" "$tmp/keys" 200 5 || fail "cannot generate key presses"
  run_for 60 "$release" run "$game" --headless --no-watch --replay "$tmp/keys" --record "$tmp/$1.replay" --ticks 120
  exits 0
  set -- "$1" run "$game" --every-tick --no-watch --replay "$tmp/$1.replay"
  name=$1
  shift
  SDL_VIDEODRIVER=x11 run_for 120 "$release" "$@" --screenshot "$tmp/linux.png" --at 110
  exits 0
  in_wine 120 "$built" "$@" --screenshot "$tmp/windows.png" --at 110 >"$tmp/said"
  differing=$(compare -metric AE "$tmp/linux.png" "$tmp/windows.png" null: 2>&1)
  [ "$differing" = 0 ] || fail "$differing pixels of $name differ"
  [ "$(colours linux)" -gt 100 ] || fail "the image is empty"
}
for game in $([ -n "$LONG" ] && echo "asteroids lantern bounty_hunter" || echo lantern); do
  it "$game draws the same image on Windows as on Linux after recorded keys" draws_the_same "$game"
done

[ -z "$wine" ] || timeout 20 "$(dirname "$(readlink -f "$wine")")/wineserver" -k 2>/dev/null || true
