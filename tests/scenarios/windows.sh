# The program for Windows, built with mingw-w64 and run under Wine (design/0074): games give the same hashes as on Linux,
# and saves and recordings are read on both systems. A normal run uses the program that `./shoal build --target windows`
# has built, if no source is newer; with --long, the program is built. Crashes are reported, and endless scripts are
# stopped (1,020 with --long). Libraries: LuaJIT and SLEEF compute the same results as on Linux; with --long, all
# libraries are built and called. Packages: Windows reads the resources of a game's program. Without mingw-w64 or Wine,
# all tests are skipped.
. "$(dirname "$0")/../lib.sh"
# needs: release
cd "$root" || exit 1

. "$root/tests/scenarios/lib/windows.sh"
mkdir -p "$tmp/headers"

# library NAME: sets $folder to the library in the cache. Skips the test if its source is missing.
library() {
  case $1 in
    luajit) folder=$(sh scripts/build/luajit.sh --target windows 2>"$tmp/library.err") && return ;;
    *) folder=$(sh scripts/build/pinned_library.sh --target windows "$1" 2>"$tmp/library.err") && return ;;
  esac
  ! grep -q 'cannot download the source' "$tmp/library.err" || skip "$(cat "$tmp/library.err")"
  fail "cannot build $1: $(cat "$tmp/library.err")"
}

# ---- the program

# run_game SYSTEM WORLD TICKS [OPTIONS]: runs a game on linux or windows, and writes its hashes to $tmp/SYSTEM.hashes.
run_game() {
  system=$1 world=$2 until=$3
  shift 3
  folder=scripts/examples/$world
  [ -e "$folder" ] || folder=scripts/games/$world
  set -- run "$folder" --headless --no-watch --ticks "$until" --hash every=30 "$@"
  case $system in
    linux) run_for 600 "$release" "$@" && exits 0 && cp "$tmp/out" "$tmp/output" ;;
    windows) in_wine 1500 "$built" "$@" >"$tmp/output" ;; # Boids takes ten minutes without the JIT compiler
  esac || exit 1
  sed -n "s/^tick \([0-9]*\) hash \([0-9a-f]*\)$/$world \1 \2/p" "$tmp/output" >"$tmp/$system.hashes"
}

# gives_expected_hashes WORLD TICKS [OPTIONS]: compares the hashes under Wine with the hashes of determinism.sh.
gives_expected_hashes() {
  needs_program
  run_game windows "$@" --seed 1 --strict
  awk -v world="$1" -v until="$2" '$1 == world && $2 <= until' tests/scenarios/expected/hashes >"$tmp/linux.hashes"
  [ -s "$tmp/linux.hashes" ] || fail "tests/scenarios/expected/hashes has no hashes of $1: run ./shoal test --expect"
  cmp -s "$tmp/linux.hashes" "$tmp/windows.hashes" || fail "$(diff "$tmp/linux.hashes" "$tmp/windows.hashes" | head -n 4)"
}

# Plugins are not built for Windows, so games that use plugins are left out.
worlds="asteroids parts platformer"
[ -z "$LONG" ] || worlds=$(for folder in scripts/games/*/ scripts/examples/*/; do
  [ ! -e "$folder/game.lua" ] || grep -q '^ *plugins = {' "$folder/game.lua" || basename "$folder"
done)
for world in $worlds; do
  it "$world gives the expected hashes on Windows" gives_expected_hashes "$world" $((LONG ? 3600 : 600))
  case $world$LONG in
    asteroids | *yes | *1) it "$world gives the expected hashes on Windows without the JIT compiler" \
      gives_expected_hashes "$world" $((LONG ? 600 : 120)) --no-jit ;;
  esac
done

# Asteroids with generated input, recorded and saved on both systems. Each system then uses the files of both systems.
played() { # played SYSTEM
  luajit tests/scenarios/lib/random_input.lua "$tmp/keys" 150 5 || fail "cannot generate key presses"
  run_game "$1" asteroids 150 --replay "$tmp/keys" --record "$tmp/$1.replay" --save "$tmp/$1.save"
  cp "$tmp/$1.hashes" "$tmp/$1.played"
}
crosses() {
  needs_program
  played linux
  played windows
  cmp -s "$tmp/linux.played" "$tmp/windows.played" || fail "$(diff "$tmp/linux.played" "$tmp/windows.played" | head -n 4)"
}
it_always "Asteroids with generated input gives the same hashes on Linux and Windows while it is recorded and saved" crosses

replays() {
  needs_program
  for systems in "linux windows" "windows linux"; do # the system that replays, and the system that has recorded
    run_game ${systems% *} asteroids 150 --replay "$tmp/${systems#* }.replay"
    cmp -s "$tmp/linux.played" "$tmp/${systems% *}.hashes" || fail "$systems: $(head -n 4 "$tmp/${systems% *}.hashes")"
  done
}
it "a recording made on Windows replays on Linux, and vice versa" replays

