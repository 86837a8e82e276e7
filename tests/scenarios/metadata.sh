# Metadata components, which are not part of a running game, but are loaded with --metadata and read for error reports.
# Based on T-machine, "Entity Systems are the future of MMOG development", part 5.
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

not_loaded() {
  run_for 20 "$release" run shop --headless --ticks 1 --exec 'return world.sql("SELECT count(*) AS n FROM components WHERE name IN (?, ?)", "author", "note")[1].n'
  exits 0
  [ "$(cat out)" = 0 ] || fail "expected 0 components, got $(cat out)"
}
it "metadata components are not loaded without --metadata" not_loaded

loaded_by_option() {
  run_for 20 "$release" run shop --headless --ticks 1 --metadata \
    --exec 'local r = world.sql("SELECT name, year FROM author ORDER BY entity") return r[1].name, r[1].year, r[2].name, r[2].year'
  exits 0
  [ "$(cat out)" = "Ann	2007	Eve	2000" ] || fail "unexpected output: $(cat out)"
}
it "--metadata loads the metadata of assemblages, with the values that an entity overrides" loaded_by_option

error_report() {
  run_for 20 "$release" run shop --headless --ticks 5
  exits 1 err "has no lifetime" 'entity(1:0 tank): author: name = "Ann", year = 2007'
  says err 'entity(1:0 tank): note: text = "too heavy"'
}
it "an error report includes the metadata of the entity that it names" error_report

current_entity() {
  cp -r shop hand
  echo 'return { query = { "hull" }, each = function(e) if world.tick == 3 and e:assemblage() == "tank" then error("no idea") end end }' \
    >hand/systems/bad.lua
  run_for 20 "$release" run hand --headless --ticks 5
  exits 1 err 'current entity: entity(1:0 tank)'
  says err 'entity(1:0 tank): author: name = "Ann", year = 2007'
}
it "an error report that names no entity includes the metadata of the current entity" current_entity

report_with_loaded_metadata() {
  run_for 20 "$release" run shop --headless --ticks 1 --metadata --exec 'world.find("x")' \
    --exec 'for e in world.each("hull") do if e:assemblage() == "jeep" then e:set("lifetime", { seconds = 1 }) end end'
  exits 1 err 'entity(2:0 jeep): author: name = "Eve", year = 2000'
}
it "with --metadata an error report includes the entity's overridden metadata values" report_with_loaded_metadata

same_hash() {
  run_for 20 "$release" run shop --headless --ticks 1 --hash
  cp out with
  sed -i 's/author = { name = "Ann" }/author = { name = "Bob" }/' shop/assemblages.lua
  run_for 20 "$release" run shop --headless --ticks 1 --hash
  cmp -s out with || fail "$(cat out) is not $(cat with)"
}
it "a change of metadata that is not loaded does not change the hash" same_hash
