# Edge cases of native systems that random programs (native_systems.sh) rarely reach, such as 0 and -0 carried between
# iterations and rows. Also checks that the intermediate code of a system is identical in every process, because
# packages find compiled code by its hash.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

export XDG_CACHE_HOME="$tmp/cache"

# world GAME TICKS FILE [options]: writes the world's hash of each tick and the output of --explain to FILE.
world() {
  game=$1 ticks=$2 file=$3
  shift 3
  timeout -k 2 $((6 * SLOW)) "$release" run "$game" --headless --no-watch --seed 1 --budget 0 --ticks "$ticks" --hash every=1 \
    --log none --explain all "$@" >"$tmp/$file" 2>"$tmp/$file.err" </dev/null ||
    fail "$game: $(tail -n 5 "$tmp/$file.err")"
  [ "$(grep -c '^tick' "$tmp/$file")" = "$ticks" ] || fail "$game: $(tail -n 5 "$tmp/$file")"
}
hashes() { grep '^tick' "$tmp/$1"; }
needs_llvm() { # needs_llvm FILE: skips the test if FILE, output of --explain, reports that LLVM is missing
  ! grep -o -m 1 'nothing is compiled.*\|LLVM is not installed.*' "$tmp/$1" || exit 77
}

# same_in_all_modes GAME TICKS: the world must be the same interpreted and native with both vector widths. The file
# `other` contains the output of the last run.
same_in_all_modes() {
  world "$1" "$2" lua --no-jit
  for mode in sse2,now on now; do
    world "$1" "$2" other --native $mode
    [ "$(hashes other)" = "$(hashes lua)" ] || fail "--native $mode: $(hashes other | head -n 2), not $(hashes lua | head -n 2)"
  done
}

# game NAME: creates a game with 300 motes and no systems.
game() {
  at=$tmp/$1
  rm -rf "$at" && mkdir -p "$at/systems"
  cat >"$at/components.lua" <<'END'
local t = shoal.types
return {
  mote = { a = t.f64(0), b = t.f64(0), c = t.f64(0), d = t.f64(0), n = t.i32(0), flag = false, place = t.vec2(),
    kind = t.enum { "x", "y", "z" }, word = "", other = "", third = "", to = t.entity, from = t.entity },
  extra = { v = 0 },
  some = t.single { n = 0.5, m = 0.25, word = "p" }, more = t.single { n = 2, word = "q" },
}
END
  echo 'return { mote = { components = { mote = {} } } }' >"$at/assemblages.lua"
  cat >"$at/game.lua" <<'END'
return {
  start = function()
    local all = world.spawn_many("mote", 300, function(q)
      for i = 1, q.count do
        q.mote.a[i], q.mote.b[i], q.mote.flag[i] = i % 7, i % 5, i % 2 == 1
      end
    end)
    for i = 2, 300, 3 do
      all[i].mote.to, all[i].mote.from = all[i], all[i % 9 + 1]
      all[i]:add("extra")
    end
    all[3]:destroy()
  end,
}
END
}

zeros() {
  game zero
  cat >"$at/systems/rows.lua" <<'END'
return {
  query = { "mote" },
  update = function(q)
    local s = 0
    for i = 1, q.count do
      q.mote.a[i] = q.mote.b[i] + 1 / s
      s = -s
    end
  end,
}
END
  cat >"$at/systems/rounds.lua" <<'END'
return {
  query = { "mote" },
  each = function(e)
    local s, t = 0, 0
    for _ = 1, 3 do
      t = t * 2 + (1 / s > 0 and 1 or 0)
      s = -s
    end
    e.mote.c = t
  end,
}
END
  cat >"$at/systems/ways.lua" <<'END'
return {
  query = { "mote" },
  each = function(e)
    local t, s = { z = 0 }, 0
    if e.mote.flag then t.z, s = -t.z, -s end
    e.mote.d = 1 / t.z + 2 / s
  end,
}
END
  cat >"$at/systems/columns.lua" <<'END'
return {
  query = { "mote" },
  update = function(q)
    for i = 1, q.count do
      q.mote.b[i] = 0
      for _ = 1, 3 do
        q.mote.n[i] = q.mote.n[i] % 1000 * 2 + (1 / q.mote.b[i] > 0 and 1 or 0)
        q.mote.b[i] = -0.0
      end
    end
  end,
}
END
  same_in_all_modes "$at" 3
  needs_llvm other
  [ "$(grep -c ': native, ' "$tmp/other")" = 4 ] || fail "$(grep explain "$tmp/other")"
}
it "0 and -0 stay distinct across rows, iterations and control-flow merges" zeros