loads() {
  needs_program
  run_game linux asteroids 240 --load "$tmp/linux.save"
  [ "$(wc -l <"$tmp/linux.hashes")" -ge 3 ] || fail "no hashes after the load: $(cat "$tmp/output")"
  cp "$tmp/linux.hashes" "$tmp/continued"
  for systems in "linux windows" "windows linux"; do # the system that loads, and the system that has saved
    run_game ${systems% *} asteroids 240 --load "$tmp/${systems#* }.save"
    cmp -s "$tmp/continued" "$tmp/${systems% *}.hashes" || fail "$systems: $(head -n 4 "$tmp/${systems% *}.hashes")"
  done
}
it "a game saved on Windows continues on Linux with the same hashes, and vice versa" loads

# Groups of unit tests that depend on functions of the system.
unit_tests() {
  needs_program
  for group in archive base decoder pages portable_name socket task wait; do
    in_wine 120 "${built%/*}/unit.exe" "$group" >"$tmp/windows" ||
      fail "$group: $(grep -E '^\[  (FAILED|ERROR)' "$tmp/windows" | head -n 4)"
    grep -q '^\[==========\] [1-9][0-9]* test(s) run' "$tmp/windows" || fail "$group: no test ran"
  done
}
[ -z "$LONG" ] || it "unit tests of files, memory, tasks and sockets pass on Windows" unit_tests

# ---- native systems, faults and endless scripts

# run_native SYSTEM FOLDER TICKS MODE: writes the hash of each tick, and a line with the name of each native system, to
# $tmp/SYSTEM.native. Linux compiles the systems, and Windows, which has no LLVM here, finds the objects in the cache.
run_native() {
  system=$1 folder=$2 until=$3 mode=$4 objects=$tmp/objects
  set -- run "$folder" --headless --no-watch --seed 1 --budget 0 --ticks "$until" --hash every=1 --log none --native "$mode" \
    --explain all
  case $system in
    linux) (XDG_CACHE_HOME=$objects && export XDG_CACHE_HOME && run_for 600 "$release" "$@" && exits 0) &&
      cp "$tmp/out" "$tmp/output" ;;
    windows) (XDG_CACHE_HOME=Z:$objects && export XDG_CACHE_HOME && in_wine 600 "$built" "$@") >"$tmp/output" ;;
  esac || exit 1
  sed -n 's/^explain: \(.*\): native, .*/\1/p; /^tick/p' "$tmp/output" | sort >"$tmp/$system.native"
}

native_systems() { # native_systems MODE FOLDER…
  needs_program
  mode=$1
  shift
  for folder; do
    case $folder in tests/*) until=2 ;; *) until=600 ;; esac
    run_native linux "$folder" "$until" "$mode"
    grep -q ' (.*)$' "$tmp/linux.native" || skip "LLVM is not installed on this machine"
    run_native windows "$folder" "$until" "$mode"
    cmp -s "$tmp/linux.native" "$tmp/windows.native" ||
      fail "$folder, $mode: $(diff "$tmp/linux.native" "$tmp/windows.native" | head -n 6)"
  done
}
games=
[ -z "$LONG" ] || games=$(for folder in scripts/games/*/; do
  ! grep -q ' native$\|^ *plugins = {' "$folder/game.lua" || continue
  [ "$folder" = scripts/games/hamlet/ ] || echo "${folder%/}"
done)
# shellcheck disable=SC2086
it "native systems compiled on Linux give the same world on Windows" native_systems now tests/native tests/single $games
# shellcheck disable=SC2086
[ -z "$LONG" ] || for mode in sse2,now avx2,now; do
  it "native systems compiled on Linux for $mode give the same world on Windows" native_systems $mode tests/native tests/single $games
done

