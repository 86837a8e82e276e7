# Random deeds of scripts, right and wrong, under the sanitizers: no crash, no error but the one on purpose, and the
# same world in every configuration.
# needs: release sanitize
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

blow() { # blow CONFIG SEED FILE
  run_for 120 "$(bin "$1")" run tests/scenarios/games/storm --headless --ticks $((LONG ? 200 : 60)) --seed "$2" --hash every=$((LONG ? 50 : 15))
  [ "$status" -le 1 ] || fail "exit status $status: $(grep -v '^warn' "$tmp/err" | tail -n 20)"
  ! grep '^error' "$tmp/err" | grep -qv 'on purpose' || fail "$(grep '^error' "$tmp/err" | grep -v 'on purpose')"
  grep '^tick' "$tmp/out" >"$tmp/$3"
  [ "$(sort -u -k 4 "$tmp/$3" | wc -l)" = 4 ] || fail "not four worlds: $(cat "$tmp/out")"
}
storm() {
  blow sanitize "$1" sanitized
  blow release "$1" plain
  cmp -s "$tmp/sanitized" "$tmp/plain" || fail "$(diff "$tmp/sanitized" "$tmp/plain" | head -n 4)"
}
for seed in 1 2 ${LONG:+3}; do
  it "a storm of random deeds harms nothing (seed $seed)" storm $seed
done
