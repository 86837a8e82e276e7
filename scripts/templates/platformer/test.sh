# Runs the game for some seconds without a window: no script fails, the same seed gives the same world, and the hero
# stands on the ground.
set -eu
SHOAL=${SHOAL:-@SHOAL@}
cd "$(dirname "$0")"
data=$(mktemp -d) # settings and saves of the test's own: each run begins with none
trap 'rm -rf "$data"' EXIT
hash() { XDG_DATA_HOME=$(mktemp -d -p "$data") "$SHOAL/shoal" run . --headless --strict --seed 1 --ticks 300 --hash; }
[ "$(hash)" = "$(hash)" ] || { echo "not ok: two runs differ"; exit 1; }
query="SELECT count(*) FROM hero JOIN mover USING (entity) WHERE on_floor"
out=$("$SHOAL/shoal" sql "$PWD" "$query" --ticks 300 | tail -n 1 | tr -d ' ')
[ "$out" = 1 ] || { echo "not ok: $out"; exit 1; }
echo "ok: the hero stands on the ground"
