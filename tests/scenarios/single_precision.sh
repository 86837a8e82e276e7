# Systems in single precision (tests/single): random systems must match a simple evaluator in each row, interpreted and
# compiled for each vector width. Tests 12 systems; 10,080 with --long. Errors are cases of native_cases.sh. Random
# choices (tests/single_choices) must match those of double precision: 90 systems; 9,000 with --long.
# FIRST_SEED=212 LAST_SEED=400 ./shoal test --long single_precision runs a part of the seeds 1 to 840.
# needs: release sanitize
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

export XDG_CACHE_HOME="$tmp/cache"
seeds=1
[ -z "$LONG" ] || seeds=840

# run_seed PROGRAM SEED MODE: compares the hashes of this mode with those of the mode `off`.
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
    for mode in now sse2,now avx2,now; do
      [ -z "$LONG" ] && [ $((seed % 3)) != 1 ] && [ "$mode" != now ] || run_seed "$release" "$seed" "$mode"
    done
  done
}
it "random single-precision systems match the reference evaluator, both interpreted and compiled" match_evaluator

# Each game compares its rows in every tick; the hashes compare native with interpreted code.
choices_match_double_precision() { # choices_match_double_precision GAMES
  for seed in $(seq 1 "$1"); do
    rm -rf "$tmp/choices"
    luajit tests/single_choices/generate.lua "$tmp/choices" 30 "$seed"
    for mode in off now; do
      run_for 30 "$release" run "$tmp/choices" --headless --no-watch --seed 1 --budget 0 --ticks 3 --hash every=1 \
        --native "$mode"
      exits 0
      grep '^tick' "$tmp/out" >"$tmp/hashes.$mode"
    done
    cmp -s "$tmp/hashes.off" "$tmp/hashes.now" || fail "seed $seed: native and interpreted code differ"
  done
}
it "random choices between enum choices, integers, booleans and entities match double precision" \
  choices_match_double_precision "$(if [ -n "$LONG" ]; then echo 300; else echo 3; fi)"
