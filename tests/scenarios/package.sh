# A game for players: a folder that runs anywhere, in a player's words. SDL2 is the system's here, for building it takes
# minutes; with --long it is built, as ./shoal package does by default.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
rm -rf packages again bad copy data
mkdir copy
packed=$tmp/packages/asteroids-1.2-linux-$(uname -m)
own=--system-libraries
[ -z "$LONG" ] || own=
package() { sh "$root/engine/start/package.sh" "$@" >"$tmp/said" 2>&1; }
refused() { # refused "WORDS" ARGUMENTS…
  words=$1
  shift
  ! package "$@" --system-libraries --to "$tmp/refused" || fail "it was packed"
  [ ! -e "$tmp/refused" ] || fail "something was left: $(ls "$tmp/refused")"
  grep -qF -- "$words" "$tmp/said" || fail "'$words' is not in: $(cat "$tmp/said")"
}
game() { # game NAME: a small one, to be changed
  rm -rf "$tmp/bad"
  mkdir -p "$tmp/bad/$1/systems" "$tmp/bad/$1/assets"
  echo 'return { title = "Little & more", width = 320, height = 180 }' >"$tmp/bad/$1/game.lua"
  echo 'return {}' >"$tmp/bad/$1/components.lua"
  echo 'return { dot = { components = { transform = { x = 160, y = 90 } } } }' >"$tmp/bad/$1/assemblages.lua"
}
# program NAME: a package of it without the libraries, which are at hand here
program() {
  "$release" pack "$tmp/bad/$1" "$tmp/copy/$1.data" >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
  cp "$release" "$tmp/copy/$1"
}
window() { run_for 60 env SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy "$@"; }

