# Scenes as text: written at the end of a run or by a script, read again in another one, as a level of a game; and refused with their line.
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
export XDG_DATA_HOME="$tmp/data"
rm -rf data level
mkdir -p level/scenes
echo 'return { title = "level", scene = "first" }' >level/game.lua
echo 'return { hull = { hp = 1 }, motion = { vx = 0 } }' >level/components.lua
echo 'return { ship = { components = { transform = {}, hull = { hp = 10 } } } }' >level/assemblages.lua
cat >level/scenes/first.json <<'END'
{
  "format": 1,
  "entities": [
    {
      "assemblage": "ship",
      "name": "player",
      "components": {
        "hull": { "hp": 12 }
      }
    },
    {
      "assemblage": "ship",
      "parent": "player",
      "components": {
        "motion": { "vx": 2.5 }
      }
    }
  ]
}
END

level() {
  run_for 20 "$release" run level --headless --ticks 2 --export out.json
  exits 0
  cmp -s out.json level/scenes/first.json || fail "$(diff out.json level/scenes/first.json)"
}
it "a scene may be a text, and --export writes the same one" level

small_diff() {
  run_for 20 "$release" run level --headless --ticks 3 --exec 'world.find("player").hull.hp = 3' --export changed.json
  run_for 20 "$release" run level --headless --ticks 2 --load none.sqlite
  exits 2
  run_for 20 "$release" run level --headless --ticks 2 --save two.sqlite
  run_for 20 "$release" run level --headless --load two.sqlite --exec 'world.find("player").hull.hp = 3' --export changed.json --ticks 2
  exits 0
  [ "$(diff out.json changed.json | grep -c '^[<>]')" = 2 ] || fail "$(diff out.json changed.json)"
}
it "one change is one line of the text" small_diff

by_script() {
  run_for 20 "$release" run level --headless --ticks 5 --exec 'print(#world.export("kept"))' --load two.sqlite
  exits 0
  says err "exported kept"
  cmp -s data/shoal/saves/level/kept.json out.json || fail "$(diff data/shoal/saves/level/kept.json out.json)"
  run_for 20 "$release" run level --headless --ticks 5 --load two.sqlite \
    --exec 'local made = world.import("kept") return #made, made[2]:parent() == made[1], world.count("ship")'
  exits 0
  says out "2	true	4"
}
it "a script exports into the folder of saves and imports from there" by_script

asteroids() {
  run_for 60 "$release" play asteroids --headless --ticks 400 --export one.json
  exits 0
  run_for 60 "$release" play asteroids --headless --ticks 0 --exec 'for e in world.each("transform") do e:destroy() end' \
    --exec "local text = [=[$(cat one.json)]=] world.import(text)" --export two.json
  exits 0
  cmp -s one.json two.json || fail "$(diff one.json two.json | head -n 5)"
}
it "asteroids in the middle of a game comes back as the same text" asteroids

broken() {
  sed 's/"hp"/"hps"/' out.json >level/scenes/first.json
  run_for 20 "$release" run level --headless --ticks 2
  exits 1
  says err "scenes/first.json:8: entity 1 (ship): hull has no field hps"
  head -c 100 out.json >level/scenes/first.json
  run_for 20 "$release" run level --headless --ticks 2
  exits 1
  says err "scenes/first.json:"
  says err "no JSON"
  cp out.json level/scenes/first.json
  echo 'return {}' >level/scenes/first.lua
  run_for 20 "$release" run level --headless --ticks 2
  exits 1
  says err "twice"
  rm level/scenes/first.lua
}
it "a scene that makes no sense keeps the game from starting, with its line" broken

undone() {
  cp -r level torn
  mkdir torn/systems
  echo 'return { update = function() world.export("torn") if world.tick == 1 then error("and no more") end end }' >torn/systems/a.lua
  run_for 20 "$release" run torn --headless --watch --ticks 3
  exits 1
  says err "and no more"
  [ "$(grep -c 'exported torn' err)" = 1 ] || fail "$(cat err)"
}
it "what a tick exports that is undone is not written" undone

# The game goes on with the scene that it has.
saved_again() {
  "$release" run level --headless --watch --ticks 100000000 2>err &
  pid=$!
  sleep 1
  sed 's/"ship"/"shop"/' out.json >level/scenes/first.json
  for _ in 1 2 3 4 5 6 7 8 9 10; do grep -q 'first.json:5' err || sleep 0.3; done
  cp out.json level/scenes/first.json
  for _ in 1 2 3 4 5 6 7 8 9 10; do grep -q '^reloaded' err || sleep 0.3; done
  kill "$pid"
  wait "$pid"
  says err "reload refused: scenes/first.json:5: entity 1: there is no assemblage \"shop\""
  grep -q '^reloaded' err || fail "$(cat err)"
}
it "a scene that is saved while the game runs is checked at once" saved_again

former() {
  rm -rf former
  cp -r level former
  echo 'local t = shoal.types return { armour = { plates = 1 }, motion = { vx = 0 }, hull = t.alias { armour = { plates = "hp" } } }' \
    >former/components.lua
  run_for 20 "$release" run former --headless --ticks 2 --export former.json
  exits 0
  grep -q '"armour": { "plates": 12 }' former.json || fail "$(cat former.json)"
  sed -i 's/"hp": 12/"hp": 12, "gone": 1/' former/scenes/first.json
  run_for 20 "$release" run former --headless --ticks 2
  exits 1
  says err "hull is another component now"
}
it "a scene may name a component that others are now" former
