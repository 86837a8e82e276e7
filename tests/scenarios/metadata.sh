# Components that are declared as metadata: left out of a game that runs, loaded when asked for, and read for the report
# of an error.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
rm -rf shop
mkdir -p shop/systems
echo 'return { title = "shop", start = function() world.spawn("tank") world.spawn("jeep", { author = { name = "Eve" } }) end }' >shop/game.lua
cat >shop/components.lua <<'END'
local t = shoal.types
return { author = t.metadata { name = t.string "nobody", year = 2000 }, note = t.metadata { text = t.string "" }, hull = { hp = 1 } }
END
cat >shop/assemblages.lua <<'END'
return {
  vehicle = { components = { hull = {}, author = { name = "Ann" } } },
  tank = { is = "vehicle", components = { author = { year = 2007 }, note = "too heavy" } },
  jeep = { components = { hull = {} } },
}
END
echo 'return { update = function() if world.tick == 2 then
  for e in world.each("hull") do e:set("lifetime", { seconds = 1 }) end
end end }' >shop/systems/bad.lua

left_out() {
  run_for 20 "$release" run shop --headless --ticks 1 --exec 'return world.sql("SELECT count(*) AS n FROM components WHERE name IN (?, ?)", "author", "note")[1].n'
  exits 0
  [ "$(cat out)" = 0 ] || fail "it said $(cat out)"
}
it "metadata is stripped from a running game (T-machine, part 5)" left_out

loaded() {
  run_for 20 "$release" run shop --headless --ticks 1 --metadata \
    --exec 'local r = world.sql("SELECT name, year FROM author ORDER BY entity") return r[1].name, r[1].year, r[2].name, r[2].year'
  exits 0
  [ "$(cat out)" = "Ann	2007	Eve	2000" ] || fail "it said $(cat out)"
}
it "--metadata loads it, with what assemblages and overrides say" loaded

joined() {
  run_for 20 "$release" run shop --headless --ticks 5
  exits 1
  says err "has no lifetime"
  says err 'entity(1:0 tank): author: name = "Ann", year = 2007'
  says err 'entity(1:0 tank): note: text = "too heavy"'
}
it "a crash report pulls in the metadata of its entity (T-machine, part 5)" joined

at_hand() {
  cp -r shop hand
  echo 'return { query = { "hull" }, each = function(e) if world.tick == 3 and e:assemblage() == "tank" then error("no idea") end end }' \
    >hand/systems/bad.lua
  run_for 20 "$release" run hand --headless --ticks 5
  exits 1
  says err 'at hand: entity(1:0 tank)'
  says err 'entity(1:0 tank): author: name = "Ann", year = 2007'
}
it "so it is of the entity at hand, whatever the message names" at_hand

joined_loaded() {
  run_for 20 "$release" run shop --headless --ticks 1 --metadata --exec 'world.find("x")' \
    --exec 'for e in world.each("hull") do if e:assemblage() == "jeep" then e:set("lifetime", { seconds = 1 }) end end'
  exits 1
  says err 'entity(2:0 jeep): author: name = "Eve", year = 2000'
}
it "where it is loaded, the entity's own values are said" joined_loaded

same_world() {
  run_for 20 "$release" run shop --headless --ticks 1 --hash
  cp out with
  sed -i 's/author = { name = "Ann" }/author = { name = "Bob" }/' shop/assemblages.lua
  run_for 20 "$release" run shop --headless --ticks 1 --hash
  cmp -s out with || fail "$(cat out) is not $(cat with)"
}
it "what is left out changes no hash" same_world
