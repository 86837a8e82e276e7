# Games with hundreds of systems, or with thousands of components: the work and the garbage of a system, and the memory
# of a component, do not depend on their number.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

# play FOLDER TICKS [OPTIONS]: runs a game in LuaJIT, and writes its statistics to $tmp/out.
play() {
  folder=$1 ticks=$2
  shift 2
  timeout -s KILL $((20 * SLOW / 100 + 20)) "$release" run "$folder" --headless --no-watch --seed 1 --strict \
    --ticks "$ticks" --stats "$@" >"$tmp/out" 2>&1 || fail "the run failed: $(tail -n 5 "$tmp/out")"
}

# Before each system had its own loop in compiled code, three hundred systems created 500 KB of garbage per tick.
creates_no_garbage() { # creates_no_garbage FORM
  luajit tests/bench/small_systems/make.lua "$tmp/$1" 300 "$1"
  play "$tmp/$1" 600 --native off
  awk '/^stats: lua/ { found = 1; if ($3 + 0 > 4000) exit 1 } END { if (!found) exit 1 }' "$tmp/out" ||
    fail "garbage of 300 systems with 10 rows: $(grep '^stats: lua' "$tmp/out")"
}

# hash_after FOLDER OPTIONS…: prints the hash after the run.
hash_after() {
  play "$@" --hash
  grep -o 'hash [0-9a-f]*' "$tmp/out"
}

# A system with few rows runs from a list of its values; the list must be discarded when systems or entities change.
changes_apply() {
  mkdir -p "$tmp/changes/systems"
  echo 'return { title = "changes", start = function() world.spawn_many("dot", 20) end }' >"$tmp/changes/game.lua"
  echo 'return { value = { n = 0 }, log = shoal.types.single { runs = 0 } }' >"$tmp/changes/components.lua"
  echo 'return { dot = { components = { value = {} } } }' >"$tmp/changes/assemblages.lua"
  echo 'return { query = { "value" }, each = function(e) e.value.n = e.value.n + 1 end }' >"$tmp/changes/systems/add.lua"
  cat >"$tmp/changes/systems/control.lua" <<'END'
return { phase = "input", update = function()
  if world.tick == 50 then world.system("add", false) end
  if world.tick == 70 then world.system("add", true) end
  if world.tick == 90 then world.spawn_many("dot", 400) end
  if world.tick == 120 then world.each("value")():destroy() end
end }
END
  cat >"$tmp/changes/systems/sum.lua" <<'END'
return { phase = "post_update", query = { "value" }, update = function(q)
  if world.tick ~= 139 then return end
  local sum = 0
  for i = 1, q.count do sum = sum + q.value.n[i] end
  print("sum", sum)
end }
END
  for options in "--native off" "--native now" "--native swap1"; do
    # shellcheck disable=SC2086
    play "$tmp/changes" 140 $options
    grep -q '^sum.22280$' "$tmp/out" || fail "with $options: $(grep '^sum' "$tmp/out"), expected 22280"
  done
}

# A system that switches itself off must not return to the list after the run that switched it off.
switches_itself_off() {
  requires changes_apply
  mkdir -p "$tmp/once/systems"
  echo 'return { title = "once", start = function() world.spawn_many("dot", 20) end }' >"$tmp/once/game.lua"
  cp "$tmp/changes/components.lua" "$tmp/changes/assemblages.lua" "$tmp/once"
  echo 'return { query = { "value" }, update = function() print("runs", world.tick) world.system("once", false) end }' \
    >"$tmp/once/systems/once.lua"
  play "$tmp/once" 8 --check-rollback 2
  [ "$(grep -c '^runs' "$tmp/out")" -ge 1 ] && ! grep '^runs' "$tmp/out" | grep -qv '	0$' ||
    fail "a system that has switched itself off runs again: $(grep '^runs' "$tmp/out")"
}

