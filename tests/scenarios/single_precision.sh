# Systems in single precision (tests/single): random systems must match a simple evaluator in each row, interpreted and
# compiled for each vector width. Tests 12 systems; 10,080 with --long. A system that cannot be compiled completely is
# rejected with its line.
# FIRST_SEED=212 LAST_SEED=400 ./shoal test --long single_precision runs a part of the seeds 1 to 840.
# needs: release sanitize
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

export XDG_CACHE_HOME="$tmp/cache"
seeds=1
[ -z "$LONG" ] || seeds=840

# run_seed PROGRAM SEED MODE: compares the hashes of this mode with those of the mode `off`.
run_seed() {
  timeout -k 2 $((6 * SLOW)) "$1" run "$tmp/single" --headless --no-watch --seed 1 --budget 0 --ticks 2 --hash every=1 \
    --native "$3" >"$tmp/out.$3" 2>"$tmp/err" </dev/null || fail "seed $2, $3: $(grep -v '^warn' "$tmp/err" | head -n 60)"
  ! grep -q 'error\|Sanitizer\|runtime error:' "$tmp/err" || fail "seed $2, $3: $(grep -v '^warn' "$tmp/err" | head -n 60)"
  grep '^tick' "$tmp/out.$3" >"$tmp/hashes.$3"
  cmp -s "$tmp/hashes.$3" "$tmp/hashes.off" || fail "seed $2, $3: $(cat "$tmp/hashes.$3"), not $(cat "$tmp/hashes.off")"
}

match_evaluator() {
  rm -rf "$tmp/single" && cp -r tests/single "$tmp/single"
  for seed in $(seq "${FIRST_SEED:-1}" "${LAST_SEED:-$seeds}"); do
    echo "return $seed" >"$tmp/single/seed.lua"
    program=$release
    [ $((seed % 8)) != 1 ] || program=$sanitized
    run_seed "$program" "$seed" off
    for mode in now sse2,now avx2,now; do
      [ -z "$LONG" ] && [ $((seed % 3)) != 1 ] && [ "$mode" != now ] || run_seed "$release" "$seed" "$mode"
    done
  done
}
it "random single-precision systems match the reference evaluator, both interpreted and compiled" match_evaluator

# game: creates a game with 300 rocks and no systems.
game() {
  rm -rf "$tmp/game" && mkdir -p "$tmp/game/systems"
  cat >"$tmp/game/components.lua" <<'END'
local t = shoal.types
return { rock = { x = 0, vx = 3, n = t.i32(0), d = t.f64(0), small = t.u8(0), word = "", to = t.entity },
  extra = { v = 0 }, part = t.many { y = 0 }, sky = t.single { sum = t.f64(0), best = 0 } }
END
  echo 'return { rock = { components = { rock = {} } } }' >"$tmp/game/assemblages.lua"
  echo 'return { hit = { n = 0 } }' >"$tmp/game/events.lua"
  cat >"$tmp/game/game.lua" <<'END'
return { start = function()
  world.spawn_many("rock", 300, function(q)
    for i = 1, q.count do q.rock.x[i], q.rock.vx[i], q.rock.n[i] = i / 7, i % 13 - 6, i end
  end)
end }
END
}

# refused "LINE: message": the system on stdin must be rejected with this message.
refused() {
  cat >"$tmp/game/systems/a.lua"
  run_for 60 "$release" run "$tmp/game" --headless --ticks 1
  exits 1
  says err "systems/a.lua:$1"
}

