# The number of workers affects only the run time; hashes and errors are the same.
# needs: release sanitize
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
game=tests/scenarios/games/workers
every=40

# hashes WORKERS FOLDER TICKS [options]: runs the game and writes its hashes to $tmp/hashes_WORKERS.
hashes() {
  workers=$1 folder=$2 ticks=$3
  shift 3
  run_for 120 "${binary:-$release}" run "$folder" --headless --workers "$workers" --ticks "$ticks" --hash "every=$every" "$@"
  exits "${expected:-0}"
  grep '^tick [0-9]* hash [0-9a-f]*$' "$tmp/out" >"$tmp/hashes_$workers"
  [ -s "$tmp/hashes_$workers" ] || fail "no hashes: $(cat "$tmp/out" "$tmp/err")"
}

same() { # same FOLDER TICKS [options]
  hashes 1 "$@"
  for others in ${counts:-2 8}; do
    hashes "$others" "$@"
    cmp -s "$tmp/hashes_1" "$tmp/hashes_$others" ||
      fail "$others workers: $(diff "$tmp/hashes_1" "$tmp/hashes_$others" | head -n 4)"
  done
}

it "Asteroids gives the same hashes with 1, 2 and 8 workers" same scripts/games/asteroids 1200
counts=8 # the Lua tests take longest; --long also runs them with two workers
[ -z "$LONG" ] || counts=
it "the Lua tests give the same hashes with one and with ${counts:-2 and 8} workers" same tests/lua 100000
counts=
it "compiled loops and C managers give the same hashes with 1, 2 and 8 workers" same "$game" $((LONG ? 120 : 80))

# copy NAME: creates a copy of the game for modification.
copy() {
  rm -rf "${tmp:?}/$1"
  cp -r "$game" "$tmp/$1"
}

sanitizer_build() {
  binary=$sanitized
  hashes 3 "$game" 40
}
it "compiled loops and C managers run without sanitizer errors" sanitizer_build

# fails NAME "message" LINE: with systems/pull.lua from stdin the game must fail in the same way with any number of
# workers.
fails() {
  copy "$1"
  cat >"$tmp/$1/systems/pull.lua"
  expected=1 every=10
  for others in 1 8; do
    hashes "$others" "$tmp/$1" 10
    says err "$2" "systems/pull.lua:$3"
    cp "$tmp/err" "$tmp/said_$others"
    cmp -s "$tmp/hashes_1" "$tmp/hashes_$others" || fail "$others workers give other hashes"
    cmp -s "$tmp/said_1" "$tmp/said_$others" || fail "$others workers report something else: $(cat "$tmp/said_$others")"
  done
}

row_fails() {
  fails row_fails "row 7 of charge" 7 <<'END'
return {
  query = { "charge" },
  update = function(q)
    for i = 1, q.count do
      q.charge.exact[i] = q.charge.exact[i] + 1
      if i == 7 and q.charge.ticks[i] == 3 then
        error("row " .. i .. " of charge, at " .. tostring(q.entity[i]))
      end
      world.emit("flash", { who = q.entity[i] })
    end
  end,
}
END
}
it "an error in a row is reported for the same row and gives the same hashes with 1 and 8 workers" row_fails