reports_the_line() {
  mkdir -p "$tmp/fails/systems"
  echo 'return { title = "fails", start = function() world.spawn_many("dot", 3) end }' >"$tmp/fails/game.lua"
  echo 'return { value = { n = 0 } }' >"$tmp/fails/components.lua"
  echo 'return { dot = { components = { value = {} } } }' >"$tmp/fails/assemblages.lua"
  cat >"$tmp/fails/systems/bad.lua" <<'END'
return {
  query = { "value" },
  each = function(e)
    e.value.n = e.value.n + 1
    if e.value.n == 200 then e.value.m = 1 end
  end,
}
END
  "$release" run "$tmp/fails" --headless --no-watch --seed 1 --ticks 300 >"$tmp/out" 2>&1
  grep -q 'systems/bad.lua:5.*m' "$tmp/out" || fail "the error has no line: $(head -n 5 "$tmp/out")"
  grep -q "current entity: entity([1-3]:" "$tmp/out" || fail "the error has no entity: $(head -n 5 "$tmp/out")"
  [ "$(grep -c 'systems/bad.lua:5' "$tmp/out")" -le 3 ] || fail "the system was not parked: $(head -n 5 "$tmp/out")"
}

# A system with `every` runs its handlers in every tick: these runs count if there were events.
counts_runs_of_every() {
  mkdir -p "$tmp/every/systems"
  echo 'return { title = "every" }' >"$tmp/every/game.lua"
  echo 'return { rang = { n = 0 } }' >"$tmp/every/events.lua"
  echo 'return { update = function() if world.tick == 7 then world.emit("rang") end end }' >"$tmp/every/systems/a_ring.lua"
  echo 'return { every = 10, update = function() end }' >"$tmp/every/systems/b_plain.lua"
  echo 'return { every = 10, update = function() end, on = { rang = function() end } }' >"$tmp/every/systems/c_hears.lua"
  play "$tmp/every" 60
  for expected in "a_ring 60" "b_plain 6" "c_hears 7"; do
    grep -q "^stats: system update ${expected% *} [0-9.]* us/run ${expected#* } runs" "$tmp/out" ||
      fail "expected ${expected#* } runs: $(grep "update ${expected% *} " "$tmp/out")"
  done
}

names_garbage() {
  mkdir -p "$tmp/garbage/systems"
  echo 'return { title = "garbage", start = function() world.spawn_many("dot", 40) end }' >"$tmp/garbage/game.lua"
  echo 'return { value = { n = 0 }, kept = { n = 0 } }' >"$tmp/garbage/components.lua"
  echo 'return { dot = { components = { value = {}, kept = {} } } }' >"$tmp/garbage/assemblages.lua"
  cat >"$tmp/garbage/systems/label.lua" <<'END'
local function length(n)
  return #("number %d"):format(n % 1000)
end
return {
  query = { "value" },
  each = function(e)
    local list = { e.value.n, length(e.value.n) }
    table.sort(list)
    e.value.n = e.value.n + list[1]
  end,
}
END
  echo 'return { query = { "kept" }, each = function(e) e.kept.n = e.kept.n + 1 end }' >"$tmp/garbage/systems/clean.lua"
  play "$tmp/garbage" 600 --explain all
  grep -q '^garbage: label (systems/label.lua): .* a row: .*a table (systems/label.lua:7).*a string (format) (systems/label.lua:2)' \
    "$tmp/out" || fail "no such line: $(grep '^garbage' "$tmp/out")"
  ! grep -q '^garbage: clean' "$tmp/out" || fail "$(grep '^garbage: clean' "$tmp/out")"
}

# Handlers that take less than 20 us are not named, whatever they contain.
names_slow_handlers() {
  mkdir -p "$tmp/slow/systems"
  echo 'return { title = "slow", start = function() world.spawn_many("dot", 3000) world.spawn("few") end }' >"$tmp/slow/game.lua"
  echo 'return { value = { n = 0 }, few = { n = 0 } }' >"$tmp/slow/components.lua"
  echo 'return { dot = { components = { value = {} } }, few = { components = { few = {} } } }' >"$tmp/slow/assemblages.lua"
  echo 'return { rang = { n = 0 } }' >"$tmp/slow/events.lua"
  echo 'return { update = function() for i = 1, 3 do world.emit("rang", { n = i }) end end }' >"$tmp/slow/systems/a_ring.lua"
  cat >"$tmp/slow/systems/hears.lua" <<'END'
return { on = { rang = function(ev)
  for i = 1, ev.count do
    for e in world.each("value") do e.value.n = (e.value.n + ev.n[i]) % 100 end
  end
end } }
END
  cat >"$tmp/slow/systems/loops.lua" <<'END'
return { on = { rang = function(ev)
  local q = world.query { "value" }
  for k = 1, 20 do
    for i = 1, q.count do q.value.n[i] = (q.value.n[i] + ev.n[1] + k) % 100 end
  end
end } }
END
  echo 'return { update = function() for k = 1, 5 do for e in world.each("value") do e.value.n = e.value.n + k end end end }' \
    >"$tmp/slow/systems/walks.lua"
  sed 's/"value"/"few"/; s/q.value/q.few/g' "$tmp/slow/systems/loops.lua" >"$tmp/slow/systems/quick.lua"
  play "$tmp/slow" 900 --explain all
  grep -q '^explain: hears, on.rang (systems/hears.lua:1): in LuaJIT: [0-9]* us a run with 3 events, and handlers are not compiled: world.each (line 3): ' \
    "$tmp/out" || fail "no such line: $(grep '^explain' "$tmp/out")"
  grep -q '^explain: loops, on.rang .*handlers are not compiled: a loop over rows (line 4): ' "$tmp/out" ||
    fail "no such line: $(grep '^explain' "$tmp/out")"
  grep -q '^explain: walks, update .*an update without a query is not compiled: world.each (line 1): ' "$tmp/out" ||
    fail "no such line: $(grep '^explain' "$tmp/out")"
  ! grep '^explain: quick' "$tmp/out" || fail "a quick handler is named"
}

