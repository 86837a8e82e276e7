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
site() {
  run_for 120 ./shoal docs --to "$tmp/site"
  exits 0
  luajit tests/scenarios/lib/site.lua "$tmp/site"
}
it "./shoal docs makes a site without a dead link" site
searched() { # searched "WORDS" PAGE: the first that a browser finds, from the disk
  run_for 60 chromium --headless=new --no-sandbox --disable-gpu --virtual-time-budget=3000 --dump-dom \
    "file://$tmp/site/index.html?q=$1"
  exits 0
  grep -oE '<div id="found">.{0,60}' "$tmp/out" | grep -q "href=\"$2" || fail "$(grep -o '<div id="found.\{200\}' "$tmp/out")"
}
if [ -n "$LONG" ] && command -v chromium >/dev/null; then
  it "its search finds a page without a server" searched "camera+shaking" camera.html#shaking
  it "its search finds a call" searched "world.spawn_many" definitions.html#world-spawn-many
fi
kept() {
  mkdir -p "$tmp/mine"
  echo precious >"$tmp/mine/letter"
  run_for 20 ./shoal docs --to "$tmp/mine"
  exits 2
  says err "exists and is not a documentation site"
  [ -s "$tmp/mine/letter" ] || fail "it is gone"
}
it "./shoal docs leaves a folder alone that it has not made" kept
pictures() {
  for i in 1 2 3 4 5 6; do
    [ -s "assets/pictures/first_game_$i.jpg" ] || fail "no picture of step $i: sh engine/docs/site/pictures.sh"
  done
}
it "each step has its picture" pictures
catalogue() {
  questions=$(grep -c '^### .*?$' engine/docs/how_do_i.md)
  [ "$questions" -ge 60 ] || fail "only $questions questions"
  twice=$(grep '^### ' engine/docs/how_do_i.md | sort | uniq -d)
  [ -z "$twice" ] || fail "asked twice: $twice"
}
it "the catalogue answers at least 60 questions, each once" catalogue