# In each process, tables keyed by field, column and string names have a different order, and so do tables built by
# rows.
same_code() {
  game text
  cat >"$at/systems/records.lua" <<'END'
return {
  query = { "mote" },
  each = function(e)
    local m = e.mote
    local t = { one = "p", two = "q", three = "r", four = m.a, five = m.b, six = 3, seven = "s", [1] = 7, [2] = m.c }
    local s = { alpha = m.c, beta = "q", gamma = m.kind, delta = 0.5 }
    if m.a > 3 then
      t.one, t.two, t.three, t.seven, t[1] = "s", "t", "u", "v", m.d
      t.four, t.five, t.six = m.b * 2, m.c + 1, m.d - 1
      s.alpha, s.beta, s.gamma = m.a * 0.5, "w", "y"
      m.a, m.b, m.c, m.d = m.b + 1, m.c * 2, m.d - 1, m.a * m.b
    elseif m.b > 2 then
      t.one, t.two, t.three, t.seven, t[2] = "k", "l", "m", "n", m.a
      t.four, t.five, t.six = m.b * 3, m.c + 4, m.d - 5
      s.alpha, s.beta, s.delta = m.a * 0.25, "o", 7
      m.d, m.c, m.b = m.c * 3 % 100, m.d - 4, m.a * 5
    end
    if m.flag then m.place = { t.four + t[1], t.five } else m.place = { x = s.alpha, y = s.delta + t[2] } end
    m.word, m.other, m.third = t.one == "s" and "p" or t.two, t.seven, s.beta
    m.kind, m.n = s.gamma, shoal.math.clamp(t.six, 0, 100)
  end,
}
END
  cat >"$at/systems/rounds.lua" <<'END'
return {
  query = { "mote" },
  update = function(q)
    local some, best, who, sum = world.single.some, 0, nil, 0
    for i = 1, q.count do
      local u, v, w, x, y, z = q.mote.a[i], q.mote.b[i], q.mote.c[i], 1, 2, 3
      for k = 1, 4 do
        if u > k then
          u, v, w = v + k, w - k, u * 0.5
          q.mote.a[i], q.mote.b[i], q.mote.c[i], q.mote.d[i] = u, v, w, x
        else
          x, y, z = z + 1, x * 2, y - 0.5
          q.mote.d[i], q.mote.place.x[i] = x + y, z
        end
      end
      if v > best then best, who = v, q.entity[i] end
      sum = sum + u + x + y + z
      if q.mote.flag[i] then some.n = some.n * 0.5 + v else some.m = some.m * 0.5 + w end
    end
    some.n = some.n + sum % 100 + (who and 1 or 2)
  end,
}
END
  same_in_all_modes "$at" 3
  needs_llvm other
  runs=4 && [ -z "$LONG" ] || runs=20
  for run in $(seq "$runs"); do
    export XDG_CACHE_HOME="$tmp/text$run"
    rm -rf "$XDG_CACHE_HOME"
    world "$at" 2 other --native now
    find "$XDG_CACHE_HOME/shoal/native" -name '*.object' -exec basename {} \; | sort >"$tmp/names$run"
    [ "$(wc -l <"$tmp/names$run")" = 2 ] || fail "$(grep explain "$tmp/other")"
    cmp -s "$tmp/names1" "$tmp/names$run" || fail "run $run: $(cat "$tmp/names$run"), and not $(cat "$tmp/names1")"
  done
}
it "a system compiles to the same code in several processes" same_code

# An endless loop within a row falls back to Lua, where the budget of 1 s of CPU time stops it and reports its line,
# however slow one iteration is. The resulting world must be the same as without native code. `ulimit` ends a run that
# takes much longer.
endless_loop() { # NAME "from, to of the loop of row 200" "body of an iteration"
  game "$1"
  sed -i "s|for i = 1, q.count do|q.mote.c[200], q.mote.d[200] = $2\n      for i = 1, q.count do|" "$at/game.lua"
  cat >"$at/systems/spin.lua" <<END
return {
  query = { "mote" },
  update = function(q)
    for i = 1, q.count do
      local s = 0
      for k = 1, q.mote.c[i], q.mote.d[i] + 1 do
        s = $3
      end
      q.mote.a[i] = s
    end
  end,
}
END
  for mode in off now; do
    (
      ulimit -t $((8 * SLOW_CPU / 100))
      exec "$release" run "$at" --headless --no-watch --seed 1 --ticks 2 --hash every=1 --native $mode
    ) >"$tmp/$mode" 2>"$tmp/$mode.err" </dev/null || true
    grep -q 'systems/spin.lua:[67]: stopped after 1000 ms' "$tmp/$mode.err" ||
      fail "$1, --native $mode: $(tail -n 3 "$tmp/$mode" "$tmp/$mode.err")"
  done
  [ "$(hashes now)" = "$(hashes off)" ] || fail "$1: $(hashes now), and not $(hashes off)"
}
endless_loops_stop() {
  heavy=s
  for n in $(seq 30); do heavy="$heavy + math.sin(k * 0.$n) * math.pow(s, 1.$n)"; done
  endless_loop many '1e18, 0' 's + k' && endless_loop still '2, -1' 's + k' && endless_loop heavy '1e18, 0' "$heavy"
}
it "the time budget stops an endless loop within a row" endless_loops_stop

