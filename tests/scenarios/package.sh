# ./shoal package: packages a game as a folder that runs on any machine. Without --long the tests use the system's SDL2,
# because building SDL2, the default, takes minutes.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/scenarios/lib/package.sh"
cd "$tmp" || exit 1
rm -rf packages again bad copy data
mkdir copy
packed=$tmp/packages/asteroids-1.2-linux-$(uname -m)
own=--system-libraries
[ -z "$LONG" ] || own=
package() { sh "$root/scripts/build/package.sh" "$@" >"$tmp/said" 2>&1; }
refused() { # refused "MESSAGE" ARGUMENTS…
  message=$1
  shift
  ! package "$@" --system-libraries --to "$tmp/refused" || fail "packaging succeeded"
  [ ! -e "$tmp/refused" ] || fail "files were left behind: $(ls "$tmp/refused"; rm -rf "$tmp/refused")"
  grep -qF -- "$message" "$tmp/said" || fail "'$message' is not in: $(cat "$tmp/said")"
}
game() { # game NAME: creates a small game in bad/NAME
  rm -rf "$tmp/bad"
  mkdir -p "$tmp/bad/$1/systems" "$tmp/bad/$1/assets"
  echo 'return { title = "Little & more", width = 320, height = 180 }' >"$tmp/bad/$1/game.lua"
  echo 'return {}' >"$tmp/bad/$1/components.lua"
  echo 'return { dot = { components = { transform = { x = 160, y = 90 } } } }' >"$tmp/bad/$1/assemblages.lua"
}
# program NAME: packs bad/NAME to copy/, without the libraries that the system provides.
program() {
  "$release" pack "$tmp/bad/$1" "$tmp/copy/$1.data" >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
  cp "$release" "$tmp/copy/$1"
}
window() { run_for 60 env SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy "$@"; }

file=$packed.run
self_extracts() {
  requires makes_folder plays_like_game
  rm -rf "$tmp/home"
  run_for 60 env XDG_DATA_HOME="$tmp/home" "$file" --headless --seed 3 --ticks 300 --hash
  exits 0
  [ "$(grep hash "$tmp/out")" = "$(grep hash "$tmp/expected")" ] || fail "$(diff "$tmp/out" "$tmp/expected")"
  diff -r "$packed" "$tmp/home/shoal/games/asteroids-1.2-linux-$(uname -m)" || fail "the unpacked files differ from the folder"
  grep -qF "Exec=\"$tmp/home/shoal/games/" "$tmp/home/applications/local.shoal.asteroids.desktop" || fail "no menu entry"
  run_for 60 env XDG_DATA_HOME="$tmp/home" "$file" --version # starts without unpacking again
  says out "Rockfall 1.2"
  run_for 60 env XDG_DATA_HOME="$tmp/home" "$file" --remove
  says out "saved games are kept"
  [ ! -e "$tmp/home/applications/local.shoal.asteroids.desktop" ] || fail "the menu entry was not removed"
  left=$(find "$tmp/home" -name '*.data')
  [ -z "$left" ] || fail "$left stays"
  run_for 60 "$file" --to "$tmp/home/else where"
  [ -x "$tmp/home/else where/asteroids-1.2-linux-$(uname -m)/asteroids" ] || fail "$(cat "$tmp/err")"
}

unpacks_nothing() {
  requires makes_folder
  rm -rf "$tmp/home"
  head -c 3000000 "$file" >"$tmp/cut.run"
  run_for 20 env XDG_DATA_HOME="$tmp/home" sh "$tmp/cut.run"
  exits 2 err "damaged or incomplete: download it again"
  [ ! -e "$tmp/home" ] || fail "files were left behind: $(ls -R "$tmp/home")"
  run_for 20 "$file" --to /proc/nowhere
  exits 2 err "cannot write to"
  (ulimit -f 4000; trap '' XFSZ; run_for 60 "$file" --to "$tmp/home"; exits 2 && says err "the disk may be full" &&
    expect_one_line err) ||
    fail "$(cat "$tmp/err")"
  [ -z "$(ls -A "$tmp/home")" ] || fail "files were left behind: $(ls -A "$tmp/home")"
}

store_metadata() {
  requires makes_folder
  id=local.shoal.asteroids
  if command -v desktop-file-validate >/dev/null; then desktop-file-validate "$packed/$id.desktop" || fail "the menu entry is invalid"; fi
  if command -v appstreamcli >/dev/null; then
    appstreamcli validate --no-net "$packed/$id.metainfo.xml" >"$tmp/out" || fail "$(cat "$tmp/out")"
  fi
  if command -v flatpak-builder >/dev/null; then
    (cd "$tmp/packages" && flatpak-builder --show-manifest "$packed.flatpak.json" >"$tmp/out") || fail "the manifest is invalid"
  fi
  grep -qF '"command": "/app/game/asteroids"' "$packed.flatpak.json" && grep -qF "<id>$id</id>" "$packed/$id.metainfo.xml" ||
    fail "$(cat "$packed.flatpak.json" "$packed/$id.metainfo.xml")"
}

