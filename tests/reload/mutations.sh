# Unusual edits of running games, passed directly to the reload transaction (see mutate.c): 15 of Asteroids and 2 of
# every second example in the release build; 3 of Asteroids and 1 of every twelfth example with sanitizers. With --long,
# 3,600 of Asteroids and 800 of each example, and a tenth of them with sanitizers.
# needs: release release/mutate sanitize sanitize/mutate
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
examples=$(dirname scripts/examples/*/game.lua)
is_selected "edits of asteroids give the world of a fresh start, or are rejected and leave it unchanged" || exit 0

# edits CONFIG SEED ASTEROIDS_EDITS EXAMPLE_EDITS EXAMPLES: applies these numbers of edits to Asteroids and each example
edits() {
  # shellcheck disable=SC2086
  "$(bin "$1" mutate)" --seed "$2" --edits "$3" scripts/games/asteroids --edits "$4" $5 >"$tmp/said" 2>"$tmp/err" ||
    [ "$?" = 1 ] || echo "not ok mutate ($1) ends well: $(tail -n 15 "$tmp/err")"
  # Moves each test result above the indented measurements that the program prints before it.
  awk -v config="$1" '/^  / { said = said $0 "\n"; next }
    { printf "%s", $0 " (" config ")"; if (/^not ok/) printf ":"; print ""; printf "%s", said; said = "" }
    END { printf "%s", said }' "$tmp/said"
}
if [ -n "$LONG" ]; then
  edits release 1 3600 800 "$examples"
  edits sanitize 2 360 80 "$examples"
else
  edits release 1 15 2 "$(echo "$examples" | awk 'NR % 2 == 1')"
  edits sanitize 2 3 1 "$(echo "$examples" | awk 'NR % 12 == 2')"
fi