names_states() {
  mkdir -p "$tmp/states/systems"
  echo 'return { title = "states", start = function() for i = 1, 300 do world.spawn("agent", { brain = { n = i } }) end end }' \
    >"$tmp/states/game.lua"
  echo 'return { brain = { n = 0 }, idle = {}, busy = {} }' >"$tmp/states/components.lua"
  echo 'return { agent = { components = { brain = {} }, states = { initial = "rest", rest = { idle = {} }, work = { busy = {} } } } }' \
    >"$tmp/states/assemblages.lua"
  cat >"$tmp/states/systems/rest.lua" <<'END'
return { query = { "brain", "idle" }, each = function(e)
  e.brain.n = e.brain.n - 1
  if e.brain.n < 0 then e:enter(e.brain.n % 2 < 1 and "work" or "rest") end
end }
END
  long=rest_$(printf '%0100d' 0) # a system whose reasons have more than 256 bytes
  cp "$tmp/states/systems/rest.lua" "$tmp/states/systems/$long.lua"
  play "$tmp/states" 20 --explain all --native now
  grep -q "^explain: rest_0.*rows may run in Lua: e:enter (systems/$long.lua:3); .* changes in a separate system\$" \
    "$tmp/out" || fail "no such line: $(grep '^explain' "$tmp/out")"
  grep -q '^explain: rest .*rows may run in Lua: e:enter (systems/rest.lua:3); instead of systems/rest.lua:3, call it with a constant name, and queue other changes in a separate system$' \
    "$tmp/out" || fail "no such line: $(grep '^explain' "$tmp/out")"
}

names_writes_to_lists() {
  mkdir -p "$tmp/squads/systems"
  cat >"$tmp/squads/game.lua" <<'END'
return { title = "squads", start = function()
  for _ = 1, 300 do
    local squad = world.spawn("squad")
    for _ = 1, 6 do squad.squad.members:add(world.spawn("soldier")) end
  end
end }
END
  echo 'local t = shoal.types
return { squad = { members = t.list(t.entity, 8), strength = 0 }, soldier = { hp = 9 } }' >"$tmp/squads/components.lua"
  echo 'return { squad = { components = { squad = {} } }, soldier = { components = { soldier = {} } } }' \
    >"$tmp/squads/assemblages.lua"
  cat >"$tmp/squads/systems/order.lua" <<'END'
return { query = { "squad" }, each = function(e)
  local squad = e.squad
  for k = 1, #squad.members do
    local soldier = squad.members[k].soldier
    soldier.hp = soldier.hp * 0.5 + k
  end
end }
END
  sed 's/soldier.hp = .*/squad.strength = soldier.hp/' "$tmp/squads/systems/order.lua" >"$tmp/squads/systems/sum.lua"
  play "$tmp/squads" 20 --explain all --native off
  expected='handles: order (systems/order.lua): writes soldier.hp (systems/order.lua:5) of the entities in squad.members, '
  expected=$expected'in LuaJIT: let each of them refer to the owner of the list, and write in a system over { "soldier" }'
  [ "$(grep '^handles: order' "$tmp/out")" = "$expected" ] || fail "$(grep '^handles' "$tmp/out")"
  grep -q '^handles: sum (systems/sum.lua): accesses soldier.hp (systems/sum.lua:5) ' "$tmp/out" ||
    fail "$(grep '^handles' "$tmp/out")"
}

