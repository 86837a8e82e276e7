# Animations are part of the world: lived again, rewound, saved, replayed and reloaded half way they give the same
# hashes. A sheet that is saved while the game runs: tests/window/assets.sh.
# needs: release
. "$(dirname "$0")/../lib.sh"
game=$root/scripts/examples/sprites
. "$(dirname "$0")/lib/reproducible.sh"

alive() { # it does what the tests below are about
  run_for 20 "$release" sql "$tmp/game" --ticks "$ticks" \
    "SELECT count(*) = 7 AS slimes FROM slime; SELECT count(DISTINCT frame) > 2 AS frames FROM sprite
       WHERE image = 'slime.png'; SELECT count(*) > 0 AS hops FROM animation WHERE clip = 'hop'"
  exits 0
  [ "$(grep -c '^ *1$' out)" = 3 ] || fail "$(cat out)"
}
it "slimes hop and rest" alive

it "every tick that is lived again comes out the same" again

it "a recording is the same world" replayed

it "a save half way goes on as if nothing had been" saved 37 150

it "a rewind, and a reload that changes nothing, leave the world as it would have been" rewound
