# Runs the example for one second without a window and checks that no script fails and that the entity has turned.
set -eu
SHOAL=${SHOAL:-@SHOAL@}
cd "$(dirname "$0")"
[ -x "$SHOAL/shoal" ] || { echo "not ok: $SHOAL/shoal not found: set SHOAL to the folder of Shoal"; exit 2; }
query="SELECT printf('%.3f', turns) FROM \"thing.total\""
out=$("$SHOAL/shoal" sql "$PWD/example" "$query" --strict --ticks 60 | tail -n 1 | tr -d ' ')
[ "$out" = 0.239 ] || { echo "not ok: expected 0.239 turns after one second, got $out"; exit 1; }
echo "ok: the spinner turns"