# A script of a trusted game writes to address 0 in tick 90.
write_crashing_game() {
  rm -rf "$tmp/shop" "$tmp/run" && mkdir -p "$tmp/shop/systems" "$tmp/run"
  echo 'return { title = "Shop", native = true, start = function() world.spawn("jeep", { name = "Joe" }) end }' >"$tmp/shop/game.lua"
  echo 'return { author = shoal.types.metadata { name = "" }, hull = { hp = 1 } }' >"$tmp/shop/components.lua"
  echo 'return { jeep = { components = { hull = {}, author = { name = "Eve" } } } }' >"$tmp/shop/assemblages.lua"
  cat >"$tmp/shop/systems/bad.lua" <<'END'
local ffi = require "ffi"
return {
  query = { "hull" },
  each = function(e)
    e.hull.hp = e.hull.hp + 1
    if world.tick == 90 then
      ffi.cast("int *", 0)[0] = 1
    end
  end,
}
END
}
crash_report() {
  needs_program
  write_crashing_game
  (cd "$tmp/run" && timeout -k 2 $((60 * SLOW / 100)) "$wine" "$built" run ../shop --headless --no-watch --trust --ticks 1000 \
    --history 64 --record all.replay) >"$tmp/wine.out" 2>"$tmp/wine.err" </dev/null
  code=$?
  [ "$code" = 5 ] || fail "exit code $code, and not that of an access violation: $(tail -n 3 "$tmp/wine.err")"
  for line in 'signal: 11 (SIGSEGV, invalid memory access), at 0*$' 'game: Shop$' 'tick: 90$' 'system: bad$' \
    'entity: entity(1:0 "Joe")' 'assemblage: jeep$' 'place: systems/bad.lua:7$' 'recording: shoal-90.replay$' \
    '  author: name = "Eve"' 'c:$' '.*shoal.exe(+0x'; do
    grep -q "^$line" "$tmp/run/shoal-90.crash.txt" || fail "'$line' is missing: $(cat "$tmp/run/shoal-90.crash.txt")"
  done
  run_for 60 "$release" run "$tmp/shop" --replay "$tmp/run/shoal-90.replay" --headless --no-watch --trust
  exits 0 err 'replay: 90 ticks match the recording'
}
it "a crash on Windows writes a report, and a recording that replays on Linux" crash_report

# A game that runs in real time while its files change. Each change is tried in a child process: a fork on Linux, a task
# on Windows.
is_reported() { [ "$(grep -c '^reloaded\|reload refused' "$edited/err")" -ge "$1" ] || [ -e "$edited/status" ]; }
edit() { # edit FILE: writes stdin to a file of the running game, and waits until the change is applied or refused
  cat >"$edited/$1.new"
  mv "$edited/$1.new" "$edited/systems/$1"
  edits=$((edits + 1))
  wait_for 30 is_reported "$edits" || fail "no reload after edit $edits: $(tail -n 4 "$edited/err")"
}
edit_game() { # edit_game SYSTEM PROGRAM…: writes the lines about reloads to $tmp/SYSTEM.reloads
  edited=$tmp/edited.$1 reloads=$tmp/$1.reloads edits=0
  shift
  rm -rf "$edited" && mkdir -p "$edited/systems"
  echo 'return { title = "Edited", native = true }' >"$edited/game.lua"
  echo 'return { counter = shoal.types.single { ticks = 0, value = 0 } }' >"$edited/components.lua"
  echo 'return { update = function() world.single.counter.ticks = world.single.counter.ticks + 1 end }' >"$edited/systems/count.lua"
  (
    timeout -k 2 $((120 * SLOW / 100)) "$@" run "$edited" --headless --watch --real-time --trust --ticks 100000 \
      >"$edited/out" 2>"$edited/err" </dev/null
    echo $? >"$edited/status"
  ) &
  wait_for 30 grep -q 'seed 1' "$edited/err" || fail "the game does not start: $(cat "$edited/err")"
  edit value.lua <<'END'
return { update = function() world.single.counter.value = world.single.counter.value + 2 end }
END
  printf 'return { update = function()\n  error("on purpose")\nend }\n' | edit bad.lua
  echo 'return { update = function() while true do end end }' | edit bad.lua
  echo 'return { update = ' | edit bad.lua
  printf 'local ffi = require "ffi"\nreturn { update = function() ffi.cast("int *", 16)[0] = 1 end }\n' | edit bad.lua
  printf 'local ffi = require "ffi"\nffi.cdef "void _exit(int);"\nreturn { update = function() ffi.C._exit(3) end }\n' | edit bad.lua
  edit bad.lua <<'END'
return { update = function()
  local c = world.single.counter
  if c.ticks <= c.value / 2 then error("the state was lost") end
  world.quit()
end }
END
  wait_for 30 test -e "$edited/status" || fail "the game does not end: $(tail -n 4 "$edited/err")"
  tr -d '\r' <"$edited/err" | sed 's/ in [0-9.]* ms//' | grep '^reloaded\|refused\|^error' >"$reloads"
}
reloads() {
  needs_program
  edit_game linux "$release"
  edit_game windows "$wine" "$built"
  [ "$(grep -c '^reloaded' "$tmp/linux.reloads")" = 2 ] || fail "on Linux: $(cat "$tmp/linux.reloads")"
  cmp -s "$tmp/linux.reloads" "$tmp/windows.reloads" || fail "$(diff "$tmp/linux.reloads" "$tmp/windows.reloads")"
}
it "changed files of a running game are applied or refused on Windows as on Linux" reloads

