# Native systems compute the same values as Lua: random systems over special numbers (tests/native) and whole games give
# the same world in every tick, whether they are interpreted, compiled by LuaJIT, or native with narrow or wide vectors.
# Runs 20 systems and 640 small programs with fixed seeds; 4,000 and 100,160 with --long.
# needs: release checked sanitize
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

export XDG_CACHE_HOME="$tmp/cache"
seeds=1 proofs=3 smalls=2 # smalls: number of batches of 320 small programs
[ -z "$LONG" ] || seeds=200 proofs=400 smalls=313

# world GAME TICKS FILE [options]: writes the world's hash of each tick to FILE, one per line.
world() {
  game=$1 ticks=$2 file=$3
  shift 3
  timeout -k 2 $((6 * SLOW)) "$release" run "$game" --headless --no-watch --seed 1 --budget 0 --ticks "$ticks" --hash every=1 \
    --log none "$@" >"$tmp/$file" 2>"$tmp/$file.err" </dev/null || fail "$game: $(tail -n 5 "$tmp/$file.err")"
  [ "$(grep -c '^tick' "$tmp/$file")" = "$ticks" ] || fail "$game: $(tail -n 5 "$tmp/$file")"
}

# Prints why this machine cannot compile systems; prints nothing if LLVM is installed.
missing_llvm() {
  world tests/bench/iterate 2 explained --native now --explain all
  grep -o -m 1 'nothing is compiled.*\|LLVM is not installed.*' "$tmp/explained"
}
no_llvm=$(missing_llvm) || true
needs_llvm() { [ -z "$no_llvm" ] || skip "$no_llvm"; }

hashes() { grep '^tick' "$tmp/$1"; }
same_world() { # same_world FILE NAME
  [ "$(hashes "$1")" = "$(hashes lua)" ] || fail "$2: $(hashes "$1" | head -n 3), and not $(hashes lua | head -n 3)"
}

programs() {
  rm -rf "$tmp/native" && cp -r tests/native "$tmp/native"
  for seed in $(seq "$seeds"); do
    echo "return $seed" >"$tmp/native/seed.lua"
    world "$tmp/native" 2 lua --native off
    world "$tmp/native" 2 interpreted --no-jit
    world "$tmp/native" 2 wide --native now --explain all
    world "$tmp/native" 2 narrow --native sse2,now,split --workers 3
    same_world interpreted "seed $seed, interpreted"
    same_world wide "seed $seed, native"
    same_world narrow "seed $seed, native with SSE2"
    [ -z "$no_llvm" ] || continue
    [ "$(grep -c ': native, ' "$tmp/wide")" -ge 18 ] || fail "seed $seed: $(grep 'in LuaJIT' "$tmp/wide")"
    ! grep ': 0 runs' "$tmp/wide" || fail "seed $seed: some native code never ran"
  done
  needs_llvm
}
it "random systems produce the same world interpreted, compiled by LuaJIT and native" programs

range_checks() {
  rm -rf "$tmp/questions" && cp -r tests/native "$tmp/questions"
  for seed in $(seq "$proofs"); do
    echo "return $((1000000 + seed))" >"$tmp/questions/seed.lua"
    world "$tmp/questions" 2 lua --no-jit
    world "$tmp/questions" 2 wide --native now --explain all
    same_world wide "seed $((1000000 + seed))"
    [ -z "$no_llvm" ] || continue
    [ "$(grep -c ': native, ' "$tmp/wide")" = 20 ] || fail "seed $seed: $(grep 'in LuaJIT' "$tmp/wide")"
  done
  needs_llvm
}
it "random systems with range checks of integers produce the same world interpreted and native" range_checks

side_exits() {
  rm -rf "$tmp/exits" && cp -r tests/native "$tmp/exits"
  for seed in $(seq 2000001 $((2000000 + seeds))); do
    echo "return $seed" >"$tmp/exits/seed.lua"
    world "$tmp/exits" 4 lua --no-jit
    world "$tmp/exits" 4 wide --native now --explain all
    world "$tmp/exits" 4 narrow --native sse2,now,split --workers 8
    same_world wide "seed $seed"
    same_world narrow "seed $seed, on 8 workers with SSE2"
    [ -n "$no_llvm" ] || [ "$(grep -c 'in Lua, after all other rows' "$tmp/wide")" -ge 7 ] || fail "seed $seed: $(cat "$tmp/wide")"
  done
  needs_llvm
}
it "native systems with side exits execute random world commands in row order, queued and in place" side_exits

# agrees FILE SEED: fails unless FILE has the same hashes as the corresponding run in Lua.
agrees() {
  [ "$(hashes "$1")" = "$(hashes "${1%.*}.lua")" ] || fail "seed -$2, ${1#*.}: $(hashes "$1"), and not $(hashes "${1%.*}.lua")"
}

# compare_small_programs NAME FROM STEP: runs every STEPth program interpreted, native (in a sanitizer build with
# --long, otherwise only the first) and native with SSE2; every fourth also compiled by LuaJIT, which is the slowest.
compare_small_programs() {
  at=$tmp/$1
  for seed in $(seq "$2" "$3" "$smalls"); do
    rm -rf "$at" && cp -r tests/native "$at"
    echo "return -$seed" >"$at/seed.lua"
    world "$at" 2 "$1.lua" --no-jit
    if [ -n "$LONG" ] || [ "$seed" = 1 ]; then
      (release=$sanitized && world "$at" 2 "$1.wide" --native now) || exit 1
    else
      world "$at" 2 "$1.wide" --native now
    fi
    agrees "$1.wide" "$seed"
    if [ -z "$LONG" ] || [ $((seed % 5)) = 0 ]; then
      world "$at" 2 "$1.narrow" --native sse2,now,split --workers 3 && agrees "$1.narrow" "$seed"
    fi
    if [ $((seed % 4)) = 2 ]; then
      world "$at" 2 "$1.compiled" --native off && agrees "$1.compiled" "$seed"
    fi
  done
}

small_programs() {
  compare_small_programs odd 1 2 &
  compare_small_programs even 2 2 || exit 1
  wait $! || exit 1
  needs_llvm
}
it "small random programs produce the same world interpreted, compiled by LuaJIT and native, without sanitizer errors" small_programs

games() {
  for game in tests/bench/frame7 tests/bench/iterate scripts/games/asteroids scripts/examples/neighbours; do
    world "$game" 40 lua --native off
    for mode in now sse2,now on; do
      world "$game" 40 other --native $mode --workers 2
      same_world other "$game, --native $mode"
    done
  done
  needs_llvm
}
it "games produce the same hashes with and without native systems" games

