# Unknown or invalid commands and options give a one-line error and exit status 2.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

reports_error() { # reports_error TEXT COMMAND…: the error must contain TEXT
  text=$1
  shift
  run_for 20 "$@"
  exits 2
  expect_one_line err
  says err "$text"
}

it "an unknown ./shoal command is named in the error" reports_error frobnicate "$root/shoal" frobnicate
it "an unknown build configuration is named in the error" reports_error fast "$root/shoal" build --config fast
it "an unknown option of ./shoal test gives an error with a suggestion" \
  reports_error "'--lnog': did you mean --long?" "$root/shoal" test --lnog
it "a test filter that matches no test is named in the error, even if a different filter matches a test" \
  reports_error \'neverheard\' "$root/shoal" test neverheard modules
# Covers test names that continue on a second line, or contain escaped quotes, a command, or a variable with a pattern.
finds_whole_names() {
  sed -n '/^may_have() {/,/^}/p' "$root/tests/run" >may_have.sh
  . ./may_have.sh
  export FILTER
  while IFS='|' read -r script FILTER; do
    may_have any "$root/tests/scenarios/$script.sh" || fail "nothing found in $script.sh: $FILTER"
    FILTER="$FILTER elsewhere"
    ! may_have any "$root/tests/scenarios/$script.sh" || [ "$script" = games ] || fail "found in $script.sh: $FILTER"
  done <<'EOF'
walk|or name keys to a player with a pad, screens without a way back or out of a pad's reach
descriptions|the doc of singletons and of `many` components is their description in SQL
field_ranges|an out-of-range value in a loop with compile = "required" is clamped without a message
games|asteroids has an icon
games|Escape opens and closes the pause menu of pong
EOF
}
it "a filter that is a complete test title selects the suite of the test" finds_whole_names
it "an unknown build target gives an error with a suggestion" \
  reports_error "'shaol': did you mean shoal?" "$root/shoal" build shaol
waits_for_build() { # the lock file of ./shoal build is held until the message appears
  command -v flock >/dev/null || skip "flock is missing"
  rm -f locked err
  (flock 9 && : >locked && wait_for 60 grep -qs waiting err) 9>"$root/build/.lock" &
  wait_for 60 test -e locked || fail "the lock was not acquired"
  run_for 60 "$root/shoal" build --config release shoal
  wait
  exits 0 err "waiting for another build of this folder to finish"
}
it "a build that waits for a running build of the same folder reports that it waits" waits_for_build
it "an unknown command of the program is named in the error" reports_error frobnicate "$release" frobnicate
it "an unknown option of the program is named in the error" reports_error --sideways "$release" play asteroids --sideways
it "an option with a missing value is named in the error" reports_error --ticks "$release" play asteroids --headless --ticks
it "an option with an invalid number is named in the error" reports_error --ticks "$release" play asteroids --headless --ticks many
it "an unknown log level is reported together with its option" reports_error --log "$release" play asteroids --headless --log loud
it "--screenshot is an error in a headless run" reports_error --screenshot \
  "$release" play asteroids --headless --ticks 1 --screenshot x.png
it "--real-time requires --headless" reports_error "requires --headless" "$release" play asteroids --real-time
it "--real-time is an error with --every-tick" reports_error "remove one of them" \
  "$release" play asteroids --headless --real-time --every-tick
real_time() {
  run_for 60 "$release" play asteroids --headless --seed 1 --ticks 45 --hash
  full_speed=$(cat out)
  start=$(date +%s%N)
  run_for 60 "$release" play asteroids --headless --seed 1 --ticks 45 --hash --real-time
  exits 0
  ms=$((($(date +%s%N) - start) / 1000000))
  [ "$ms" -ge 700 ] || fail "45 ticks of 1/60 s took $ms ms" # the first tick is due immediately
  [ "$(cat out)" = "$full_speed" ] || fail "$(cat out) instead of $full_speed"
}
it "--real-time runs the ticks of a headless game in real time, with the same hash" real_time
it "an unknown game is named in the error" reports_error nosuchgame "$release" play nosuchgame --headless
it "a game whose name resembles the last part of an unknown path is suggested" reports_error "did you mean asteroids?" \
  "$release" play "$root/scripts/games/asteroid" --headless