makes_folder() {
  # shellcheck disable=SC2086
  package asteroids --version 1.2 --to "$tmp/packages" $own || fail "$(cat "$tmp/said")"
  [ -x "$packed/asteroids" ] && [ -s "$packed.tar.zst" ] || fail "$(cat "$tmp/said"; ls -R packages)"
  # Debian's HarfBuzz requires GLib, unlike the HarfBuzz of packages without --system-libraries.
  mb=$(du -sm --exclude='libglib*' --exclude='libpcre2*' "$packed" | cut -f 1)
  [ "$mb" -le 20 ] || fail "the package has $mb MB"
  for library in "$packed"/lib/*; do
    case $(basename "$library") in
    libc.* | libm.* | libstdc++* | libgcc_s* | libX* | libxcb* | libwayland* | libdrm* | libgbm* | libasound* | libpulse* | libGL* | libEGL*)
      fail "$library is the system's" ;;
    esac
  done
  [ "$(find "$packed/licences" -name '*.txt' -size +0 | wc -l)" -ge 12 ] || fail "licences: $(ls "$packed/licences")"
}

plays_like_game() {
  requires makes_folder
  run_for 60 "$release" play asteroids --headless --seed 3 --ticks 300 --record "$tmp/played.replay" --hash
  exits 0
  cp "$tmp/out" "$tmp/expected"
  rm -rf "$tmp/copy/moved"
  cp -r "$packed" "$tmp/copy/moved" # must run from any folder
  (cd / && run_for 60 env -u SHOAL_ROOT "$tmp/copy/moved/asteroids" --headless --seed 3 --ticks 300 --hash && exits 0 &&
    cmp "$tmp/out" "$tmp/expected" &&
    run_for 60 "$tmp/copy/moved/asteroids" --headless --replay "$tmp/played.replay" --hash && exits 0) ||
    fail "$(cat "$tmp/err")"
  [ "$(grep hash "$tmp/out")" = "$(grep hash "$tmp/expected")" ] || fail "$(diff "$tmp/out" "$tmp/expected")"
  ! grep -q "the engine's scripts differ" "$tmp/err" || fail "$(cat "$tmp/err")"
}

# The game's scripts are stored as bytecode, too, except a script with a syntax error, which is reported when the script
# is loaded.
has_bytecode() {
  game little
  mkdir -p bad/little/lib
  echo 'return { update = function() if world.tick == 2 then error("bytecode has lines") end end }' >bad/little/systems/plain.lua
  echo 'return {' >bad/little/lib/broken.lua
  program little
  "$release" pack "$tmp/bad/little" "$tmp/copy/again.data" >"$tmp/out" 2>&1 || fail "$(cat "$tmp/out")"
  cmp "$tmp/copy/little.data" "$tmp/copy/again.data" || fail "packed twice, and not the same bytes"
  unzip -p "$tmp/copy/little.data" shoal.code >"$tmp/code"
  grep -aqF "systems/plain.lua" "$tmp/code" || fail "no bytecode of the game"
  ! grep -aqF "lib/broken.lua" "$tmp/code" || fail "bytecode of a file that cannot be compiled"
  run_for 20 "$tmp/copy/little" --headless --ticks 5
  says err "systems/plain.lua:1: bytecode has lines"
}

# run_with_cache FOLDER IMAGE: runs the package with $tmp/FOLDER as the user's cache.
run_with_cache() {
  window XDG_CACHE_HOME="$tmp/$1" MESA_SHADER_CACHE_DIR="$tmp/mesa" "$packed/asteroids" --every-tick --ticks 5 --seed 1 \
    --screenshot "$tmp/$2.png"
  exits 0
}
# A second run reuses the shader programs that the first run has linked; damaged files are replaced.
caches_programs() {
  requires makes_folder
  rm -rf "$tmp/kept" "$tmp/mesa"
  run_with_cache kept first
  set -- "$tmp"/kept/shoal/shaders/*.program
  [ -s "$1" ] || fail "no shader program was cached"
  for file in "$@"; do touch -d @1000000000 "$file"; done
  run_with_cache kept second
  [ -z "$(find "$tmp/kept/shoal/shaders" -newermt @1000000001 -name '*.program')" ] || fail "programs were linked again"
  cmp "$tmp/first.png" "$tmp/second.png" || fail "the image differs"
  for file in "$@"; do
    printf '####' | dd of="$file" bs=1 seek=100 conv=notrunc 2>/dev/null
    touch -d @1000000000 "$file"
  done
  head -c 30 "$1" >"$tmp/cut" && cp "$tmp/cut" "$1"
  touch -d @1000000000 "$1"
  run_with_cache kept third
  cmp "$tmp/first.png" "$tmp/third.png" || fail "the image differs"
  old=$(find "$tmp/kept/shoal/shaders" ! -newermt @1000000001 -name '*.program')
  [ -z "$old" ] || fail "damaged programs were kept: $old"
  rm -rf "$tmp/full" && touch "$tmp/full" # the cache folder cannot be created
  run_with_cache full fourth
  cmp "$tmp/first.png" "$tmp/fourth.png" || fail "the image differs"
}

opens_window() {
  requires makes_folder
  window "$packed/asteroids" --every-tick --ticks 30 --seed 1 --screenshot "$tmp/picture.png"
  exits 0
  [ "$(head -c 4 "$tmp/picture.png" | tail -c 3)" = PNG ] || fail "no picture: $(cat "$tmp/err")"
}

same_bytes_twice() {
  requires makes_folder
  "$release" pack asteroids "$tmp/again" --version 1.2 >/dev/null 2>&1
  cmp "$tmp/again" "$packed/asteroids.data" || fail "the archive differs"
  [ -n "$LONG" ] || return 0
  package asteroids --version 1.2 --to "$tmp/second"
  the_same "$tmp/packages" "$tmp/second" "$(basename "$packed")"
}

# Builds everything in a different folder from source, including SDL2.
same_bytes_elsewhere() {
  requires same_bytes_twice
  rm -rf "$tmp/elsewhere"
  mkdir -p "$tmp/elsewhere/tree"
  for name in engine scripts assets tests premake5.lua LICENSE shoal; do cp -r "$root/$name" "$tmp/elsewhere/tree/"; done
  export SOURCE_DATE_EPOCH=1000000000 CCACHE_DISABLE=1
  package asteroids --version 1.2 --to "$tmp/first"
  run_for 1800 "$tmp/elsewhere/tree/shoal" package asteroids --version 1.2 --to "$tmp/elsewhere"
  exits 0
  the_same "$tmp/first" "$tmp/elsewhere" "$(basename "$packed")"
  rm -rf "$tmp/elsewhere"
}

damaged() {
  requires makes_folder
  rm -rf "$tmp/copy/damaged"
  cp -r "$packed" "$tmp/copy/damaged"
  cd "$tmp/copy/damaged" || exit 1
  printf '#' | dd of=asteroids.data bs=1 seek=100000 conv=notrunc 2>/dev/null
  run_for 20 env SDL_VIDEODRIVER=dummy ./asteroids
  exits 2 err "A file of this game is damaged"
  head -c 100000 "$packed/asteroids.data" >asteroids.data
  run_for 20 env SDL_VIDEODRIVER=dummy ./asteroids
  says err "unpack the game again, or download it again"
  rm asteroids.data
  run_for 20 env SDL_VIDEODRIVER=dummy ./asteroids
  exits 2 err "A file of this game is missing"
}

# The archive is truncated while the game runs, as by an update that overwrites it, and the game then reads an image.
changed_during_play() {
  game cut
  cp "$root/assets/pictures/asteroids.png" bad/cut/assets/late.png
  echo 'return { update = function()
    if world.tick == 2 then print("ready") end
    if world.tick == 120 then world.spawn(nil, { transform = {}, sprite = { image = "late.png" } }) end
  end }' >bad/cut/systems/late.lua
  program cut
  launch env SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy XDG_DATA_HOME="$tmp/cut_data" XDG_STATE_HOME="$tmp/cut_data" "$tmp/copy/cut"
  expect_log ready
  truncate -s 1000 "$tmp/copy/cut.data"
  wait_for 30 has_exited "$program" || fail "the game continues: $(tail -n 5 "$log")"
  report=$(sed -n 's/^crash: report: //p' "$log")
  grep -qF "damaged: $tmp/copy/cut.data was changed while the program was running" "$report" || fail "$(cat "$log" "$report")"
}

without_opengl() {
  requires makes_folder
  run_for 20 env SDL_VIDEODRIVER=dummy SDL_AUDIODRIVER=nothing "$packed/asteroids" --ticks 2
  exits 2 err "Rockfall cannot start: cannot open a window" "OpenGL 3.3"
  ! grep -q headless "$tmp/err" || fail "$(cat "$tmp/err")"
}

without_display() {
  requires makes_folder
  for display in "SDL_VIDEODRIVER=x11 DISPLAY=:9999" "-u DISPLAY -u WAYLAND_DISPLAY -u SDL_VIDEODRIVER"; do
    # shellcheck disable=SC2086
    run_for 20 env $display SDL_AUDIODRIVER=dummy XDG_RUNTIME_DIR="$tmp" "$packed/asteroids"
    exits 2 err "Rockfall cannot start: cannot open a window: no display found"
    says err "Start the game from a desktop."
    ! grep -q "headless\|OpenGL\|SDL_VIDEODRIVER=" "$tmp/err" || fail "$(cat "$tmp/err")"
  done
}

with_old_opengl() {
  requires makes_folder
  window env MESA_GL_VERSION_OVERRIDE=3.0 "$packed/asteroids" --ticks 2
  exits 2 err "Rockfall cannot start: cannot create an OpenGL 3.3 context"
  says err "install a newer driver for the graphics card"
}

without_sound() {
  requires makes_folder
  window env SDL_AUDIODRIVER=nothing "$packed/asteroids" --every-tick --ticks 10
  exits 0
}

player_options() {
  requires makes_folder
  run_for 20 "$packed/asteroids" --versoin
  exits 2
  grep -q "did you mean --version?$" err || fail "$(cat err)"
  run_for 20 "$packed/asteroids" --version
  says out "Rockfall 1.2, with Shoal"
  run_for 20 "$packed/asteroids" --exec 'return 1'
  exits 2 err "unknown option “--exec”"
}

writes_report() {
  game little
  cat >bad/little/systems/bridge.lua <<'END'
return {
  update = function()
    if world.tick >= 20 then error("the bridge is gone") end
  end,
}
END
  program little
  window "$tmp/copy/little" --every-tick --ticks 60 --seed 1 --screenshot "$tmp/fault.png"
  exits 0
  cat "$XDG_DATA_HOME"/shoal/reports/little/*.txt >"$tmp/report" || fail "no report: $(cat "$tmp/err")"
  says report "Little & more 1.0, with Shoal"
  says report "systems/bridge.lua:3: the bridge is gone"
  says report "tick: 2"
  set -- "$XDG_DATA_HOME"/shoal/reports/little/*.replay
  [ -s "$1" ] || fail "no recording: $(cat "$tmp/report")"
  run_for 60 "$release" run "$tmp/bad/little" --headless --replay "$1"
  exits 1 # the replay reports the error of the recorded run
  says err "match the recording"
}

portable() {
  game little
  program little
  cd "$tmp/copy" || exit 1
  rm -rf saved
  run_for 20 ./little --portable --headless --ticks 3
  exits 0
  [ -d saved ] || fail "no saved/: $(cat "$tmp/err")"
  rm -rf saved && touch saved # not writable, as on a read-only disk
  run_for 20 ./little --portable --headless --ticks 3
  exits 2 err "folder is not writable"
  rm saved
}

# Simulates a player's machine, which has no cache and no LLVM. Reading a system takes a few ticks.
runs_natively() {
  game little
  echo 'return { title = "Little", start = function() world.spawn_many("rock", 2000) end }' >bad/little/game.lua
  echo 'return { rock = { x = 0, vx = 3 } }' >bad/little/components.lua
  echo 'return { rock = { components = { rock = {} } } }' >bad/little/assemblages.lua
  cat >bad/little/systems/fall.lua <<'END'
return {
  query = { "rock" },
  update = function(q, dt)
    for i = 1, q.count do
      q.rock.x[i] = q.rock.x[i] + q.rock.vx[i] * dt
      if q.rock.x[i] > 320 then q.rock.x[i] = q.rock.x[i] - 320 end
    end
  end,
}
END
  program little
  grep -q '^objects' "$tmp/out" || fail "$(cat "$tmp/out")"
  [ "$(sed -n 's/^objects //p' "$tmp/out")" != 0 ] || skip "LLVM is not installed"
  for _ in 1 2 3 4 5 6 7 8; do # the order of compilation varies, so a difference may occur only once in three runs
    "$release" pack "$tmp/bad/little" "$tmp/copy/again.data" >/dev/null
    cmp "$tmp/copy/little.data" "$tmp/copy/again.data" || fail "packed twice, and not the same bytes"
  done
  rm -rf "$tmp/nothing"
  run_for 20 env XDG_CACHE_HOME="$tmp/nothing" "$tmp/copy/little" --headless --ticks 200 --seed 1 --hash --stats
  exits 0 out "native 1 of 1 systems over rows, 1 from the package, 0 being compiled"
  [ ! -e "$tmp/nothing/shoal/native" ] || fail "code was compiled at run time"
  shipped=$(grep hash "$tmp/out")
  run_for 20 "$release" run "$tmp/bad/little" --headless --no-watch --ticks 200 --seed 1 --hash --native off
  [ "$(grep hash "$tmp/out")" = "$shipped" ] || fail "$shipped, and not $(cat "$tmp/out")"
}
it "a packaged game runs natively within seconds, with code compiled at packaging time" runs_natively

# counting_game VERSION FIELD SETTING: packs a game that counts ticks and saves in its third tick.
counting_game() {
  game keeps
  cat >bad/keeps/game.lua <<END
return { title = "Keeps", id = "keeps", width = 320, height = 180 }
END
  echo "local t = shoal.types return { score = t.single { points = t.i32(0), $2 = 3 } }" >bad/keeps/components.lua
  echo "return { $3 = 1 }" >bad/keeps/settings.lua
  cat >bad/keeps/systems/count.lua <<END
return {
  update = function()
    world.single.score.points = world.single.score.points + 1
    settings.$3 = $1
    if world.tick == 3 then world.save("slot") end
  end,
}
END
  rm -rf "$tmp/copy/$1"
  mkdir -p "$tmp/copy/$1"
  "$release" pack "$tmp/bad/keeps" "$tmp/copy/$1/keeps.data" --version "$1" >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
  cp "$release" "$tmp/copy/$1/keeps"
}

# First XDG_DATA_HOME is not writable, then files cannot grow beyond a limit, as on a full disk.
cannot_save() {
  counting_game 1 points_before speed
  window env XDG_DATA_HOME=/proc/nowhere "$tmp/copy/1/keeps" --every-tick --ticks 10 --log-file "$tmp/log"
  exits 0
  says log "not saved: cannot create the folder /proc/nowhere"
  rm -rf "$tmp/full"
  window env XDG_DATA_HOME="$tmp/full" "$tmp/copy/1/keeps" --headless --ticks 4
  exits 0
  slot=$tmp/full/shoal/saves/keeps/slot.sqlite
  cp "$slot" "$tmp/slot"
  (ulimit -f 4; trap '' XFSZ; window env XDG_DATA_HOME="$tmp/full" MESA_SHADER_CACHE_DISABLE=true "$tmp/copy/1/keeps" \
    --every-tick --ticks 10; exits 0 && says err "not saved") || fail "$(cat "$tmp/err")"
  cmp "$slot" "$tmp/slot" || fail "the old save has changed"
}

# run_on_disk SIZE FREE_KB PICTURE: runs the game with all its files on a disk of SIZE, and saves a picture after 40
# ticks in real time, when the message is fully visible. The disk has a separate mount namespace. FREE_KB 0 fills it.
run_on_disk() {
  cat >"$tmp/on_disk" <<END
mount -t tmpfs -o size=$1 tmpfs "$tmp/disk" || exit 1
[ "$2" != 0 ] || dd if=/dev/zero of="$tmp/disk/fill" bs=1k count=1000 2>/dev/null
exec "$tmp/copy/1/keeps" --ticks 40 --screenshot "$3"
END
  mkdir -p "$tmp/disk"
  window env "HOME=$tmp/disk" "XDG_DATA_HOME=$tmp/disk/data" "XDG_CACHE_HOME=$tmp/disk/cache" \
    "MESA_SHADER_CACHE_DIR=$tmp/disk/mesa" unshare -rm sh "$tmp/on_disk"
  exits 0
}

full_disk() {
  unshare -rm true 2>/dev/null || skip "unshare cannot create a mount namespace"
  counting_game 1 lives speed
  run_on_disk 64m all "$tmp/free.png"
  [ ! -s "$tmp/err" ] || fail "printed: $(cat "$tmp/err")"
  run_on_disk 500k 0 "$tmp/full.png"
  says err "error: not saved: cannot open $tmp/disk/data/shoal/saves/keeps"
  ! grep -v "^error: not " "$tmp/err" || fail "printed: $(cat "$tmp/err")"
  sed -i 's/world.save("slot")/local _/' "$tmp/bad/keeps/systems/count.lua"
  "$release" pack "$tmp/bad/keeps" "$tmp/copy/1/keeps.data" --version 1 >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
  run_on_disk 64m all "$tmp/silent.png"
  ! cmp -s "$tmp/full.png" "$tmp/silent.png" || fail "nothing is shown when a save fails"
  ! cmp -s "$tmp/full.png" "$tmp/free.png" || fail "a failed save shows the same as a successful one"
}

versions_share_saves() {
  counting_game 1 lives speed
  counting_game 2 medals loud
  rm -rf "$XDG_DATA_HOME/shoal/saves/keeps"
  slot=$XDG_DATA_HOME/shoal/saves/keeps/slot.sqlite
  for way in "1 2" "2 1"; do # each version loads the save and keeps the setting of the other version
    "$tmp/copy/${way% *}/keeps" --headless --ticks 4 >"$tmp/out" 2>&1 || fail "$(cat "$tmp/out")"
    cp "$slot" "$tmp/slot"
    run_for 20 "$tmp/copy/${way#* }/keeps" --headless --load "$slot" --ticks 8
    exits 0
    cmp "$slot" "$tmp/slot" || fail "loading changed the save"
  done
  grep -qF '"loud":2' "${slot%/*}/game.settings.json" && grep -qF '"speed":1' "${slot%/*}/game.settings.json" ||
    fail "$(cat "${slot%/*}/game.settings.json")"
}

# The command is killed while it writes; the next run also finds files of a different process that no longer runs.
removes_stale_files() {
  skip_without setsid
  game little
  rm -rf stale
  builds=$root/build
  mkdir -p stale "$builds/package"
  dead=$(sh -c 'echo $$')
  mkdir "$builds/package/work.$dead"
  touch "stale/little-1-linux-x.run.$dead.tmp" "stale/notes.$dead.tmp"
  setsid sh "$root/scripts/build/package.sh" bad/little --version 1 --system-libraries --to stale >said 2>&1 &
  killed=$!
  wait_for 20 [ -e "$builds/package/work.$killed/data" ] || fail "$(cat said)"
  kill -KILL "-$killed"
  wait $killed || :
  package_quickly package bad/little --version 2 --system-libraries --to stale || fail "$(cat said)"
  for left in "$builds/package/work.$dead" "$builds/package/work.$killed" stale/little-*.tmp; do
    [ ! -e "$left" ] || fail "$left was left behind"
  done
  [ -e "stale/notes.$dead.tmp" ] || fail "a file of the user was removed"
}
it "./shoal package removes the temporary files of killed runs" removes_stale_files

hides_builder() { requires makes_folder && names_no_builder "$packed"; }
it "a package is a folder of at most 20 MB with licences and without system libraries" makes_folder
it "a packaged game gives the same hashes as the original, even from a different folder" plays_like_game
it "a packaged game opens its window" opens_window
it "a package stores scripts as bytecode, and their errors still have file and line" has_bytecode
it "a package caches linked shaders between runs and replaces damaged cache files" caches_programs

# CPU time until the first frame, compared with an SDL2 window that is only cleared: the best of six alternating runs
# takes about 4 times as long (3 times in X11).
first_frame() { # first_frame PROGRAM: sets $taken to the CPU time in ms until its first frame
  window LD_PRELOAD="$tmp/first_frame.so" "$@"
  exits 0
  taken=$(sed -n 's/^value picture //p' "$tmp/out")
  [ -n "$taken" ] || fail "no frame was shown: $(tail -n 3 "$tmp/err")"
}
minimum() { printf '%s\n' "$@" | sort -n | head -n 1; }
starts_quickly() {
  requires makes_folder
  cc=${CC:-cc}
  $cc -std=c11 -D_GNU_SOURCE -O2 -fPIC -shared -o "$tmp/first_frame.so" "$root/tests/bench/first/first_frame.c" -ldl || fail "first_frame.so does not build"
  $cc -std=c11 -O2 -o "$tmp/first_window" "$root/tests/bench/first/window.c" -lSDL2 -lepoxy || fail "first_window does not build"
  game=100000 plain=100000
  for _ in 1 2 3 4 5 6; do
    first_frame "$packed/asteroids"
    game=$(minimum "$game" "$taken")
    first_frame "$tmp/first_window"
    plain=$(minimum "$plain" "$taken")
  done
  awk "BEGIN { exit !($game < $MAX_WINDOWS * $plain) }" || fail "$game ms until its first frame; a plain window takes $plain"
}
MAX_WINDOWS=7
it "the first frame of a package takes at most 7 times the CPU time of an empty window's first frame" starts_quickly

# Packages for arm64, run under an emulator; skipped without a cross compiler and emulator.
plays_on_arm64() { # plays_on_arm64 GAME [FOLDER]
  package "${2-$1}" --version 1.2 --to "$tmp/packages" --for linux-arm64 || fail "$(cat "$tmp/said")"
  grep -qE "glibc 2\.(2[0-9]|30|31)$" "$tmp/said" || fail "$(cat "$tmp/said")"
  run_for 60 "$release" run "${2-$root/scripts/games/$1}" --headless --no-watch --seed 3 --ticks 300 --record "$tmp/$1.replay" --hash
  exits 0
  cp "$tmp/out" "$tmp/$1.expected"
  run_for 600 "$emulator" -L "${release%/release/bin/shoal}/package/aarch64/system" \
    "$tmp/packages/$1-1.2-linux-aarch64/$1" --headless --replay "$tmp/$1.replay" --hash
  exits 0
  [ "$(grep hash "$tmp/out")" = "$(grep hash "$tmp/$1.expected")" ] || fail "$(diff "$tmp/out" "$tmp/$1.expected")"
  ! grep -q "the engine's scripts differ" "$tmp/err" || fail "$(cat "$tmp/err")"
  names_no_builder "$tmp/packages/$1-1.2-linux-aarch64"
}
emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static || true)
if [ -n "$LONG" ] && { [ -z "$emulator" ] || ! command -v aarch64-linux-gnu-g++ >/dev/null; }; then
  echo "skipped a game on arm64: ./shoal deps --test --long installs g++-aarch64-linux-gnu and qemu-user"
elif [ -n "$LONG" ]; then
  for game in asteroids lantern; do
    it "the arm64 package of $game replays a recording to the same hashes as on x86-64" plays_on_arm64 "$game"
  done
  it "an arm64 package with a C++ plugin replays a recording to the same hashes as on x86-64" plays_on_arm64 example "$root/engine/plugins/box2d/example"
fi
it "a self-extracting package unpacks, adds a menu entry, starts, and removes itself but keeps saved games" self_extracts
it "a self-extracting package that is truncated or cannot write unpacks nothing and explains why" unpacks_nothing
it "a package has valid metadata for desktop menus and application stores" store_metadata
names_systems() { # Ubuntu 20.04 has glibc 2.31, 22.04 has 2.35, 24.04 has 2.39
  requires makes_folder
  glibc=$(sed -n 's/.* with glibc \([0-9.]*\) or later.*/\1/p' "$packed/README.txt")
  [ -n "$glibc" ] || fail "no version of glibc: $(cat "$packed/README.txt")"
  for release_of in 20.04=2.31 22.04=2.35 24.04=2.39; do
    ! grep -qF "Ubuntu ${release_of%=*}" "$packed/README.txt" ||
      [ "$(printf '%s\n' "$glibc" "${release_of#*=}" | sort -V | tail -n 1)" = "${release_of#*=}" ] ||
      fail "Ubuntu ${release_of%=*} has an older glibc than $glibc: $(cat "$packed/README.txt")"
  done
}
it "the README of a package names no system whose glibc is too old" names_systems
it "a package contains no paths, user name or host name of the build machine" hides_builder
it "packaging the same game twice gives identical files" same_bytes_twice
[ -z "$LONG" ] || it "packaging from a source tree in a different folder gives identical files" same_bytes_elsewhere
it "a package with a damaged, truncated or missing archive shows an error to the player" damaged
it "a packaged game whose archive changes while the game runs reports a damaged installation" changed_during_play
it "a package on a system without OpenGL explains what is missing" without_opengl
it "a package on a system without a display explains what is missing" without_display
it "a package on a system without OpenGL 3.3 explains what is missing" with_old_opengl
it "a package runs on a system without sound" without_sound
it "a package runs if saves cannot be written, and keeps existing saves" cannot_save
it "on a full disk, a package runs and shows that a save has failed" full_disk

developers_warnings() {
  counting_game 1 lives speed
  echo 'return { update = function() log.warn("for developers") log.error("for players") end }' >"$tmp/bad/keeps/systems/logs.lua"
  "$release" pack "$tmp/bad/keeps" "$tmp/copy/1/keeps.data" --version 1 >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
  run_for 20 "$tmp/copy/1/keeps" --headless --ticks 2
  says err "for players"
  ! grep -q "for developers" "$tmp/err" || fail "printed: $(cat "$tmp/err")"
  run_for 20 "$tmp/copy/1/keeps" --headless --ticks 2 --log warn
  says err "for developers"
}
it "a package prints errors but not warnings, unless --log warn is given" developers_warnings
it "two versions of a packaged game can share saves and settings" versions_share_saves
it "a packaged program accepts only options meant for players" player_options
it "an error in a packaged game saves a report and a recording, and the game continues" writes_report
it "--portable stores all data next to the program, and is an error if the folder is not writable" portable

# states_version VERSION OPTION…: packages bad/little, whose game.lua has version 2.5, and expects VERSION everywhere.
states_version() {
  version=$1
  shift
  game little
  echo 'return { title = "Little", version = "2.5" }' >bad/little/game.lua
  package_quickly package "$tmp/bad/little" --to "$tmp/packages" $own "$@" || fail "$(cat "$tmp/said")"
  folder=$tmp/packages/little-$version-linux-$(uname -m)
  grep -qxF "Little $version" "$folder/README.txt" || fail "$(cat "$folder/README.txt")"
  grep -qF "<release version=\"$version\"" "$folder/local.shoal.little.metainfo.xml" ||
    fail "$(cat "$folder/local.shoal.little.metainfo.xml")"
  run_for 20 "$folder/little" --version
  says out "Little $version"
}
it "a package states the version of game.lua in its README, metadata and --version" states_version 2.5
it "./shoal package --version replaces the version of game.lua" states_version 3.0-beta --version 3.0-beta
invalid_version() {
  game little
  echo 'return { title = "Little", version = "2 5" }' >bad/little/game.lua
  refused "game.lua:1: version must consist of 1 to 60 letters, digits" "$tmp/bad/little"
}
it "a game with an invalid version is not packaged" invalid_version
does_not_start() { game little && echo 'return {' >bad/little/systems/a.lua && refused "the game does not start: fix the errors above" "$tmp/bad/little"; }
missing_plugin() {
  game little
  echo 'return { title = "Little", plugins = { "nothere" } }' >bad/little/game.lua
  refused "nothere" "$tmp/bad/little"
}
link_outside() { game little && ln -s /etc/hostname bad/little/assets/far.txt && refused "leaves the game's folder" "$tmp/bad/little"; }
native_code() {
  game little
  echo 'return { title = "Little", native = true }' >bad/little/game.lua
  echo 'local ffi = require "ffi"; return { update = function() return ffi.os end }' >bad/little/systems/far.lua
  refused "trust" "$tmp/bad/little"
  "$release" pack "$tmp/bad/little" "$tmp/copy/trusted.data" --trust >/dev/null || fail "--trust does not grant it"
  cp "$release" "$tmp/copy/trusted"
  run_for 20 "$tmp/copy/trusted" --headless --ticks 2
  exits 0
}
it "a game that fails to start is not packaged" does_not_start
it "a game with a missing plugin is not packaged" missing_plugin
it "a game with a symbolic link that leaves the game's folder is not packaged" link_outside
# refuses_name "MESSAGE" FILE…: a game whose folder contains these files must not be packaged.
refuses_name() {
  message=$1
  shift
  game little
  for name in "$@"; do mkdir -p "bad/little/${name%/*}" && echo text >"bad/little/$name"; done
  ! "$release" pack "$tmp/bad/little" "$tmp/names.data" --native off >out 2>err || fail "$*: packaging succeeded"
  grep -qF -- "$message" err && [ ! -e names.data ] || fail "$*: $(cat err) $(ls names.data 2>&1)"
}
names_for_windows() {
  rm -f names.data
  reserved="Windows reserves names such as CON, NUL and COM1, with any extension: rename it"
  refuses_name "assets/Aux.txt: cannot package the name “Aux.txt”: $reserved" assets/Aux.txt
  refuses_name "cannot package the name “con”: $reserved" assets/con/a.txt
  refuses_name "“a.”: file names on Windows cannot end with a dot or a space: rename it" assets/a.
  refuses_name "“b ”: file names on Windows cannot end with a dot or a space: rename it" "assets/b /a.txt"
  refuses_name "“a:b.txt”: file names on Windows cannot contain" assets/a:b.txt
  case="Windows does not distinguish upper case from lower case: rename one of them"
  refuses_name "cannot package both assets/Hero.txt and assets/hero.txt: $case" assets/hero.txt assets/Hero.txt
  refuses_name "cannot package both assets/Art and assets/art: $case" assets/art/b.txt assets/Art/a.txt
  refuses_name "cannot package both assets/ÉTÉ.txt and assets/été.txt: $case" assets/été.txt assets/ÉTÉ.txt
  game little
  mkdir -p bad/little/tests bad/little/assets/art
  echo 'return {}' >bad/little/tests/con.lua # not packaged
  echo text >bad/little/assets/art/console.txt && echo text >bad/little/assets/.a.
  "$release" pack "$tmp/bad/little" "$tmp/names.data" --native off >out 2>err || fail "$(cat err)"
}
it "a game with names that Windows cannot store is not packaged" names_for_windows
it "a game with native = true is packaged only with --trust" native_code
it "packaging for an unsupported system is an error" refused \
  "must be linux, linux-arm64 or windows, got “window”: did you mean windows?" asteroids --for window
it "packaging with an invalid --version is an error" refused "invalid --version" asteroids --version "1 2"
it "packaging with a missing icon is an error" refused "not found" asteroids --icon "$tmp/none.png"
not_a_picture() { echo text >"$tmp/icon.png" && refused "must be a PNG image" asteroids --icon "$tmp/icon.png"; }
not_square() { requires opens_window && refused "must be square" asteroids --icon "$tmp/picture.png"; }
it "packaging with an icon that is not a PNG is an error" not_a_picture
it "packaging with an icon that is not square is an error" not_square
it "packaging with an application id of fewer than three parts is an error" \
  refused "at least three words" asteroids --app-id asteroids
file_outside() {
  game little
  echo 'return { dot = { components = { transform = {}, sprite = { image = "../../far.png" } } } }' >bad/little/assemblages.lua
  cp "$root/scripts/templates/topdown/assets/hero.png" bad/far.png
  for own in .vscode .shoal tests; do # these folders are not packaged, so their files may name any file
    mkdir -p "bad/little/$own"
    echo '{ "command": "/bin/sh" }' >"bad/little/$own/a.json"
  done
  refused "assemblages.lua:1: “../../far.png” is outside the game's folder" "$tmp/bad/little"
}
it "a game that refers to a file outside of the game's folder is not packaged" file_outside
it "an unknown option of ./shoal package is an error that suggests the nearest name" refused "did you mean --version" asteroids --vresion 2

# ---- libraries built from source: with an empty cache, and stand-ins for the programs that download and build

mkdir -p stand_ins
stand_in() { # stand_in NAME: creates a program from the standard input
  { echo '#!/bin/sh'; cat; } >"$tmp/stand_ins/$1"
  chmod +x "$tmp/stand_ins/$1"
}
echo 'for last; do :; done; case " $* " in *" source "*) echo "$last" >>"$MADE"; : >"${last%%=*}_1.dsc" ;; esac' | stand_in apt-get
echo 'echo "Version: 1.0-1"' | stand_in apt-cache
echo 'echo 1.0-1' | stand_in dpkg-query
stand_in dpkg-source <<'END'
for last; do :; done
mkdir -p "$last/debian" "$last/src" && echo licence >"$last/debian/copyright" && : >"$last/src/harfbuzz.cc"
echo : >"$last/configure" && chmod +x "$last/configure"
END
echo '[ ! -e "$BROKEN" ] || exit 1; [ "$1" != install ] || echo a >"$DESTDIR/usr/local/lib/libSDL2-2.0.so.0"' | stand_in make
echo 'while [ $# -gt 0 ]; do [ "$1" != -o ] || echo c >"$2"; shift; done' | stand_in c++
echo : | stand_in strip
export MADE="$tmp/made" BROKEN="$tmp/broken"

# libraries FOLDER [VARIABLE=VALUE…]: builds the package libraries of a source tree into FOLDER
libraries() {
  at=$1
  shift
  run_for 60 env -u CXX PATH="$tmp/stand_ins:$PATH" XDG_CACHE_HOME="$tmp/cache" "$@" \
    sh "$root/scripts/build/libraries.sh" "$tmp/$at"
}
libraries_shared() {
  rm -rf cache one two made
  libraries one
  exits 0
  [ "$(grep -c 'building .* 1\.0-1 (once' err)" = 2 ] && [ "$(wc -l <err)" = 2 ] ||
    fail "expected two lines: $(cat err)"
  cat one/lib/libSDL2-2.0.so.0 one/lib/libharfbuzz.so.0 one/libsdl2.copyright >parts ||
    fail "$(ls -R one)"
  libraries two
  exits 0
  [ ! -s err ] || fail "the second tree printed: $(cat err)"
  diff -r one two || fail "the libraries of the trees differ"
  [ "$(wc -l <made)" = 2 ] || fail "built again: $(cat made)"
  libraries two CC="$(command -v cc) -O1"
  [ "$(wc -l <made)" = 4 ] || fail "not built for another compiler: $(cat made)"
}
it "package libraries are built once per user, version and compiler" libraries_shared
libraries_unused() {
  rm -rf cache one
  for name in libsdl2-1-2 harfbuzz-1-2 sqlite3-1-2; do
    mkdir -p "cache/shoal/$name/lib"
    touch -d '91 days ago' "cache/shoal/$name"
  done
  libraries one
  exits 0
  [ "$(cd cache/shoal && ls -d *-1-2)" = sqlite3-1-2 ] || fail "expected only sqlite3-1-2: $(ls -d cache/shoal/*-1-2)"
}
it "a library build deletes earlier builds of the same libraries that were not used for 90 days" libraries_unused
libraries_fail() {
  rm -rf cache one
  : >broken
  libraries one
  rm broken
  exits 2
  says err "package: cannot build SDL2 (see above): free some space in $tmp/cache/shoal if the disk is full, or use --system-libraries"
  left=$(find cache/shoal one -type f ! -name '.*.lock')
  [ -z "$left" ] || fail "files were left behind: $left"
  libraries one # a later build succeeds
  exits 0
}
it "a failed build of a library is an error and leaves no files" libraries_fail
libraries_unwritable() {
  : >file
  libraries one XDG_CACHE_HOME="$tmp/file"
  exits 2
  says err "package: cannot write $tmp/file/shoal: free some space on the disk, or set XDG_CACHE_HOME to a folder that you can write"
  expect_one_line err
}
it "a cache folder that cannot be written is an error when libraries are built" libraries_unwritable
libraries_at_once() {
  command -v flock >/dev/null || skip "flock is missing"
  rm -rf cache one two made
  (libraries one) &
  libraries two
  wait
  diff -r one two || fail "the libraries of the trees differ"
  [ "$(wc -l <made)" = 2 ] || fail "built twice: $(cat made)"
}
it "two source trees that build libraries at the same time build each library once" libraries_at_once
