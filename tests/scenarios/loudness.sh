# The music of the games: its loudness by ITU-R BS.1770 and the seams of its loops (lib/music_levels.lua).
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

passes() { # passes CHECK: checks all games
  (cd scripts/games && ls) | xargs luajit tests/scenarios/lib/music_levels.lua "$1" >"$tmp/out" || fail "$(cat "$tmp/out")"
}
it "the loudness meter measures the known loudness of test signals" passes meter
it "the loudness of all music tracks differs by at most 2 LU" passes levels
it "no music loop has a click at its seam" passes loops