# The menu and the windows show the titles of the games.
plays_titles() {
  for game in "$root"/scripts/games/*/; do
    title=$(sed -n 's/.*title = "\([^"]*\)".*/\1/p' "$game/game.lua")
    run_for 60 "$release" play "$(echo "$title" | tr ' [:upper:]' '_[:lower:]')" --headless --seed 1 --ticks 1
    exits 0 err "$title: seed 1"
  done
  run_for 20 "$release" play rockfal --headless --ticks 1
  says err "unknown game “rockfal”: did you mean rockfall?"
}
it "./shoal play accepts the titles of games in lower case with underscores, and suggests the nearest game" plays_titles
plays_path() {
  run_for 20 "$release" play "$root/scripts/games/asteroids" --headless --ticks 1
  exits 0
  cp -r "$root/scripts/games/asteroids" here
  run_for 20 "$release" play here --headless --ticks 1
  exits 0
}
it "./shoal play also accepts the path of a game" plays_path
it "a missing game folder is named in the error" reports_error /nonexistent/game "$release" run /nonexistent/game --headless
mkdir -p empty
it "a folder without a game is named in the error" reports_error empty "$release" run empty --headless
echo >file
it "a file in place of a game folder is named in the error" reports_error file "$release" run file --headless
without_display() { # without_display ARGUMENT…
  run_for 20 env -u DISPLAY -u WAYLAND_DISPLAY -u SDL_VIDEODRIVER SDL_AUDIODRIVER=dummy "$release" "$@"
  exits 2 err "cannot open a window: " "use --headless to run without"
}
it "the menu without a display is an error" without_display
it "a game without a display is an error" without_display play asteroids
it "shoal run without a folder is an error" reports_error run "$release" run --headless

unreadable_folder() {
  mkdir -p locked
  echo 'return { title = "locked" }' >locked/game.lua
  chmod 000 locked
  as_a_user=
  if [ "$(id -u)" = 0 ]; then # root can read any folder, so drop that capability
    as_a_user="setpriv --bounding-set -dac_override,-dac_read_search --inh-caps -dac_override,-dac_read_search"
  fi
  # shellcheck disable=SC2086
  run_for 20 $as_a_user "$release" run locked --headless
  chmod 755 locked
  exits 2
  expect_one_line err
  says err locked
}
it "an unreadable game folder is named in the error" unreadable_folder

prints_help() {
  run_for 20 "$@"
  exits 0
  [ "$(wc -l <"$tmp/out")" -gt 5 ] || fail "expected more than 5 lines of help, got: $(cat "$tmp/out")"
}
it "./shoal without a command prints its help" prints_help "$root/shoal"
it "./shoal help prints its help" prints_help "$root/shoal" help
it "shoal --help prints the help" prints_help "$release" --help

check_premake() { (cd "$root" && luajit tests/scenarios/lib/premake.lua "$@") >"$tmp/out"; }
only_premake5() { check_premake || fail "$(head -n 3 "$tmp/out")"; }
it "premake5.lua uses only functions and values of premake5, and each project has its own object folder" only_premake5

foreign_names() {
  sed 's/symbols "On"/symbols "Yes"/; s/path.getname(/path.basename(/; s/^  location(BUILD)/  location(BUILD) solutionfolder "x"/' \
    "$root/premake5.lua" >"$tmp/premake.lua"
  ! check_premake "$tmp/premake.lua" || fail "no violations were found"
  says out "premake.lua:$(grep -n 'symbols "Yes"' "$tmp/premake.lua" | cut -d: -f1): symbols: \"Yes\" is not one of the values"
  says out "path.basename is not a function of premake5"
  says out "solutionfolder is not a function of premake5"
}
it "functions and values that premake5 does not have are reported, values with their line" foreign_names

stray_source() {
  for layer in core ecs media world view store script plugin host tools; do mkdir -p "$tmp/tree/engine/$layer"; done
  mkdir -p "$tmp/tree/engine/core/base"
  cp "$root/engine/core/base/exact_names.h" "$tmp/tree/engine/core/base"
  touch "$tmp/tree/engine/host/stray.c"
  ! (cd "$tmp/tree" && luajit "$root/tests/scenarios/lib/premake.lua" "$root/premake5.lua") 2>"$tmp/err" ||
    fail "the file was accepted"
  says err "engine/host/stray.c is not in a module: move it to a folder, such as engine/host/MODULE/"
}
it "a source file in a layer's folder outside a module is reported with its path" stray_source

