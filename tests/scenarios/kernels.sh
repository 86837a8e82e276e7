# Random kernels (games/kernels) in a sanitized build: none crashes, and each that is accepted does what its loop form
# does, compiled and interpreted. 500 of them, or 10,000 with --long.
# needs: sanitize
. "$(dirname "$0")/../lib.sh"
TOGETHER=50 # systems of a run

# make_game KIND FIRST COUNT: the game with these kernels
make_game() {
  rm -rf "$tmp/game"
  cp -R "$root/tests/scenarios/games/kernels" "$tmp/game"
  mkdir -p "$tmp/game/systems"
  n=$2
  while [ "$n" -lt $(($2 + $3)) ]; do
    echo "return (require \"random_kernel\"($n, \"$1\"))" >"$tmp/game/systems/k$n.lua"
    n=$((n + 1))
  done
}

# kernels KIND COUNT: a run that fails says which kernels it had. The first of them, or with --long all, are machine code
# where there is LLVM, which takes its time for large ones; the others run in C.
kernels() {
  kind=$1 count=$2 first=1 native=now
  while [ "$first" -le "$count" ]; do
    make_game "$kind" "$first" "$TOGETHER"
    run_for 300 "$sanitized" run "$tmp/game" --headless --ticks 2 --seed 1 --check-kernels --budget 0 --native "$native"
    [ -n "$LONG" ] || native=off
    if [ "$status" -gt 0 ] || grep -q 'Sanitizer\|runtime error:\|cannot be machine code' "$tmp/err"; then
      fail "kernels $first to $((first + TOGETHER - 1)) ($kind): status $status: $(grep -v '^warn' "$tmp/err" | tail -n 5)"
    fi
    first=$((first + TOGETHER))
  done
}

# both_ways KIND COUNT: other kernels than above; the functions around them and their loop forms are compiled or not
both_ways() {
  kind=$1 first=20001 last=$((20000 + $2))
  while [ "$first" -le "$last" ]; do
    make_game "$kind" "$first" "$TOGETHER"
    for how in "" --no-jit; do
      # shellcheck disable=SC2086
      run_for 300 "$sanitized" run "$tmp/game" --headless --ticks 2 --seed 1 --check-kernels --budget 0 --hash every=1 $how
      exits 0
      grep '^tick' "$tmp/out" >"$tmp/world$how"
    done
    [ "$(wc -l <"$tmp/world")" -ge 2 ] || fail "no worlds: $(tail -n 3 "$tmp/out" "$tmp/err")"
    cmp -s "$tmp/world" "$tmp/world--no-jit" ||
      fail "kernels $first to $((first + TOGETHER - 1)) ($kind): $(diff "$tmp/world" "$tmp/world--no-jit" | head -n 4)"
    first=$((first + TOGETHER))
  done
}

half=250
pairs=50
[ -z "$LONG" ] || half=5000 pairs=1000
it "$half random kernels do what their loop forms do, in every bit" kernels tame "$half"
it "$half kernels of any size and any numbers do what their loop forms do, in every bit" kernels wild "$half"

it "$pairs random kernels make the same world compiled and interpreted" both_ways tame "$pairs"
it "$pairs kernels of any size and any numbers make the same world compiled and interpreted" both_ways wild "$pairs"

# The arithmetic of three small steps of a spring, and a power by multiplying.
large() {
  rm -rf "$tmp/game"
  mkdir -p "$tmp/game/systems"
  echo 'return { start = function() for i = 1, 99 do world.spawn(nil, { p = { x = i / 7, y = 1 + i / 1000 } }) end end }' >"$tmp/game/game.lua"
  echo 'return { p = { x = 0, y = 0, vx = 0, vy = 0, big = 0 } }' >"$tmp/game/components.lua"
  cat >"$tmp/game/systems/spring.lua" <<'LUA'
return { query = { "p" }, kernel = function(q, dt)
  local h = dt / 3
  for _ = 1, 3 do
    local ax, ay = -40 * q.p.x - 2 * q.p.vx, -40 * q.p.y - 2 * q.p.vy
    q.p.vx, q.p.vy = q.p.vx + ax * h, q.p.vy + ay * h
    q.p.x, q.p.y = q.p.x + q.p.vx * h, q.p.y + q.p.vy * h
  end
end }
LUA
  echo "return { query = { 'p' }, kernel = function(q) local v = q.p.x for i = 1, $1 do v = v * q.p.y end q.p.big = v end }" >"$tmp/game/systems/power.lua"
  run_for 60 "$sanitized" run "$tmp/game" --headless --ticks 3 --check-kernels --budget 60000
  exits 0
}

small_enough() {
  large 34
  ! grep warn "$tmp/err" || fail "it was not taken"
}

