# The SQL tables entities, components, entity_components and one table per component, joined by component_data_id, in a
# running world and in a save. Based on T-machine, "Entity Systems are the future of MMOG development", part 4 and part
# 5, tables 1, 2, 5 and N+5.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
rm -rf fleet
mkdir -p fleet/systems
cat >fleet/components.lua <<'END'
local t = shoal.types
return {
  tracked = { speed = 4 }, renderable = { mesh = "tank" }, gun = t.many { size = 500, damage = 10000 }, idle = {},
  noted = t.single { text = "" },
}
END
cat >fleet/assemblages.lua <<'END'
return {
  tank = {
    doc = "ten of them",
    components = { tracked = {}, renderable = {}, gun = { left = {}, right = { size = 80 } } },
  },
  lorry = { components = { tracked = { speed = 9 } } },
}
END
cat >fleet/game.lua <<'END'
return { start = function()
  for i = 1, 10 do world.spawn("tank", { name = { value = "tank " .. i } }) end
  world.spawn("lorry")
end }
END
# When an entity is destroyed, rows of different entities move; their component_data_id must not change.
cat >fleet/systems/ids.lua <<'END'
local QUERY = "SELECT component_data_id AS id, entity, instance FROM gun"

local function note()
  local out = {}
  for _, row in ipairs(world.sql(QUERY)) do
    out[tostring(row.entity) .. row.instance] = row.id
  end
  world.single.noted.text = json.encode(out)
end

local function compare()
  local before, same, count, seen = json.decode(world.single.noted.text), 0, 0, {}
  for _, row in ipairs(world.sql(QUERY)) do
    count = count + 1
    same = same + (before[tostring(row.entity) .. row.instance] == row.id and 1 or 0)
    assert(not seen[row.id], "duplicate component_data_id")
    seen[row.id] = true
  end
  print("same", same, "of", count)
end

return { update = function()
  if world.tick == 1 then
    note()
    world.find("tank 1"):destroy()
  elseif world.tick == 2 then
    compare()
  end
end }
END

# gives_rows SQL ROWS: fails unless the query returns these rows for the running world and for a save of the world
gives_rows() {
  run_for 20 "$release" run fleet --headless --ticks 1 --save fleet.sqlite
  exits 0
  for of in ./fleet fleet.sqlite; do
    run_for 20 "$release" sql "$of" "$1"
    exits 0
    sed 1,2d "$tmp/out" | sed 's/  */ /g; s/^ //; s/ $//' >"$tmp/rows"
    [ "$(cat "$tmp/rows")" = "$2" ] || fail "$of: $(cat "$tmp/rows")"
  done
}

it "the table entity_components lists the components of an entity" gives_rows \
  "SELECT c.name, count(*) FROM entities e JOIN entity_components ec ON ec.entity = e.entity
   JOIN components c ON c.component_id = ec.component_id WHERE e.name = 'tank 3' GROUP BY c.name ORDER BY c.name" \
  "gun 2
name 1
renderable 1
tracked 1"
it "component_data_id joins a component's data to its entity" gives_rows \
  "SELECT e.name, a.speed FROM tracked a JOIN entity_components ec ON ec.component_data_id = a.component_data_id
   JOIN entities e ON e.entity = ec.entity WHERE ec.component = 'tracked' AND e.name LIKE 'tank 1%' ORDER BY e.name" \
  "tank 1 4
tank 10 4"
it 'each instance of a `many` component has its own component_data_id' gives_rows \
  "SELECT ec.instance, a.size FROM entity_components ec JOIN components c ON c.component_id = ec.component_id
   JOIN gun a ON a.component_data_id = ec.component_data_id JOIN entities e ON e.entity = ec.entity
   WHERE c.table_name = 'gun' AND e.name = 'tank 7' ORDER BY ec.instance" \
  "left 500
right 80"
it "data of two components of an entity can be joined on the entity" gives_rows \
  "SELECT count(*) FROM entity_components x JOIN entity_components y ON x.entity = y.entity
   JOIN tracked a ON a.component_data_id = x.component_data_id
   JOIN renderable b ON b.component_data_id = y.component_data_id
   WHERE x.component = 'tracked' AND y.component = 'renderable' AND b.mesh = 'tank'" 10
it "a query that joins assemblages and entities counts the ten entities of an assemblage" gives_rows \
  "SELECT a.name, a.description, count(*) FROM assemblages a JOIN entities e ON e.assemblage = a.name
   GROUP BY a.name HAVING count(*) > 1" "tank ten of them 10"
it "every row of entity_components refers to a row of the component's table with the same entity" gives_rows \
  "SELECT count(*) FROM entity_components ec LEFT JOIN gun a ON a.component_data_id = ec.component_data_id
   WHERE ec.component = 'gun' AND a.entity IS NOT ec.entity" 0

stable_ids() {
  run_for 20 "$release" run fleet --headless --ticks 4
  exits 0 out "$(printf 'same\t18\tof\t18')"
}
it "component_data_id is constant for a row's lifetime, even if the row moves" stable_ids

hidden_column() {
  run_for 20 "$release" sql ./fleet "SELECT * FROM idle"
  exits 0
  ! grep -q component_data_id "$tmp/out" || fail "SELECT * includes component_data_id"
  run_for 20 "$release" run fleet --headless --ticks 0 \
    --exec 'world.sql("INSERT INTO tracked VALUES (?, 5)", world.spawn())
    local _, one = world.sql("UPDATE tracked SET speed = 6 WHERE speed = 5")
    local _, all = world.sql("UPDATE tracked SET speed = e.\"index\" FROM entities e WHERE e.entity = tracked.entity")
    return world.sql("SELECT max(speed) AS m FROM tracked")[1].m, one, all'
  exits 0 out "12	1	12"
}
it "SELECT * and INSERT without column names exclude component_data_id" hidden_column

cannot_set() { # cannot_set SQL
  run_for 20 "$release" run fleet --headless --ticks 0 --exec "world.sql([[$1]])"
  exits 1 err "tracked.component_data_id is assigned by the world and cannot be set"
}
it "UPDATE cannot set component_data_id" cannot_set "UPDATE tracked SET component_data_id = 7"
it "INSERT cannot set component_data_id" cannot_set \
  "INSERT INTO tracked(entity, component_data_id) SELECT entity, 5 FROM entities WHERE name = 'tank 2'"
invalid_ids() {
  for id in "'x'" NULL 0 -1 1.5 9e300 "x'00'"; do
    run_for 20 "$release" sql ./fleet "SELECT count(*) FROM tracked WHERE component_data_id = $id"
    exits 0
    [ "$(sed 1,2d "$tmp/out" | tr -d ' ')" = 0 ] || fail "$id: $(cat "$tmp/out")"
  done
}
it "a condition on an invalid component_data_id matches no rows" invalid_ids
