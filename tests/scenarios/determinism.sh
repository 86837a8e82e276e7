# Determinism: every game and example gives the hashes in expected/hashes on every processor, in every configuration,
# with any number of workers, with --watch, with a history, re-simulated, from a recording, and interpreted. The normal
# configuration runs 180 ticks, which are recorded; with large flocks 150. Each world also runs in one of three
# configurations: 60 ticks replayed in a build with asserts, 30 re-simulated, or 30 interpreted. With --long each world
# runs 3,600 ticks in all configurations (re-simulated: 600), also with native code (design/0042) disabled, forced,
# switched at random, and with each vector width. `./shoal test --expect` rewrites the expected hashes.
# needs: release checked sanitize
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
expected=tests/scenarios/expected/hashes
every=30
ticks=180 swapped=600 # swapped: ticks of runs that swap native code, which are slower
[ -z "$LONG" ] || ticks=3600
export XDG_CACHE_HOME="$tmp/cache"

# All games and examples, and Asteroids again with generated input.
worlds="asteroids_played $(for folder in scripts/games/*/ scripts/examples/*/; do
  [ ! -e "$folder/game.lua" ] || basename "$folder"
done)"

find_folder() {
  folder=scripts/examples/$1
  [ -e "$folder" ] || folder=scripts/games/${1%_played}
}

# record_hashes CONFIG WORLD TICKS [OPTIONS]: runs the game and writes its hashes to $tmp/hashes
record_hashes() {
  config=$1 world=$2 until=$3
  shift 3
  find_folder "$world"
  watch=--no-watch
  case " $* " in *" --watch "*) watch= ;; esac
  if [ "$world" = asteroids_played ]; then
    luajit tests/scenarios/lib/random_input.lua "$tmp/keys" "$until" 5 || fail "cannot generate key presses"
    case " $* " in *" --replay "*) ;; *) set -- "$@" --replay "$tmp/keys" ;; esac
  else
    case " $* " in *" --replay "*) ;; *) set -- "$@" --seed 1 ;; esac
    set -- "$@" --strict
  fi
  run_for 1800 "$(bin "$config")" run "$folder" --headless $watch --ticks "$until" --hash "every=$every" "$@"
  exits 0
  sed -n "s/^tick \([0-9]*\) hash \([0-9a-f]*\)$/$world \1 \2/p" "$tmp/out" >"$tmp/hashes"
  [ "$(wc -l <"$tmp/hashes")" -ge $((until / every)) ] || fail "fewer than $((until / every)) hashes: $(tail -n 3 "$tmp/out" "$tmp/err")"
}

gives_expected_hashes() { # gives_expected_hashes CONFIG WORLD TICKS [OPTIONS]
  record_hashes "$@"
  awk -v world="$2" -v until="$3" '$1 == world && $2 <= until' "$expected" >"$tmp/expected_hashes"
  [ -s "$tmp/expected_hashes" ] || fail "$expected has no hashes of $2: run ./shoal test --expect"
  cmp -s "$tmp/expected_hashes" "$tmp/hashes" || fail "$(diff "$tmp/expected_hashes" "$tmp/hashes" | head -n 4)"
}

if [ "${EXPECT-}" ]; then
  for world in $worlds; do
    record_hashes release "$world" 3600 >&2
    cat "$tmp/hashes"
  done >"$tmp/expected"
  cp "$tmp/expected" "$expected"
  exit
fi

no_fma=glibc.cpu.hwcaps=-FMA,-FMA4,-FMA_Usable
no_avx2=$no_fma,-AVX2,-AVX2_Usable
oldest=glibc.cpu.hwcaps=-AVX,-AVX2,-FMA,-FMA4,-SSE4_2,-SSE4_1,-ERMS
on_processor() { # on_processor TUNABLES COMMAND…: runs the command with instruction sets hidden from glibc
  export GLIBC_TUNABLES="$1"
  shift
  "$@"
}

replays_expected_hashes() { # like gives_expected_hashes, but replays the recording of the first run
  [ -s "$tmp/$2.replay" ] || requires "gives_expected_hashes release $2 $3 --record $tmp/$2.replay"
  gives_expected_hashes "$@" --replay "$tmp/$2.replay"
}

