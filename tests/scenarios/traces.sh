# Checks that LuaJIT compiles every loop over rows in every second game and example, and with --long in all of them. An
# interpreted loop is a hundred times slower, and nothing else would show this. Native systems are disabled. A watcher
# (tests/traces/trace_log.lua), added to a copy of the engine's scripts, logs compiled and aborted traces;
# tests/traces/trace_report.lua reads the log.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

watched=$tmp/root
rm -rf "$watched"
mkdir -p "$watched"
cp -r scripts assets "$watched"
boot=$watched/scripts/shoal/boot.lua
awk -v watch="$root/tests/traces/trace_log.lua" '
  /^return need/ { print "package.path = \"/usr/share/luajit-2.1.0-beta3/?.lua;/usr/share/luajit-2.1/?.lua;\" .. package.path"
                   printf "assert(loadfile(\"%s\"))()\n", watch }
  { print }' scripts/shoal/boot.lua >"$boot"

# faults FOLDER TICKS [RUN]: writes the problems found to $tmp/faults.
faults() {
  rm -f "$tmp/traces"
  SHOAL_ROOT=$watched TRACES=$tmp/traces TRACES_MOVED_BY=$((${3-1} * 37)) timeout -s KILL $((5 * SLOW)) "$release" \
    run "$1" --headless --no-watch --seed 1 --workers 1 --native off --strict --ticks "$2" >"$tmp/out" 2>&1 ||
    fail "the run failed: $(tail -n 5 "$tmp/out")"
  [ "$(grep -c '^made|' "$tmp/traces")" -gt 0 ] || fail "no traces: the watcher is not attached"
  luajit tests/traces/trace_report.lua "$tmp/traces" "$1" >"$tmp/faults" 2>&1 || fail "$(cat "$tmp/faults")"
}

# Code that LuaJIT cannot compile fails in every run. The start of a trace, and hence its length and register use,
# depends on addresses, so a trace that is too long in one run may be short enough at different addresses: a problem
# counts only if six runs report it.
all_compiled() {
  faults "$1" "$2"
  sort -u "$tmp/faults" >"$tmp/common_faults"
  for run in 2 3 4 5 6; do
    [ -s "$tmp/common_faults" ] || return 0
    faults "$1" "$2" "$run"
    sort -u "$tmp/faults" | comm -12 - "$tmp/common_faults" >"$tmp/still_common"
    mv "$tmp/still_common" "$tmp/common_faults"
  done
  [ ! -s "$tmp/common_faults" ] || fail "$(cat "$tmp/common_faults")"
}

reports_closure() {
  mkdir -p "$tmp/slow/systems"
  echo 'return { title = "slow", start = function() world.spawn_many("dot", 500) end }' >"$tmp/slow/game.lua"
  echo 'return { dot = { components = { transform = {} } } }' >"$tmp/slow/assemblages.lua"
  cat >"$tmp/slow/systems/slow.lua" <<'END'
return {
  query = { "transform" },
  update = function(q)
    local x = q.transform.x
    for i = 1, q.count do
      local step = function() return i end
      x[i] = x[i] + step()
    end
  end,
}
END
  faults "$tmp/slow" 30
  grep -q 'systems/slow.lua:5: the loop is not compiled' "$tmp/faults" || fail "the loop was not reported; events of its traces: $(grep slow.lua "$tmp/traces")"
}

# LuaJIT's default limits suffice for a few dozen systems with many branches. With more systems, LuaJIT keeps discarding
# all machine code.
keeps_machine_code() {
  mkdir -p "$tmp/crowd/systems"
  echo 'return { title = "crowd", start = function() world.spawn_many("dot", 500) end }' >"$tmp/crowd/game.lua"
  echo 'return { value = { a = 1, b = 2, c = 0 } }' >"$tmp/crowd/components.lua"
  echo 'return { dot = { components = { value = {} } } }' >"$tmp/crowd/assemblages.lua"
  for i in $(seq 300); do
    cat >"$tmp/crowd/systems/s$i.lua" <<END
return {
  query = { "value" },
  update = function(q, dt)
    local a, b, c = q.value.a, q.value.b, q.value.c
    for i = 1, q.count do
      a[i] = (a[i] + i) % 97
      if a[i] > $((i % 90)) then c[i] = c[i] + b[i] * dt elseif a[i] > 3 then c[i] = c[i] - a[i] else c[i] = c[i] * 0.5 + $i end
      if c[i] > 1000 then c[i] = 0 end
    end
  end,
}
END
  done
  all_compiled "$tmp/crowd" 120
  [ "$(grep -c '^flushed' "$tmp/traces")" -le 1 ] || fail "machine code was flushed $(grep -c '^flushed' "$tmp/traces") times"
}

