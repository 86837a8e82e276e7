# NaN in fields of a game's components: a script that writes NaN stores the field's default instead, and the log reports
# the script's line, unless the field permits NaN. SQL refuses NaN.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

game() { # game BODY: BODY runs in tick 2, in line 3 of systems/writer.lua, with the entity e and nan
  rm -rf game && mkdir -p game/systems
  cat >game/components.lua <<'END'
local t = shoal.types
return { chef = { speed = 84, exact = t.f64(5), at = t.vec2(1, 2), pan = { heat = 7, oil = { level = 8 } },
    spices = t.list(t.f32(0), 4, { 1, 2 }), free = t.f32(9, { nan = true }) },
  kitchen = t.single { heat = 3 } }
END
  cat >game/game.lua <<'END'
return { start = function() for i = 1, 5 do world.spawn(nil, { chef = {} }) end end }
END
  printf '%s\n' 'return { query = { "chef" }, update = function(q)' \
    '  if world.tick ~= 2 then return end local nan, e = (q.count - 5) / (q.count - 5), q.entity[1]' "  $1" 'end }' \
    >game/systems/writer.lua
  cat >game/systems/zz_check.lua <<'END'
return { query = { "chef" }, phase = "post_update", update = function(q)
  for i = 1, q.count do
    local c = q.entity[i].chef
    local values = { c.speed, c.exact, c.at.x, c.at.y, c.pan.heat, c.pan.oil.level, world.single.kitchen.heat }
    for k = 1, #c.spices do values[#values + 1] = c.spices[k] end
    for k, v in ipairs(values) do
      if v ~= v then error("value " .. k .. " is NaN") end
    end
  end
end }
END
}

writes() { # writes FIELD DEFAULT BODY
  game "$3"
  for mode in off now; do
    run_for 20 "$release" run game --headless --ticks 4 --native "$mode"
    exits 0 err "systems/writer.lua:3: $1 must be a number, got nan; stored $2: check for a division by zero"
    [ "$(grep -c 'got nan' err)" = 1 ] || fail "reported repeatedly: $(cat err)"
  done
  run_for 20 "$release" run game --headless --ticks 4 --strict
  exits 1
}
it "NaN that a loop writes to a column is replaced with the field's default" \
  writes chef.speed 84 'for i = 1, q.count do q.chef.speed[i] = nan end'
it "NaN in an f64 field is replaced with the field's default" writes chef.exact 5 'for i = 1, q.count do q.chef.exact[i] = nan end'
it "NaN written through an entity is replaced with the field's default" writes chef.speed 84 'e.chef.speed = nan'
it "NaN in a vector is replaced with the field's default" writes chef.at.x 1 'e.chef.at.x = nan'
it "NaN in a nested record is replaced with the field's default" writes chef.pan.oil.level 8 'e.chef.pan.oil.level = nan'
it "NaN in a singleton is replaced with the field's default" writes kitchen.heat 3 'world.single.kitchen.heat = nan'
it "NaN written to a list element is replaced with the element's default" writes "chef.spices[2]" 2 'e.chef.spices[2] = nan'
it "NaN in an assigned list is replaced with the element's default" writes "chef.spices[1]" 1 'e.chef.spices = { nan, 3 }'
it "NaN in the values of world.spawn is replaced with the field's default" \
  writes chef.speed 84 'world.spawn(nil, { chef = { speed = nan } })'
it "NaN in the values of e:set is replaced with the field's default" writes chef.pan.heat 7 'e:set("chef", { pan = { heat = nan } })'

permitted() {
  game 'for i = 1, q.count do q.chef.free[i] = nan end print(e.chef.free, q.chef.free[2])'
  run_for 20 "$release" run game --headless --ticks 4 --strict
  exits 0 out "nan	nan"
  ! grep -q 'got nan' err || fail "$(cat err)"
}
it "a field with nan = true stores NaN" permitted

sql() {
  game ''
  run_for 20 "$release" sql game --ticks 2 "UPDATE chef SET speed = 9e999 - 9e999"
  exits 2 err "chef.speed must be a number, got NULL"
  game 'print(pcall(world.sql, "UPDATE chef SET speed = ?", nan))'
  run_for 20 "$release" run game --headless --ticks 4
  ! grep -q 'is NaN' err || fail "$(cat err)"
}
it "SQL does not write NaN to a field that does not permit NaN" sql

import() {
  game 'world.import("{\"entities\": [{\"components\": {\"chef\": {\"speed\": \"nan\"}}}]}")'
  run_for 20 "$release" run game --headless --ticks 4
  ! grep -q 'is NaN' err || fail "$(cat err)"
  says err "chef.speed must be a number, got nan"
}
it "world.import reports NaN in a field and does not store NaN" import

migrate() {
  game ''
  run_for 20 "$release" run game --headless --ticks 4 --save "$tmp/old.save"
  sed -i 's/speed = 84,/speed = 84, weight = 6, migrate = function(old, new, q) for i = 1, q.count do new.speed[i] = (q.count - q.count) \/ 0 end end,/' \
    game/components.lua
  run_for 20 "$release" run game --headless --ticks 6 --load "$tmp/old.save"
  ! grep -q 'is NaN' err || fail "$(cat err)"
  says err "components.lua:2: new.speed must be a number, got nan; stored 84"
}
it "NaN written by a component's migrate function is replaced with the field's default" migrate

old_values() {
  game 'for i = 1, q.count do q.chef.free[i] = nan end'
  run_for 20 "$release" run game --headless --ticks 4 --save "$tmp/old.save"
  exits 0
  rm game/systems/writer.lua
  sed -i 's/t.f32(9, { nan = true })/9/' game/components.lua
  echo 'return { query = { "chef" }, update = function(q) print("free", q.chef.free[1], q.chef.free[5]) end }' \
    >game/systems/free.lua
  run_for 20 "$release" run game --headless --ticks 6 --load "$tmp/old.save"
  exits 0 out "free	9	9"
  says err "migrated an older save: chef.free: 5 NaNs replaced by the default"
}
it "NaN in a save is replaced with the field's default if the field no longer permits NaN" old_values

refused() { # refused TYPE MESSAGE
  game ''
  printf 'local t = shoal.types\nreturn { chef = {\n  speed = %s } }\n' "$1" >game/components.lua
  run_for 20 "$release" run game --headless --ticks 1
  exits 1 err "components.lua:3: $2"
}
it "an integer field cannot permit NaN" \
  refused 't.i32(0, { nan = true })' "shoal.types.i32 cannot have nan: only t.f32, t.f64 and vectors can store NaN"
it "a field with a range cannot permit NaN" \
  refused 't.f32(0, { nan = true, min = 0 })' "shoal.types.f32 cannot have both nan and a range: a range excludes NaN"