# A match of Trace between both systems. Each machine has its own generated input.
plays_match() { # plays_match TICKS PROGRAM…: the host's program; the other machine has $joiner
  until=$1
  shift
  for machine in 1 2; do
    luajit tests/scenarios/lib/random_input.lua "$tmp/keys.$machine" "$until" "$machine" Trace || fail "no key presses"
  done
  rm -f "$tmp/host.status"
  (
    timeout -k 2 $((200 * SLOW / 100)) "$@" play tron --headless --no-watch --seed 1 --host --port 0 --players 2 --ticks "$until" \
      --replay "$tmp/keys.1" --hash every=30 >"$tmp/host.out" 2>"$tmp/host.err" </dev/null
    echo $? >"$tmp/host.status"
  ) &
  wait_for 30 grep -q '^key: ' "$tmp/host.out" || fail "the host does not start: $(tail -n 3 "$tmp/host.err")"
  port=$(tr -d '\r' <"$tmp/host.out" | sed -n 's/^listening: .*://p')
  # shellcheck disable=SC2086
  run_for 200 $joiner play tron --headless --no-watch --join "127.0.0.1:$port" --ticks "$until" --replay "$tmp/keys.2" --hash every=30
  exits 0
  wait_for 30 test -e "$tmp/host.status" || fail "the host does not end: $(tail -n 3 "$tmp/host.err")"
  [ "$(cat "$tmp/host.status")" = 0 ] || fail "the host: $(tail -n 3 "$tmp/host.err")"
  for machine in host.out out; do tr -d '\r' <"$tmp/$machine" | grep '^tick ' >"$tmp/$machine.ticks"; done
  grep -q "^tick $until hash" "$tmp/out.ticks" || fail "the match has not ended: $(tail -n 1 "$tmp/out.ticks")"
  ! grep -q '^desync' "$tmp/host.out" "$tmp/out" || fail "$(grep '^desync' "$tmp/host.out" "$tmp/out")"
  shared=$(awk 'NR == FNR { hash[$2] = $4; next } $2 in hash { ++count; if (hash[$2] != $4) exit 1 } END { print count + 0 }' \
    "$tmp/host.out.ticks" "$tmp/out.ticks") || fail "different hashes: $(diff "$tmp/host.out.ticks" "$tmp/out.ticks" | head -n 4)"
  [ "$shared" -ge $((until / 60)) ] || fail "only $shared ticks can be compared"
}
match() {
  needs_program
  joiner="$wine $built" plays_match "$1" "$release"
  joiner=$release plays_match "$1" "$wine" "$built"
}
it "machines with Linux and Windows agree in a match, whichever of them is the host" match $((LONG ? 3600 : 300))

# ---- bad input

windows_path() { echo "Z:$1" | tr / '\\'; }
# tries STATUS ARGUMENTS…: runs the program, which must end with this status; its messages are in $tmp/tried.
tries() {
  expected=$1 code=0
  shift
  timeout -k 2 $((60 * SLOW / 100)) "$wine" "$built" "$@" >"$tmp/tried" 2>&1 </dev/null || code=$?
  [ "$code" = "$expected" ] || fail "exit status $code: $(tail -n 3 "$tmp/tried")"
}
reports() { grep -q -- "$1" "$tmp/tried" || fail "expected '$1': $(tail -n 3 "$tmp/tried")"; }
saves_of() { "$release" sql "$1" "SELECT count(*) FROM transform" >"$tmp/rows" 2>&1 || fail "$(cat "$tmp/rows")"; }

unwritable_saves() {
  needs_program
  tries 1 play pong --headless --ticks 1 --save "$(windows_path /sys/pong.save)"
  reports 'cannot open Z:/sys/pong.save: Permission denied'
  mkdir -p "$tmp/disk"
  mount -t tmpfs -o size=4m none "$tmp/disk" 2>/dev/null || skip "no full disk: only root can mount a small one"
  trap 'umount "$tmp/disk"' EXIT
  tries 0 play pong --headless --ticks 1 --save "$(windows_path "$tmp/disk/pong.save")"
  before=$(cksum <"$tmp/disk/pong.save")
  head -c 5000000 /dev/zero >"$tmp/disk/fill" 2>/dev/null
  tries 1 play pong --headless --ticks 2 --save "$(windows_path "$tmp/disk/pong.save")"
  reports 'No space left on device'
  [ "$(cksum <"$tmp/disk/pong.save")" = "$before" ] || fail "the old save has changed"
}
it "a save that cannot be written on Windows is reported, and a full disk leaves the old save unchanged" unwritable_saves

long_path() {
  needs_program
  export LC_ALL=C.UTF-8 # Wine converts arguments from this locale
  folder="$tmp/$(printf 'Été %.0s' $(seq 20))x/$(printf 'ö x%.0s' $(seq 25))/$(printf 'long %.0s' $(seq 30))x"
  mkdir -p "$folder"
  cp -r scripts/games/pong "$folder/game"
  tries 0 run "$(windows_path "$folder/game")" --headless --no-watch --ticks 5 --save "$(windows_path "$folder/my save.save")"
  saves_of "$folder/my save.save"
}
it "a game runs on Windows in a folder whose path has 300 characters, accents and spaces" long_path

