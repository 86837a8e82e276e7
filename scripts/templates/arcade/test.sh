# Runs the game for a few seconds without a window and checks that no script fails, that the same seed gives the same
# world, and that rocks appear.
set -eu
SHOAL=${SHOAL:-@SHOAL@}
cd "$(dirname "$0")"
[ -x "$SHOAL/shoal" ] || { echo "not ok: $SHOAL/shoal not found: set SHOAL to the folder of Shoal"; exit 2; }
data=$(mktemp -d) # a new data folder, so each run starts without settings and saves
trap 'rm -rf "$data"' EXIT
hash() { XDG_DATA_HOME=$(mktemp -d -p "$data") "$SHOAL/shoal" run . --headless --strict --seed 1 --ticks 300 --hash; }
[ "$(hash)" = "$(hash)" ] || { echo "not ok: two runs differ"; exit 1; }
query="SELECT count(*) > 0 FROM rock"
out=$("$SHOAL/shoal" sql "$PWD" "$query" --ticks 300 | tail -n 1 | tr -d ' ')
[ "$out" = 1 ] || { echo "not ok: no rocks after 300 ticks"; exit 1; }
echo "ok: rocks appear"
