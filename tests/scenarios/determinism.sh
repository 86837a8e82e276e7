# One world everywhere: every game and example gives the hashes that expected/hashes lists, on every processor, in
# every configuration, with any number of workers, watched, with a history, interpreted. 600 ticks as the game is
# played and 180 otherwise (Debug, Sanitize: 90), of thousands of birds
# and fish 300, 60 and 30. With --long 3,600, and what is native (design/0042):
# nothing, everything at once, by turns that are drawn, with each width of vectors.
# `./shoal test --expect` writes the list anew.
# needs: release debug sanitize
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
expected=tests/scenarios/expected/hashes
every=30
ticks=600 swapped=600 # of code that comes and goes, which is read again each time
[ -z "$LONG" ] || ticks=3600
export XDG_CACHE_HOME="$tmp/cache"

# Asteroids a second time, with somebody at the keys.
worlds="asteroids_played $(for folder in scripts/games/*/ scripts/examples/*/; do
  [ ! -e "$folder/game.lua" ] || basename "$folder"
done)"

folder_of() {
  folder=scripts/examples/$1
  [ -e "$folder" ] || folder=scripts/games/${1%_played}
}

# live CONFIG WORLD TICKS [options]: its hashes into $tmp/hashes
live() {
  config=$1 world=$2 until=$3
  shift 3
  folder_of "$world"
  watch=--no-watch
  case " $* " in *" --watch "*) watch= ;; esac
  if [ "$world" = asteroids_played ]; then
    luajit tests/scenarios/lib/keys.lua "$tmp/keys" "$until" 5 || fail "no keys"
    set -- "$@" --replay "$tmp/keys" --record "$tmp/replay"
  else
    set -- "$@" --seed 1 --strict
  fi
  run_for 1800 "$(bin "$config")" run "$folder" --headless $watch --ticks "$until" --hash "every=$every" "$@"
  exits 0
  sed -n "s/^tick \([0-9]*\) hash \([0-9a-f]*\)$/$world \1 \2/p" "$tmp/out" >"$tmp/hashes"
  [ "$(wc -l <"$tmp/hashes")" -ge $((until / every)) ] || fail "not $((until / every)) hashes: $(tail -n 3 "$tmp/out" "$tmp/err")"
}

as_expected() { # as_expected CONFIG WORLD TICKS [options]
  live "$@"
  awk -v world="$2" -v until="$3" '$1 == world && $2 <= until' "$expected" >"$tmp/wanted"
  [ -s "$tmp/wanted" ] || fail "$expected has no $2: ./shoal test --expect writes it anew"
  cmp -s "$tmp/wanted" "$tmp/hashes" || fail "$(diff "$tmp/wanted" "$tmp/hashes" | head -n 4)"
}

if [ "${EXPECT-}" ]; then
  for world in $worlds; do
    live release "$world" 3600 >&2
    cat "$tmp/hashes"
  done >"$tmp/expected"
  cp "$tmp/expected" "$expected"
  exit
fi

no_fma=glibc.cpu.hwcaps=-FMA,-FMA4,-FMA_Usable
no_avx2=$no_fma,-AVX2,-AVX2_Usable
oldest=glibc.cpu.hwcaps=-AVX,-AVX2,-FMA,-FMA4,-SSE4_2,-SSE4_1,-ERMS
on() { # on TUNABLES COMMAND…: as if the processor could do less
  export GLIBC_TUNABLES="$1"
  shift
  "$@"
}

for world in $worlds; do
  normal=$ticks varied=$ticks slow=$ticks
  if [ -z "$LONG" ]; then
    case $world in boids | spatial) normal=300 varied=60 slow=30 ;; *) varied=180 slow=90 ;; esac
  fi
  interpreted=30
  [ -z "$LONG" ] || case $world in boids | spatial) ;; *) interpreted=300 ;; esac
  it "$world is the expected world, with two workers" as_expected release "$world" "$normal" --workers 2
  it "$world is the same on a processor without FMA and AVX2, with eight workers, watched" \
    on "$no_avx2" as_expected release "$world" "$varied" --workers 8 --watch
  it "$world is the same in Debug on a processor without FMA, with one worker and a history" \
    on "$no_fma" as_expected debug "$world" "$slow" --workers 1 --history 64
  it "$world is the same with the sanitizers" as_expected sanitize "$world" "$slow"
  case $world$LONG in
    boids | spatial) ;; # seconds for half a second of the game
    *) it "$world is the same where nothing is compiled" as_expected release "$world" "$interpreted" --no-jit ;;
  esac
  [ "$LONG" ] || continue
  it "$world is the same in LuaJIT alone" as_expected release "$world" "$ticks" --native off
  it "$world is the same on a processor without FMA, with one worker and a history" \
    on "$no_fma" as_expected release "$world" "$varied" --workers 1 --history 64
  it "$world is the same where systems change their ways, with AVX2" \
    as_expected release "$world" "$swapped" --native now,swap1 --workers 8
  it "$world is the same where systems change their ways, with SSE2, in Debug" \
    as_expected debug "$world" "$swapped" --native sse2,now,swap2 --workers 2
  it "$world is the same on the oldest processor" on "$oldest" as_expected release "$world" "$ticks" --native now
done

# Graphics drivers are unloaded before leaks are counted, so that theirs cannot be told from ours.
drawn() {
  export ASAN_OPTIONS=detect_leaks=0 SDL_VIDEODRIVER=offscreen
  run_for 300 "$sanitized" run scripts/games/asteroids --no-watch --ticks 300 --seed 1 --hash "every=$every"
  exits 0
  sed -n 's/^tick \([0-9]*\) hash \([0-9a-f]*\)$/asteroids \1 \2/p' "$tmp/out" >"$tmp/hashes"
  grep '^asteroids ' "$expected" | head -n 10 | cmp -s - "$tmp/hashes" || fail "$(head -n 3 "$tmp/hashes" "$tmp/err")"
}
it "asteroids is the same when it is drawn, and drawing it is clean" drawn

other_seed() {
  run_for 60 "$release" run scripts/games/asteroids --headless --no-watch --ticks 60 --seed 2 --hash every=30
  exits 0
  grep -q '^tick 60 hash ' "$tmp/out" || fail "no hash"
  ! grep -q "$(awk '$1 == "asteroids" && $2 == 60 { print $3 }' "$expected")" "$tmp/out" || fail "seeds 1 and 2 give the same world"
}
it "another seed gives another world" other_seed

changes() {
  for world in $worlds; do
    [ "$(grep "^$world " "$expected" | sort -u -k 3 | wc -l)" -gt 60 ] || fail "$world hardly changes"
  done
}
it "the worlds that are compared are worlds in which something happens" changes

menu() {
  run_for 60 "$sanitized" play --headless --ticks 60
  exits 0
}
it "the menu of games runs" menu