refusals() {
  game
  refused '3: precision = "single": cannot compile world.emit' <<'END'
return { query = { "rock" }, precision = "single", update = function(q)
  for i = 1, q.count do
    if q.rock.x[i] > 3 then world.emit("hit") end
  end
end }
END
  refused '2: precision = "single": cannot compile world.spawn' <<'END'
return { query = { "rock" }, precision = "single", each = function(e)
  world.spawn("rock")
end }
END
  refused '2: precision = "single": cannot compile e:destroy' <<'END'
return { query = { "rock" }, precision = "single", each = function(e)
  if e.rock.x > 1 then e:destroy() end
end }
END
  refused '2: precision = "single": cannot compile a new function' <<'END'
return { query = { "rock" }, precision = "single", each = function(e)
  e.rock.x = (function() return 1 end)()
end }
END
  refused '1: precision = "single": cannot compile e:add' <<'END'
local function mark(e) e:add("extra") return 1 end
return { query = { "rock" }, precision = "single", each = function(e) e.rock.x = mark(e) end }
END
  refused '2: precision = "single": cannot compile a call to info' <<'END'
return { query = { "rock" }, precision = "single", each = function(e)
  log.info("%d", e.rock.n)
end }
END
  refused '2: precision = "single": cannot compile an inner loop that might write an out-of-range number to rock.n' <<'END'
return { query = { "rock" }, precision = "single", each = function(e)
  for k = 1, 3 do e.rock.n = e.rock.n + k end
end }
END
  refused '3: precision = "single": cannot compile a calculated row number that might not be an integer' <<'END'
return { query = { "rock" }, precision = "single", update = function(q)
  for i = 1, q.count do
    q.rock.x[i] = q.rock.vx[q.rock.d[i] * 2]
  end
end }
END
  refused '2: precision = "single": cannot compile a write to rock.word, a string field' <<'END'
return { query = { "rock" }, precision = "single", each = function(e)
  e.rock.word = "far"
end }
END
  refused '1: precision = "single": cannot compile a function without a loop for i = 1, q.count do' <<'END'
return { query = { "rock" }, precision = "single", update = function(q) q.rock.x[1] = 2 end }
END
  refused '1: precision must be "single", got text "half"' <<'END'
return { query = { "rock" }, precision = "half", each = function(e) e.rock.x = 1 end }
END
  refused '2: compile = "required": cannot compile world.emit' <<'END'
return { query = { "rock" }, compile = "required", each = function(e)
  if e.rock.x > 3 then world.emit("hit") end
end }
END
  refused '1: a has precision, which applies only to an update or each over a query' <<'END'
return { precision = "single", update = function(dt) end }
END
}
it "a single-precision system that cannot be compiled completely is rejected with its line" refusals

# An out-of-range value is clamped and reported; an error in a row is reported with its line and row.
clamps_and_fails() {
  game
  cat >"$tmp/game/systems/a.lua" <<'END'
return { query = { "rock" }, precision = "single", update = function(q)
  for i = 1, q.count do
    q.rock.small[i] = q.rock.n[i] - 2
  end
end }
END
  cat >"$tmp/game/systems/b.lua" <<'END'
return { after = "a", query = { "rock" }, precision = "single", update = function(q)
  local sum, best = 0, 0
  for i = 1, q.count do
    local x = q.rock.small[i]
    sum = sum + x
    if x > best then best = x end
  end
  print("sum", sum, best)
end }
END
  cat >"$tmp/game/systems/c.lua" <<'END'
return { after = "b", query = { "rock" }, precision = "single", each = function(e, dt)
  e.rock.d = e.rock.d + dt
  if e.rock.n == 200 then e.rock.x = e.rock.to.rock.x end
end }
END
  for mode in off now; do
    run_for 60 "$release" run "$tmp/game" --headless --ticks 2 --native $mode
    exits 1
    says err "warn: systems/a.lua:3: rock.small must be from 0 to 255, got -1; stored 0"
    says out "sum	43605	255"
    says err "error in system c: systems/c.lua:3: row 200, entity(200:0 rock): an entity without rock"
    [ "$(grep -c 'error in system c' "$tmp/err")" = 1 ] || fail "system c was not parked: $(cat "$tmp/err")"
  done
  run_for 60 "$release" run "$tmp/game" --headless --ticks 2 --strict
  says err "systems/a.lua:3: rock.small must be from 0 to 255, got -1:"
}
it "in single precision, an out-of-range value is clamped and reported, and an error in a row is reported" clamps_and_fails