wrong_plugins() {
  needs_program
  rm -rf "$tmp/plugged" && mkdir -p "$tmp/plugged/plugins"
  echo 'return { title = "Plugged", plugins = { "thing" } }' >"$tmp/plugged/game.lua"
  cp "$release" "$tmp/plugged/plugins/thing.so"
  tries 1 run "$tmp/plugged" --headless --no-watch --ticks 1
  reports 'plugins/thing.so is a library for a different system: build the plugin for this system'
  echo "text" >"$tmp/plugged/plugins/thing.dll"
  tries 1 run "$tmp/plugged" --headless --no-watch --ticks 1
  reports 'plugins/thing.dll: .*the file is not a library for Windows with 64 bits'
}
it "a plugin for Linux, and a DLL that is damaged, are reported on Windows" wrong_plugins

# cmd.exe keeps the file open while ping runs.
shared_saves() {
  needs_program
  save=$tmp/shared.save
  tries 0 play pong --headless --ticks 1 --save "$(windows_path "$save")"
  "$wine" cmd /c "ping -n 4 127.0.0.1 >> $(windows_path "$save")" >"$tmp/cmd.out" 2>&1 </dev/null &
  opened=$!
  sleep 1
  tries 0 play pong --headless --ticks 2 --save "$(windows_path "$save")"
  saves_of "$save"
  wait $opened || :
  rm -rf "$tmp/twice" && mkdir -p "$tmp/twice/systems"
  echo 'return { title = "Twice", id = "windows_twice" }' >"$tmp/twice/game.lua"
  echo 'return { update = function() if world.tick % 2 == 0 then world.save("slot") end end }' >"$tmp/twice/systems/save.lua"
  "$wine" "$built" run "$tmp/twice" --headless --no-watch --ticks 60 >"$tmp/second" 2>&1 </dev/null &
  second=$!
  tries 0 run "$tmp/twice" --headless --no-watch --ticks 60
  wait $second || fail "the second program: $(tail -n 3 "$tmp/second")"
  tries 0 run "$tmp/twice" --headless --no-watch --ticks 1 --exec 'assert(world.load("slot"))'
}
it "a save that a different program has open, and a folder that two programs save to, lose no save on Windows" shared_saves

ended_saves() {
  needs_program
  save=$tmp/ended.save
  tries 0 play asteroids --headless --ticks 60 --save "$(windows_path "$save")"
  for tenths in 4 5 6 7 8 9; do
    timeout -s KILL 0.$tenths "$wine" "$built" play asteroids --headless --ticks 1 --save "$(windows_path "$save")" >/dev/null 2>&1 </dev/null
    run_for 60 "$release" play asteroids --headless --no-watch --ticks 1 --load "$save"
    exits 0
  done
}
it "a process that is ended while it saves leaves the old or the new save on Windows" ended_saves

# As in tests/reload/runaways.sh. The budget is larger, because Wine 8 counts CPU time in steps of 10 ms.
endless_scripts() { # endless_scripts COUNT SEED
  needs_program
  game=$tmp/endless
  rm -rf "$game" "$game.tame"
  ticks=$(luajit tests/reload/runaways.lua "$game" "$1" "$2" | cut -f 1)
  timeout -k 2 $((10 * $1 * SLOW / 100 + 60)) "$wine" "$built" run "$game" --headless --watch --ticks "$ticks" --hash --workers 1 \
    --budget 50 --log debug >"$tmp/wine.out" 2>"$tmp/wine.err" </dev/null
  code=$?
  [ "$code" = 1 ] || fail "exit code $code: $(tail -n 3 "$tmp/wine.err")"
  ! grep 'endless scripts cannot be stopped' "$tmp/wine.err" || fail "the self-test of the watchdog has failed"
  stopped=$(grep -c '^error: error in ' "$tmp/wine.err")
  [ "$stopped" = "$1" ] || fail "$stopped of $1 functions failed: $(grep -a '^error' "$tmp/wine.err" | tail -n 3)"
  while read -r place; do
    grep -qaF -- "$place " "$tmp/wine.err" || fail "$place is not named"
  done <"$game/lines"
  luajit tests/reload/runaways.lua "$game.tame" "$1" "$2" tame >/dev/null
  run_for 200 "$release" run "$game.tame" --headless --watch --ticks "$ticks" --hash --workers 1 --strict
  exits 0 out "$(grep -a '^world' "$tmp/wine.out" | tr -d '\r')"
}
it "endless scripts are stopped on Windows, and leave the world unchanged" endless_scripts $((LONG ? 60 : 4)) 31
[ -z "$LONG" ] || for seed in $(seq 2 17); do
  it "endless scripts of seed $seed are stopped on Windows, and leave the world unchanged" endless_scripts 60 $((seed * 31))
done

# ---- LuaJIT and exact mathematical functions