# A value that is loop-invariant within a tick may change in the next tick: here a singleton in a local, and a string
# that the world has not interned yet.
loop_invariants() {
  game others
  cat >"$at/systems/single.lua" <<'END'
return {
  query = { "mote" },
  update = function(q)
    local s = world.tick % 2 == 0 and world.single.some or world.single.more
    for i = 1, q.count do
      s.n = s.n * 0.5 + q.mote.a[i]
    end
  end,
}
END
  cat >"$at/systems/unknown.lua" <<'END'
return {
  query = { "mote" },
  update = function(q)
    local w = world.tick < 2 and "" or "never " .. world.tick
    for i = 1, q.count do
      if q.mote.word[i] == "first" then q.mote.d[i] = 0 end
      local t, u = "first", w
      if q.mote.a[i] > 4 then t = w end
      if q.mote.a[i] < 4 then u = "first" end
      if q.mote.a[i] == 2 then t, u = "last", "last" end
      q.mote.b[i] = (t == "last" and 1 or t == "first" and 2 or 3) + (u == "last" and 10 or u == "first" and 20 or 30)
    end
  end,
}
END
  cat >"$at/systems/words.lua" <<'END'
return {
  query = { "mote" },
  each = function(e)
    e.mote.word, e.mote.other, e.mote.third = "world.single.more.word", world.single.more.word, world.single.some.word
  end,
}
END
  same_in_all_modes "$at" 5
  needs_llvm other
  [ "$(grep -c ': native, ' "$tmp/other")" = 3 ] || fail "$(grep explain "$tmp/other")"
}
it "loop-invariant values are read again in every run of a system" loop_invariants

# Each row chooses between two columns of the same name in different queries, or between methods of two entities.
equal_names() {
  game namesakes
  cat >"$at/systems/columns.lua" <<'END'
return {
  queries = { all = { "mote" }, few = { "mote", "extra" } },
  update = function(q)
    for i = 1, q.all.count do
      local column = q.all.mote.flag[i] and q.all.mote.a or q.few.mote.a
      q.all.mote.b[i] = q.all.mote.b[i] * 0.5 + column[1 + i % 5]
      q.all.mote.c[i] = q.all.mote.c[i] + q.few.mote.d[2]
    end
  end,
}
END
  cat >"$at/systems/methods.lua" <<'END'
return {
  query = { "mote" },
  each = function(e)
    local m = e.mote
    local ask = m.flag and m.to.alive or m.from.alive
    m.d = m.d * 0.5 + (ask(m.flag and m.to or m.from) and 1 or 2)
  end,
}
END
  same_in_all_modes "$at" 3
}
it "rows can choose between two columns or methods of the same name" equal_names

# A row that falls back to Lua can read the row count and other rows, even if few rows fall back.
rare_fallback_reads_rows() {
  game rare
  echo 'return { hit = { n = 0 } }' >"$at/events.lua"
  cat >"$at/systems/count.lua" <<'END'
return {
  query = { "mote" },
  update = function(q)
    for i = 1, q.count do
      q.mote.b[i] = q.mote.b[i] + 1
      if q.mote.a[i] == 3 then
        world.emit("hit", { n = q.count })
        q.mote.b[i] = q.count + q.mote.a[2]
      end
    end
  end,
}
END
  cat >"$at/systems/local_count.lua" <<'END'
return {
  query = { "mote" },
  update = function(q)
    local n = q.count
    for i = 1, n do
      q.mote.c[i] = q.mote.c[i] + 1
      if q.mote.a[i] == 4 then q.mote.c[i] = n * 0.5 end
    end
  end,
}
END
  cat >"$at/systems/first.lua" <<'END'
local function first(column, mote)
  return column[1] + column[3] + mote.b[2]
end
return {
  query = { "mote" },
  update = function(q)
    for i = 1, q.count do
      q.mote.d[i] = q.mote.d[i] * 0.5 + 1
      if q.mote.a[i] == 5 then
        world.emit("hit", { n = q.mote.d[i] })
        q.mote.d[i] = first(q.mote.a, q.mote)
      end
    end
  end,
}
END
  echo 'return { on = { hit = function(ev) for i = 1, ev.count do world.single.some.n = world.single.some.n * 0.5 + ev.n[i] end end } }' \
    >"$at/systems/hear.lua"
  same_in_all_modes "$at" 4
}
it "a row that falls back to Lua can read all rows" rare_fallback_reads_rows

