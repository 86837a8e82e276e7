# What LuaJIT makes of every system of every game and example: a loop over rows that is not compiled is a hundred times
# slower, and nothing else would say so. Native systems are off: this is what runs without them. The engine's scripts
# are copied and get a watcher (tests/traces/watch.lua) that writes what is compiled and what is given up;
# tests/traces/judge.lua reads it.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

watched=$tmp/root
rm -rf "$watched"
mkdir -p "$watched"
cp -r scripts assets "$watched"
boot=$watched/scripts/shoal/boot.lua
awk -v watch="$root/tests/traces/watch.lua" '
  /^return need/ { print "package.path = \"/usr/share/luajit-2.1.0-beta3/?.lua;/usr/share/luajit-2.1/?.lua;\" .. package.path"
                   printf "assert(loadfile(\"%s\"))()\n", watch }
  { print }' scripts/shoal/boot.lua >"$boot"

# faults FOLDER TICKS: in $tmp/faults
faults() {
  rm -f "$tmp/traces"
  SHOAL_ROOT=$watched TRACES=$tmp/traces timeout -s KILL 500 "$release" run "$1" --headless --no-watch --seed 1 --workers 1 --native off --strict \
    --ticks "$2" >"$tmp/out" 2>&1 || fail "it did not run: $(tail -n 5 "$tmp/out")"
  [ "$(grep -c '^made|' "$tmp/traces")" -gt 0 ] || fail "nothing was compiled: the watcher does not see the VM"
  luajit tests/traces/judge.lua "$tmp/traces" "$1" >"$tmp/faults" 2>&1 || fail "$(cat "$tmp/faults")"
}

# What LuaJIT cannot compile is a fault in each run; where a trace begins, and so how long it gets and how many values
# it keeps at once, depends on addresses, and a trace that got too long in one run is shorter in the next.
compiled() {
  for run in 1 2 3; do
    faults "$1" "$2"
    [ -s "$tmp/faults" ] || return 0
  done
  fail "$(cat "$tmp/faults")"
}

closure_in_a_loop() {
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
  grep -q 'systems/slow.lua:5: the loop is not compiled' "$tmp/faults" || fail "the watcher misses it: $(cat "$tmp/faults")"
}

# Debian's limits hold some tens of branchy systems; past them LuaJIT throws everything away and begins again, for ever.
three_hundred_systems() {
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
  compiled "$tmp/crowd" 120
  [ "$(grep -c '^flushed' "$tmp/traces")" -le 1 ] || fail "machine code was thrown away $(grep -c '^flushed' "$tmp/traces") times"
}

# A table has 40 bytes at the least; those within the overrides were most of a spawn.
tables_in_the_call() {
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
    fail "it did not run: $(tail -n 5 "$tmp/out")"
  awk '/^stats: lua/ { found = 1; if ($3 + 0 > 20000) exit 1 } END { if (!found) exit 1 }' "$tmp/out" ||
    fail "a thousand spawns a tick leave: $(grep '^stats: lua' "$tmp/out")"
}

it "a loop over rows that makes closures is found" closure_in_a_loop
it "a loop of spawns makes none of the tables that are written in the calls" tables_in_the_call
it "three hundred systems keep their machine code" three_hundred_systems
for folder in scripts/games/*/ scripts/examples/*/; do
  folder=${folder%/}
  ticks=600
  case $folder in */asteroids) ticks=1200 ;; */boids) ticks=60 ;; esac
  [ -e "$folder/game.lua" ] && it "every loop of $folder is compiled" compiled "$folder" "$ticks"
done
for name in move iterate frame7 read bullets; do
  it "every loop of the benchmark $name is compiled" compiled "tests/bench/$name" 40
done