# A table takes at least 40 bytes; allocating a table for overrides would dominate the cost of a spawn.
no_override_tables() {
  mkdir -p "$tmp/spawns/systems"
  echo 'return { title = "spawns" }' >"$tmp/spawns/game.lua"
  echo 'return { motion = { vx = 0, vy = 0 } }' >"$tmp/spawns/components.lua"
  echo 'return { dot = { components = { transform = {}, motion = {}, lifetime = { seconds = 0.01 } } } }' \
    >"$tmp/spawns/assemblages.lua"
  cat >"$tmp/spawns/systems/spawns.lua" <<'END'
return {
  update = function()
    for i = 1, 1000 do
      world.spawn("dot", { transform = { x = i, y = -i }, motion = { vx = i } })
    end
  end,
}
END
  "$release" run "$tmp/spawns" --headless --no-watch --seed 1 --workers 1 --strict --ticks 400 --stats >"$tmp/out" 2>&1 ||
    fail "the run failed: $(tail -n 5 "$tmp/out")"
  awk '/^stats: lua/ { found = 1; if ($3 + 0 > 20000) exit 1 } END { if (!found) exit 1 }' "$tmp/out" ||
    fail "garbage of 1000 spawns per tick: $(grep '^stats: lua' "$tmp/out")"
}

# Formatting each string in LuaJIT's interpreter would cost eight times as much.
compiles_formats() {
  mkdir -p "$tmp/texts/systems"
  echo 'return { title = "texts", start = function() world.spawn_many("dot", 200) end }' >"$tmp/texts/game.lua"
  cat >"$tmp/texts/components.lua" <<'END'
local t = shoal.types
return {
  trade = { good = t.string "ore", count = t.i32(3), price = t.i32(7) }, sum = t.single { length = t.i32(0) },
}
END
  echo 'return { dot = { components = { trade = {} } } }' >"$tmp/texts/assemblages.lua"
  cat >"$tmp/texts/systems/texts.lua" <<'END'
return {
  query = { "trade" },
  update = function(q)
    local good, count, price, length = q.trade.good, q.trade.count, q.trade.price, 0
    for i = 1, q.count do
      length = length + #("%s, %d: %s sold %d %s to %s for %d%s"):format(good[i], i, "Ann", count[i], good[i], "Bob", price[i], "$")
    end
    world.single.sum.length = length
  end,
}
END
  faults "$tmp/texts" 100
  grep -q '^made|loop|systems/texts.lua:5|.*|systems/texts.lua:3|loop$' "$tmp/traces" ||
    fail "no trace contains the whole loop: $(grep texts.lua "$tmp/traces")"
}

# A trace of a loop contains the iterator of the loop's first call, unless LuaJIT compiles the loop for all iterators.
# With the iterators of later calls, each iteration would leave this trace and run the body in a side trace.
compiles_each_of_many_calls() {
  mkdir -p "$tmp/calls/systems"
  echo 'return { title = "calls", start = function() world.spawn_many("dot", 300) end }' >"$tmp/calls/game.lua"
  echo 'return { value = { n = 0 } }' >"$tmp/calls/components.lua"
  echo 'return { dot = { components = { value = {} } } }' >"$tmp/calls/assemblages.lua"
  echo 'return { rang = {} }' >"$tmp/calls/events.lua"
  echo 'return { update = function() for i = 1, 4 do world.emit("rang") end end }' >"$tmp/calls/systems/a_ring.lua"
  cat >"$tmp/calls/systems/hears.lua" <<'END'
return { on = { rang = function(ev)
  for i = 1, ev.count do
    for e in world.each("value") do
      e.value.n = e.value.n + i
    end
  end
end } }
END
  faults "$tmp/calls" 200
  grep -q '^made|loop|systems/hears.lua:3|.*|loop$' "$tmp/traces" ||
    fail "no trace contains the loop: $(grep hears.lua "$tmp/traces")"
  ! grep '^made|side|systems/hears.lua:3|.shoal./schema/component.lua' "$tmp/traces" ||
    fail "the body runs in side traces: $(grep hears.lua "$tmp/traces")"
}

it "four calls of world.each per tick run in the same compiled loop" compiles_each_of_many_calls
it "string.format with eight values is compiled with the loop that calls it" compiles_formats
it "a loop over rows that creates closures is reported as not compiled by LuaJIT" reports_closure
it "a loop of world.spawn does not allocate tables for overrides" no_override_tables
it "the machine code of three hundred systems fits in LuaJIT's code cache" keeps_machine_code
for folder in $(every_nth 2 1 scripts/games/*/game.lua scripts/examples/*/game.lua); do
  folder=${folder%/game.lua}
  ticks=600
  case $folder in */asteroids) ticks=1200 ;; */boids) ticks=60 ;; esac
  it "LuaJIT compiles every loop over rows in $folder" all_compiled "$folder" "$ticks"
done
for name in move iterate frame7 read bullets; do
  it "LuaJIT compiles every loop over rows in the benchmark $name" all_compiled "tests/bench/$name" 40
done
