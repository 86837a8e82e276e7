# The music of the games: its loudness by ITU-R BS.1770 and the seams of its loops (lib/music_levels.lua).
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

passes() { # passes CHECK: checks all games
  (cd scripts/games && ls) | xargs luajit tests/scenarios/lib/music_levels.lua "$1" >"$tmp/out" || fail "$(cat "$tmp/out")"
}
it "the meter measures signals of known loudness" passes meter
it "all music tracks are within 2 LU of each other" passes levels
it "music loops have no clicks" passes loops
