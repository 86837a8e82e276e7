# The first steps on a new machine: games from templates, type definitions for editors, error locations that editors
# can parse, and ./shoal doctor.
# needs: release
. "$(dirname "$0")/../lib.sh"
shoal=$root/shoal
cd "$tmp" || exit 1
rm -rf ./farm* ./t_*

template_runs() {
  run_for 60 "$shoal" new "t_$1" --template "$1"
  exits 0
  run_for 120 env SHOAL="${release%/shoal}" sh "t_$1/test.sh"
  exits 0 out "ok: "
  [ -e "t_$1/.luarc.json" ] && [ -e "t_$1/.vscode/tasks.json" ] || fail "the files for editors are missing"
  ! grep -rn '@SHOAL@\|[^a-z]thing[^a-z]' "t_$1" --include='*.lua' --include='*.json' --include='*.md' || fail "a placeholder of the template was not replaced"
}
for name in empty arcade platformer topdown sim; do
  it "the template $name runs and passes its test" template_runs "$name"
done
plugin_template() {
  run_for 60 "$shoal" new t_plugin --template plugin
  exits 0
  [ -e t_plugin/t_plugin.c ] || fail "$(ls t_plugin)"
}
it "./shoal new --template plugin creates a plugin" plugin_template
unknown_template() {
  run_for 20 "$shoal" new t_other --template platfromer
  exits 2
  expect_one_line err
  says err "unknown template 'platfromer' (known: empty arcade platformer topdown sim addon plugin): did you mean platformer?"
  [ ! -e t_other ] || fail "the folder t_other was created"
}
it "an unknown template is an error that suggests the nearest name" unknown_template

farm() { [ -e farm/game.lua ] || "$shoal" new farm --template sim >/dev/null; } # each test must work alone (FILTER)
writes_types() {
  farm
  run_for 60 "$shoal" types farm
  exits 0 out farm/.shoal/types.lua
  luajit -bl farm/.shoal/types.lua >/dev/null || fail "invalid Lua"
  for line in "@field animal shoal.Animal" "@field counts shoal.Counts" "@field animal shoal.AnimalColumns" "@field grown number" \
    "@alias shoal.names.Assemblage" "| \"animal\"" "| \"grow\""; do
    grep -qF -- "---$line" farm/.shoal/types.lua || fail "no $line: $(cat farm/.shoal/types.lua)"
  done
}
it "./shoal types writes definitions of the game's components, columns and singletons" writes_types
types_without_game() {
  run_for 20 "$shoal" types lantrn
  exits 2 err "types: lantrn has no game.lua: did you mean lantern?"
  run_for 20 "$shoal" types
  exits 2 err "expected a game"
}
it "./shoal types on a folder without a game is an error that suggests the nearest game" types_without_game
updates_types() {
  farm
  mkdir -p farm/.shoal
  [ -e farm/.shoal/types.lua ] || echo >farm/.shoal/types.lua
  launch "$release" run farm --headless --watch
  expect_log "seed"
  sed -i 's/food = 1 }/food = 1, thirst = 0 }/' farm/components.lua
  expect_log "reloaded components.lua"
  wait_for 20 grep -q "@field thirst number" farm/.shoal/types.lua || fail "$(cat farm/.shoal/types.lua)"
  mkdir -p farm/assets
  echo "cows eat" >farm/assets/credits.txt
  wait_for 20 grep -q '| "credits.txt"' farm/.shoal/types.lua || fail "the asset: $(cat farm/.shoal/types.lua)"
  stop_program
  rm -rf farm/.shoal
  run_for 20 "$release" run farm --headless --watch --ticks 2
  exits 0
  [ ! -e farm/.shoal ] || fail "the folder .shoal was created unasked"
}
it "a running game updates its type definitions if the folder .shoal exists" updates_types
unwritable_types() {
  farm
  rm -rf farm/.shoal
  mkdir -p farm/.shoal/types.lua
  run_for 20 "$release" run farm --headless --watch --ticks 2
  exits 0
  run_for 20 "$shoal" types farm
  exits 2 err "expected a file, got a folder"
  rmdir farm/.shoal/types.lua
}
it "a game runs even if its type definitions cannot be written" unwritable_types