# A constant is read again when it changes; a value of an unsupported type parks the system.
changed_constant() {
  game
  cat >"$tmp/game/systems/a.lua" <<'END'
local speed = shoal.cache(function() return { v = 2 } end)
return { query = { "rock" }, precision = "single", each = function(e, dt)
  e.rock.d = e.rock.d + speed.v
end, on = { hit = function() speed.v = speed.v == 2 and 3 or {} end } }
END
  echo 'return { update = function() if world.tick % 3 == 0 then world.emit("hit") end end }' >"$tmp/game/systems/b.lua"
  echo 'return { after = "a", query = { "rock" }, update = function(q) print("d", q.rock.d[1]) end }' \
    >"$tmp/game/systems/c.lua"
  for mode in off now; do
    run_for 60 "$release" run "$tmp/game" --headless --ticks 12 --native $mode
    exits 1
    says err 'error in system a: systems/a.lua:3: precision = "single": cannot compile the use of a table as a number'
    grep '^d' "$tmp/out" >"$tmp/d.$mode"
  done
  cmp -s "$tmp/d.off" "$tmp/d.now" || fail "$(diff "$tmp/d.off" "$tmp/d.now")"
  [ "$(tail -n 1 "$tmp/d.now")" = "d	11" ] || fail "$(cat "$tmp/d.now")"
}
it "in single precision, a constant that changes to a table parks the system with an error at its line" changed_constant

# In a query with a `many` component, several rows of an entity share the rows of its other components. Also, world.run
# runs an on-demand system.
many_rows() {
  game
  cat >"$tmp/game/game.lua" <<'END'
return { start = function()
  for i = 1, 90 do
    local e = world.spawn("rock")
    for k = 1, i % 3 + 1 do e:add("part", { y = k }, "p" .. k) end
  end
end }
END
  cat >"$tmp/game/systems/a.lua" <<'END'
return { query = { "part", "rock" }, precision = "single", update = function(q, dt)
  for i = 1, q.count do
    q.part.y[i] = q.part.y[i] + dt
    q.rock.x[i] = q.rock.x[i] * 0.5 + q.part.y[i]
  end
end }
END
  sed 's/, precision = "single"//; s/+ q.part/+ 1 * q.part/' "$tmp/game/systems/a.lua" >"$tmp/plain.lua"
  echo 'return { phase = "demand", query = { "rock" }, precision = "single", each = function(e) e.rock.vx = e.rock.vx * 2 end }' \
    >"$tmp/game/systems/d.lua"
  cat >"$tmp/game/systems/z.lua" <<'END'
return { after = "a", query = { "rock" }, update = function(q)
  world.run("d")
  local x, vx = 0, 0
  for i = 1, q.count do x, vx = x + q.rock.x[i], vx + q.rock.vx[i] end
  print(("%.3f %g"):format(x, vx))
end }
END
  for mode in off now; do
    run_for 60 "$release" run "$tmp/game" --headless --ticks 3 --native $mode
    exits 0
    cp "$tmp/out" "$tmp/out.$mode"
    ! grep error "$tmp/err" || fail "$(cat "$tmp/err")"
  done
  cmp -s "$tmp/out.off" "$tmp/out.now" || fail "$(cat "$tmp/out.off" "$tmp/out.now")"
  cp "$tmp/plain.lua" "$tmp/game/systems/a.lua"
  run_for 60 "$release" run "$tmp/game" --headless --ticks 3 --native off
  cmp -s "$tmp/out" "$tmp/out.now" || fail "in double precision: $(cat "$tmp/out" "$tmp/out.now")"
}
it "single precision supports queries with a many component and on-demand systems" many_rows
