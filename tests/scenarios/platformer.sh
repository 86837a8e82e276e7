# The example platformer: movers, sensors, tiles and a following camera are part of the world, so re-simulating,
# rewinding, saving, replaying and reloading give the same hashes. The example plays itself until the flag is reached.
# needs: release
. "$(dirname "$0")/../lib.sh"
game=$root/scripts/examples/platformer
. "$(dirname "$0")/lib/reproducible.sh"

it "the platformer example gives the same hashes when ticks are re-simulated" again

it "the platformer example gives the same hashes in a replay" replayed

it "the platformer example gives the same hashes when continued from a save" saved 37 150

it "the platformer example gives the same hashes after a rewind and a reload of unchanged files" rewound

reaches_flag() {
  run_for 60 "$release" sql "$root/scripts/examples/platformer" --ticks 1200 "SELECT won, coins > 4 AS coins FROM purse"
  exits 0
  grep -q '^ *1 *1$' out || fail "$(cat out)"
}
it "the knight of the platformer example collects coins and reaches the flag without input" reaches_flag
