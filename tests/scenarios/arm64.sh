# arm64 gives the same results as x86-64: cross-builds the engine as `./shoal package --for linux-arm64` does
# (scripts/build/arm64.sh) and runs it headless under qemu-user. Without --long, the source code is checked, and a short
# match is played if the program has already been built for arm64; by hand: LONG=1 sh tests/scenarios/arm64.sh. Installs
# the cross compiler and the emulator if they are missing, and unpacks the arm64 libraries to build/package/aarch64,
# which is shared with packages.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/scenarios/lib/match.sh"
cd "$root" || exit 1
arm64=${release%/release/bin/shoal}/package/aarch64

# ---- checks of the source code (fast)

# Processor-specific code must also have a branch for arm64 or for any processor.
has_portable_alternative() {
  x86_only='__x86_64__|__SSE|__AVX|_mm_|__builtin_ia32|glmm_'
  for file in $(grep -rE "$x86_only" engine --include='*.[ch]' | grep -v '#undef' | cut -d: -f1 | sort -u); do
    grep -qE '__aarch64__|^#else' "$file" || fail "$file has code for x86-64 only"
  done
  # Comments may mention these names. native/codegen.c queries the vector width, and base/exact_math_arrays.c chooses the
  # version of a function by it; design/0042 explains why results do not depend on the width.
  ! grep -rnE '^([^/]|/[^/])*(long double|__builtin_cpu_)' engine --include='*.[ch]' | grep -vE '^engine/(script/native/codegen|core/base/exact_math_arrays)\.c:' ||
    fail "results may depend on the processor"
  ! grep -nE 'march=|fast-math|mfma|mavx' premake5.lua || fail "results may depend on the processor"
}
it "code for x86-64 has an alternative for arm64 or for any processor" has_portable_alternative

# ---- a match with x86-64

# Libraries that arm64.sh has built are in /usr/local/lib of the arm64 system.
find_emulator() {
  emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static || true)
  emulated="$emulator -L $arm64/system -E LD_LIBRARY_PATH=/usr/local/lib $arm64/release/bin/shoal"
}
find_emulator

is_built() {
  [ -n "$emulator" ] && [ -e "$arm64/release/bin/shoal" ] &&
    [ -z "$(find engine -name '*.[ch]' -newer "$arm64/release/bin/shoal" | head -n 1)" ]
}

# plays_match GAME TITLE TICKS: the emulated machine joins the host, and must compute at least half of the ticks itself:
# a machine that is too slow for the ticks takes states from the host instead.
plays_match() {
  is_built || skip "the program was not built for arm64 from these sources: LONG=1 sh tests/scenarios/arm64.sh"
  cd "$tmp" || exit 1
  limit_s=$(($3 / 20 + 30 * SLOW / 10))
  press host.keys "$2" "$3" 1
  press emulated.keys "$2" "$3" 2
  host "$release" play "$1" --no-watch --players 2 --ticks "$3" --hash every=1 --replay host.keys
  # shellcheck disable=SC2086
  start emulated $emulated play "$1" --no-watch --join "$address" --hash every=1 --replay emulated.keys
  agree "$3" host emulated
  for machine in host emulated; do
    sed -n '/^tick [0-9]* hash /p' "$machine.out" | sort >"$machine.hashes"
  done
  other=$(comm -13 host.hashes emulated.hashes | head -n 1)
  [ -z "$other" ] || fail "the emulated machine: $other, the host: $(grep "^${other%hash*}" host.hashes)"
  count=$(wc -l <emulated.hashes)
  [ "$count" -ge $(($3 / 2)) ] || fail "the emulated machine has computed only $count of $3 ticks"
}
[ -n "$LONG" ] ||
  it "arm64 and x86-64 machines compute equal hashes in 300 ticks of pong" plays_match pong Rally 300

# ---- build for arm64

missing() {
  echo "skipped all other tests: $*"
  exit 0
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

install_tools() {
  absent=
  command -v aarch64-linux-gnu-g++ >/dev/null || absent="g++-aarch64-linux-gnu"
  find_emulator
  [ -n "$emulator" ] || absent="$absent qemu-user"
  command -v dpkg-source >/dev/null || absent="$absent dpkg-dev"
  command -v tclsh >/dev/null || absent="$absent tcl"
  [ -z "$absent" ] && return
  # shellcheck disable=SC2086
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-remove --no-install-recommends $absent
}

[ -n "$LONG" ] || exit 0
case ${FILTER-} in '' | *arm64*) ;; *) exit 0 ;; esac # FILTER="arm64: unit" selects a part of the suite
command -v apt-get >/dev/null || missing "apt-get is missing; it downloads the arm64 libraries"
install_tools >"$tmp/tools" 2>&1 || missing "cannot install the cross compiler or the emulator: $(tail -n 1 "$tmp/tools")"
find_emulator
if sh scripts/build/arm64.sh "$arm64" unit >"$tmp/build" 2>&1; then
  echo "ok the engine builds for arm64"
