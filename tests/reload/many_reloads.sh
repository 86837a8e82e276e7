# Leaks of many valid reloads, and the latency between saving a file and running its code (see valid_edits.h). With
# --long a thousand reloads per game.
# needs: release/mutate
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
is_selected "repeated reloads leak nothing" ||
  is_selected "half of all saved files take effect within two ticks after settling" || exit 0

verdicts() { # verdicts ARGUMENT…: runs mutate, which prints measurements before each test result
  "$(bin release mutate)" "$@" >"$tmp/said" 2>"$tmp/err" || [ "$?" = 1 ] || echo "not ok mutate $1 ends well: $(tail -n 15 "$tmp/err")"
  cat "$tmp/said"
}
verdicts --reloads $((LONG ? 1000 : 80)) scripts/examples/each
verdicts --reloads $((LONG ? 1000 : 15)) scripts/games/asteroids
verdicts --latency $((LONG ? 300 : 15))
