# Bodies that paths, tweens, systems and plugins move carry and push movers: games/moving_bodies, with random platforms and
# heroes. With --long, 50 worlds with more than 10,000 platforms. Bodies whose parents move: games/moving_children.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
seeds='1 2 3' reproduced_seeds=1 ticks=300
[ -z "$LONG" ] || seeds=$(seq 50) reproduced_seeds=$seeds ticks=500
rm -rf game children
cp -r "$root/tests/scenarios/games/moving_bodies" game
cp -r "$root/tests/scenarios/games/moving_children" children
mkdir -p game/plugins
compile_once game/plugins/shuttle.so "${CC:-cc}" -std=c11 -O1 -ffp-contract=off -fPIC -shared -I"$root/engine/include" \
  "$root/tests/scenarios/plugins/shuttle.c" || fail "shuttle.c does not compile"

carried_and_pushed() {
  run_for 120 "$release" sql game "SELECT overlaps, passed, shakes, rides > 2000 AS rides, crushed > 0 AS crushed FROM tally" \
    --ticks "$ticks" --seed "$1"
  exits 0
  tail -n 1 out | grep -q '^ *0 *0 *0 *1 *1$' || fail "$(cat out)"
}
for seed in $seeds; do
  it "in world $seed, movers overlap moved bodies only after the event crushed, and riders do not shake" \
    carried_and_pushed "$seed"
done

children_carried_and_pushed() {
  run_for 120 "$release" sql children --ticks "$ticks" --seed "$1" \
    "SELECT overlaps, contacts > 1000 AS contacts, crushed > 0 AS crushed FROM tally"
  exits 0
  tail -n 1 out | grep -q '^ *0 *1 *1$' || fail "$(cat out)"
}
# With seed 37, two heroes push each other with their shields until the limit of repetitions (tick 290).
[ -n "$LONG" ] || seeds="$seeds 37"
for seed in $seeds; do
  it "with seed $seed, heroes overlap children of moved platforms and heroes only after the event crushed" \
    children_carried_and_pushed "$seed"
done

names_built_in_systems() {
  run_for 60 "$release" run "$root/tests/bench/movers" --headless --no-watch --seed 1 --ticks 300 --explain "$1"
  exits 0
  grep -q "^built in: shoal.mover: [0-9.]* us a run, [0-9]* % of the time of all systems$" out || fail "$(cat out)"
}
it "--explain all names shoal.mover if it takes a tenth of the time of all systems" names_built_in_systems all
it "--explain shoal.mover prints the time of shoal.mover" names_built_in_systems shoal.mover

hashes() { # hashes GAME NAME OPTION…: writes the hashes of a run of the game to the file NAME
  game=$1 to=$2
  shift 2
  run_for 600 "$release" run "$game" --headless --no-watch --strict --ticks "$ticks" --hash every=20 "$@"
  exits 0
  grep '^tick ' out >"$to" || fail "no hashes: $(cat err)"
}
same() { cmp -s "$1" "$2" || fail "the hashes differ: $(diff "$1" "$2" | head -n 4)"; }

reproduced() { # reproduced GAME SEED
  hashes "$1" straight --seed "$2"
  hashes "$1" resimulated --seed "$2" --check-rollback $((LONG ? 8 : 3))
  same straight resimulated
  run_for 60 "$release" run "$1" --headless --no-watch --seed "$2" --ticks 151 --save "$tmp/a.sqlite"
  exits 0
  hashes "$1" loaded --load "$tmp/a.sqlite"
  awk '$2 > 151' straight >expected
  awk '$2 > 151' loaded >got
  same expected got
}
for seed in $reproduced_seeds; do
  it "pushes of world $seed are equal when ticks are re-simulated, and after a save is loaded" reproduced game "$seed"
done
for seed in $reproduced_seeds; do
  it "pushes by children with seed $seed are equal when ticks are re-simulated, and after a save is loaded" \
    reproduced children "$seed"
done