else
  echo "not ok the engine builds for arm64: $(tail -n 20 "$tmp/build" | sed '2,$s/^/  /')"
  exit 0
fi

# ---- tests under the emulator

for match in "pong Rally" "tron Trace"; do
  # shellcheck disable=SC2086
  it "arm64 and x86-64 machines compute equal hashes in 10,000 ticks of ${match% *}" plays_match $match 10000
done

# Emulation is slow, so scripts run without a time budget, and games with large flocks run with fewer animals.
ticks=600

reduce_population() { # reduce_population GAME: copies the game to $tmp/fewer with fewer animals and sets $game
  rm -rf "$tmp/fewer"
  cp -r "$1" "$tmp/fewer"
  sed -i -e 's/sea.fill(20000)/sea.fill(150)/' -e 's/"starling", 2000/"starling", 100/' "$tmp/fewer/game.lua"
  ! cmp -s "$1/game.lua" "$tmp/fewer/game.lua" || fail "$1/game.lua: the counts to reduce were not found"
  game=$tmp/fewer
}

# hashes FILE PROGRAM…: runs $game and writes its six hashes to $tmp/FILE
hashes() {
  file=$1
  shift
  run_for 1800 "$@" run "$game" --trust --headless --no-watch --seed 1 --ticks "$ticks" --hash every=$((ticks / 6)) \
    --budget 0
  exits 0
  grep '^tick [0-9]* hash [0-9a-f]*$' "$tmp/out" >"$tmp/$file"
  [ "$(wc -l <"$tmp/$file")" = 6 ] || fail "expected 6 hashes, got: $(cat "$tmp/out")"
}

has_same_hashes() {
  game=$1
  case $1 in */boids | */flock) reduce_population "$1" ;; esac
  hashes here "$release"
  # shellcheck disable=SC2086
  hashes there $emulated
  cmp -s "$tmp/here" "$tmp/there" || fail "$(diff "$tmp/here" "$tmp/there" | head -n 4)"
}
for game in scripts/games/*/ scripts/examples/*/ engine/plugins/box2d/example/; do
  game=${game%/}
  [ -e "$game/game.lua" ] && it "$game has the same hashes on arm64 and x86-64 for $ticks ticks" has_same_hashes "$game"
done

# The expressions of tests/numbers without -0: on arm64 LuaJIT stores whole numbers as integers, which have no -0
# (design/0020).
numbers() {
  rm -rf "$tmp/numbers"
  cp -r tests/numbers "$tmp/numbers"
  sed -i -e 's/  local v = %s/  local v = (%s) + 0/' -e 's/    return how == 1/    v = v + 0\n&/' "$tmp/numbers/systems/evaluate.lua"
  sed -i 's/ 0, -0, / 0, 0, /' "$tmp/numbers/values.lua"
  for program in "$release" "$emulated"; do
    # shellcheck disable=SC2086
    run_for 600 $program run "$tmp/numbers" --headless --no-watch --seed 1 --budget 0 --ticks 1
    [ "$(wc -l <"$tmp/out")" = 1000 ] || fail "$(tail -n 3 "$tmp/err")"
    [ -z "${before-}" ] || cmp -s "$before" "$tmp/out" || fail "$(diff "$before" "$tmp/out" | head -n 8)"
    before=$tmp/first
    mv "$tmp/out" "$before"
  done
}
it "a thousand random expressions have the same results on arm64 and x86-64" numbers

# The unit tests and the Lua tests print their own result lines.
export SDL_AUDIODRIVER=dummy
for file in tests/unit/*_test.c; do
  group=$(basename "$file" _test.c)
  is_selected "unit $group" || continue
  status=0
  UNIT="${emulated%shoal}unit" timeout $((9 * SLOW)) tests/checks unit release "$group" >"$tmp/unit" 2>&1 || status=$?
  sed -n -E "s/^((not )?ok|skipped) (.*)/\1 unit $group: \3/p" "$tmp/unit"
  grep -q '^ok ' "$tmp/unit" || echo "not ok unit $group: exit status $status: $(tail -n 2 "$tmp/unit")"
done
minus_zero="math.ceil of a small negative number is -0|math.max and math.min return the second of two equal or NaN arguments"
if is_selected "lua"; then # no -0 for whole numbers on arm64 (design/0020)
  # shellcheck disable=SC2086
  run_for 1200 $emulated run tests/lua --headless --budget 0
  sed -n -E -e "s/^not ok ($minus_zero):.*/skipped lua: \1 (no -0)/p" -e t -e 's/^((not )?ok|skipped) (.*)/\1 lua: \3/p' "$tmp/out"
  [ "$(grep -c -E '^(not )?ok ' "$tmp/out")" -gt 100 ] || echo "not ok lua: exit status $status: $(tail -n 3 "$tmp/err")"
fi
