# Random valid and invalid script operations must cause no crash, no sanitizer report and no unexpected error, and give
# the same hashes in every configuration.
# needs: release sanitize
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

run_seed() { # run_seed CONFIG SEED FILE
  run_for 120 "$(bin "$1")" run tests/scenarios/games/random_operations --headless --ticks $((LONG ? 200 : 60)) --seed "$2" --hash every=$((LONG ? 50 : 15))
  [ "$status" -le 1 ] || fail "exit status $status: $(grep -v '^warn' "$tmp/err" | tail -n 20)"
  ! grep '^error' "$tmp/err" | grep -qv 'on purpose' || fail "$(grep '^error' "$tmp/err" | grep -v 'on purpose')"
  grep '^tick' "$tmp/out" >"$tmp/$3"
  [ "$(sort -u -k 4 "$tmp/$3" | wc -l)" = 4 ] || fail "expected 4 different hashes: $(cat "$tmp/out")"
}
random_operations() {
  run_seed sanitize "$1" sanitized
  run_seed release "$1" plain
  cmp -s "$tmp/sanitized" "$tmp/plain" || fail "$(diff "$tmp/sanitized" "$tmp/plain" | head -n 4)"
}
for seed in 1 ${LONG:+2 3}; do
  it "random script operations cause no sanitizer error and give the same hashes in sanitizer and release builds (seed $seed)" random_operations $seed
done