# Programs of a different configuration may run or be linked during a build. In this test, make does nothing.
keeps_other_configuration() {
  mkdir -p "$tmp/both/release/lib" "$tmp/both/release/obj" "$tmp/stubs"
  printf '#!/bin/sh\n' >"$tmp/stubs/make"
  chmod +x "$tmp/stubs/make"
  touch "$tmp/both/release/lib/libbase.a" "$tmp/both/release/obj/array.o"
  for config in debug release; do
    (cd "$root" && PATH=$tmp/stubs:$PATH SHOAL_BUILD=$tmp/both ./shoal build --config $config base) >"$tmp/out" 2>&1 ||
      fail "$(tail -n 5 "$tmp/out")"
    [ $config = release ] || [ -e "$tmp/both/release/lib/libbase.a" ] || fail "the library of the release was deleted"
    [ $config = release ] || [ -e "$tmp/both/release/obj/array.o" ] || fail "an object of the release was deleted"
  done
  [ ! -e "$tmp/both/release/lib/libbase.a" ] || fail "the stale library of the release was kept"
}
it "a build deletes no files of a different configuration" keeps_other_configuration

lib_beside_the_program() {
  mkdir -p "$tmp/copied/lib"
  cp "$release" "$tmp/copied/tool"
  run_for 20 "$tmp/copied/tool" --version
  exits 0 out "shoal"
}
it "a program in a folder with a subfolder lib is not treated as a package" lib_beside_the_program

same_commands() {
  for premake in premake4 premake5; do
    skip_without $premake "Debian has no package of it"
    (cd "$root" && SHOAL_BUILD=$tmp/$premake $premake --file=premake5.lua gmake) >"$tmp/out" 2>&1 || fail "$(cat "$tmp/out")"
    for config in debug release sanitize thread; do # links fail, because their libraries are missing
      make -n -k -C "$tmp/$premake" config=$config >"$tmp/$premake.$config" 2>"$tmp/err" || true
    done
  done
  for config in debug release sanitize thread; do
    check_premake compare "$tmp/premake4.$config" "$tmp/premake5.$config" || fail "$config: $(head -n 3 "$tmp/out")"
  done
}
it "premake4 and premake5 generate the same compile commands" same_commands

compile_commands() {
  for premake in premake4 premake5; do
    command -v $premake >/dev/null || continue
    (cd "$root" && SHOAL_BUILD=$tmp/commands $premake --file=premake5.lua compile_commands) >"$tmp/out" 2>&1 ||
      fail "$(cat "$tmp/out")"
    for file in engine/core/base/array.c tests/unit/base_test.c engine/plugins/mesh/mesh.c engine/plugins/box2d/box2d.cpp; do
      [ -e "$root/$file" ] || fail "$file is missing"
      line=$(grep -F "$file\"," "$tmp/commands/compile_commands.json" | head -n 1)
      case $file:$line in
        *.cpp:) continue ;; # Box2D is not installed
        *:) fail "no command for $file" ;;
        *.cpp:*-std=c11*) fail "C++ is compiled with flags for C: $line" ;;
      esac
      folder=$(echo "$line" | sed 's/.*"directory": "\([^"]*\)".*/\1/')
      command=$(echo "$line" | sed 's/.*"command": "\([^"]*\)".*/\1/')
      (cd "$folder" && $command -fsyntax-only) || fail "the command for $file fails: $command"
    done
  done
}
it "premake writes compile_commands.json with commands that compile C and C++" compile_commands

from_a_symlink() {
  ln -sf "$root/shoal" "$tmp/link"
  cd / || fail "cannot change to /"
  run_for 120 "$tmp/link" play asteroids --headless --ticks 1
  exits 0
}
it "./shoal runs a game when it is started through a symbolic link and from a different folder" from_a_symlink

# The stand-ins for programs that install or build write to a file; --help must run none of these programs.
help_of_commands() {
  mkdir -p "$tmp/stubs"
  for program in apt-get dpkg-query make premake5 premake4; do
    printf '#!/bin/sh\necho "%s $*" >>"%s/started"\nexit 1\n' "$program" "$tmp" >"$tmp/stubs/$program"
    chmod +x "$tmp/stubs/$program"
  done
  for command in test bench new new-plugin types docs doctor build deps format package install; do
    run_for 20 env PATH="$tmp/stubs:$PATH" "$root/shoal" "$command" --help
    exits 0 out "./shoal $command"
    [ ! -e "$tmp/started" ] || fail "./shoal $command --help runs $(cat "$tmp/started")"
  done
}
it "--help of the ./shoal development commands neither installs packages nor builds" help_of_commands

# ---- building LuaJIT: with an empty cache, and a stand-in for make that only writes the library

