# What a newcomer begins with: the six steps of the first game run, are what the page shows, and can be played.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
steps=scripts/examples/first_game

step() {
  run_for 60 "$release" run "$steps/$1" --headless --no-watch --strict --seed 1 --ticks 300 --hash
  exits 0
  cp "$tmp/out" "$tmp/hash"
  run_for 60 "$release" run "$steps/$1" --headless --no-watch --strict --seed 1 --ticks 300 --hash --check-rollback 1
  exits 0
  cmp -s "$tmp/out" "$tmp/hash" || fail "lived twice it is another world"
}
played() { # played STEP: somebody at the keys has gathered glow-worms
  rm -rf "$tmp/step"
  cp -r "$steps/$1" "$tmp/step"
  cp engine/docs/site/pilot.lua "$tmp/step/systems/pilot.lua"
  [ ! -e "$tmp/step/scenes" ] ||
    echo 'return { update = function() if world.tick == 5 then world.emit("play", {}) end end }' >"$tmp/step/systems/play.lua"
  run_for 60 "$release" run "$tmp/step" --headless --no-watch --strict --seed 4 --ticks 1200 \
    --exec 'for e in world.each("worm") do return e end' --save "$tmp/step.sqlite"
  exits 0
  run_for 60 "$release" sql "$tmp/step.sqlite" "SELECT score > 3 FROM game"
  exits 0
  tail -n 1 "$tmp/out" | grep -q 1 || fail "$(cat "$tmp/out")"
}
over() { # without anybody at the keys the spark is out in half a minute
  rm "$tmp/step/systems/pilot.lua"
  run_for 60 "$release" sql "$tmp/step/" "SELECT phase FROM game" --ticks 2200
  exits 0
  says out over
}
for i in 1 2 3 4 5 6; do
  it "step $i of the first game runs, and lives its ticks again" step "$i"
  [ "$i" -lt 3 ] || it "step $i of the first game can be played" played "$i"
done
it "the first game can be lost" over
it "the page of the first game shows the steps as they are" luajit engine/docs/site/steps.lua
pictures() {
  for i in 1 2 3 4 5 6; do
    [ -s "assets/pictures/first_game_$i.jpg" ] || fail "no picture of step $i: sh engine/docs/site/pictures.sh"
  done
}
it "each step has its picture" pictures