# One row in a hundred emits an event, and the loop has guards. The guards must not be a nested loop, for which LuaJIT
# would abort the trace, so that each of these rows would take 1.5 us. Compares median times.
median_of() { # median_of MODE
  run_for 120 "$release" run "$at" --headless --no-watch --seed 1 --ticks 1500 --log none --stats --native "$1"
  exits 0
  sed -n 's/.*system update some_emit .* 50% \([0-9]*\).*/\1/p' "$tmp/err" "$tmp/out"
}
rare_emit() {
  at=$tmp/some_emit
  rm -rf "$at" && mkdir -p "$at/systems"
  echo 'return { mover = { x = 0, vx = 0, n = 0 }, some = shoal.types.single { every = 100, k = 0.5 } }' >"$at/components.lua"
  echo 'return { mover = { components = { mover = {} } } }' >"$at/assemblages.lua"
  echo 'return { fell = { n = 0 } }' >"$at/events.lua"
  cat >"$at/game.lua" <<'END'
return {
  start = function()
    world.spawn_many("mover", 10000, function(q)
      for i = 1, q.count do
        q.mover.x[i], q.mover.vx[i], q.mover.n[i] = i, i % 7 - 3, (i * 7919) % 10000
      end
    end)
  end,
}
END
  cat >"$at/systems/some_emit.lua" <<'END'
return {
  query = { "mover" },
  update = function(q, dt)
    local c, some = q.mover, world.single.some
    for i = 1, q.count do
      c.x[i] = c.x[i] + c.vx[i] * dt * some.k
      if c.n[i] < some.every then
        world.emit("fell", { n = i })
      end
    end
  end,
}
END
  native=$(median_of now)
  needs_llvm err
  lua=$(median_of off)
  [ $((native * 4)) -le $((lua * 5)) ] || fail "$native us natively, and $lua us in LuaJIT"
}
it "a loop in which 1 % of the rows take a side exit takes at most a quarter longer than in LuaJIT" rare_emit

# Every row of a loop with a loop-carried sum takes a side exit. LuaJIT does not compile reading the locals of the
# loop's function, so reading them in each row would cost 1 us or more per row. Compares total times.
consecutive_side_exits() {
  at=$tmp/left
  rm -rf "$at" && mkdir -p "$at/systems"
  echo 'local t = shoal.types return { mote = { a = t.f64(0) }, extra = { v = 1 }, some = t.single { n = t.f64(0), m = t.f64(0) } }' \
    >"$at/components.lua"
  echo 'return { mote = { components = { mote = {}, extra = {} } }, plain = { components = { mote = {} } } }' >"$at/assemblages.lua"
  echo 'return { start = function() world.spawn_many("plain", 40) world.spawn_many("mote", 99960) end }' >"$at/game.lua"
  cat >"$at/systems/sum.lua" <<'END'
return {
  query = { "mote", optional = { "extra" } },
  update = function(q)
    local sum, least = 0, math.huge
    for i = 1, q.count do
      if q.has.extra[i] then
        sum = sum + q.extra.v[i] + i / 16
      else
        least = math.min(least, q.mote.a[i] - i)
      end
    end
    world.single.some.n, world.single.some.m = world.single.some.n * 0.5 + sum, least
  end,
}
END
  same_in_all_modes "$at" 20
  run_for 120 "$release" run "$at" --headless --no-watch --seed 1 --ticks 300 --log none --stats --native on --explain sum
  exits 0
  grep -q 'sum .*: native, .* [1-9][0-9]* of them in Lua' "$tmp/err" "$tmp/out" ||
    skip "LuaJIT was chosen: $(grep -h 'explain: sum' "$tmp/err" "$tmp/out")"
  native=$(sed -n 's/.*system update sum \([0-9]*\).* us.run .*/\1/p' "$tmp/err" "$tmp/out")
  run_for 120 "$release" run "$at" --headless --no-watch --seed 1 --ticks 300 --log none --stats --native off
  lua=$(sed -n 's/.*system update sum \([0-9]*\).* us.run .*/\1/p' "$tmp/err" "$tmp/out")
  [ "$native" -le $((2 * lua + 300)) ] || fail "$native us a run with --native on, and $lua us in LuaJIT"
}
it "a loop whose rows all take side exits takes at most about twice as long as in LuaJIT" consecutive_side_exits

