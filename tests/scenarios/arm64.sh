# The same worlds on arm64: cross-built as ./shoal package --for linux-arm64 does (engine/start/arm64.sh), and run
# headless under an emulator (qemu-user). Only with --long; by hand: LONG=1 sh tests/scenarios/arm64.sh. What it needs
# it installs (the cross compiler, the emulator) or unpacks into build/package/aarch64, where packages have it too.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
arm64=${release%/release/bin/shoal}/package/aarch64

# ---- what costs nothing

# Each place that asks for the processor has a form for arm64, or one for all others.
asks() {
  asking='__x86_64__|__SSE|__AVX|_mm_|__builtin_ia32'
  for file in $(grep -rE "$asking" engine --include='*.[ch]' | grep -v '#undef' | cut -d: -f1 | sort -u); do
    grep -qE '__aarch64__|^#else' "$file" || fail "$file has a form for x86-64 alone"
  done
  # (In code: a comment may say why there is none.)
  # (native/codegen.c asks how wide vectors may be; design/0042 says why no bit depends on that.)
  ! grep -rnE '^([^/]|/[^/])*(long double|__builtin_cpu_)' engine --include='*.[ch]' | grep -v '^engine/native/codegen.c:' ||
    fail "results may depend on the processor"
  ! grep -nE 'march=|fast-math|mfma|mavx' premake5.lua || fail "results may depend on the processor"
}
it "what is written for a processor has a form for the others" asks

# ---- getting it

missing() {
  echo "skipped everything else: $*"
  exit 0
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

find_emulator() { emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static || true); }
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
case ${FILTER-} in '' | *arm64*) ;; *) exit 0 ;; esac # FILTER="arm64: unit" for a part of it
command -v apt-get >/dev/null || missing "there is no apt-get here to get the libraries for arm64 with"
install_tools >"$tmp/tools" 2>&1 || missing "neither the cross compiler nor the emulator: $(tail -n 1 "$tmp/tools")"
find_emulator
if sh engine/start/arm64.sh "$arm64" unit >"$tmp/build" 2>&1; then
  echo "ok it is built for arm64"
else
  echo "not ok it is built for arm64: $(tail -n 20 "$tmp/build" | sed '2,$s/^/  /')"
  exit 0
fi

# ---- running it

# (What was built anew lies where that system has what is its administrator's.)
emulator="$emulator -L $arm64/system -E LD_LIBRARY_PATH=/usr/local/lib"

# An emulator is slow: no script is stopped for that, and what is full of birds and fish gets fewer of them.
ticks=600

fewer() { # fewer GAME: in a copy
  rm -rf "$tmp/fewer"
  cp -r "$1" "$tmp/fewer"
  sed -i -e 's/sea.fill(20000)/sea.fill(150)/' -e 's/"starling", 2000/"starling", 100/' "$tmp/fewer/game.lua"
  ! cmp -s "$1/game.lua" "$tmp/fewer/game.lua" || fail "there are as many as before"
  game=$tmp/fewer
}

# hashes FILE PROGRAM…: of $game
hashes() {
  file=$1
  shift
  run_for 1800 "$@" run "$game" --trust --headless --no-watch --seed 1 --ticks "$ticks" --hash every=$((ticks / 6)) \
    --budget 0
  exits 0
  grep '^tick [0-9]* hash [0-9a-f]*$' "$tmp/out" >"$tmp/$file"
  [ "$(wc -l <"$tmp/$file")" = 6 ] || fail "not 6 hashes: $(cat "$tmp/out")"
}

same() {
  game=$1
  case $1 in */boids | */spatial) fewer "$1" ;; esac
  hashes here "$release"
  # shellcheck disable=SC2086
  hashes there $emulator "$arm64/release/bin/shoal"
  cmp -s "$tmp/here" "$tmp/there" || fail "$(diff "$tmp/here" "$tmp/there" | head -n 4)"
}
for game in scripts/games/*/ scripts/examples/*/ engine/plugins/box2d/example/; do
  game=${game%/}
  [ -e "$game/game.lua" ] && it "$game: the hashes of x86-64, for $ticks ticks" same "$game"
done

# The expressions of tests/numbers without -0, which LuaJIT's whole numbers do not have there (design/0020).
numbers() {
  rm -rf "$tmp/numbers"
  cp -r tests/numbers "$tmp/numbers"
  sed -i -e 's/  local v = %s/  local v = (%s) + 0/' -e 's/    return how == 1/    v = v + 0\n&/' "$tmp/numbers/systems/evaluate.lua"
  sed -i 's/ 0, -0, / 0, 0, /' "$tmp/numbers/values.lua"
  for program in "$release" "$emulator $arm64/release/bin/shoal"; do
    # shellcheck disable=SC2086
    run_for 600 $program run "$tmp/numbers" --headless --no-watch --seed 1 --budget 0 --ticks 1
    [ "$(wc -l <"$tmp/out")" = 1000 ] || fail "$(tail -n 3 "$tmp/err")"
    [ -z "${before-}" ] || cmp -s "$before" "$tmp/out" || fail "$(diff "$before" "$tmp/out" | head -n 8)"
    before=$tmp/first
    mv "$tmp/out" "$before"
  done
}
it "a thousand random expressions mean the same" numbers

# The tests in C and in Lua, which print their own lines.
export SDL_AUDIODRIVER=dummy
for group in $(sed -n 's/^ *TEST_GROUP(\([a-z0-9_]*\)).*/\1/p' tests/unit/list.h); do
  is_selected "unit $group" || continue
  status=0
  UNIT="$emulator $arm64/release/bin/unit" timeout 900 tests/checks unit release "$group" >"$tmp/unit" 2>&1 || status=$?
  sed -n -E "s/^((not )?ok|skipped) (.*)/\1 unit $group: \3/p" "$tmp/unit"
  grep -q '^ok ' "$tmp/unit" || echo "not ok unit $group: exit status $status: $(tail -n 2 "$tmp/unit")"
done
minus_zero="ceil of a small negative number is -0|max and min give the second of two that are equal or not to be compared"
if is_selected "lua"; then # LuaJIT's whole numbers have no -0 there (design/0020)
  # shellcheck disable=SC2086
  run_for 1200 $emulator "$arm64/release/bin/shoal" run tests/lua --headless --budget 0
  sed -n -E -e "s/^not ok ($minus_zero):.*/skipped lua: \1 (no -0)/p" -e t -e 's/^((not )?ok|skipped) (.*)/\1 lua: \3/p' "$tmp/out"
  [ "$(grep -c -E '^(not )?ok ' "$tmp/out")" -gt 100 ] || echo "not ok lua: exit status $status: $(tail -n 3 "$tmp/err")"
fi