is_made() {
  # shellcheck disable=SC2086
  package asteroids --version 1.2 --to "$tmp/packages" $own || fail "$(cat "$tmp/said")"
  [ -x "$packed/asteroids" ] && [ -s "$packed.tar.zst" ] || fail "$(cat "$tmp/said"; ls -R packages)"
  mb=$(du -sm "$packed" | cut -f 1)
  [ "$mb" -le 20 ] || fail "it has $mb MB"
  for library in "$packed"/lib/*; do
    case $(basename "$library") in
    libc.* | libm.* | libstdc++* | libgcc_s* | libX* | libxcb* | libwayland* | libdrm* | libgbm* | libasound* | libpulse* | libGL* | libEGL*)
      fail "$library is the system's" ;;
    esac
  done
  [ "$(find "$packed/licences" -name '*.txt' -size +0 | wc -l)" -ge 12 ] || fail "licences: $(ls "$packed/licences")"
}

plays_alike() {
  run_for 60 "$release" play asteroids --headless --seed 3 --ticks 300 --record "$tmp/played.replay" --hash
  exits 0
  cp "$tmp/out" "$tmp/expected"
  rm -rf "$tmp/copy/moved"
  cp -r "$packed" "$tmp/copy/moved" # wherever it lies
  (cd / && run_for 60 env -u SHOAL_ROOT "$tmp/copy/moved/asteroids" --headless --seed 3 --ticks 300 --hash && exits 0 &&
    cmp "$tmp/out" "$tmp/expected" &&
    run_for 60 "$tmp/copy/moved/asteroids" --headless --replay "$tmp/played.replay" --hash && exits 0) ||
    fail "$(cat "$tmp/err")"
  [ "$(grep hash "$tmp/out")" = "$(grep hash "$tmp/expected")" ] || fail "$(diff "$tmp/out" "$tmp/expected")"
}

shows_itself() {
  window "$packed/asteroids" --every-tick --ticks 30 --seed 1 --screenshot "$tmp/picture.png"
  exits 0
  [ "$(head -c 4 "$tmp/picture.png" | tail -c 3)" = PNG ] || fail "no picture: $(cat "$tmp/err")"
}

names_no_builder() {
  found=$(grep -rlF "$root" "$packed" || true)
  [ -z "$found" ] || fail "$root is in $found"
}

is_the_same_twice() {
  "$release" pack asteroids "$tmp/again" --version 1.2 >/dev/null 2>&1
  cmp "$tmp/again" "$packed/asteroids.data" || fail "the archive differs"
  [ -n "$LONG" ] || return 0
  mv "$packed.tar.zst" "$tmp/first.zst"
  # shellcheck disable=SC2086
  package asteroids --version 1.2 --to "$tmp/packages" $own
  cmp "$packed.tar.zst" "$tmp/first.zst" || fail "the package differs"
}

damaged() {
  rm -rf "$tmp/copy/damaged"
  cp -r "$packed" "$tmp/copy/damaged"
  cd "$tmp/copy/damaged" || exit 1
  printf '#' | dd of=asteroids.data bs=1 seek=100000 conv=notrunc 2>/dev/null
  run_for 20 env SDL_VIDEODRIVER=dummy ./asteroids
  exits 2
  says err "A file of this game is damaged"
  head -c 100000 "$packed/asteroids.data" >asteroids.data
  run_for 20 env SDL_VIDEODRIVER=dummy ./asteroids
  says err "unpack it once more, or get it anew"
  rm asteroids.data
  run_for 20 env SDL_VIDEODRIVER=dummy ./asteroids
  exits 2
  says err "A file of this game is missing"
}

without_a_screen() {
  run_for 20 env SDL_VIDEODRIVER=dummy SDL_AUDIODRIVER=nothing "$packed/asteroids" --ticks 2
  exits 2
  says err "Asteroids cannot start: no window could be opened"
  says err "OpenGL 3.3"
  ! grep -q headless "$tmp/err" || fail "$(cat "$tmp/err")"
}

without_sound() {
  window env SDL_AUDIODRIVER=nothing "$packed/asteroids" --every-tick --ticks 10
  exits 0
}

has_few_words() {
  run_for 20 "$packed/asteroids" --versoin
  exits 2
  says err "did you mean --version?"
  run_for 20 "$packed/asteroids" --version
  says out "Asteroids 1.2, with Shoal"
  run_for 20 "$packed/asteroids" --exec 'return 1'
  exits 2
  says err "“--exec” means nothing here"
}

faults_are_written_down() {
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
  exits 0
  says err "each as it was recorded"
}

keeps_nothing_elsewhere() {
  game little
  program little
  cd "$tmp/copy" || exit 1
  rm -rf saved
  run_for 20 ./little --portable --headless --ticks 3
  exits 0
  [ -d saved ] || fail "no saved/: $(cat "$tmp/err")"
  rm -rf saved && touch saved # as little to be written to as a read-only disk
  run_for 20 ./little --portable --headless --ticks 3
  exits 2
  says err "nothing could be kept there"
  rm saved
}

# A player's program, which has nothing kept and finds no LLVM that it would have to wait for.
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
  [ "$(sed -n 's/^objects //p' "$tmp/out")" != 0 ] || return 0 # there is no LLVM here
  rm -rf "$tmp/nothing"
  run_for 20 env XDG_CACHE_HOME="$tmp/nothing" "$tmp/copy/little" --headless --ticks 3 --seed 1 --hash --stats
  exits 0
  says out "native 1 of 1 systems over rows, 1 of the package, 0 being compiled"
  [ ! -e "$tmp/nothing/shoal/native" ] || fail "something was compiled"
  shipped=$(grep hash "$tmp/out")
  run_for 20 "$release" run "$tmp/bad/little" --headless --no-watch --ticks 3 --seed 1 --hash --native off
  [ "$(grep hash "$tmp/out")" = "$shipped" ] || fail "$shipped, and not $(cat "$tmp/out")"
}
it "a packaged game runs natively from its first ticks, with what its maker's machine compiled" runs_natively

it "a game is packed into a folder of at most 20 MB with the libraries and licences that it needs" is_made
it "the package of a game plays as the game does, wherever it lies" plays_alike
it "the package of a game opens its window" shows_itself
it "nothing in a package names the place where it was built" names_no_builder
it "the same game makes the same package" is_the_same_twice
it "a package with a damaged, cut or missing archive says so to the player" damaged
it "without OpenGL a package says so to the player" without_a_screen
it "without sound a package plays" without_sound
it "the program of a package has a player's options, and no others" has_few_words
it "a fault in a packaged game is written down with the last seconds, and the game goes on" faults_are_written_down
it "--portable keeps all beside the program, or says why it cannot" keeps_nothing_elsewhere

broken() { game little && echo 'return {' >bad/little/systems/a.lua && refused "a package of it would not, either" "$tmp/bad/little"; }
plugged() {
  game little
  echo 'return { title = "Little", plugins = { "nothere" } }' >bad/little/game.lua
  refused "nothere" "$tmp/bad/little"
}
linked() { game little && ln -s /etc/hostname bad/little/assets/far.txt && refused "leads out of the game's folder" "$tmp/bad/little"; }
native() {
  game little
  echo 'return { title = "Little", native = true }' >bad/little/game.lua
  echo 'local ffi = require "ffi"; return { update = function() return ffi.os end }' >bad/little/systems/far.lua
  refused "trust" "$tmp/bad/little"
  "$release" pack "$tmp/bad/little" "$tmp/copy/trusted.data" --trust >/dev/null || fail "--trust does not grant it"
  cp "$release" "$tmp/copy/trusted"
  run_for 20 "$tmp/copy/trusted" --headless --ticks 2
  exits 0
}
it "a game that does not start is not packed" broken
it "a game whose plugin is missing is not packed" plugged
it "a game with a link out of its folder is not packed" linked
it "a game that needs native code is packed with --trust alone" native
it "a package for a system that cannot be made here is refused" refused "only linux" asteroids --for windows
it "a version of odd characters is refused" refused "make a version" asteroids --version "1 2"
it "an icon that is not there is refused" refused "there is no file" asteroids --icon "$tmp/none.png"
it "an option that package does not have is refused, with the one that was meant" refused "did you mean --version" asteroids --vresion 2
