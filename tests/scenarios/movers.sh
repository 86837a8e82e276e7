# Movers, sensors, tiles and a camera that follows are part of the world: lived again, rewound, saved, replayed and
# reloaded half way they give the same hashes; and who plays by himself comes to the end.
# needs: release
. "$(dirname "$0")/../lib.sh"
game=$root/scripts/examples/platformer
. "$(dirname "$0")/lib/lived.sh"

it "every tick that is lived again comes out the same" again

it "a recording is the same world" replayed

it "a save half way goes on as if nothing had been" saved 37 150

it "a rewind, and a reload that changes nothing, leave the world as it would have been" rewound

arrives() {
  run_for 60 "$release" sql "$root/scripts/examples/platformer" --ticks 1200 "SELECT won, coins > 4 AS coins FROM purse"
  exits 0
  grep -q '^ *1 *1$' out || fail "$(cat out)"
}
it "the knight comes to the flag by himself, with coins" arrives