# Systems that read their own rows, columns of world.lookup, or few rows are not named.
names_reads_through_handles() {
  mkdir -p "$tmp/handles/systems"
  cat >"$tmp/handles/game.lua" <<'END'
return { title = "aims", start = function()
  local es = world.spawn_many("dot", 300)
  for i, e in ipairs(es) do e.aim.target = es[i * 7 % 300 + 1] end
  for i = 1, 20 do world.spawn("few", { few = { target = es[i] } }) end
end }
END
  echo 'local t = shoal.types
return { aim = { target = t.entity, sum = 0 }, health = { hp = 3 }, few = { target = t.entity, sum = 0 } }' \
    >"$tmp/handles/components.lua"
  echo 'return { dot = { components = { aim = {}, health = {} } }, few = { components = { few = {} } } }' \
    >"$tmp/handles/assemblages.lua"
  cat >"$tmp/handles/systems/hunt.lua" <<'END'
return { query = { "aim" }, update = function(q)
  local target, sum = q.aim.target, 0
  for i = 1, q.count do
    local e = target[i]
    sum = sum + e.health.hp
  end
  for i = 1, q.count do sum = sum + q.aim.target[i].aim.sum end
  q.aim.sum[1] = sum % 7
end }
END
  echo 'return { query = { "aim", "health" }, each = function(e)
  if e.aim.target then e.health.hp = 3 + e.aim.target.health.hp % 2 end
end }' >"$tmp/handles/systems/copy.lua"
  echo 'return { query = { "aim", "health" }, update = function(q)
  local hp, target = world.lookup("health").hp, q.aim.target
  for i = 1, q.count do q.aim.sum[i] = q.entity[i].health.hp + hp[target:raw(i)] end
  q.aim.sum[1] = q.aim.sum[1] + target[1].health.hp
end }' >"$tmp/handles/systems/direct.lua"
  echo 'return { query = { "few" }, update = function(q)
  for i = 1, q.count do q.few.sum[i] = q.few.target[i].health.hp end
end }' >"$tmp/handles/systems/small.lua"
  play "$tmp/handles" 20 --explain all --native off
  grep '^handles:' "$tmp/out" | sort >"$tmp/lines"
  sort >"$tmp/expected" <<'END'
handles: copy (systems/copy.lua): accesses health.hp (systems/copy.lua:2) through handles of other entities, in LuaJIT: use update, with world.lookup("health") once before its loop
handles: hunt (systems/hunt.lua): accesses health.hp (systems/hunt.lua:5), aim.sum (systems/hunt.lua:7) through handles of other entities, in LuaJIT: use world.lookup("health"), world.lookup("aim") once before the loop
END
  cmp -s "$tmp/lines" "$tmp/expected" || fail "expected $(cat "$tmp/expected"), got: $(cat "$tmp/lines")"
  play "$tmp/handles" 20 --explain all --native now
  ! grep -q '^handles:' "$tmp/out" || fail "native systems are named: $(grep '^handles:' "$tmp/out")"
}

# A component needs an index, its declaration and its rows, even if only three entities have it. The world took 17 MB
# with index pages of 512 entries, arrays of at least eight parts, and space for eight required components.
components_are_small() {
  mkdir -p "$tmp/components/systems"
  cat >"$tmp/components/game.lua" <<'END'
return { title = "components", tests = true, start = function()
  for i = 1, 3000 do
    for _ = 1, 3 do world.spawn("kind" .. i) end
  end
  collectgarbage()
  print("scripts", collectgarbage("count"))
end }
END
  awk 'BEGIN { print "return {"; for (i = 1; i <= 3000; ++i) print "part" i " = { x = " i ", y = 0 },"; print "}" }' \
    >"$tmp/components/components.lua"
  awk 'BEGIN { print "return {"; for (i = 1; i <= 3000; ++i) print "kind" i " = { components = { part" i " = {} } },"; print "}" }' \
    >"$tmp/components/assemblages.lua"
  play "$tmp/components" 10
  awk '/^stats: memory/ { found = 1; if ($3 + 0 > 11) exit 1 } END { if (!found) exit 1 }' "$tmp/out" ||
    fail "the world of 3,000 components: $(grep '^stats: memory' "$tmp/out")"
  # Lua took 29 MB before the tables and the generated code of a component were reduced.
  awk '/^scripts/ { found = 1; if ($2 + 0 > 22000) exit 1 } END { if (!found) exit 1 }' "$tmp/out" ||
    fail "KB of the scripts with 3,000 components: $(grep '^scripts' "$tmp/out")"
}