# Applies the problem pattern of VS Code's tasks to the error that is caused by a mistake in a file.
error_is_parsed() {
  farm
  pattern=$(sed -n 's/.*"regexp": "\(.*\)",$/\1/p' farm/.vscode/tasks.json | head -n 1 | sed 's/\\\\/\\/g')
  printf '%s\n' "$2" >farm/systems/wrong.lua
  run_for 20 "$release" run farm --headless --strict --ticks 2
  rm farm/systems/wrong.lua
  exits 1
  grep -oP "$pattern" err | grep -q "systems/wrong.lua:$1:" || fail "$(cat err)"
}
it "an editor can parse the location of a syntax error" error_is_parsed 1 'return {,'
it "an editor can parse the location of an invalid declaration" error_is_parsed 1 'return { query = { "transfrm" } }'
it "an editor can parse the location of a runtime error" error_is_parsed 3 'return { update = function()

  world.find("x").y = 1 end }'

doctor() { # doctor VARIABLE=VALUE…: runs ./shoal doctor with these environment variables
  run_for 60 env "$@" "$shoal" doctor
}
nothing_missing() {
  doctor LC_ALL=C
  exits 0 out "ok       cc, to build" "This machine can build and play games."
  grep -qE "OpenGL.*OpenGL [34]" out || fail "$(cat out)"
}
it "./shoal doctor reports that the test machine can build and play games" nothing_missing
old_driver() {
  doctor MESA_GL_VERSION_OVERRIDE=2.1
  exits 1 out "MISSING  no OpenGL 3.3" "libgl1-mesa-dri"
}
it "./shoal doctor reports that OpenGL 3.3 is missing and which package provides it" old_driver
no_sound() {
  doctor SDL_AUDIODRIVER=nothing_like_it
  exits 0 out "note     no sound"
}
it "./shoal doctor reports missing sound as a note" no_sound
no_compiler() { # PATH has no compiler, no pandoc and no browser
  rm -rf bin
  mkdir bin
  for name in sh dirname readlink nproc cat sed grep head tr id env ls ldd printf echo uname bash; do
    ln -s "$(command -v $name)" bin/ 2>/dev/null
  done
  doctor PATH="$tmp/bin" CC=cc
  exits 1 out "MISSING  no cc, to build" "MISSING  no make, to build" "note     no browser"
}
it "./shoal doctor reports a missing compiler and make, and the lack of a browser as a note" no_compiler
purposes() { # each missing tool is listed with its use and its package
  [ -d bin ] || no_compiler
  doctor PATH="$tmp/bin" CC=cc
  while IFS='|' read -r purpose lacks packages; do
    grep -qF "note     $purpose: no $lacks" out || fail "expected “$purpose: no $lacks”, got: $(cat out)"
    grep -A 1 -F "note     $purpose: no" out | grep -q "→ .*$packages" || fail "no $packages for $purpose: $(cat out)"
  done <<'END'
./shoal docs|pandoc (builds the documentation)|pandoc
./shoal package|readelf (finds the libraries of a program), zstd (compresses the archive), dpkg-source (|binutils zstd dpkg-dev
./shoal package --baseline, as root|debootstrap (sets up Debian 11 for the build)|debootstrap
./shoal package --for linux-arm64|aarch64-linux-gnu-g++ (compiles for arm64), tclsh (builds SQLite)|g++-aarch64-linux-gnu tcl
running packages for arm64 (tests/scenarios/arm64.sh)|qemu-aarch64 (runs arm64 programs)|qemu-user
./shoal test|g++ (builds plugins in C++), luajit (|xvfb xauth xdotool imagemagick lua-check clang-format clang-tidy chromium tiled
completion in editors|lua-language-server in PATH|sumneko.lua
END
}
it "./shoal doctor names the use and the package of each missing tool" purposes
alternative_names() { # qemu-aarch64-static is accepted in place of qemu-aarch64
  [ -d bin ] || no_compiler
  ln -sf "$(command -v env)" bin/qemu-aarch64-static
  doctor PATH="$tmp/bin" CC=cc
  rm bin/qemu-aarch64-static
  says out "ok       running packages for arm64 (tests/scenarios/arm64.sh): qemu-aarch64"
}
it "./shoal doctor accepts qemu-aarch64-static in place of qemu-aarch64" alternative_names
no_libraries() {
  doctor PKG_CONFIG_LIBDIR=/nonexistent
  exits 1 out "MISSING  libraries to build with: libsdl2-dev"
}
it "./shoal doctor names the packages of missing libraries" no_libraries
few_files() {
  run_for 60 sh -c "ulimit -n 128; '$shoal' doctor"
  says out "note     low limit of open files: 128"
}
it "./shoal doctor reports a low limit on open files" few_files
unwritable_saves() {
  echo full >a_file
  doctor XDG_DATA_HOME="$tmp/a_file/data"
  says out "note     cannot write saves and settings"
}
it "./shoal doctor reports a save folder that cannot be written" unwritable_saves