# Loops that are split among workers: rows accessed directly and through a row map, rows that fall back to Lua, `many`
# components, on-demand systems. Also two concurrent systems.
split_game() {
  mkdir -p "$tmp/split/systems"
  cd "$tmp/split" || exit 1
  cat >components.lua <<'END'
local t = shoal.types
return { place = { x = 0, hits = t.i32(0) }, speed = { x = 0 }, heat = { value = 1 }, cold = { value = 1 }, missing = { value = 1 },
  gun = t.many { power = 1 }, chosen = { value = 0 } }
END
  echo 'return { rock = { components = { place = {}, speed = {}, heat = {}, cold = {} } } }' >assemblages.lua
  cat >game.lua <<'END'
return { title = "Split", start = function()
  local list = world.spawn_many("rock", 100000, function(q)
    for i = 1, q.count do q.place.x[i], q.speed.x[i] = i % 1000, i % 77 + 0.5 end
  end)
  for i = #list, 1, -2 do
    list[i]:add("chosen", { value = i })
  end
  for i = 1, #list, 4 do
    list[i]:add("gun", { power = i % 5 }, "left")
    list[i]:add("gun", { power = i % 7 }, "right")
  end
end }
END
  cat >systems/move.lua <<'END'
return { query = { "place", "speed" }, update = function(q, dt)
  local x, v = q.place.x, q.speed.x
  for i = 1, q.count do x[i] = math.sin(x[i] + v[i] * dt) * 100 end
end }
END
  cat >systems/mapped.lua <<'END'
return { after = "move", query = { "place", "chosen" }, update = function(q)
  local x, v = q.place.x, q.chosen.value
  for i = 1, q.count do v[i] = math.cos(v[i] + x[i]) * 10 end
end }
END
  cat >systems/count.lua <<'END'
return { after = "mapped", query = { "place", "heat" }, update = function(q)
  local x, hits, heat, entity = q.place.x, q.place.hits, q.heat.value, q.entity
  for i = 1, q.count do
    heat[i] = math.sin(heat[i]) + 1
    hits[i] = hits[i] + 1
    if hits[i] == 7 and i % 30011 == 5 then entity[i]:destroy() end
    if hits[i] == 14 and i == 90000 then error(("row %d of %s"):format(i, tostring(entity[i]))) end
    x[i] = x[i] + heat[i]
  end
end }
END
  cat >systems/guns.lua <<'END'
return { after = "count", query = { "gun", "speed" }, update = function(q)
  local power, v = q.gun.power, q.speed.x
  for i = 1, q.count do power[i] = math.cos(power[i] + v[i]) * 3 end
end }
END
  cat >systems/shared.lua <<'END'
return { after = "guns", query = { "gun", "speed" }, update = function(q)
  local power, v = q.gun.power, q.speed.x
  for i = 1, q.count do v[i] = v[i] * 0.5 + power[i] end
end }
END
  cat >systems/asked.lua <<'END'
return { phase = "demand", query = { "chosen" }, update = function(q, dt, arguments)
  local v = q.chosen.value
  for i = 1, q.count do v[i] = math.sin(v[i]) * arguments.power + dt end
end }
END
  echo 'return { after = "shared", update = function() world.run("asked", { power = world.tick % 9 }) end }' >systems/ask.lua
  cat >systems/follow.lua <<'END'
return { after = "ask", query = { "place", "speed" }, precision = "single", update = function(q)
  local x, v, hits, entity = q.place.x, q.speed.x, q.place.hits, q.entity
  for i = 1, q.count do
    v[i] = math.sin(v[i]) + x[i] * 0.25
    if hits[i] == 9 and i >= 70000 then v[i] = v[i] + entity[i].chosen.value + entity[i].missing.value end
  end
end }
END
  for name in heat cold; do
    cat >"systems/$name.lua" <<END
return { phase = "post_update", query = { "$name" }, update = function(q)
  local v, time = q.$name.value, world.time
  for i = 1, q.count do v[i] = math.exp(-v[i]) + time end
end }
END
  done
  cd "$root" || exit 1
}

split_loops() {
  split_game
  expected=1 every=5
  for way in 1 2 8; do
    hashes "$way" "$tmp/split" 20 --native now --explain all --stats
    says err "error in system count: systems/count.lua:7: row 90000 of entity(90000:0 rock)"
    says err "error in system follow: systems/follow.lua:5: row 70000, entity(70000:0 rock): an entity without chosen"
    cmp -s "$tmp/hashes_1" "$tmp/hashes_$way" || fail "$way workers: $(diff "$tmp/hashes_1" "$tmp/hashes_$way" | head -n 4)"
  done
  for name in move mapped count guns asked follow; do
    grep "^explain: $name " "$tmp/out" "$tmp/err" | grep -q ", [1-9][0-9]* on several workers" ||
      fail "$name was not split: $(grep "explain: $name " "$tmp/out" "$tmp/err")"
  done
  grep -q '^stats: together post_update cold, heat [0-9.]* us/run [1-9]' "$tmp/out" "$tmp/err" ||
    fail "heat and cold did not run concurrently: $(grep together "$tmp/out" "$tmp/err")"
  hashes 1 "$tmp/split" 20 --native off
  cmp -s "$tmp/hashes_1" "$tmp/hashes_8" || fail "LuaJIT: $(diff "$tmp/hashes_1" "$tmp/hashes_8" | head -n 4)"
}
it "loops split among workers give the same results as on one worker, even if a row fails" split_loops