# Compares the world of LuaJIT alone with those of settings that must not change it: switching at random between native
# code and LuaJIT in each run (swap), discarding and recompiling code, wider vectors, older processors, the interpreter,
# the number of workers, asserts.
OLD=glibc.cpu.hwcaps
compare_settings() { # compare_settings GAME TICKS
  world "$1" "$2" lua --native off
  set -- "$1" "$2" now,swap1 sse2,now,swap2 on,swap3
  [ -z "$LONG" ] || set -- "$@" now,swap4 now,swap5 now sse2,now on avx2,swap6
  game=$1 ticks=$2
  shift 2
  for mode; do
    world "$game" "$ticks" other --native "$mode" --workers 8
    same_world other "$game, --native $mode"
  done
  for tunables in $OLD=-AVX2,-FMA $OLD=-FMA,-FMA4,-AVX2,-AVX2_Usable,-FMA_Usable $OLD=-AVX,-AVX2,-SSE4_2,-ERMS; do
    (export GLIBC_TUNABLES=$tunables; world "$game" "$ticks" other --native now,swap1) || exit 1
    same_world other "$game, $tunables"
    [ -n "$LONG" ] || break
  done
  [ -n "$LONG" ] || return 0
  for workers in 1 2; do
    world "$game" "$ticks" other --native now --workers "$workers"
    same_world other "$game, $workers workers"
  done
  world "$game" "$ticks" other --no-jit
  same_world other "$game, interpreted"
  (release=$checked; world "$game" "$ticks" other --native now,swap1) || exit 1
  same_world other "$game, with asserts"
}

settings_do_not_matter() {
  if [ -z "$LONG" ]; then
    compare_settings scripts/games/asteroids 30
    compare_settings scripts/examples/boids 20
    needs_llvm
    return 0
  fi
  for game in scripts/games/* scripts/examples/*; do
    case $game in */native) continue ;; esac # runs only with its library
    [ -e "$game/game.lua" ] || continue      # a folder that contains the steps of a tour
    compare_settings "$game" 100
  done
}
it "switching at random between native code and LuaJIT leaves the hashes unchanged" settings_do_not_matter

# A small game whose native loops have side exits: some rows run in Lua between native rows, in row order.
side_exits_in_order() {
  mkdir -p "$tmp/left/systems"
  echo 'return { counter = { components = { counter = {} } } }' >"$tmp/left/assemblages.lua"
  echo 'local t = shoal.types return { counter = { n = t.u8(0), at = 0, all = t.i32(0) }, said = t.single { n = 0 } }' \
    >"$tmp/left/components.lua"
  echo 'return { fell = { n = 0 } }' >"$tmp/left/events.lua"
  cat >"$tmp/left/game.lua" <<'END'
return {
  start = function()
    for i = 1, 3000 do
      world.spawn("counter", { counter = { n = i % 256, at = i % 17 } })
    end
  end,
}
END
  cat >"$tmp/left/systems/count.lua" <<'END'
return {
  query = { "counter" },
  each = function(e, dt)
    e.counter.n = e.counter.n + 1 - e.counter.n * 0
    e.counter.all = e.counter.all + e.counter.n
    if e.counter.n == 40 and e.counter.at > 15 then
      world.emit("fell", { n = e.counter.at })
      e:destroy()
    end
  end,
}
END
  cat >"$tmp/left/systems/plain.lua" <<'END'
return {
  query = { "counter" },
  update = function(q, dt)
    for i = 1, q.count do
      q.counter.at[i] = q.counter.at[i] * 0.75 + dt
      q.counter.n[i] = q.counter.n[i] + 60
    end
  end,
}
END
  cat >"$tmp/left/systems/hear.lua" <<'END'
return { on = { fell = function(ev)
  for i = 1, ev.count do
    world.single.said.n = world.single.said.n * 0.5 + ev.n[i]
  end
end } }
END
  world "$tmp/left" 30 lua --native off
  for mode in sse2,now on now; do
    world "$tmp/left" 30 other --native $mode --explain all
    same_world other "--native $mode"
  done
  needs_llvm
  grep -q 'explain: count .*native, .* [1-9][0-9]* of them in Lua' "$tmp/other" || fail "$(grep explain "$tmp/other")"
  grep -q 'explain: plain .*native, .* [1-9][0-9]* of them in Lua' "$tmp/other" || fail "$(grep explain "$tmp/other")"
}
it "rows that fall back to Lua run in row order" side_exits_in_order

# Rows write to a singleton, and the last row falls back to Lua. The native code of earlier rows must not overwrite the
# value that the last row writes.
last_row_in_lua() {
  mkdir -p "$tmp/last/systems"
  echo 'return { counter = { components = { counter = {} } } }' >"$tmp/last/assemblages.lua"
  echo 'local t = shoal.types return { counter = { n = 0 }, said = t.single { n = 0, sum = 0 } }' >"$tmp/last/components.lua"
  echo 'return { fell = { n = 0 } }' >"$tmp/last/events.lua"
  cat >"$tmp/last/game.lua" <<'END'
return {
  start = function()
    world.spawn_many("counter", 300, function(q)
      for i = 1, q.count do q.counter.n[i] = i end
    end)
  end,
}
END
  cat >"$tmp/last/systems/write.lua" <<'END'
return {
  query = { "counter" },
  update = function(q)
    for i = 1, q.count do
      world.single.said.n = q.counter.n[i]
      world.single.said.sum = world.single.said.sum * 0.5 + q.counter.n[i]
      if q.counter.n[i] % 100 == 0 then world.emit("fell", { n = q.counter.n[i] }) end
    end
  end,
}
END
  world "$tmp/last" 5 lua --native off
  for mode in sse2,now now; do
    world "$tmp/last" 5 other --native $mode --explain write
    same_world other "--native $mode"
  done
  needs_llvm
  grep -q 'explain: write .*native, .* [1-9][0-9]* of them in Lua' "$tmp/other" || fail "$(grep explain "$tmp/other")"
}
it "a singleton keeps the value of the last row if that row falls back to Lua" last_row_in_lua

# A system spawns an entity and runs systems on demand that read it: rows that refer to it run in Lua.
queued_spawns() {
  mkdir -p "$tmp/queued/systems"
  echo 'return { counter = { components = { counter = {} } }, one = { components = { power = {} },
    states = { initial = "new", new = {} } } }' >"$tmp/queued/assemblages.lua"
  echo 'return { counter = { n = 0, other = shoal.types.entity }, power = { n = 0 } }' >"$tmp/queued/components.lua"
  echo 'return { start = function() world.spawn_many("counter", 300) end }' >"$tmp/queued/game.lua"
  cat >"$tmp/queued/systems/spawn.lua" <<'END'