# Several loops over one query are fused into one loop if no row depends on another.
sequential_loops() {
  game loops
  cat >"$at/systems/lookup.lua" <<'END'
return {
  query = { "mote" },
  update = function(q)
    local other = world.lookup("mote")
    for i = 1, q.count do q.mote.a[i] = q.mote.a[i] + 1 end
    for i = 1, q.count do
      local v = other.a[q.mote.from[i]]
      if v then q.mote.b[i] = v end
    end
  end,
}
END
  cat >"$at/systems/random.lua" <<'END'
return {
  query = { "mote" },
  update = function(q)
    for i = 1, q.count do q.mote.c[i] = world.random() end
    for i = 1, q.count do q.mote.d[i] = world.random() end
  end,
}
END
  cat >"$at/systems/single.lua" <<'END'
return {
  query = { "mote" },
  update = function(q)
    for i = 1, q.count do world.single.some.n = world.single.some.n * 0.5 + q.mote.a[i] end
    for i = 1, q.count do q.mote.place.x[i] = world.single.some.n end
  end,
}
END
  cat >"$at/systems/together.lua" <<'END'
return {
  query = { "mote" },
  update = function(q)
    for i = 1, q.count do q.mote.n[i] = q.mote.a[i] * 3 end
    for i = 1, q.count do q.mote.place.y[i] = q.mote.n[i] % 2 end
  end,
}
END
  same_in_all_modes "$at" 4
  needs_llvm other
  [ "$(grep -c ': native, ' "$tmp/other")" = 8 ] || fail "$(grep explain "$tmp/other")"
}
it "several loops of a system run one after another if rows depend on each other" sequential_loops

# Locals that are read before the loop keep their values. After a side exit any code may follow, such as a break, a
# return, or a write of a value that later rows read. The row number and the row count stay correct.
after_side_exits() {
  game behind
  echo 'return { hit = { n = 0 } }' >"$at/events.lua"
  echo 'return { on = { hit = function(ev) for i = 1, ev.count do world.single.more.n = world.single.more.n * 0.5 + ev.n[i] end end } }' \
    >"$at/systems/hear.lua"
  cat >"$at/systems/early.lua" <<'END'
return {
  query = { "mote" },
  update = function(q)
    local some, word, lead = world.single.some.n, world.single.some.word, world.find("lead")
    local far = lead and lead.mote.c or 7
    for i = 1, q.count do
      q.mote.b[i] = some + world.single.some.n * 2 + far
      if q.mote.word[i] == word then q.mote.d[i] = q.mote.d[i] + 1 end
      if i % 50 == 3 then
        world.emit("hit", { n = i })
        world.single.some.n, world.single.some.word = some + i, i % 100 == 3 and "z" .. i or "p"
        q.mote.word[i] = word
      end
    end
    if q.count == 0 then some = 0 end
  end,
}
END
  cat >"$at/systems/number.lua" <<'END'
return {
  query = { "mote" },
  update = function(q)
    local n, before = q.count, world.tick
    for i = 1, n do
      q.mote.c[i] = i * 0.5 + n + before
      if q.mote.a[i] == 3 and i % 20 == 1 then
        world.emit("hit", { n = n - i })
        q.mote.c[i] = q.mote.a[i % n + 1] + q.count - before
      end
    end
  end,
}
END
  cat >"$at/systems/ends.lua" <<'END'
return {
  query = { "mote" },
  update = function(q)
    for i = 1, q.count do
      q.mote.n[i] = (q.mote.n[i] + i) % 1000
      if i == 200 + world.tick then
        world.emit("hit", { n = i })
        if world.tick % 2 == 0 then break end
        return
      end
    end
  end,
}
END
  cat >"$at/systems/rows.lua" <<'END'
return {
  query = { "mote" },
  each = function(e)
    e.mote.place.x = e.mote.place.x + 1
    if e.mote.a == 2 then
      world.emit("hit", { n = e.mote.b })
      world.single.some.m = world.single.some.m * 0.5 + e.mote.a
    end
    e.mote.place.y = world.single.some.m
  end,
}
END
  same_in_all_modes "$at" 6
  needs_llvm other
  [ "$(grep -c ": native, .* [1-9][0-9]* of them in Lua" "$tmp/other")" = 3 ] || fail "$(grep explain "$tmp/other")"
  grep -q "explain: ends .*: native, " "$tmp/other" || fail "$(grep explain "$tmp/other")"
}
it "break, return and writes after a side exit give the same world as in Lua" after_side_exits