# shellcheck disable=SC2086
resimulated=$(every_nth 3 1 $worlds) replayed=$(every_nth 3 2 $worlds) interpreted_worlds=$(every_nth 3 3 $worlds)
includes() { printf '%s\n' "$1" | grep -qx "$2"; }

for world in $worlds; do
  normal=$ticks simulated_again=600 slow=$ticks depth=8
  if [ -z "$LONG" ]; then
    depth=4
    case $world in boids | flock) normal=150 simulated_again=30 slow=30 ;; *) simulated_again=30 slow=60 ;; esac
  fi
  interpreted=30
  [ -z "$LONG" ] || case $world in boids | flock) ;; *) interpreted=300 ;; esac
  it "$world gives the expected hashes with two workers while it is recorded" \
    gives_expected_hashes release "$world" "$normal" --workers 2 --record "$tmp/$world.replay"
  ! includes "$resimulated" "$world" ||
    it "$world gives the expected hashes re-simulated without FMA and AVX2, with eight workers and --watch" \
    on_processor "$no_avx2" gives_expected_hashes release "$world" "$simulated_again" --workers 8 --watch \
    --check-rollback $depth --budget 60000
  ! includes "$replayed" "$world" ||
    it "$world replays to the expected hashes in a build with asserts without FMA, with one worker and a history" \
    on_processor "$no_fma" replays_expected_hashes checked "$world" "$slow" --workers 1 --history 64
  case $world$LONG in
    boids | flock) ;; # without the JIT compiler, half a second of game time takes seconds
    *) ! includes "$interpreted_worlds" "$world" ||
      it "$world gives the expected hashes without the JIT compiler" \
        gives_expected_hashes release "$world" "$interpreted" --no-jit ;;
  esac
  [ "$LONG" ] || continue
  it "$world gives the expected hashes with sanitizers" gives_expected_hashes sanitize "$world" "$slow"
  it "$world gives the expected hashes in LuaJIT without native code" gives_expected_hashes release "$world" "$ticks" --native off
  it "$world gives the expected hashes without FMA, with one worker and a history" \
    on_processor "$no_fma" gives_expected_hashes release "$world" "$ticks" --workers 1 --history 64
  it "$world gives the expected hashes while systems switch between Lua and native code with AVX2" \
    gives_expected_hashes release "$world" "$swapped" --native now,swap1 --workers 8
  it "$world gives the expected hashes in a debug build while systems switch between Lua and native code with SSE2" \
    gives_expected_hashes checked "$world" "$swapped" --native sse2,now,swap2 --workers 2
  it "$world gives the expected hashes on the oldest supported processor" on_processor "$oldest" gives_expected_hashes release "$world" "$ticks" --native now
done

# No leak detection: graphics drivers are unloaded before leaks are reported, so their leaks cannot be suppressed by
# name.
drawn_game() {
  export ASAN_OPTIONS=detect_leaks=0 SDL_VIDEODRIVER=offscreen
  run_for 300 "$sanitized" run scripts/games/asteroids --no-watch --ticks 60 --seed 1 --hash "every=$every"
  exits 0
  sed -n 's/^tick \([0-9]*\) hash \([0-9a-f]*\)$/asteroids \1 \2/p' "$tmp/out" >"$tmp/hashes"
  grep '^asteroids ' "$expected" | head -n 2 | cmp -s - "$tmp/hashes" || fail "$(head -n 3 "$tmp/hashes" "$tmp/err")"
}
it "asteroids gives the expected hashes without sanitizer errors while it is drawn" drawn_game

other_seed() {
  run_for 60 "$release" run scripts/games/asteroids --headless --no-watch --ticks 60 --seed 2 --hash every=30
  exits 0
  grep -q '^tick 60 hash ' "$tmp/out" || fail "no hash"
  ! grep -q "$(awk '$1 == "asteroids" && $2 == 60 { print $3 }' "$expected")" "$tmp/out" || fail "seeds 1 and 2 give the same hash"
}
it "asteroids gives different hashes with different seeds" other_seed

hashes_change() {
  for world in $worlds; do
    [ "$(grep "^$world " "$expected" | sort -u -k 3 | wc -l)" -gt 60 ] || fail "$world has 60 different hashes or fewer"
  done
}
it "each game has more than 60 different expected hashes" hashes_change

menu() {
  run_for 60 "$sanitized" play --headless --ticks 60
  exits 0
}
it "the game menu runs without a sanitizer error" menu