too_large() {
  large 5000
  says err "warn: system power: its kernel is too large for machine code and runs slowly, as a loop over its rows"
}

# A choice between numbers has no type until it meets one, and one whose condition is known has that of both. Truths
# of a row are chosen and compared like numbers, and are none.
choices() {
  rm -rf "$tmp/game"
  mkdir -p "$tmp/game/systems"
  echo 'return { start = function() for i = 1, 99 do world.spawn(nil, { p = { x = i / 7, y = 1 + i / 1000, d = i / 3, i = i } }) end end }' >"$tmp/game/game.lua"
  echo 'local t = shoal.types return { p = { x = 0, y = 0, d = t.f64(0), e = t.f64(0), i = t.i32(0), u = t.u8(0), on = false, off = false } }' >"$tmp/game/components.lua"
  n=0
  while IFS= read -r statement; do
    n=$((n + 1))
    echo "local m = shoal.math return { query = { 'p' }, kernel = function(q, dt) $statement end }" >"$tmp/game/systems/c$n.lua"
  done <<'LUA'
q.p.d = m.select(m.ge(q.p.x, 7), -4, 0.1)
q.p.e = q.p.d * m.select(m.ge(q.p.x, 7), 0.1, 1 / 3)
q.p.e = m.select(m.ge(q.p.x, 7), dt, 0.1) * q.p.d
q.p.e = m.select(m.ge(q.p.x, 7), dt * 0.1, dt / 3) + m.select(m.lt(q.p.d, 9), 1 / 7, dt)
q.p.i = m.select(m.ge(q.p.x, 7), 1e10, 0.7)
q.p.u = m.select(m.ge(q.p.x, 7), 3.9, -1)
q.p.x = m.clamp(m.select(m.lt(q.p.d, 9), 0.1, 0.3), 0.2, q.p.d)
q.p.y = (q.p.y + q.p.x) % m.select(m.lt(1e-6, -9), q.p.d, q.p.y)
q.p.d = q.p.x - m.select(m.ge(1e-6, 5), q.p.e, -2)
q.p.d = m.select(m.ge(5, 1e-6), q.p.i, 0.3) + q.p.x
q.p.e = m.select(m.lt(dt, 1), q.p.x, q.p.d) * 0.1
q.p.x = m.min(m.select(m.lt(dt, 1), dt, 0.3), m.max(dt, 0.1)) * q.p.y
q.p.d = m.select(m.all(m.lt(1, 2), m.ge(q.p.x, 3)), m.abs(-0.1), m.sqrt(dt))
q.p.d = m.abs(m.select(m.eq(q.p.x, 0), 16777217, 1e6)) % 9
q.p.d = m.floor(m.select(q.p.on, 16777217, -0.1)) + m.sqrt(m.select(q.p.on, 16777217, 0.1)) * q.p.d
q.p.e = -m.select(q.p.on, 0.1, m.select(q.p.off, dt, 16777217)) + m.abs(m.min(m.select(q.p.on, -16777217, 0.1), dt))
q.p.e = m.select(q.p.on, 0.1, 0.3) / m.clamp(m.select(q.p.off, 16777217, 0.3), dt, 1e9) - q.p.d ^ 2
q.p.d = m.select(m.lt(m.select(q.p.on, 16777217, 0.1), 16777216), 0.1, 0.3) % 0.7 + m.select(q.p.on, 0.1, dt) ^ 3
q.p.on, q.p.off = m.eq(q.p.on, m.lt(q.p.x, 7)), m.select(q.p.on, m.not_(q.p.off), m.any(q.p.off, m.lt(q.p.d, 1)))
q.p.on = m.select(true, m.eq(q.p.on, true), q.p.off) q.p.off = true q.p.d = m.abs(m.select(q.p.off, 16777217, 1))
q.p.u = m.select(m.select(q.p.on, m.lt(dt, 1), false), m.select(q.p.off, 300, -1), m.select(m.not_(false), 0.1, 7.9))
LUA
  run_for 60 "$sanitized" run "$tmp/game" --headless --ticks 3 --check-kernels --budget 60000
  exits 0
  ! grep warn "$tmp/err" || fail "it was not taken"
}
it "a choice between numbers is what its loop form makes of it" choices