# Writes any entity or nil to entity fields, which must update the indexes of referrers (world.who_targets, the
# transform tree).
entities_written() {
  game entities
  echo 'return { mote = { components = { mote = {}, transform = {} } } }' >"$at/assemblages.lua"
  sed -i 's/all.3.:destroy()/& world.spawn("mote", { name = "root", transform = { x = 5 } })/' "$at/game.lua"
  cat >"$at/systems/link.lua" <<'END'
return {
  query = { "mote" },
  each = function(e)
    local m, found = e.mote, nil
    if m.a > m.b then found = m.to end
    if m.flag then m.to = m.from elseif m.a == 3 then m.to = e elseif m.a == 4 then m.to = shoal.none end
    m.from = found or shoal.none
    if m.b == 2 then m.to = world.find("nobody") or shoal.none end
  end,
}
END
  cat >"$at/systems/tree.lua" <<'END'
return {
  after = "link",
  query = { "mote", "transform" },
  update = function(q, dt)
    local root = world.find("root")
    for i = 1, q.count do
      if i % 5 == world.tick and i < 290 then q.transform.parent[i] = q.mote.a[i] > 2 and root or shoal.none end
    end
  end,
}
END
  cat >"$at/systems/other.lua" <<'END'
return {
  after = "tree",
  query = { "mote" },
  update = function(q)
    local other = world.lookup("mote")
    for i = 1, q.count do
      local to = q.mote.to[i]
      if to:alive() and to:has("mote") then
        other.from[to] = q.entity[i]
        if q.mote.a[i] > 4 then q.mote.to[i] = nil end
        q.mote.n[i] = q.mote.n[i] % 1000 + 1
      end
    end
  end,
}
END
  cat >"$at/systems/see.lua" <<'END'
return {
  after = "other",
  query = { "mote", "transform" },
  update = function(q)
    local sum = 0
    for i = 1, 20 do
      sum = sum * 0.5 + #world.who_targets(q.entity[i], "mote.to") + 3 * #world.who_targets(q.entity[i], "mote.from")
    end
    world.single.some.n = sum + 100 * #world.who_targets(world.find("root"), "transform.parent")
  end,
}
END
  same_in_all_modes "$at" 5
  needs_llvm other
  for name in link tree other; do
    grep -q "explain: $name .*: native, .* 0 of them in Lua" "$tmp/other" || fail "$(grep explain "$tmp/other")"
  done
}
it "writing an entity field in native code updates the referrer index" entities_written

# Batched lookups of entities in a column: more rows than fit in a batch, a last batch smaller than a vector, invalid
# ids, ids of destroyed entities, and ids that change in the next tick.
batched_lookups() {
  game ahead
  cat >"$at/systems/ask.lua" <<'END'
return {
  query = { "mote" },
  update = function(q)
    local m, other, extra = q.mote, world.lookup("mote"), world.lookup("extra")
    for i = 1, q.count do
      local to, from, more = other.a[m.to[i]], other.b[m.from[i]], extra.v[m.from[i]]
      m.c[i] = to or -1
      m.d[i] = m.d[i] * 0.5 + (from or 3) + (more and more * 2 or 0.25)
    end
  end,
}
END
  cat >"$at/systems/turn.lua" <<'END'
return {
  phase = "post_update",
  query = { "mote" },
  update = function(q)
    for i = 2, q.count, 3 do
      q.mote.to[i], q.mote.from[i] = q.mote.from[i], q.entity[(i * 7 + world.tick) % q.count + 1]
    end
    local i = world.tick * 5 + 1
    q.entity[i]:destroy()
    q.entity[i + 1]:add("extra", { v = world.tick })
  end,
}
END
  same_in_all_modes "$at" 9
  needs_llvm other
  grep -q 'ask .*: native, .*, 0 of them in Lua' "$tmp/other" || fail "$(grep explain "$tmp/other")"
  world "$at" 9 guarded --native now,guard
  [ "$(hashes guarded)" = "$(hashes lua)" ] || fail "guarded: $(hashes guarded | head -n 2), not $(hashes lua | head -n 2)"
}
it "batched entity lookups return each row's current entity" batched_lookups