return { query = { "counter" }, update = function(q)
  local one = world.spawn("one", { power = { n = world.tick + 2 } })
  for i = 1, q.count do
    if i % 3 == 0 then q.counter.other[i] = one end
  end
  world.run("field")
  world.run("lookup")
  if q.counter.n[3] < 5 or q.counter.n[2] ~= world.tick * 0.25 + 0.25 then error("wrong sum: " .. q.counter.n[3]) end
  one:remove("power")
  world.run("has")
  one:destroy()
end }
END
  cat >"$tmp/queued/systems/field.lua" <<'END'
return { phase = "demand", query = { "counter" }, each = function(e)
  local other = e.counter.other
  if other:alive() then
    e.counter.n = e.counter.n * 0.5 + other.power.n
    if other:state() == "new" then e.counter.n = e.counter.n + 1 end
  end
end }
END
  cat >"$tmp/queued/systems/lookup.lua" <<'END'
return { phase = "demand", query = { "counter" }, update = function(q)
  local power = world.lookup("power")
  for i = 1, q.count do
    q.counter.n[i] = q.counter.n[i] + (power.n[q.counter.other:raw(i)] or 0.25)
  end
end }
END
  cat >"$tmp/queued/systems/has.lua" <<'END'
return { phase = "demand", query = { "counter" }, each = function(e)
  local other = e.counter.other
  if other:alive() then e.counter.n = e.counter.n + (other:has("power") and 64 or 8) end
end }
END
  world "$tmp/queued" 5 lua --native off
  for mode in sse2,now now; do
    world "$tmp/queued" 5 other --native $mode --explain all
    same_world other "--native $mode"
  done
  needs_llvm
  for system in field has; do
    grep -q "explain: $system .*native, .* [1-9][0-9]* of them in Lua" "$tmp/other" || fail "$(grep explain "$tmp/other")"
  done
}
it "native systems read an entity whose spawn is queued as Lua does" queued_spawns

explains_luajit() {
  mkdir -p "$tmp/refused/systems"
  cp "$tmp/left/components.lua" "$tmp/left/assemblages.lua" "$tmp/left/events.lua" "$tmp/left/game.lua" "$tmp/refused"
  cat >"$tmp/refused/systems/sum.lua" <<'END'
return {
  query = { "counter" },
  update = function(q)
    for i = 1, q.count do
      q.counter.all[i] = world.tick
      world.emit("fell", { n = i })
    end
  end,
}
END
  world "$tmp/refused" 2 other --native now --explain sum
  grep -q 'explain: sum (systems/sum.lua:[456]): in LuaJIT: every row runs in Lua: .*world.emit' "$tmp/other" ||
    [ -n "$no_llvm" ] || fail "$(grep explain "$tmp/other")"
  ! "$release" run "$tmp/refused" --headless --ticks 1 --native fast >/dev/null 2>"$tmp/err" || fail "--native fast was accepted"
  grep -q 'native must be on, off, now, sse2, avx2 or avx512, or several of these separated by commas, got fast' "$tmp/err" || fail "$(cat "$tmp/err")"
}
it "--explain names the line that prevents a system from running natively" explains_luajit

# Loops whose rows depend on each other or are not consecutive: random numbers, writes to other rows, every nth row, and
# values that are nil at first.
ordered_loops() {
  mkdir -p "$tmp/ordered/systems"
  cat >"$tmp/ordered/components.lua" <<'END'
local t = shoal.types
return { dot = { x = 0, y = 0, cell = t.i32(0), following = t.i32(0), luck = t.i32(0), goal = t.entity, hits = t.u8(0) },
  cell = { first = t.i32(0), count = t.i32(0), colour = t.u8(0), seen = false, by = 0 },
  found = t.single { x = 0, who = t.entity } }
END
  echo 'return { dot = { components = { dot = {} } }, cell = { components = { cell = {} } } }' \
    >"$tmp/ordered/assemblages.lua"
  cat >"$tmp/ordered/game.lua" <<'END'
return { start = function()
  local all = world.spawn_many("dot", 400)
  for i, e in ipairs(all) do
    e.dot.x, e.dot.y = i * 7 % 100, i * 13 % 70
    if i % 11 > 0 then e.dot.goal = all[i * 31 % 400 + 1] end
  end
  for i = 5, 400, 40 do all[i]:destroy() end
  world.spawn_many("cell", 70)
end }
END
  cat >"$tmp/ordered/systems/grid.lua" <<'END'
return {
  queries = { dots = { "dot" }, cells = { "cell" } },
  update = function(q)
    local x, y, cell, following = q.dots.dot.x, q.dots.dot.y, q.dots.dot.cell, q.dots.dot.following
    local first, count = q.cells.cell.first, q.cells.cell.count
    for c = 1, q.cells.count do first[c], count[c] = 0, 0 end
    for i = 1, q.dots.count do
      local c = math.floor(y[i] / 10) * 10 + math.floor(x[i] / 10) + 1
      cell[i], following[i], first[c] = c, first[c], i
      count[c] = count[c] + 1
    end
  end,
}
END
  cat >"$tmp/ordered/systems/walk.lua" <<'END'
return {
  after = "grid",
  query = { "dot" },
  each = function(e, dt)
    local dot = e.dot
    dot.x = (dot.x + world.random() - 0.5) % 100
    if dot.luck < 3 then dot.luck = world.random(6) - (dot.y > 30 and world.random(-2, 2) or 0) end
    dot.y = (dot.y + world.random(0.5, 1.5) * dt) % 70
  end,
}
END
  cat >"$tmp/ordered/systems/strike.lua" <<'END'
return {
  after = "walk",
  query = { "dot" },
  each = function(e)
    local other = world.lookup("dot")
    local hits = other.hits[e.dot.goal]
    if hits then
      other.hits[e.dot.goal] = (hits + 1) % 200
      e.dot.goal.dot.luck = e.dot.luck - e.dot.hits
    end
  end,
}
END
  cat >"$tmp/ordered/systems/nearest.lua" <<'END'
return {
  after = "strike",
  query = { "dot" },
  update = function(q)
    local x, y, who, least = q.dot.x, q.dot.y, nil, math.huge
    for i = 1 + world.tick % 3, q.count, 3 do
      local far = math.abs(x[i] - 50) + math.abs(y[i] - 35)
      if far < least then who, least = q.entity[i], far end
    end
    for i = 2, q.count do q.dot.following[i] = q.dot.following[i] + q.dot.following[i - 1] % 7 end
    world.single.found.who, world.single.found.x = who, least
  end,
}
END
  cat >"$tmp/ordered/systems/paint.lua" <<'END'
return { -- no row reads what other rows write: runs in vectors, whose stores are in row order
  after = "nearest",
  queries = { dots = { "dot" }, cells = { "cell" } },
  update = function(q)
    local x, luck, colour, seen = q.dots.dot.x, q.dots.dot.luck, q.cells.cell.colour, q.cells.cell.seen
    local by = q.cells.cell.by
    for i = 1, q.dots.count do
      local c = math.floor(x[i] * 0.7) + 1
      if luck[i] > 1 then
        seen[c], by[c] = luck[i] > 3, x[i]
        colour[c], colour[71 - c] = luck[i] * 20, i % 100
      end
    end
  end,
}
END
  cat >"$tmp/ordered/systems/paint_some.lua" <<'END'
return { -- some rows fall back to Lua
  after = "paint",
  queries = { dots = { "dot" }, cells = { "cell" } },
  update = function(q)
    local x, y, colour, by = q.dots.dot.x, q.dots.dot.y, q.cells.cell.colour, q.cells.cell.by
    for i = 1, q.dots.count do
      local c = math.floor(x[i] * 0.7) + 1
      if i % 37 == 5 then world.emit("painted", { colour = colour[c] }) end
      by[c], y[i] = y[i], (y[i] + 0.25) % 70
    end
  end,
}
END
  echo 'return { painted = { colour = shoal.types.u8(0) } }' >"$tmp/ordered/events.lua"
  cat >"$tmp/ordered/systems/see.lua" <<'END'
return { on = { painted = function(ev)
  for i = 1, ev.count do world.single.found.x = world.single.found.x * 0.5 + ev.colour[i] end
end } }
END
  world "$tmp/ordered" 20 lua --native off
  for mode in sse2,now now,guard on now,swap1 now; do
    world "$tmp/ordered" 20 other --native $mode --explain all
    same_world other "--native $mode"
  done
  needs_llvm
  [ "$(grep -c 'explain: .*: native, .* 0 of them in Lua' "$tmp/other")" = 7 ] || fail "$(grep explain "$tmp/other")"
  grep -q 'explain: paint_some.*: native, .* 2[0-9][0-9] of them in Lua' "$tmp/other" || fail "$(grep paint_some "$tmp/other")"
  ! grep ': 0 runs' "$tmp/other" || fail "some native code never ran"
}
it "random numbers, writes to other rows, strided loops and nil-initialized values run natively" ordered_loops