names=$(sed -n 's/^EXACT_[A-Z]*(\([a-z0-9]*\),.*/\1 \1f/p' engine/core/base/exact_names.h)
flags="-std=c11 -O2 -DNDEBUG -D_GNU_SOURCE -ffp-contract=off -Iengine/core"
wraps=
for function in $names sincos sincosf qsort; do
  flags="$flags -fno-builtin-$function"
  wraps="$wraps -Wl,--wrap=$function"
done

# build NAME FILE…: builds $tmp/NAME for this machine and $tmp/NAME.exe for Windows.
build() {
  program=$1
  shift
  library sleef && sleef=$folder && library luajit && luajit=$folder && own=$(sh scripts/build/luajit.sh) || exit
  cp /usr/include/xxhash.h "$tmp/headers/" # xxHash consists of headers
  # shellcheck disable=SC2046,SC2086
  ${CC:-cc} $flags -isystem "$own/include" -o "$tmp/$program" "$@" "$own/lib/libluajit-5.1.a" $wraps -rdynamic \
    $(pkg-config --cflags --libs sleef) -lm -ldl -lpthread &&
    $cc $flags $code_flags $link_flags -isystem "$tmp/headers" -isystem "$luajit/include" -isystem "$sleef/include" \
      -o "$tmp/$program.exe" "$@" "$luajit/lib/libluajit-5.1.a" $wraps "$sleef/lib/libsleef.a" ||
    fail "cannot build $program"
}

maths="engine/core/base/exact_math.c engine/core/base/hash.c"

# Single numbers are computed in vectors of 2 (SSE2), arrays in vectors of 4 (AVX) or 8 (AVX-512).
exact_results() {
  needs_tools
  # shellcheck disable=SC2086
  build exact tests/windows/exact.c engine/core/base/exact_math_arrays.c $maths
  "$tmp/exact" 280 >"$tmp/linux"
  in_wine 30 "$tmp/exact.exe" 280 >"$tmp/windows"
  grep -q '^7840000 results' "$tmp/linux" || fail "unexpected output: $(cat "$tmp/linux")"
  cmp -s "$tmp/linux" "$tmp/windows" || fail "Linux: $(cat "$tmp/linux"); Windows: $(cat "$tmp/windows")"
}
it "11.8 million results of the exact elementary functions are the same on Windows" exact_results

build_lua() {
  needs_tools
  # shellcheck disable=SC2086
  [ -e "$tmp/lua.exe" ] || build lua tests/windows/lua.c engine/core/base/exact_libm.c engine/core/base/sort.c $maths
}
arithmetic() {
  build_lua
  "$tmp/lua" tests/windows/arithmetic.lua >"$tmp/linux" || fail "on Linux: $(cat "$tmp/linux")"
  in_wine 60 "$tmp/lua.exe" tests/windows/arithmetic.lua >"$tmp/windows"
  grep -q '^1256250 results' "$tmp/linux" || fail "unexpected output: $(cat "$tmp/linux")"
  cmp -s "$tmp/linux" "$tmp/windows" || fail "Linux: $(cat "$tmp/linux"); Windows: $(cat "$tmp/windows")"
}
it "1.3 million results of LuaJIT's arithmetic are the same on Windows, interpreted and compiled" arithmetic

# LuaJIT chooses a random seed for the hashes of strings, so the order of pairs differs between two runs. A few random
# programs have results that depend on this order: succeeds if one of 20 runs on this machine gives the line RESULT.
depends_on_hashes() { # depends_on_hashes RESULT
  number=$(echo "$1" | cut -d ' ' -f 2)
  for _ in $(seq 20); do
    FIRST=$number COUNT=1 RESULTS=$tmp/result "$tmp/lua" tests/luajit/run.lua >/dev/null
    ! grep -qxF -- "$1" "$tmp/result" || return 0
  done
  return 1
}

# programs COUNT [FIRST]: compares the results of the programs of tests/luajit.
programs() {
  build_lua
  count=$1
  [ -z "${2-}" ] || export FIRST="$2" COUNT="$1"
  export FOLDER="$root/tests/luajit" CURRENT="$tmp/current"
  RESULTS=$tmp/linux.results "$tmp/lua" tests/luajit/run.lua >"$tmp/linux"
  RESULTS=$tmp/windows.results in_wine $((LONG ? 3000 : 60)) "$tmp/lua.exe" tests/luajit/run.lua >"$tmp/windows"
  [ "$(cat "$tmp/windows")" = "$count programs" ] || fail "$(head -n 5 "$tmp/windows")"
  diff "$tmp/linux.results" "$tmp/windows.results" | sed -n 's/^> //p' >"$tmp/different"
  while read -r result; do
    [ -n "${FIRST-}" ] && depends_on_hashes "$result" ||
      fail "on Windows: $result; on Linux: $(grep "^$(echo "$result" | cut -d ' ' -f 1,2) " "$tmp/linux.results")"
  done <"$tmp/different"
  for system in linux windows; do
    [ "$(grep -c . "$tmp/$system.results")" -ge "$count" ] || fail "results are missing on $system"
  done
}
it "programs that an unchanged LuaJIT miscompiles give the same results on Windows" \
  programs "$(grep -c '^case(' tests/luajit/cases.lua)"