not_numbers() {
  rm -rf "$tmp/game"
  forge
  rm "$tmp"/game/systems/*
  for operation in '-q.p.on' 'shoal.math.abs(q.p.on)' 'shoal.math.sqrt(shoal.math.lt(q.p.x, 1))' 'q.p.on ^ 3'; do
    refused_kernel "q.p.on = $operation" "a truth is no number: use shoal.math.select(truth, a, b)"
  done
}

it "a kernel of a hundred operations is machine code" small_enough
it "a kernel that is too large for machine code runs as a loop over its rows, and the log says so" too_large

# What a kernel's function gets are not the values themselves: whatever is done to them past their metatables, only
# what was calculated comes to C. Each of these is done by one system, which catches what is said about it.
forge() {
  mkdir -p "$tmp/game/systems" "$tmp/game/lib"
  echo 'return { start = function() for i = 1, 99 do world.spawn(nil, { p = { x = i, y = 2, who = shoal.none } }) end end }' >"$tmp/game/game.lua"
  echo 'return { p = { x = 0, y = 0, z = 0, who = shoal.types.entity, on = false } }' >"$tmp/game/components.lua"
  echo 'return { kept = {} }' >"$tmp/game/lib/kept.lua"
  number=0
  while IFS= read -r attempt; do
    number=$((number + 1))
    {
      echo 'local node = { id = 1, op = "loadpb", kind = "f32", bytes = 1, a = false, b = false, value = "p.who" }'
      echo 'return { query = { "p" }, kernel = function(q, dt)'
      echo "  pcall(function() $attempt end)"
      echo '  q.p.x = q.p.x + q.p.y'
      echo 'end }'
    } >"$tmp/game/systems/f$number.lua"
  done <<'LUA'
rawset(q.p.x, "op", "loadpb")
rawset(q.p.x, "bytes", 8)
rawset(q.p.x, "a", q.p.x)
rawset(dt, "kind", "entity")
local v = q.p.x * q.p.y rawset(v, "op", "nonsense") q.p.z = v
local v = q.p.x * q.p.y rawset(v, "op", "storeq") q.p.z = v
local v = q.p.x * q.p.y rawset(v, "a", v) q.p.z = v
local v = q.p.x * q.p.y rawset(v, "b", false) q.p.z = v
local v = q.p.x * q.p.y rawset(v, "a", node) q.p.z = v
local v = q.p.x * q.p.y rawset(v, "bytes", 1) q.p.z = v
local v = q.p.x + 1 for k in pairs(v) do pcall(rawset, v, k, 1e9) end q.p.z = v
q.p.z = setmetatable(node, getmetatable(q.p.x))
q.p.z = setmetatable({}, getmetatable(q.p.x)) + q.p.x
getmetatable(q.p.x).__add = function() return node end
getmetatable(q.p.x).__mul = nil
getmetatable(q).__index = function() return node end
getmetatable(q.p).__newindex = nil
rawset(q, "p", { x = node })
rawset(q.p, "x", node)
setmetatable(q.p.x, nil)
for k, v in pairs(q.p.x) do rawset(v, "id", 1) end
table.insert(q.p.x, node)
q.p.z = shoal.math.select(node, q.p.x, node)
q.p.z = shoal.math.min(node, setmetatable({ kind = "f32", value = node }, getmetatable(q.p.x)))
q.p.who = q.p.x
q.p.on = q.p.x
LUA
}

forged() {
  rm -rf "$tmp/game"
  forge
  run_for 60 "$sanitized" run "$tmp/game" --headless --ticks 3 --check-kernels --budget 60000
  exits 0
  ! grep -v '^Shoal: seed' "$tmp/err" || fail "it said so"
}
it "what a script does to a kernel's values past their metatables is not part of the kernel" forged

# refused_kernel SYSTEM "words"
refused_kernel() {
  echo "return { query = { 'p' }, kernel = function(q, dt) $1 end }" >"$tmp/game/systems/z.lua"
  run_for 60 "$sanitized" run "$tmp/game" --headless --ticks 3
  exits 1
  says err "$2"
}

foreign() {
  rm -rf "$tmp/game"
  forge
  rm "$tmp"/game/systems/*
  echo 'return { query = { "p" }, kernel = function(q) local k = require("lib.kept").kept k[1], k[2] = q.p.x * q.p.y, q.p.x
    q.p.z = k[1] end }' >"$tmp/game/systems/a.lua"
  refused_kernel 'q.p.z = require("lib.kept").kept[1]' "a value of another kernel is used in it"
  refused_kernel 'q.p.z = q.p.y + require("lib.kept").kept[2]' "a value of another kernel is used in it"
  refused_kernel 'q.p.z = shoal.math.sqrt(require("lib.kept").kept[1])' "a value of another kernel is used in it"
  refused_kernel 'q.p.z = { id = 1, op = "mulf", kind = "f32", bytes = 4 }' "p.z takes a number or a truth, not table"
  refused_kernel 'q.p.z = q.p.x + { id = 1, op = "mulf", kind = "f32", bytes = 4 }' "table cannot be calculated with"
}
it "nothing is calculated with a truth" not_numbers
it "values of another kernel, and tables that look like values, are refused" foreign