mkdir -p "$tmp/stand_ins"
cat >"$tmp/stand_ins/make" <<'END'
#!/bin/sh
echo make >>"$MADE"
[ -z "$GATE" ] || read -r _ <"$GATE" # blocks until the test writes to this FIFO
while [ "$1" != -C ]; do shift; done
echo library >"$2/libluajit.a"
END
printf '#!/bin/sh\nexit 1\n' >"$tmp/stand_ins/apt-get" # no mirror is available
chmod +x "$tmp/stand_ins"/*
export MADE="$tmp/made" GATE=
pinned=$(CC="${CC:-cc}" sh "$root/scripts/build/luajit.sh" --source)

# build_luajit VARIABLE=VALUE…: builds LuaJIT with these environment variables
build_luajit() {
  run_for 60 env PATH="$tmp/stand_ins:$PATH" XDG_CACHE_HOME="$tmp/cache" SHOAL_SOURCES="$(dirname "$pinned")" "$@" \
    sh "$root/scripts/build/luajit.sh"
}
empty_cache() {
  rm -rf "$tmp/cache" "$MADE"
  mkdir "$tmp/cache"
}
fails_to_build() { # fails_to_build "MESSAGE" VARIABLE=VALUE…: expects a failed build with this message only
  message=$1
  shift
  empty_cache
  build_luajit "$@"
  exits 2 err "$message"
  left=$(find "$tmp/cache" -name 'luajit-*' -o -name 'build.*')
  [ -z "$left" ] || fail "files were left behind: $left"
}
it "a missing source of LuaJIT is an error that names the file and the variable SHOAL_SOURCES" \
  fails_to_build "put $(basename "$pinned") (of Debian's source package luajit; SHA-256" SHOAL_SOURCES="$tmp"
wrong_source() {
  mkdir -p "$tmp/wrong"
  echo wrong >"$tmp/wrong/$(basename "$pinned")"
  fails_to_build "$tmp/wrong/$(basename "$pinned") has a wrong checksum: replace it" SHOAL_SOURCES="$tmp/wrong"
  [ ! -e "$MADE" ] || fail "a source with a wrong checksum was built"
}
it "a source of LuaJIT with a wrong checksum is an error and is not built" wrong_source
it "a build of LuaJIT without a compiler is an error" \
  fails_to_build "LuaJIT: cannot build it: /nowhere/cc not found: run ./shoal deps" CC=/nowhere/cc
full_disk() (
  ulimit -f 100 # files of at most 50 KB
  trap '' XFSZ
  fails_to_build "LuaJIT: cannot build it (see above): free some space in $tmp/cache/shoal if the disk is full"
)
it "a full disk during the build of LuaJIT is an error" full_disk
unwritable_cache() {
  : >"$tmp/file"
  fails_to_build "LuaJIT: cannot write $tmp/file/shoal: free some space on the disk, or set XDG_CACHE_HOME" \
    XDG_CACHE_HOME="$tmp/file"
  expect_one_line err
}
it "a cache folder that cannot be written is an error when LuaJIT is built" unwritable_cache
build_id() {
  empty_cache
  build_luajit
  exits 0
  folder=$(cat "$tmp/out")
  build_luajit CC="${CC:-cc} -O1"
  exits 0
  [ "$folder" != "$(cat "$tmp/out")" ] || fail "the same folder for two compilers"
  grep -h LUAJIT_BUILD "$folder/include/luajit.h" >"$tmp/id"
  [ -s "$tmp/id" ] && grep -qxFf "$tmp/id" "$(cat "$tmp/out")/include/luajit.h" ||
    fail "bytecode of another compiler would be refused"
}
it "LuaJIT is built separately for each compiler, with the same LUAJIT_BUILD" build_id
two_builds() {
  command -v flock >/dev/null || skip "flock is missing"
  empty_cache
  rm -f "$tmp/second" "$tmp/gate"
  mkfifo "$tmp/gate"
  (build_luajit GATE="$tmp/gate" && cp "$tmp/out" "$tmp/folder") &
  wait_for 60 test -e "$MADE" || fail "the first build did not start"
  env PATH="$tmp/stand_ins:$PATH" XDG_CACHE_HOME="$tmp/cache" SHOAL_SOURCES="$(dirname "$pinned")" \
    sh "$root/scripts/build/luajit.sh" >"$tmp/second_folder" 2>"$tmp/second" &
  wait_for 60 grep -qs waiting "$tmp/second" || fail "the second build does not wait: $(cat "$tmp/second")"
  echo go >"$tmp/gate"
  wait
  says second "waiting for another build of luajit to finish"
  cmp "$tmp/folder" "$tmp/second_folder" || fail "the folders differ"
  [ "$(cat "$(cat "$tmp/folder")/lib/libluajit-5.1.a")" = library ] || fail "no library"
  [ "$(wc -l <"$MADE")" = 1 ] || fail "built $(wc -l <"$MADE") times"
}
it "of two simultaneous builds of LuaJIT, the second waits and uses the result of the first" two_builds
# old_result NAME: creates a result in the cache that was used 91 days ago
old_result() {
  mkdir -p "$tmp/cache/shoal/$1"
  : >"$tmp/cache/shoal/$1/COPYRIGHT"
  touch -d '91 days ago' "$tmp/cache/shoal/$1"
}
unused_results() {
  empty_cache
  build_luajit
  exits 0
  used=$(cat "$tmp/out")
  touch -d '91 days ago' "$used"
  build_luajit # only uses the result
  for name in luajit-1-2 luajit-cross-1-2 build.abcdef native; do old_result "$name"; done
  mkdir "$tmp/cache/shoal/luajit-3-4"
  build_luajit CC="${CC:-cc} -O1"
  exits 0
  (cd "$tmp/cache/shoal" && ls -d luajit-* build.* native 2>/dev/null) >"$tmp/left"
  for folder in "$used" "$(cat "$tmp/out")" native luajit-cross-1-2 luajit-3-4; do
    grep -qxF "${folder##*/}" "$tmp/left" || fail "$folder was deleted"
  done
  [ "$(wc -l <"$tmp/left")" = 5 ] || fail "expected five folders: $(cat "$tmp/left")"
}
it "a build of LuaJIT deletes results that were not used for 90 days" unused_results