it "random Lua programs give the same results on Windows" programs $((LONG ? 20000 : 300)) 1

# Windows aligns the stack to 16 bytes: an aligned move of a 32-byte vector to the stack would fault.
aligned_moves() {
  needs_tools
  library sleef
  # shellcheck disable=SC2086
  $cc $flags $code_flags -c -o "$tmp/arrays.o" engine/core/base/exact_math_arrays.c || fail "cannot compile the arrays"
  "$cross-objdump" -d "$tmp/arrays.o" >"$tmp/code"
  grep -q 'vmovup[sd] .*%ymm' "$tmp/code" && grep -q 'vmovup[sd] .*%zmm' "$tmp/code" || fail "no wide vectors in the engine"
  "$cross-objdump" -d "$folder/lib/libsleef.a" >>"$tmp/code"
  grep -qE 'vmov(up[sd]|dqu[0-9]*) .*%ymm' "$tmp/code" && grep -qE 'vmov(up[sd]|dqu[0-9]*) .*%zmm' "$tmp/code" ||
    fail "no code for vectors of 4 and 8 numbers"
  ! grep -E 'vmov(ap[sd]|dqa[0-9]*) .*%[yz]mm' "$tmp/code" || fail "aligned moves of vectors"
  ! grep -E 'vfn?m(add|sub)' "$tmp/code" || fail "fused multiply-add"
}
it "exact functions for Windows have no aligned moves of wide vectors and no fused multiply-add" aligned_moves

# Builds $tmp/shoal.exe, a small program with Shoal's manifest that stands in for shoal.exe, whose build takes minutes.
stand_in() {
  needs_tools
  echo '1 24 "scripts/build/shoal.manifest"' | "$resource_tool" -o "$tmp/manifest.o" || fail "no manifest"
  echo '#include <stdio.h>
int main(int argc, char **argv) { return printf("runs with %s", argc > 1 ? argv[1] : "") < 0; }' >"$tmp/stand_in.c"
  # shellcheck disable=SC2086
  $cc -g $link_flags -o "$tmp/shoal.exe" "$tmp/stand_in.c" "$tmp/manifest.o" || fail "cannot build the program"
}

# The program becomes the program of a game. Windows reads its icon and its version, and runs it.
game_program() {
  stand_in
  # shellcheck disable=SC2086
  $cc -std=c11 -Wall -Wextra -Werror $link_flags -o "$tmp/resources.exe" tests/windows/resources.c -lversion -lgdi32 ||
    fail "cannot build the program"
  mkdir -p "$tmp/games" "$tmp/again"
  for folder in games again; do
    "$release" pack-program "$tmp/shoal.exe" "$tmp/$folder/räuber.exe" "Räuber 🦊" 1.2.3-beta \
      scripts/games/asteroids/assets/icon.png || fail "pack-program failed"
  done
  cmp "$tmp/games/räuber.exe" "$tmp/again/räuber.exe" || fail "packed twice, and not the same bytes"
  in_wine 20 "$tmp/resources.exe" "$tmp/games/räuber.exe" >"$tmp/windows"
  cat >"$tmp/expected" <<'END'
version 1.2.3.0
FileDescription: Räuber 🦊
FileVersion: 1.2.3-beta
OriginalFilename: räuber.exe
icon 16 x 16, alpha of the corner 0, centre 5d97ab
icon 48 x 48, alpha of the corner 0, centre 38556d
END
  head -n 6 "$tmp/windows" | diff "$tmp/expected" - || fail "other resources than expected: $(cat "$tmp/windows")"
  grep -qx "manifest of $(($(wc -c <scripts/build/shoal.manifest))) bytes" "$tmp/windows" || fail "$(cat "$tmp/windows")"
  "$cross-objdump" -p "$tmp/games/räuber.exe" | grep -q "^Subsystem.*(Windows GUI)" || fail "it opens a console"
  "$cross-objdump" -h "$tmp/shoal.exe" | grep -q '\.debug_info' || fail "no debug information to remove"
  ! "$cross-objdump" -h "$tmp/games/räuber.exe" | grep -q '\.debug' || fail "debug information is left"
  in_wine 20 "$tmp/games/räuber.exe" words >"$tmp/windows"
  [ "$(cat "$tmp/windows")" = "runs with words" ] || fail "$(cat "$tmp/windows")"
}
it "the program of a game has the game's icon and version on Windows" game_program

