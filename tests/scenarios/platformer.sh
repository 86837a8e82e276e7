# The example platformer: movers, sensors, tiles and a following camera are part of the world, so re-simulating,
# rewinding, saving, replaying and reloading give the same hashes. The example plays itself until the flag is reached.
# needs: release
. "$(dirname "$0")/../lib.sh"
game=$root/scripts/examples/platformer
. "$(dirname "$0")/lib/reproducible.sh"

it "re-simulating every tick gives the same hashes" again

it "a replay gives the same hashes" replayed

it "a game continued from a save gives the same hashes" saved 37 150

it "a rewind and a reload without changes give the same hashes" rewound

reaches_flag() {
  run_for 60 "$release" sql "$root/scripts/examples/platformer" --ticks 1200 "SELECT won, coins > 4 AS coins FROM purse"
  exits 0
  grep -q '^ *1 *1$' out || fail "$(cat out)"
}
it "the knight collects coins and reaches the flag without input" reaches_flag