# ---- building before a run: in a small tree, with a stand-in for make that writes a program and counts its runs

export INTO=build # build folder of the small tree
mkdir -p "$tmp/tools"
cat >"$tmp/tools/make" <<'END'
#!/bin/sh
echo make >>"$MADE"
cd "$INTO" || exit 1
mkdir -p release/bin release/plugins
printf '#!/bin/sh\necho "$*"\n' >release/bin/shoal
chmod +x release/bin/shoal
END
printf '#!/bin/sh\n: >"$INTO/shoal.make"\n' >"$tmp/tools/premake5"
for program in dpkg-query pkg-config apt-get; do echo '#!/bin/sh' >"$tmp/tools/$program"; done
chmod +x "$tmp/tools"/*
runs() { # runs "MAKE RUNS" VARIABLE=VALUE…: runs a game; make must have run that many times since the tree was made
  runs=$1
  shift
  run_for 60 env PATH="$tmp/tools:$PATH" MADE="$tmp/tree/made" "$@" sh "$tmp/tree/shoal" run here
  exits 0 out "supervise run here"
  [ "$(wc -l <"$tmp/tree/made")" = "$runs" ] || fail "make ran $(wc -l <"$tmp/tree/made") times instead of $runs"
}
builds_after_changes() {
  rm -rf "$tmp/tree"
  mkdir -p "$tmp/tree/engine/core" "$tmp/tree/engine/plugins/net" "$tmp/tree/scripts/build" "$tmp/tree/scripts/shoal" "$tmp/tree/tests"
  cp "$root/shoal" "$root/premake5.lua" "$tmp/tree"
  for script in luajit pinned_library ffi_functions; do : >"$tmp/tree/scripts/build/$script.sh"; done
  : >"$tmp/tree/engine/core/one.c"
  runs 1
  runs 1
  echo >"$tmp/tree/engine/core/one.c"
  runs 2
  runs 2
  touch -d '2 days ago' "$tmp/two.c" # a file keeps its time when it is moved
  mv "$tmp/two.c" "$tmp/tree/engine/core"
  runs 3
  runs 3
  rm "$tmp/tree/engine/core/two.c"
  runs 4
  echo >"$tmp/tree/scripts/shoal/boot.lua"
  runs 5
  runs 6 CC="${CC:-cc} -O1"
  runs 7
  rm "$tmp/tree/$INTO/release/bin/shoal"
  runs 8
  # A plugin that was written after the build. On a fast machine, times of files can be equal.
  until [ "$tmp/tree/$INTO/release/plugins" -nt "$tmp/tree/$INTO/release/.build_ended" ]; do
    rm -f "$tmp/tree/$INTO/release/plugins/net.so"
    : >"$tmp/tree/$INTO/release/plugins/net.so"
  done
  runs 9
  runs 9
}
it "./shoal run builds only after a change of a source file, the compiler, a plugin or the program" builds_after_changes
