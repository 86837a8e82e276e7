# Systems in single precision (tests/single): random systems must match a simple evaluator in each row, interpreted and
# compiled for two vector widths. Tests 12 systems; with --long, 10,080 for each vector width. Errors are cases of
# native_cases.sh. Random systems with exact results (tests/single_choices) must match double precision and plain Lua: 30
# systems; 100,000 with --long, or a part at a time: luajit tests/campaign.lua single build/release/bin/shoal --games
# 100 --state FILE
# FIRST_SEED=212 LAST_SEED=400 ./shoal test --long single_precision runs a part of the seeds 1 to 840.
# needs: release sanitize
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

export XDG_CACHE_HOME="$tmp/cache"
seeds=1
[ -z "$LONG" ] || seeds=840

# run_seed PROGRAM SEED MODE: compares the hashes of this mode with the hashes of the mode `off`.
run_seed() {
  timeout -k 2 $((6 * SLOW)) "$1" run "$tmp/single" --headless --no-watch --seed 1 --budget 0 --ticks 2 --hash every=1 \
    --native "$3" >"$tmp/out.$3" 2>"$tmp/err" </dev/null || fail "seed $2, $3: $(grep -v '^warn' "$tmp/err" | head -n 60)"
  ! grep -q 'error\|Sanitizer\|runtime error:' "$tmp/err" || fail "seed $2, $3: $(grep -v '^warn' "$tmp/err" | head -n 60)"
  grep '^tick' "$tmp/out.$3" >"$tmp/hashes.$3"
  cmp -s "$tmp/hashes.$3" "$tmp/hashes.off" || fail "seed $2, $3: $(cat "$tmp/hashes.$3"), not $(cat "$tmp/hashes.off")"
}

match_evaluator() {
  rm -rf "$tmp/single" && cp -r tests/single "$tmp/single"
  for seed in $(seq "${FIRST_SEED:-1}" "${LAST_SEED:-$seeds}"); do
    echo "return $seed" >"$tmp/single/seed.lua"
    program=$release
    [ $((seed % 8)) != 1 ] || program=$sanitized
    run_seed "$program" "$seed" off
    for mode in now sse2,now ${LONG:+avx2,now}; do
      [ -z "$LONG" ] && [ $((seed % 3)) != 1 ] && [ "$mode" != now ] || run_seed "$release" "$seed" "$mode"
    done
  done
}
it "random single-precision systems match the reference evaluator, both interpreted and compiled" match_evaluator

# Each game compares its rows in every tick; the hashes compare native with interpreted code.
match_double_precision() {
  games=$((LONG ? 1000 : 1)) size=$((LONG ? 100 : 30))
  luajit tests/campaign.lua single "$release" --games $games --size $size --folder "$tmp/choices" >"$tmp/totals" ||
    fail "$(cat "$tmp/totals")"
  grep -q "$games games, $((games * size)) programs without a difference" "$tmp/totals" || fail "$(cat "$tmp/totals")"
}
it "random systems with exact results match double precision and plain Lua in each row" match_double_precision

continues_campaign() {
  rm -f "$tmp/state"
  for games in 1 2; do
    luajit tests/campaign.lua single "$release" --games $games --size 3 --folder "$tmp/shares" --state "$tmp/state" \
      >"$tmp/totals" || fail "$(cat "$tmp/totals")"
  done
  [ "$(cat "$tmp/totals")" = "single: 3 games, 9 programs without a difference" ] || fail "$(cat "$tmp/totals")"
}
it "a campaign of random systems continues with the totals of earlier runs" continues_campaign

# own_scripts FILE EXPRESSION: plants an error in a copy of the engine's scripts, which the game then uses.
own_scripts() {
  rm -rf "$tmp/root" && mkdir -p "$tmp/root/scripts"
  cp -r scripts/shoal "$tmp/root/scripts/" && ln -s "$root/assets" "$tmp/root/assets"
  sed -i "$2" "$tmp/root/scripts/shoal/$1"
  ! cmp -s "scripts/shoal/$1" "$tmp/root/scripts/shoal/$1" || fail "$1 does not contain the text to replace"
}

# failing_game OPTION: creates a game whose only system has this option and 300 rows.
failing_game() {
  rm -rf "$tmp/failing" && mkdir -p "$tmp/failing/systems"
  echo 'return { start = function() world.spawn_many("npc", 300) end }' >"$tmp/failing/game.lua"
  echo 'return { npc = { fear = 1, mode = shoal.types.enum { "idle", "flee" } } }' >"$tmp/failing/components.lua"
  echo 'return { npc = { components = { npc = {} } } }' >"$tmp/failing/assemblages.lua"
  printf '%s\n' "return { query = { \"npc\" },$1 each = function(e)" \
    '  if e.npc.fear > 80 then e.npc.mode = "flee" else e.npc.mode = "idle" end' 'end }' >"$tmp/failing/systems/flee.lua"
}

run_failing() {
  export SHOAL_ROOT="$tmp/root"
  run_for 30 "$release" run "$tmp/failing" --headless --no-watch --ticks 9 "$@"
}

mismatch() {
  own_scripts compile/ir.lua 's/return rules and rules.convert_to_kind(n, "whole") or n/return n/'
  failing_game ' precision = "single",'
  run_failing --native off
  [ "$status" != 0 ] || fail "the game was loaded"
  says err 'systems/flee.lua:2: precision = "single": cannot compile a value of type f64 for npc.mode, a field of type'
}
it "when a game is loaded, a single-precision value of a type that its column cannot store is an error" mismatch

# Plants an unknown attribute in the IR of all systems. Skips the test if nothing is compiled.
invalid_attribute() {
  own_scripts compile/emit.lua 's/"prefer-vector-width"="512"/planted/'
  failing_game ''
  run_failing --native now --explain all
  reason=$(cat "$tmp/out" "$tmp/err" | grep -o -m 1 'nothing is compiled.*\|LLVM is not installed.*') || return 0
  skip "$reason"
}

invalid_ir() {
  invalid_attribute
  for option in 'precision = "single"' 'compile = "required"'; do
    failing_game " $option,"
    run_failing
    [ "$status" != 0 ] || fail "the game with $option was loaded"
    says err "systems/flee.lua:1: $option: LLVM cannot parse the code: "
  done
}
it "when a game is loaded, code that LLVM cannot parse is an error for systems that must be compiled" invalid_ir

invalid_ir_of_others() {
  invalid_attribute
  exits 0
  [ "$(grep -c 'warn: systems/flee.lua:1: LLVM cannot parse the code: .*: the system runs in LuaJIT' "$tmp/err")" = 1 ] ||
    fail "$(cat "$tmp/err")"
}
it "code that LLVM cannot parse is reported once for systems that continue in LuaJIT" invalid_ir_of_others