# The first calls for a component loop over its fields; later calls run generated code. Each case sets the same
# values in two components, of which only one has generated code, and compares the values and messages.
sets_alike() {
  mkdir -p "$tmp/alike/systems"
  echo 'return { title = "alike" }' >"$tmp/alike/game.lua"
  cat >"$tmp/alike/components.lua" <<'END'
local t, out = shoal.types, {}
local function fields()
  return { f = t.f32(0.5, { min = -1, max = 1 }), i = t.i32(3, { min = -5, max = 5 }), i8 = t.i8(1), u8 = t.u8(2),
    i32 = t.i32(3), u32 = t.u32(4), d = t.f64(0, { nan = true }), plain = 0, flag = t.bool(true), s = t.string "text",
    n = t.enum { "one", "two" }, e = t.entity, v2 = t.vec2(1, 2, { min = 0, max = 9 }), v4 = t.vec4(1, 2, 3, 4),
    q = t.quat, m = t.mat4, list = t.list(t.i32(1, { min = 1, max = 6 }), 3), names = t.list(t.string, 2),
    deep = { x = 1, inner = { y = t.u8(2) } } }
end
for i = 1, 100 do out["cold" .. i] = fields() end
out.warm = fields()
return out
END
  cat >"$tmp/alike/systems/compare.lua" <<'END'
local function proxy(values) return setmetatable({}, { __index = values }) end
local nan = 0 / 0
local CASES = {
  {}, { f = 0.25, i = 2, i8 = 3, plain = 7 }, { f = 2 }, { f = -1.5 }, { f = nan }, { f = "1" }, { i = 5.9 }, { i = 6 },
  { i = -5.5 }, { i = nan }, { i8 = 127.5 }, { i8 = 128 }, { i8 = -128.5 }, { i8 = -129 }, { i8 = 1e300 },
  { u8 = -0.5 },
  { u8 = 255.5 }, { u8 = 256 }, { u8 = nan }, { i32 = 2147483647.5 }, { i32 = -2147483648.5 }, { i32 = 1e10 },
  { u32 = 4294967295 }, { u32 = -1 }, { u32 = {} }, { d = nan }, { d = 1 / 0 }, { plain = nan }, { plain = "x" },
  { plain = true }, { flag = false }, { flag = 1 }, { s = "hello" }, { s = 5 }, { s = {} }, { n = "two" },
  { n = "six" },
  { n = 1 }, { e = "me" }, { v2 = { 3, 4 } }, { v2 = { x = 5 } }, { v2 = { 3, "y" } }, { v2 = { 10, -1 } }, { v2 = 3 },
  { v2 = shoal.vec2(6, 7) }, { v2 = shoal.vec3(6, 7, 8) }, { v2 = proxy { 2, 3 } }, { v2 = { y = nan } },
  { v4 = "#ff8000" }, { v4 = "#f" }, { v4 = { r = 1, a = 2 } }, { q = shoal.vec4(0, 0, 0, 1) }, { m = {} },
  { list = { 1, 2 } }, { list = { 9 } }, { list = { nan } }, { list = { 1, 2, 3, 4 } }, { list = 1 },
  { list = { "a" } }, { list = { [2] = 1 } }, { names = { "a", "b" } }, { names = proxy { "c" } },
  { deep = { x = 4 } }, { deep = { z = 1 } },
  { deep = { inner = { y = 300 } } }, { deep = { inner = 5 } }, { deep = proxy { x = 9 } }, proxy { f = 0.75, s = "p" },
  proxy { zzz = 1 }, { zzz = 1 }, { f = 1, zzz = 1 }, { [1] = 2 }, { ["deep.x"] = 8 }, { F = 1 }, 5, "text", true,
  { f = 0.1, i = 1, i8 = 1, u8 = 1, i32 = 1, u32 = 1, d = 1, plain = 1, flag = true, s = "", n = "one", extra = 1 },
}
local function read(e, name)
  local c, out = e[name], {}
  for _, field in ipairs { "f", "i", "i8", "u8", "i32", "u32", "d", "plain", "flag", "s", "n" } do
    local v = c[field]
    out[#out + 1] = type(v) == "number" and ("%.17g"):format(v) or tostring(v)
  end
  for _, v in ipairs { c.v2.x, c.v2.y, c.v4.x, c.v4.y, c.v4.z, c.v4.w, c.q.x, c.q.w, c.deep.x, c.deep.inner.y, #c.list,
    c.list[1] or 0, c.list[2] or 0, #c.names } do
    out[#out + 1] = ("%.17g"):format(v)
  end
  return table.concat(out, " ") .. tostring(c.names[1])
end
local function set(e, name, values)
  local ok, text = pcall(e.set, e, name, values)
  return (tostring(ok) .. " " .. tostring(text)):gsub(name, "NAME"):gsub("entity%b()", "ENTITY")
end
return { start = function()
  local different = 0
  for i, values in ipairs(CASES) do
    local cold, name = world.spawn(nil, { ["cold" .. i] = {} }), "cold" .. i
    for _ = 1, 20 do world.spawn(nil, { warm = { plain = 1 } }):destroy() end
    local warm = world.spawn(nil, { warm = {} })
    local a, b = set(cold, name, values), set(warm, "warm", values)
    a, b = a .. " " .. read(cold, name), b .. " " .. read(warm, "warm")
    if a ~= b then
      different = different + 1
      print("case " .. i, a, b)
    end
  end
  print(#CASES .. " cases, " .. different .. " different")
end }
END
  "$release" run "$tmp/alike" --headless --no-watch --seed 1 --ticks 2 >"$tmp/out" 2>&1
  grep -q '^[0-9]* cases, 0 different$' "$tmp/out" || fail "$(cat "$tmp/out")"
}

# Each of the 100 rows changes 20 numbers of a list, which takes more than a microsecond in LuaJIT.
compiles_few_slow_rows() {
  mkdir -p "$tmp/few/systems"
  echo 'return { title = "few", start = function() world.spawn_many("town", 100) end }' >"$tmp/few/game.lua"
  cat >"$tmp/few/components.lua" <<'END'
local t, ones = shoal.types, {}
for i = 1, 20 do ones[i] = 1 end
return { stock = { sum = t.i32(0), amounts = t.list(t.i32, 20, ones) } }
END
  echo 'return { town = { components = { stock = {} } } }' >"$tmp/few/assemblages.lua"
  cat >"$tmp/few/systems/slow.lua" <<'END'
return { query = { "stock" }, each = function(e)
  local sum = 0
  for k = 1, #e.stock.amounts do
    e.stock.amounts[k] = (e.stock.amounts[k] * 7 + e.stock.sum + k) % 101
    sum = sum + e.stock.amounts[k]
  end
  e.stock.sum = sum % 1000
end }
END
  cat >"$tmp/few/systems/slow_update.lua" <<'END'
return { query = { "stock" }, update = function(q)
  for i = 1, q.count do
    local amounts = q.stock.amounts[i]
    for k = 1, #amounts do amounts[k] = (amounts[k] * 3 + q.stock.sum[i] + k) % 101 end
  end
end }
END
  echo 'return { query = { "stock" }, each = function(e) e.stock.sum = (e.stock.sum + 1) % 1000 end }' \
    >"$tmp/few/systems/quick.lua"
  for ticks in 600 1200 4000; do
    native=$(hash_after "$tmp/few" "$ticks" --explain all)
    if grep -q 'nothing is compiled\|LLVM is not installed' "$tmp/out"; then skip "LLVM is not installed"; fi
    [ "$(grep -c '^explain: slow.*: \(native\|in LuaJIT, faster than machine code\), ' "$tmp/out")" = 2 ] && break
  done
  [ "$(grep -c '^explain: slow.*: \(native\|in LuaJIT, faster than machine code\), ' "$tmp/out")" = 2 ] ||
    fail "the slow systems were not compiled: $(grep '^explain' "$tmp/out")"
  grep -q '^explain: quick .*fewer than 256 rows so far, and less than 30 us a run' "$tmp/out" ||
    fail "the quick system was compiled: $(grep '^explain' "$tmp/out")"
  [ "$native" = "$(hash_after "$tmp/few" "$ticks" --native off)" ] || fail "the native run differs: $native"
}

# A list of a component is no table, so the advice for tables would not help.
names_lists_under_ipairs() {
  mkdir -p "$tmp/lists/systems"
  echo 'return { title = "lists", start = function() world.spawn_many("town", 300) end }' >"$tmp/lists/game.lua"
  echo 'local t = shoal.types return { stock = { sum = t.i32(0), amounts = t.list(t.i32, 4, { 1, 2 }) } }' \
    >"$tmp/lists/components.lua"
  echo 'return { town = { components = { stock = {} } } }' >"$tmp/lists/assemblages.lua"
  cat >"$tmp/lists/systems/by_ipairs.lua" <<'END'
return { query = { "stock" }, each = function(e)
  local sum = 0
  for _, amount in ipairs(e.stock.amounts) do sum = sum + amount end
  e.stock.sum = sum
end }
END
  sed 's/for _, amount in ipairs(e.stock.amounts) do/for k = 1, #e.stock.amounts do local amount = e.stock.amounts[k]/' \
    "$tmp/lists/systems/by_ipairs.lua" >"$tmp/lists/systems/by_number.lua"
  play "$tmp/lists" 3 --native now --explain all
  if grep -q 'nothing is compiled\|LLVM is not installed' "$tmp/out"; then skip "LLVM is not installed"; fi
  grep -q '^explain: by_ipairs (systems/by_ipairs.lua:3): in LuaJIT: ipairs over the list .*amounts: use for k = 1, #list do' \
    "$tmp/out" || fail "the advice is missing: $(grep '^explain' "$tmp/out")"
  grep -q '^explain: by_number .*: native, ' "$tmp/out" || fail "the advice does not help: $(grep '^explain' "$tmp/out")"
}

it '300 systems with `each` create at most 4 KB of garbage per tick' creates_no_garbage each
it '300 systems with `update` create at most 4 KB of garbage per tick' creates_no_garbage update
it "a system with few rows can be switched off and on, and processes added and removed rows" changes_apply
it "a system that switches itself off does not run again" switches_itself_off
it "an error after many runs over few rows is reported with line and entity, and parks the system" reports_the_line
it '--stats counts the runs of a system with `every` that call update or an event handler' counts_runs_of_every
it "--explain names the lines of a system that create garbage" names_garbage
it "a system over 100 rows whose runs take 30 us or more is compiled" compiles_few_slow_rows
it "--explain suggests a loop that can be compiled in place of ipairs over a list" names_lists_under_ipairs
it "--explain names the lines of a loop that access other entities through handles" names_reads_through_handles
it "--explain names slow event handlers with their time, and no quick handlers" names_slow_handlers
it "--explain suggests e:enter with a constant name, which can be compiled" names_states
it "--explain suggests references to a list's owner for writes to the entities in the list" names_writes_to_lists
it "3,000 components with three entities each take at most 11 MB in the world and 22 MB in Lua" \
  components_are_small
it "e:set checks and stores values in the same way with and without generated code" sets_alike

# Iterators of world.each in a different system: passed to a loop over a query, and continued by a later system.
iterators_keep_their_entities() {
  mkdir -p "$tmp/passed/systems"
  cat >"$tmp/passed/game.lua" <<'END'
return { title = "Passed", start = function()
  for i = 1, 20 do world.spawn("unit", { health = { hp = i } }) end
  for i = 1, 5 do world.spawn("other", { health = { hp = 100 + i } }) end
end }
END
  echo 'return { health = { hp = 0 }, mark = { n = 1 }, tag = {} }' >"$tmp/passed/components.lua"
  echo 'return { unit = { components = { health = {}, mark = {} } }, other = { components = { health = {}, tag = {} } } }' \
    >"$tmp/passed/assemblages.lua"
  echo 'return shoal.cache(function() return {} end)' >"$tmp/passed/shared.lua"
  cat >"$tmp/passed/systems/a.lua" <<'END'
local shared = require("shared")
return { update = function()
  local sums = {}
  world.run("reads", { it = world.each("tag"), sums = sums })
  world.run("writes", { it = world.each("tag"), sums = sums })
  print("passed", sums.read, sums.written)
  shared.wrapped = coroutine.wrap(function()
    for e in world.each("health", "mark") do coroutine.yield(e.health.hp) end
  end)
  shared.next = world.each("health", "mark")
  for _ = 1, 3 do shared.wrapped() shared.next() end
  shared.kept = world.each("health", "mark")
  for _ in shared.kept do break end
  shared.broken, shared.loop = world.each("health", "mark")
  for _ in shared.broken, shared.loop do break end
end }
END
  cat >"$tmp/passed/systems/reads.lua" <<'END'
return { phase = "demand", query = { "health", "mark" }, each = function(e, dt, args)
  for o in args.it do args.sums.read = (args.sums.read or 0) + o.health.hp end
end }
END
  cat >"$tmp/passed/systems/writes.lua" <<'END'
return { phase = "demand", query = { "mark" }, each = function(e, dt, args)
  for o in args.it do
    if pcall(function() o.mark.n = 12345 end) then args.sums.written = (args.sums.written or 0) + 1 end
  end
end }
END
  cat >"$tmp/passed/systems/b.lua" <<'END'
local shared = require("shared")
return { after = "a", update = function()
  local wrapped, continued, kept = 0, 0, shared.kept().health.hp
  local ok, problem = pcall(function()
    for _ in shared.broken, shared.loop do print("continued a loop that ended") end
  end)
  print("kept", kept, ok, problem:match("ended with the run of its system"))
  for _ in world.each("tag") do wrapped, continued = wrapped + shared.wrapped(), continued + shared.next().health.hp end
  print("continued", wrapped, continued)
end }
END
  run_for 60 "$release" run "$tmp/passed" --headless --no-watch --strict --ticks 3
  exits 0
  [ "$(grep -c "^passed	515	nil$" "$tmp/out")" = 3 ] || fail "$(cat "$tmp/out")"
  [ "$(grep -c "^continued	30	30$" "$tmp/out")" = 3 ] || fail "$(cat "$tmp/out")"
  [ "$(grep -c "^kept	2	false	ended with the run of its system$" "$tmp/out")" = 3 ] || fail "$(cat "$tmp/out")"
}
it "a world.each iterator visits the same entities in different systems and coroutines" iterators_keep_their_entities

# If these loops left their iterators to the collector, each run would create new iterators: 16 KB per tick.
broken_loops_create_no_garbage() {
  mkdir -p "$tmp/broken/systems"
  echo 'return { title = "Broken", start = function() world.spawn_many("unit", 12) end }' >"$tmp/broken/game.lua"
  echo 'return { health = { hp = 0 }, mark = { n = 1 } }' >"$tmp/broken/components.lua"
  echo 'return { unit = { components = { health = {}, mark = {} } } }' >"$tmp/broken/assemblages.lua"
  cat >"$tmp/broken/systems/search.lua" <<'END'
return { update = function()
  for e in world.each("health", "mark") do e.health.hp = e.health.hp + 1 break end
  for e in world.each("health") do
    if e.mark.n == 1 then e.health.hp = e.health.hp + 1 break end
  end
  for e in world.each("mark") do e.mark.n = 1 break end
  for e in world.each("mark", "health") do
    for other in world.each("health") do
      if other ~= e then break end
    end
    break
  end
end }
END
  play "$tmp/broken" 600
  awk '/^stats: lua/ { found = 1; if ($3 + 0 > 1000) exit 1 } END { if (!found) exit 1 }' "$tmp/out" ||
    fail "garbage of five loops that end with break: $(grep '^stats: lua' "$tmp/out")"
}
it "loops of world.each that end with break create at most 1 KB of garbage per tick" broken_loops_create_no_garbage

# If finished loops kept their iterators until the next run, 100 loops would exceed the pool and create new iterators:
# 20 KB per tick.
finished_loops_create_no_garbage() {
  mkdir -p "$tmp/finished/systems"
  echo 'return { title = "Finished", start = function() world.spawn_many("unit", 12) end }' >"$tmp/finished/game.lua"
  echo 'return { health = { hp = 0 } }' >"$tmp/finished/components.lua"
  echo 'return { unit = { components = { health = {} } } }' >"$tmp/finished/assemblages.lua"
  cat >"$tmp/finished/systems/heal.lua" <<'END'
return { update = function()
  for i = 1, 100 do
    for e in world.each("health") do e.health.hp = e.health.hp + i end
  end
end }
END
  play "$tmp/finished" 600
  awk '/^stats: lua/ { found = 1; if ($3 + 0 > 1000) exit 1 } END { if (!found) exit 1 }' "$tmp/out" ||
    fail "garbage of 100 loops: $(grep '^stats: lua' "$tmp/out")"
}
it "a hundred loops of world.each in one run create at most 1 KB of garbage per tick" finished_loops_create_no_garbage