# Locals set before the loops to results of world.lookup: a whole component, a column, and a vector field.
lookup_before_loop() {
  game before
  cat >"$at/systems/ask.lua" <<'END'
return {
  query = { "mote" },
  update = function(q)
    local m, other, a, place, v = q.mote, world.lookup("mote"), world.lookup("mote").a, world.lookup("mote").place,
      world.lookup("extra").v
    local sum = world.tick
    for i = 1, q.count do
      sum = sum + (other.b[m.to[i]] or 0.5) - (place.x[m.from[i]] or 2) / 2
      m.c[i] = (v[m.from[i]] or -1) + sum
    end
    world.single.some.n = sum
    for i = 1, q.count do
      a[q.entity[i]] = (a[m.to[i]] or 3) * 0.5 + m.b[i]
      place.y[q.entity[i]] = place.y[q.entity[i]] + (other.d[m.from[i]] or 1)
      if m.to[i] ~= shoal.none and i % 50 == 5 then other.n[m.to[i]] = i end
    end
    other = world.lookup(sum > 3 and "extra" or "mote")
    for i = 1, q.count do
      m.d[i] = other.v and other.v[m.to[i]] or 7
    end
  end,
}
END
  same_in_all_modes "$at" 5
  needs_llvm other
  [ "$(grep -c 'ask.*: native, .*, 0 of them in Lua' "$tmp/other")" -ge 2 ] || fail "$(grep explain "$tmp/other")"
}
it "results of world.lookup obtained before a loop can be used in the loop" lookup_before_loop

# Nested function calls with results of comparisons and lookups as arguments, and more calls than fit in a block. Rows
# are spawned and destroyed so that the size of the last block changes.
batched_functions() {
  game functions
  cat >"$at/systems/one.lua" <<'END'
return {
  query = { "mote" },
  update = function(q, dt)
    local m, other, now = q.mote, world.lookup("mote"), world.time
    for i = 1, q.count do
      local a, b = m.a[i], m.b[i]
      local way = math.atan2(a - 3, b + math.sin(now + i))
      local far = other.d[m.from[i]] or 0.5
      m.c[i] = math.cos(math.tan(way) * math.exp(-way * way)) + (m.flag[i] and math.sin(a) or math.log(b + dt))
      m.d[i] = math.sin(far + way) ^ 2 * 0.5 + math.atan2(way, 0)
      if math.sin(m.place.x[i]) > 0.25 then m.b[i] = b + math.cos(b) * dt end
      m.place.x[i] = m.place.x[i] + way
    end
  end,
}
END
  {
    echo "return { phase = 'post_update', query = { 'mote' }, update = function(q, dt) for i = 1, q.count do"
    echo "local m, t = q.mote, q.mote.c[i]"
    for k in $(seq 21); do echo "t = math.sin(t * $k + q.mote.b[i])"; done
    echo "m.a[i] = m.a[i] + t end local k = world.tick * 3 q.entity[k + 1]:destroy() q.entity[k + 9]:destroy()"
    echo "if world.tick % 3 == 0 then for _ = 1, 11 do world.spawn('mote') end end end }"
  } >"$at/systems/two.lua"
  same_in_all_modes "$at" 12
  needs_llvm other
  [ "$(grep -c ': native, .*, 0 of them in Lua' "$tmp/other")" = 2 ] || fail "$(grep explain "$tmp/other")"
  world "$at" 12 guarded --native now,guard
  [ "$(hashes guarded)" = "$(hashes lua)" ] || fail "guarded: $(hashes guarded | head -n 2), not $(hashes lua | head -n 2)"
}
it "batched function calls compute a separate result for each row" batched_functions

# Whole numbers that f64 cannot distinguish, and nested conditions, whose naive analysis takes exponential time.
whole_numbers() {
  game whole
  cat >"$at/systems/rounded.lua" <<'END'
return {
  query = { "mote" },
  update = function(q)
    for i = 1, q.count do
      local odd = q.mote.flag[i] and 1 or 0
      q.mote.n[i] = (odd + 9007199254740992) - 9007199254740992
    end
  end,
}
END
  {
    echo "return { query = { 'mote' }, update = function(q, dt) for i = 1, q.count do local m, t0 = q.mote, q.mote.a[i] > 1"
    for k in $(seq 18); do
      echo "local a, b, t$k = false, false, false"
      echo "if t$((k - 1)) then a = m.b[i] > $k end if t$((k - 1)) then b = m.c[i] < $k end if a then t$k = b end"
    done
    echo "if t18 then m.n[i] = math.max(0, math.min(m.n[i] - 3, 100)) end end end }"
  } >"$at/systems/truths.lua"
  same_in_all_modes "$at" 3
  needs_llvm other
  [ "$(grep -c ': native, ' "$tmp/other")" = 2 ] || fail "$(grep explain "$tmp/other")"
}
it "whole numbers round as in Lua, and deeply nested conditions are compiled" whole_numbers