# 0 and -0 compare equal but have different reciprocals.
zeros() {
  mkdir -p "$tmp/zeros/systems"
  echo 'return { mote = { x = 0, way = 1, out = 7 } }' >"$tmp/zeros/components.lua"
  echo 'return { mote = { components = { mote = {} } } }' >"$tmp/zeros/assemblages.lua"
  cat >"$tmp/zeros/game.lua" <<'END'
return { start = function()
  world.spawn_many("mote", 50, function(q)
    for i = 1, q.count do q.mote.x[i], q.mote.way[i] = i % 3, i % 2 end
  end)
end }
END
  cat >"$tmp/zeros/systems/choose.lua" <<'END'
return {
  query = { "mote" },
  update = function(q)
    for i = 1, q.count do
      q.mote.out[i] = 1 / (q.mote.x[i] ~= q.mote.way[i] and 0 or -0.0)
    end
  end,
}
END
  needs_llvm
  world "$tmp/zeros" 2 lua --native off
  for mode in now sse2,now; do
    world "$tmp/zeros" 2 other --native $mode
    same_world other "--native $mode"
  done
}
it "native systems distinguish 0 from -0" zeros

# The compiler compares values in f32 where this gives the same result as in f64. The test compares special values with
# each other, with values between two adjacent f32 values, and with sums that are rounded to f32.
comparisons() {
  mkdir -p "$tmp/compared/systems"
  cat >"$tmp/compared/components.lua" <<'END'
local t = shoal.types
return { mote = { x = 0, y = 0, k = t.i32(0), small = t.i32(0), near = t.i32(0), whole = t.i32(0), kept = 0 } }
END
  echo 'return { mote = { components = { mote = {} } } }' >"$tmp/compared/assemblages.lua"
  cat >"$tmp/compared/game.lua" <<'END'
local SPECIAL = { 0, -0.0, 1, 1 + 2 ^ -23, 1 - 2 ^ -24, -1, 0.1, 0.3, 1e-9, -1e-9, 2 ^ -149, -2 ^ -149, 1000, 999.99994, 3e38,
  -3e38, 1 / 0, -1 / 0, 0 / 0, 16777216, 2147483648 }
local WHOLE = { 0, 1, -1, 1000, 2147483647, -2147483648 }
return { start = function()
  world.spawn_many("mote", #SPECIAL * #SPECIAL * 2, function(q)
    for i = 1, q.count do
      q.mote.x[i], q.mote.y[i] = SPECIAL[i % #SPECIAL + 1], SPECIAL[math.floor(i / #SPECIAL) % #SPECIAL + 1]
      q.mote.k[i] = WHOLE[i % #WHOLE + 1]
    end
  end)
end }
END
  cat >"$tmp/compared/systems/compare.lua" <<'END'
return {
  query = { "mote" },
  update = function(q)
    local c = q.mote
    for i = 1, q.count do
      local x, y, k, small, near, whole = c.x[i], c.y[i], c.k[i], 0, 0, 0
      if x < 0.1 then small = small + 1 end
      if x <= 0.1 then small = small + 2 end
      if 0.1 < x then small = small + 4 end
      if 0.3 <= x then small = small + 8 end
      if x == 0.1 then small = small + 16 end
      if x < 1e-320 then small = small + 32 end
      if -1e-320 < x then small = small + 64 end
      if x < 3.5e38 then small = small + 128 end
      if -3.5e38 < x then small = small + 256 end
      if x <= -3.5e38 then small = small + 512 end
      if x < 1000 + y then near = near + 1 end
      if x <= 1000 + y then near = near + 2 end
      if x == 1 + y then near = near + 4 end
      if 1 + y < x then near = near + 8 end
      if x - y <= 1 then near = near + 16 end
      if x * y < 1 then near = near + 32 end
      if 0 < x * y then near = near + 64 end
      if x * y <= y then near = near + 128 end
      if k < 0.5 then whole = whole + 1 end
      if -0.5 <= k then whole = whole + 2 end
      if k <= 2147483647.5 then whole = whole + 4 end
      if 3e9 < k then whole = whole + 8 end
      if -3e9 < k then whole = whole + 16 end
      if k == 0.5 then whole = whole + 32 end
      if k < 1 / 0 then whole = whole + 64 end
      if -1 / 0 < k then whole = whole + 128 end
      c.small[i], c.near[i], c.whole[i] = small, near, whole
      local v = x
      if y < 0.1 then v = x + y elseif y == 1 then v = x * y + 0.3 elseif y > 1000 then v = x * 0.1 end
      c.kept[i] = v
    end
  end,
}
END
  world "$tmp/compared" 3 lua --no-jit
  for mode in sse2,now off now; do
    world "$tmp/compared" 3 other --native $mode --explain compare
    same_world other "--native $mode"
  done
  needs_llvm
  grep -q ': native, ' "$tmp/other" || fail "$(grep explain "$tmp/other")"
}
it "comparisons in f32 give the same result as in f64" comparisons

# A loop without guards runs without entering Lua until something changes: the system is disabled and enabled, the
# query shrinks, or the world is restored.
guard_free_loop() {
  mkdir -p "$tmp/alone/systems"
  echo 'local t = shoal.types return { mote = { x = 0, vx = 1 }, told = t.single { sum = 0 } }' >"$tmp/alone/components.lua"
  echo 'return { mote = { components = { mote = {} } } }' >"$tmp/alone/assemblages.lua"
  cat >"$tmp/alone/game.lua" <<'END'
return { start = function()
  world.spawn_many("mote", 300, function(q)
    for i = 1, q.count do q.mote.x[i], q.mote.vx[i] = i, i % 7 - 3 end
  end)
end }
END
  cat >"$tmp/alone/systems/move.lua" <<'END'
return {
  query = { "mote" },
  update = function(q, dt)
    for i = 1, q.count do q.mote.x[i] = q.mote.x[i] + q.mote.vx[i] * dt end
  end,
}
END
  cat >"$tmp/alone/systems/change.lua" <<'END'
return {
  after = "move",
  query = { "mote" },
  update = function(q)
    local sum = 0
    for i = 1, q.count do sum = sum * 0.5 + q.mote.x[i] end
    world.single.told.sum = sum
    local tick = world.tick
    world.system("move", tick % 20 > 2)
    if tick == 30 then
      for i = 1, 100 do q.entity[i]:destroy() end
    elseif tick == 50 then
      world.spawn_many("mote", 200)
    end
  end,
}
END
  world "$tmp/alone" 80 lua --native off
  for mode in sse2,now on now,swap1 now; do
    world "$tmp/alone" 80 other --native $mode --explain move
    same_world other "--native $mode"
  done
  needs_llvm
  grep -q 'explain: move .* [1-9][0-9] runs, [1-9][0-9]* of them without calling Lua, ' "$tmp/other" ||
    fail "$(grep explain "$tmp/other")"
}
it "a loop without guards runs without calling Lua until the system or its rows change" guard_free_loop

# The cost of a side exit is known only after LuaJIT has compiled it. Native code in which one row in a thousand takes a
# side exit is several times as fast as LuaJIT's loop, and must not be rejected because its first runs are slow.
rare_side_exits() {
  mkdir -p "$tmp/rarely/systems"
  echo 'local t = shoal.types return { mote = { x = 0, vx = 1, n = t.i32(0) }, given = t.single { most = t.i32(10) } }' \
    >"$tmp/rarely/components.lua"
  echo 'return { mote = { components = { mote = {} } } }' >"$tmp/rarely/assemblages.lua"
  echo 'return { fell = { n = 0 } }' >"$tmp/rarely/events.lua"
  cat >"$tmp/rarely/game.lua" <<'END'
return { start = function()
  world.spawn_many("mote", 10000, function(q)
    for i = 1, q.count do q.mote.vx[i], q.mote.n[i] = i % 7 - 3, i * 7919 % 10000 end
  end)
end }
END
  cat >"$tmp/rarely/systems/fall.lua" <<'END'
return {
  query = { "mote" },
  each = function(e, dt)
    e.mote.x = e.mote.x + e.mote.vx * dt
    if e.mote.n < world.single.given.most then world.emit("fell", { n = e.mote.n }) end
  end,
}
END
  needs_llvm
  for ticks in 900 9000 90000; do # on a busy machine, the code may be ready too late
    world "$tmp/rarely" $ticks "rarely$ticks" --native on --explain fall
    runs=$(sed -n 's/^explain: fall .* ms; \([0-9]*\) runs.*/\1/p' "$tmp/rarely$ticks")
    [ "${runs:-0}" -lt 300 ] || return 0
  done
  fail "$(grep explain "$tmp"/rarely*00)"
}
it "native code with few side exits is chosen over LuaJIT" rare_side_exits

explains_single_precision() {
  needs_llvm
  world tests/bench/iterate 2 explained --native now --explain move_single
  grep -q 'explain: move_single (systems/move_single.lua:[0-9]*): native, .*, single precision; ' "$tmp/explained" ||
    fail "$(grep explain "$tmp/explained")"
}
it "--explain marks systems in single precision" explains_single_precision

# With --native on, the compiler reads a system in slices of 0.45 ms, one per tick; with --native now, it reads the
# whole system in one tick.
read_in_slices() {
  needs_llvm
  world scripts/games/asteroids 200 turns --native on --explain all
  world scripts/games/asteroids 200 lua --native off
  same_world turns "read in turns"
  # The compiler thread may be scheduled late on a busy machine, so retry with more ticks.
  for ticks in 200 2000 20000; do
    "$release" run tests/bench/rows --headless --no-watch --seed 1 --ticks "$ticks" --native on --explain all --log none \
      --exec 'world.single.bench.count = 300' >"$tmp/turns" 2>&1 </dev/null || fail "$(tail -n 3 "$tmp/turns")"
    grep '^explain: ' "$tmp/turns" | grep -v '^explain: check ' >"$tmp/explained"
    grep -qv ': native, ' "$tmp/explained" || break
  done
  ! grep -v ': native, ' "$tmp/explained" || fail "still not native after $ticks ticks"
  [ "$(wc -l <"$tmp/explained")" = 12 ] || fail "expected 12 systems, got: $(cat "$tmp/explained")"
  grep -q ' analysed in \([2-9]\|[1-9][0-9]*[0-9]\) ticks' "$tmp/explained" || fail "every system was read in one tick: $(cat "$tmp/explained")"
}
it "every system that the compiler reads over several ticks becomes native" read_in_slices

# CPU time per tick that reading takes. A slice ends with the first step after 0.45 ms; a higher mean or a much higher
# maximum means that a step does not check the clock. Uses the best of 15 runs, because page faults and other processes
# of a busy machine take CPU time, too.
slice_time() {
  needs_llvm
  for turn in $(seq 15); do
    (export XDG_CACHE_HOME="$tmp/turn$turn"; world scripts/examples/boids 150 stats --native on --stats) || exit 1
    line=$(grep '^stats: native reading ' "$tmp/stats") || fail "the compiler read no system: $(cat "$tmp/stats")"
    echo "$line" | sed 's/.*reading \([0-9.]*\) ms .* in \([0-9]*\) ticks, \([0-9.]*\) ms .*/\1 \2 \3/' |
      awk -v slow="$SLOW_CPU" '{ exit !($2 > 9 && $1 / $2 < 0.0065 * slow && $3 < 0.015 * slow) }' && return
  done
  fail "$line"
}
it "symbolic execution takes at most 0.65 ms per tick on average and 1.5 ms in any tick" slice_time

# Whether a run ends during a compilation depends on timing, so the test runs several lengths. All runs must exit
# normally, and at least one must end during a compilation.
ends_while_compiling() {
  needs_llvm
  for ticks in 1 2 3 4 6 9; do
    (export XDG_CACHE_HOME="$tmp/empty$ticks"; world tests/bench/iterate "$ticks" ended --native on --stats) || exit 1
    ! grep -q '^stats: native .* [1-9][0-9]* being compiled' "$tmp/ended" || found=$ticks
  done
  [ -n "${found:-}" ] || fail "no run ended during a compilation: $(cat "$tmp/ended")"
}
it "a process that exits during a compilation exits normally" ends_while_compiling

# Other forms of native systems: code around several loops, lookups of other entities, strings, loop-invariant values.
loop_forms() {
  mkdir -p "$tmp/forms/systems"
  cat >"$tmp/forms/components.lua" <<'END'
local t = shoal.types
return { mote = { x = 0, goal = t.entity, word = "", kind = t.enum { "low", "high" }, tint = t.vec4() },
  extra = { n = 0 }, sky = t.single { wind = 0, word = "calm", total = 0 } }
END
  echo 'return { mote = { components = { mote = {} } } }' >"$tmp/forms/assemblages.lua"
  cat >"$tmp/forms/game.lua" <<'END'
return { start = function()
  local all = world.spawn_many("mote", 300)
  for i, e in ipairs(all) do
    e.mote.x, e.mote.goal = i * 0.7, all[i * 7 % 300 + 1]
    if i % 3 == 0 then e:add("extra", { n = i }) end
  end
  world.spawn("mote", { name = "lead" })
end }
END
  cat >"$tmp/forms/systems/loops.lua" <<'END'
return {
  queries = { all = { "mote" }, some = { "mote", "extra" } },
  update = function(q, dt)
    local sky, x, gone = world.single.sky, q.all.mote.x, 0
    sky.wind = sky.wind * 0.9 + 0.3
    for i = 1, q.some.count do
      q.some.extra.n[i] = q.some.mote.x[i] - sky.total + i
      if i % 50 == world.tick then world.emit("never") end
    end
    for i = 1, q.all.count do
      x[i] = x[i] + sky.wind * dt
      if i % 50 == world.tick then gone = gone + 1 end
    end
    sky.total = sky.total + gone
  end,
}
END
  echo 'return { never = {} }' >"$tmp/forms/events.lua"
  cat >"$tmp/forms/systems/others.lua" <<'END'
local HEIGHTS = { low = 1, high = 2.5 }
return {
  query = { "mote" },
  each = function(e)
    local mote = e.mote
    if mote.goal:alive() and mote.goal:has("extra") then mote.tint.a = mote.goal.extra.n * 0.01 end
    if e:has("extra") then e.extra.n = e.extra.n + HEIGHTS[mote.kind] end
    mote.word = world.single.sky.word == "calm" and mote.tint.a > 0.5 and "calm" or mote.word == "new" and "" or "calm"
    mote.kind = mote.tint.a > world.find("lead").mote.tint.x and "high" or "low"
  end,
}
END
  world "$tmp/forms" 20 lua --native off
  for mode in sse2,now on now; do
    world "$tmp/forms" 20 other --native $mode --explain all
    same_world other "--native $mode"
  done
  needs_llvm
  [ "$(grep -c 'explain: .*: native, ' "$tmp/other")" = 3 ] || fail "$(grep explain "$tmp/other")"
  grep -q 'explain: loops, loop 2 (.*: native, ' "$tmp/other" || fail "$(grep explain "$tmp/other")"
}
it "systems with several loops, entity lookups and strings run natively" loop_forms

code_cache() {
  needs_llvm
  world tests/bench/iterate 2 again --native now --explain move_update
  grep -q 'read from the cache' "$tmp/again" || fail "$(grep explain "$tmp/again")"
  for file in "$XDG_CACHE_HOME"/shoal/native/*; do
    printf 'x' | dd of="$file" bs=1 seek=200 conv=notrunc 2>/dev/null
  done
  world tests/bench/iterate 2 again --native now --explain move_update
  grep -q 'compiled in' "$tmp/again" || fail "$(grep explain "$tmp/again")"
  (export XDG_CACHE_HOME=/proc/none; world tests/bench/iterate 2 again --native now --explain move_update) || exit 1
  grep -q 'compiled in' "$tmp/again" || fail "$(grep explain "$tmp/again")"
}
it "compiled code is cached, and code in a damaged cache file is compiled again" code_cache

# Each of these functions damages all files in the cache folder $1.
shorten() { for file in "$1"/*; do head -c 300 "$file" >"$1.short" && cat "$1.short" >"$file"; done; }
empty() { for file in "$1"/*; do : >"$file"; done; }
fill() { for file in "$1"/*; do head -c 5000 /dev/urandom >"$file"; done; }
lengthen() { for file in "$1"/*; do echo more >>"$file"; done; }
swap() { # each file gets the content of the next
  set -- "$1" "$1"/*
  folder=$1 first=$2
  cp "$2" "$folder.first"
  shift 2
  for file; do cp "$file" "$first" && first=$file; done
  cp "$folder.first" "$first"
}
replace_by_folders() { for file in "$1"/*; do rm "$file" && mkdir "$file"; done; }

damaged_cache() {
  world tests/bench/iterate 3 lua --native off
  needs_llvm
  for spoil in shorten empty fill lengthen swap replace_by_folders; do
    export XDG_CACHE_HOME="$tmp/$spoil"
    world tests/bench/iterate 3 made --native now
    "$spoil" "$XDG_CACHE_HOME/shoal/native"
    world tests/bench/iterate 3 other --native now --explain move_update
    same_world other "$spoil"
    grep -q 'compiled in' "$tmp/other" || fail "$spoil: $(grep explain "$tmp/other")"
  done
  # A read-only cache. Because root can write everywhere, a test that runs as root starts the game as the user nobody,
  # if that user can read the program.
  export XDG_CACHE_HOME="$tmp/shut"
  mkdir -p "$XDG_CACHE_HOME/shoal" && chmod 555 "$XDG_CACHE_HOME" "$XDG_CACHE_HOME/shoal"
  nobody="setpriv --reuid=65534 --regid=65534 --clear-groups" runner=$release
  if [ "$(id -u)" = 0 ] && $nobody test -x "$release" -a -r "$root/scripts/shoal/boot.lua" -a -d "$XDG_CACHE_HOME/shoal"; then
    printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$nobody" "$release" >"$tmp/nobody"
    chmod 755 "$tmp/nobody"
    runner=$tmp/nobody
  fi
  (release=$runner; world tests/bench/iterate 3 other --native now --explain move_update) || exit 1
  [ -z "$(ls "$XDG_CACHE_HOME/shoal")" ] || [ "$runner" = "$release" ] || fail "the user nobody wrote $(ls "$XDG_CACHE_HOME/shoal")"
  same_world other "a folder that may not be written"
  grep -q 'compiled in' "$tmp/other" || fail "$(grep explain "$tmp/other")"
  chmod 700 "$XDG_CACHE_HOME/shoal"
  export XDG_CACHE_HOME="$tmp/file"
  echo no folder >"$XDG_CACHE_HOME"
  world tests/bench/iterate 3 other --native now --explain move_update
  same_world other "a file in the folder's place"
}
it "a game runs normally with a damaged, truncated, swapped, read-only or missing cache" damaged_cache

# With --native guard, compiled code runs on copies of its columns that end (or begin) at inaccessible pages, and copies
# of columns that it only reads are read-only (native/guard_pages.h), so an out-of-bounds access crashes. Row counts are
# chosen so that the last vector is partial.
run_guarded() { # run_guarded ROWS SEED MODE
  status=0
  timeout -k 2 $((6 * SLOW)) "$release" run "$tmp/guard" --headless --no-watch --seed 1 --budget 0 --ticks 2 --hash every=1 \
    --log none --native "$3" >"$tmp/guarded.$3" 2>&1 </dev/null || status=$?
  [ "$status" -le 1 ] || fail "$1 rows, seed $2, $3: exit status $status: $(tail -n 3 "$tmp/guarded.$3")" # a row may fail
  [ "$(hashes "guarded.$3")" = "$(hashes guarded.off)" ] || fail "$1 rows, seed $2, $3: $(hashes "guarded.$3")"
}
guard_pages() {
  rows=31 && [ -z "$LONG" ] || rows=$(seq 1 80)
  at=$tmp/guard
  for count in $rows; do
    rm -rf "$at" && cp -r tests/native "$at"
    sed -i "s/ROWS = [0-9]*/ROWS = $count/" "$at/values.lua"
    for seed in $((count + 300)) -$((count + 300)); do
      echo "return $seed" >"$at/seed.lua"
      for mode in off now,guard now,sse2,guard; do
        run_guarded "$count" "$seed" $mode || exit 1
      done
    done
  done
  for game in scripts/games/asteroids scripts/examples/boids scripts/examples/neighbours tests/bench/rows; do
    world "$game" 20 lua --native off
    world "$game" 20 other --native now,guard
    same_world other "$game, guarded"
  done
  needs_llvm
}
it "native code does not access memory outside of its columns' rows" guard_pages

# A system is edited while the game runs. On the reference CPU, the new version must be native again within 250 ms
# (ticks of reading plus compile time), and the old version must not compute any further row.
edited_system() {
  needs_llvm
  mkdir -p "$tmp/saved/systems"
  echo 'return { rock = { x = 0, stamp = 0 } }' >"$tmp/saved/components.lua"
  echo 'return { rock = { components = { rock = {} } } }' >"$tmp/saved/assemblages.lua"
  echo 'return { start = function() world.spawn_many("rock", 300) end }' >"$tmp/saved/game.lua"
  cat >"$tmp/saved/systems/look.lua" <<'END'
local stamp = require("stamp")
return {
  phase = "post_update", query = { "rock" },
  update = function(q)
    if world.tick == 300 then print("ready") end
    for i = 1, q.count do
      if q.rock.stamp[i] ~= stamp then error("a row has a stale stamp") end
    end
  end,
}
END
  for ticks in 20000 200000 2000000; do
    echo 'return 1' >"$tmp/saved/stamp.lua"
    write_fall 1
    "$release" run "$tmp/saved" --headless --watch --seed 1 --strict --ticks "$ticks" --explain fall >"$tmp/live" 2>&1 </dev/null &
    wait_for 60 grep -q ready "$tmp/live" || fail "the game does not start: $(cat "$tmp/live")"
    echo 'return 2' >"$tmp/saved/stamp.lua"
    write_fall 2
    wait $! || fail "$(tail -n 3 "$tmp/live")"
    grep -q '^explain: fall (systems/fall.lua:5): native' "$tmp/live" && break
  done
  line=$(grep '^explain: fall (systems/fall.lua:5): native' "$tmp/live") || fail "$(tail -n 3 "$tmp/live")"
  echo "$line" | sed 's/.*analysed in \([0-9]*\) ticks, [a-z ]* \([0-9]*\).*/\1 \2/' |
    awk -v slow="$SLOW_CPU" '{ exit !($1 * 1000 / 60 + $2 < 2.5 * slow) }' || fail "$line"
}
# write_fall VERSION: writes a system whose function is at line 3 + VERSION.
write_fall() {
  for line in $(seq "$1"); do echo "-- $line"; done >"$tmp/fall.lua"
  cat >>"$tmp/fall.lua" <<'END'
local stamp = require("stamp")
return { query = { "rock" },
  update = function(q, dt)
    for i = 1, q.count do q.rock.x[i], q.rock.stamp[i] = q.rock.x[i] + dt, stamp end
  end,
}
END
  mv "$tmp/fall.lua" "$tmp/saved/systems/fall.lua"
}
it "an edited system runs natively again within 250 ms and never runs outdated code" edited_system

# A query for some of the components of another query's group: most of its rows are contiguous, but in another order.
overlapping() {
  rm -rf "$tmp/overlap" && mkdir -p "$tmp/overlap/systems"
  cat >"$tmp/overlap/components.lua" <<'END'
local t = shoal.types
return { place = { x = 0, y = 0 }, speed = { x = 0, y = 0 }, health = { hp = 0, level = t.u8(250) }, extra = { n = 0 } }
END
  cat >"$tmp/overlap/assemblages.lua" <<'END'
local all = { place = {}, speed = {}, health = {} }
return { a = { components = all }, b = { components = { place = {}, speed = {} } }, c = { components = { place = {} } },
  d = { components = { speed = {}, health = {}, extra = {} } } }
END
  cat >"$tmp/overlap/systems/change.lua" <<'END'
local function spawn(count)
  for i = 1, count do
    local e = world.spawn(({ "a", "b", "a", "a", "c", "a", "d" })[i % 7 + 1])
    if e:has("speed") then e.speed.x, e.speed.y = i % 7 == 6 and 99 or i % 61, i % 53 end -- 99: d, outside the group
  end
end
return { phase = "input", query = { "place", "speed" }, start = function() spawn(9000) end, update = function(q)
  if world.tick % 8 ~= 0 then return end
  for i = 1, q.count, 97 do
    local e = q.entity[i]
    if i % 2 == 0 then e:destroy() elseif i % 3 == 0 then e:disable("place") elseif e:has("health") then e:remove("health")
    else e:add("health") end
  end
  spawn(100)
end }
END
  cat >"$tmp/overlap/systems/move.lua" <<'END'
return { query = { "place", "speed" }, update = function(q, dt)
  local x, y, vx, vy = q.place.x, q.place.y, q.speed.x, q.speed.y
  for i = 1, q.count do
    x[i], y[i] = x[i] + vx[i] * dt, y[i] + vy[i] * dt
  end
end }
END
  cat >"$tmp/overlap/systems/turn.lua" <<'END'
return { query = { "place", "speed", "health" }, precision = "single", after = "move", update = function(q)
  for i = 1, q.count do q.health.hp[i] = q.place.x[i] - q.speed.y[i] end
end }
END
  sed 's/after = "move"/after = "turn"/; s/- q/+ q/' "$tmp/overlap/systems/turn.lua" >"$tmp/overlap/systems/spin.lua"
  cat >"$tmp/overlap/systems/level.lua" <<'END'
return { query = { "speed", "health" }, precision = "single", after = "turn", update = function(q)
  for i = 1, q.count do q.health.level[i] = q.health.level[i] + (q.speed.x[i] > 70 and 9 or q.speed.x[i] > 5 and 6 or 1) end
end }
END
  echo 'return {}' >"$tmp/overlap/game.lua"
  world "$tmp/overlap" 60 lua --native off --log warn
  cp "$tmp/lua.err" "$tmp/overlap.off"
  grep -q 'got 259' "$tmp/overlap.off" || fail "the first row that does not fit: $(cat "$tmp/overlap.off")"
  for mode in now now,split sse2,now; do
    world "$tmp/overlap" 60 reordered --native $mode --workers 3 --log warn
    same_world reordered "--native $mode"
    cmp "$tmp/reordered.err" "$tmp/overlap.off" || fail "$mode: $(cat "$tmp/reordered.err"), not $(cat "$tmp/overlap.off")"
  done
}
it "a query that overlaps a group gives the same world and the same warnings natively as in Lua" overlapping

# The last vector of a run of rows may cover rows of other entities, which lack a component of the query.
other_rows() {
  rm -rf "$tmp/others" && mkdir -p "$tmp/others/systems"
  cat >"$tmp/others/components.lua" <<'END'
local t = shoal.types
return { place = { x = 0, y = t.f64(0) }, speed = { x = 0, level = t.u8(0) } }
END
  cat >"$tmp/others/assemblages.lua" <<'END'
return { moving = { components = { place = {}, speed = {} } }, still = { components = { place = {} } } }
END
  for precision in single double; do
    line=$([ $precision = double ] || echo 'precision = "single",')
    cat >"$tmp/others/systems/$precision.lua" <<END
return { query = { "place", "speed" }, $line update = function(q, dt)
  local place, speed = q.place, q.speed
  for i = 1, q.count do
    place.x[i], place.y[i] = place.x[i] + speed.x[i] * dt, place.y[i] - 1
    speed.level[i] = place.x[i]
  end
end }
END
  done
  for rows in 1 2 15 16 17 255 300 301 $([ -z "$LONG" ] || seq 3 70); do
    cat >"$tmp/others/game.lua" <<END
return { start = function()
  for i = 1, $rows do world.spawn("moving", { place = { x = i, y = -i }, speed = { x = i % 7 } }) end
  for i = 1, 70 do world.spawn("still", { place = { x = 1000 * i, y = i } }) end
end }
END
    world "$tmp/others" 4 lua --native off
    for mode in now sse2,now now,guard; do
      world "$tmp/others" 4 other --native $mode
      same_world other "$rows rows, --native $mode"
    done
  done
}
it "a native system leaves the rows of other entities unchanged" other_rows

failing_row() {
  rm -rf "$tmp/failing" && mkdir -p "$tmp/failing/systems"
  echo 'return { rock = { x = 0, n = 0 } }' >"$tmp/failing/components.lua"
  echo 'return { rock = { components = { rock = {} } } }' >"$tmp/failing/assemblages.lua"
  cat >"$tmp/failing/game.lua" <<'END'
return { start = function()
  world.spawn_many("rock", 9000, function(q) for i = 1, q.count do q.rock.n[i] = i end end)
end }
END
  cat >"$tmp/failing/systems/fall.lua" <<'END'
return { query = { "rock" }, update = function(q, dt)
  local rock = q.rock
  for i = 1, q.count do
    if rock.n[i] == 7001 and world.tick > 3 then error("rock " .. rock.n[i] .. " is broken") end
    rock.x[i] = rock.x[i] + dt
  end
end }
END
  for mode in off now now,split; do
    run_for 60 "$release" run "$tmp/failing" --headless --seed 1 --ticks 6 --workers 3 --native $mode
    says err "error in system fall: systems/fall.lua:4: rock 7001 is broken"
    says err "current entity: entity(7001:0 rock), row 7001"
  done
}
it "the error of a failing row names its line, row and entity, in Lua and in split native code" failing_row