# package_game [OPTION…]: packages a small game for Windows to $tmp/packages.
package_game() {
  sh scripts/build/package.sh "$tmp/little" --for windows --program "$tmp/shoal.exe" --to "$tmp/packages" "$@" \
    >"$tmp/said" 2>&1
}
game_package() {
  stand_in
  mkdir -p "$tmp/little" "$tmp/licences"
  echo 'return { title = "Little & more", id = "little", version = "2.5" }' >"$tmp/little/game.lua"
  rm -f "$tmp/licences/luajit.txt"
  ! package_game && grep -q "the licences of the libraries in $tmp/shoal.exe are missing" "$tmp/said" ||
    fail "packaged without licences: $(cat "$tmp/said")"
  echo "the licence of LuaJIT" >"$tmp/licences/luajit.txt"
  package_game || fail "$(cat "$tmp/said")"
  name=little-2.5-windows
  mv "$tmp/packages/$name.zip" "$tmp/first.zip"
  cp -r "$tmp/packages/$name" "$tmp/first"
  package_game || fail "$(cat "$tmp/said")"
  cmp "$tmp/packages/$name.zip" "$tmp/first.zip" && diff -r "$tmp/packages/$name" "$tmp/first" ||
    fail "packaged twice, and not the same bytes"
  (cd "$tmp" && rm -rf unpacked && mkdir unpacked && cd unpacked && unzip -q ../first.zip) || fail "not a zip file"
  diff -r "$tmp/unpacked/$name" "$tmp/first" || fail "the zip file differs from the folder"
  (cd "$tmp/first" && find . -type f | LC_ALL=C sort | tr '\n' ' ') >"$tmp/files"
  [ "$(cat "$tmp/files")" = "./README.txt ./licences/luajit.txt ./licences/shoal.txt ./little.data ./little.exe " ] ||
    fail "other files than expected: $(cat "$tmp/files")"
  grep -q "^Little & more 2.5.$" "$tmp/first/README.txt" && grep -qF '%APPDATA%\shoal\saves\little' "$tmp/first/README.txt" ||
    fail "$(cat "$tmp/first/README.txt")"
  "$release" pack "$tmp/little" "$tmp/little.data" >"$tmp/said" 2>&1 && cmp "$tmp/little.data" "$tmp/first/little.data" ||
    fail "the archive differs from the one for Linux: $(cat "$tmp/said")"
  in_wine 20 "$tmp/first/little.exe" words >"$tmp/windows"
  [ "$(cat "$tmp/windows")" = "runs with words" ] || fail "$(cat "$tmp/windows")"
  ! package_game --system-libraries && grep -q "cannot be used with --for windows" "$tmp/said" || fail "$(cat "$tmp/said")"
  echo 'return { title = "Little", plugins = { "physics" } }' >"$tmp/little/game.lua"
  ! package_game && grep -q "the game uses the plugin physics: plugins cannot be built for Windows" "$tmp/said" ||
    fail "$(cat "$tmp/said")"
}
it "./shoal package --for windows writes a folder and a zip file, with the same bytes each time" game_package

all_libraries() {
  needs_tools
  sh scripts/build/libraries.sh "$tmp/libraries" --target windows 2>"$tmp/library.err" || {
    ! grep -q 'cannot download the source' "$tmp/library.err" || skip "$(cat "$tmp/library.err")"
    fail "$(cat "$tmp/library.err")"
  }
  library luajit
  export PKG_CONFIG_LIBDIR="$tmp/libraries/lib/pkgconfig"
  # shellcheck disable=SC2046,SC2086
  $cc -std=c11 $code_flags $link_flags -isystem "$folder/include" -Iengine/core -Iengine/media -o "$tmp/libraries.exe" \
    tests/windows/libraries.c "$tmp/libraries/lib/libchipmunk.a" "$folder/lib/libluajit-5.1.a" \
    $(pkg-config --cflags --libs sdl2 freetype2 harfbuzz fribidi epoxy libzstd sqlite3 jansson expat zlib minizip libwebp \
      libwebpmux sleef libmd libsodium libwslay) || fail "cannot link the libraries"
  in_wine 60 "$tmp/libraries.exe" >"$tmp/windows"
  diff tests/windows/libraries.txt "$tmp/windows" || fail "wrong versions or results"
  imports=$("$cross-objdump" -p "$tmp/libraries.exe" | sed -n 's/.*DLL Name: //p' | tr '[:upper:]' '[:lower:]')
  for import in $imports; do
    case $import in
      kernel32.dll | msvcrt.dll | user32.dll | gdi32.dll | advapi32.dll | shell32.dll | ole32.dll | oleaut32.dll | imm32.dll | \
        setupapi.dll | version.dll | winmm.dll | ws2_32.dll | opengl32.dll) ;;
      *) fail "not a library of Windows: $import" ;;
    esac
  done
}
[ -z "$LONG" ] || it "all libraries for Windows can be built, linked and called" all_libraries

# Waits for Wine's server, which ends soon after the last program.
[ -z "$wine" ] || timeout 20 "$(dirname "$(readlink -f "$wine")")/wineserver" -w 2>/dev/null || true