# Tiles are looked up in each row. A tile set by a row is seen by the next row, and an entity without a tilemap is
# reported as in Lua.
tile_lookups() {
  game cells
  mkdir -p "$at/assets" && cp tests/native/assets/room.tmj "$at/assets"
  echo 'return { mote = { components = { mote = {} } }, room = { components = { transform = {}, tilemap = { map = "room.tmj" } } } }' \
    >"$at/assemblages.lua"
  echo 'return { hit = { n = 0 } }' >"$at/events.lua"
  sed -i 's/all.3.:destroy()/& for _, name in ipairs { "near", "far" } do world.spawn("room", { name = name }) end/' "$at/game.lua"
  cat >"$at/systems/ask.lua" <<'END'
return {
  query = { "mote" },
  each = function(e)
    local m, tiles = e.mote, world.tiles(world.find("near"))
    if tiles:solid(m.a, m.b) then m.n = m.n % 1000 + 1 end
    if not tiles:solid(m.a - 0.5, 1 / (m.b - 1)) and tiles:solid(0 / 0, m.a) == m.flag then m.c = m.c + m.a end
    if m.a == 2 and m.b == 3 then
      world.emit("hit", { n = m.a })
      tiles:set("ground", 1 + m.n % 4, 1 + m.n % 3, m.n % 4)
    end
  end,
}
END
  cat >"$at/systems/who.lua" <<'END'
return {
  after = "ask",
  query = { "mote" },
  each = function(e)
    local m = e.mote
    m.to = m.flag and world.find("near") or world.find("far")
    m.d = m.d + (world.tiles(m.to):solid(m.b, m.a / 2) and 1 or 0.5)
    for k = 1, 4 do
      if world.tiles(m.to):solid(k, m.b) then m.place.x = m.place.x + k end
    end
    if m.a == 6 and m.b == 4 and world.tick % 2 == 0 then world.find("far").tilemap.map = "room.tmj" end
  end,
}
END
  same_in_all_modes "$at" 5
  needs_llvm other
  [ "$(grep -c ': native, ' "$tmp/other")" = 2 ] || fail "$(grep explain "$tmp/other")"
  echo 'return { query = { "mote" }, each = function(e) e.mote.d = world.tiles(e.mote.to):solid(1, 1) and 1 or 2 end }' \
    >"$at/systems/who.lua"
  for mode in off now; do
    "$release" run "$at" --headless --no-watch --seed 1 --ticks 2 --native $mode 2>&1 >/dev/null </dev/null |
      grep 'error' | head -n 1 >"$tmp/words.$mode" || true
  done
  grep -q 'systems/who.lua:1: world.tiles: ' "$tmp/words.now" || fail "$(cat "$tmp/words.now")"
  cmp -s "$tmp/words.off" "$tmp/words.now" || fail "$(cat "$tmp/words.off" "$tmp/words.now")"
}
it "tile lookups run natively and report the same error as in Lua" tile_lookups

layers_by_name() {
  at=$tmp/layers
  rm -rf "$at" && mkdir -p "$at/systems"
  cat >"$at/game.lua" <<'END'
return { layers = { "hero", "foe", "shot" }, start = function()
  for i = 1, 300 do world.spawn(nil, { transform = { x = i }, body = { radius = 1, enabled = false } }) end
end }
END
  cat >"$at/systems/layers.lua" <<'END'
return { query = { "body", "transform" }, update = function(q)
  for i = 1, q.count do
    local x = q.transform.x[i] + 0.5
    q.transform.x[i] = x
    if x % 50 == 0 then q.body.mask[i] = "foe" elseif x % 50 == 25 then q.body.category[i] = { "hero", "shot" } end
  end
end }
END
  same_in_all_modes "$at" 3
  needs_llvm other
  grep -q 'layers .*: native, .* [1-9][0-9]* of them in Lua' "$tmp/other" || fail "$(grep explain "$tmp/other")"
  cat >"$at/systems/sum.lua" <<'END'
return { phase = "post_update", update = function()
  local sum = 0
  for e in world.each("body") do sum = sum + (e.body.mask == 2 and 1000 or e.body.category == 5 and 1 or 0) end
  print("sum", sum)
end }
END
  run_for 20 "$release" run "$at" --headless --ticks 3 --native now
  says out "sum	6006"
  sed -i 's/= "foe" elseif/= "feo" elseif/' "$at/systems/layers.lua"
  run_for 20 "$release" run "$at" --headless --ticks 3 --native now
  says err 'systems/layers.lua:5: body.mask: unknown layer feo: did you mean foe?'
}
it "a compiled loop can write layers by name" layers_by_name
