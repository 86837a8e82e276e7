# Animations are part of the world: rollback, rewind, save, replay and reload give the same hashes.
# tests/window/assets.sh tests reloading a sprite sheet.
# needs: release
. "$(dirname "$0")/../lib.sh"
game=$root/scripts/examples/sprites
. "$(dirname "$0")/lib/reproducible.sh"

animates() { # checks that animations run, so that the tests below compare something
  run_for 20 "$release" sql "$tmp/game" --ticks "$ticks" \
    "SELECT count(*) = 7 AS slimes FROM slime; SELECT count(DISTINCT frame) > 2 AS frames FROM sprite
       WHERE image = 'slime.png'; SELECT count(*) > 0 AS hops FROM animation WHERE clip = 'hop'"
  exits 0
  [ "$(grep -c '^ *1$' out)" = 3 ] || fail "$(cat out)"
}
it "animations in the sprites example switch frames and clips" animates

it "animations give the same hashes when ticks are re-simulated" again

it "animations give the same hashes in a replay" replayed

it "animations give the same hashes when continued from a save" saved 37 150

it "animations give the same hashes after a rewind and a reload of unchanged files" rewound
