# Runs the game for five seconds, headless: no script fails, every ball stays on the screen, and the same seed gives the same world.
set -eu
SHOAL=${SHOAL:-@SHOAL@}
cd "$(dirname "$0")"
hash() { "$SHOAL/shoal" run . --headless --strict --seed 1 --ticks 300 --hash; }
[ "$(hash)" = "$(hash)" ] || { echo "not ok: two runs differ"; exit 1; }
out=$("$SHOAL/shoal" sql "$PWD" "SELECT count(*) FROM transform WHERE x < -20 OR x > 1300 OR y < -20 OR y > 740" --ticks 300 | tail -n 1)
[ "$(echo "$out" | tr -d ' ')" = 0 ] || { echo "not ok: $out balls have left the screen"; exit 1; }
echo "ok: the balls bounce"
