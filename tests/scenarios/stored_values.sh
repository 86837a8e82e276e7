# Every kind of value, stored through every kind of target, has the same outcome (a stored value, or an error with the
# script's line) in interpreted Lua, in compiled Lua and in native code.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

# Targets: NAME|STATEMENT in a loop over the rows, with $V for the value|EXPRESSION that reads the result.
targets='column f32|q.c.f[i] = $V|q.c.f[120]
column f64|q.c.d[i] = $V|q.c.d[120]
column i32|q.c.i[i] = $V|q.c.i[120]
column u32|q.c.u[i] = $V|q.c.u[120]
column u8|q.c.b[i] = $V|q.c.b[120]
column bool|q.c.t[i] = $V|q.c.t[120]
column entity|q.c.e[i] = $V|q.c.e[120]
column string|q.c.s[i] = $V|q.c.s[120]
column enum|q.c.n[i] = $V|q.c.n[120]
column range|q.c.lim[i] = $V|q.c.lim[120]
column part|q.c.v.x[i] = $V|q.c.v.x[120]
column vector|q.c.v[i] = $V|q.c.v.x[120]
column record|q.c.r.x[i] = $V|q.c.r.x[120]
column list|q.c.list[i][1] = $V|q.c.list[120][1]
column matrix|q.c.m[i] = $V|q.c.m[120][1]
layers|q.body.category[i] = $V|q.body.category[120]
position|q.transform.x[i] = $V|q.transform.x[120]
element f32|e.c.f = $V|q.c.f[120]
element f64|e.c.d = $V|q.c.d[120]
element i32|e.c.i = $V|q.c.i[120]
element bool|e.c.t = $V|q.c.t[120]
element entity|e.c.e = $V|q.c.e[120]
element string|e.c.s = $V|q.c.s[120]
element enum|e.c.n = $V|q.c.n[120]
element range|e.c.lim = $V|q.c.lim[120]
element part|e.c.v.x = $V|q.c.v.x[120]
element vector|e.c.v = $V|q.c.v.x[120]
element record|e.c.r.x = $V|q.c.r.x[120]
element whole record|e.c.r = { x = $V }|q.c.r.x[120]
element list item|e.c.list[1] = $V|q.c.list[120][1]
element list|e.c.list = { $V }|q.c.list[120][1]
element list end|e.c.list = {} e.c.list:add($V)|q.c.list[120][1]
element integer list|e.c.ints = { $V }|q.c.ints[120][1]
element matrix|e.c.m = $V|q.c.m[120][1]
element frame|e.sprite.frame = $V|q.sprite.frame[120]
element position|e.transform.x = $V|q.transform.x[120]
element motion|e.mover.vx = $V|e.mover.vx
single f64|world.single.g.d = $V|world.single.g.d
single f32|world.single.g.f = $V|world.single.g.f
single i32|world.single.g.i = $V|world.single.g.i
single part|world.single.g.v.x = $V|world.single.g.v.x
single list|world.single.g.list[1] = $V|world.single.g.list[1]
instance|e.gun.left.heat = $V|e.gun.left.heat
instance part|e.gun.left.v.x = $V|e.gun.left.v.x
lookup|world.lookup("c").f[e] = $V|q.c.f[120]
set|e:set("c", { f = $V, d = $V })|e:json()
set a vector|e:set("c", { v = { $V, 1 } })|e:json()
set a list|e:set("c", { list = { $V } })|e:json()
add|e:add("extra", { f = $V })|e:json()
add to all|if i < 3 then q:add("extra", { f = $V }) end|e:json()
spawn|local new = world.spawn(nil, { extra = { f = $V } }) last = new.extra.f new:destroy()|last
spawn an integer|local new = world.spawn(nil, { extra = { i = $V } }) last = new.extra.i new:destroy()|last
spawn many|if i < 4 then last = world.spawn_many(nil, 2, function(n) end)[1] last:destroy() end q.c.d[i] = $V|q.c.d[120]
emit|world.emit("note", { f = $V })|1
emit many|world.emit_many("note", 1, function(ev) ev.f[1] = $V last = ev.f[1] end)|last
vector value|last = shoal.vec2($V, 1).x|last
vector factor|last = (shoal.vec2(1, 2) * $V).x|last
vector blend|last = shoal.vec2(1, 2):lerp(shoal.vec2(3, 4), $V).x|last
tween|if i == 1 then world.tween(e, "c.f", $V, 1) end|1
timer|world.cancel(world.after($V, "note"))|1
near|last = world.near($V, 0, 5)[1]|1'

values='1.5
5
2 ^ 40
0 / 0
1 / 0
-1 / 0
1LL
9223372036854775807ULL
5i
"text"
"5"
true
nil
{}
e
e.c
print'

write_game() {
  mkdir -p stores/systems
  echo 'return { start = function() for i = 1, 120 do world.spawn("thing") end end }' >stores/game.lua
  echo 'return { note = { f = 0 } }' >stores/events.lua
  cat >stores/assemblages.lua <<'END'
return { thing = { components = { transform = {}, body = {}, sprite = {}, mover = {}, c = {}, gun = { left = {} } } } }
END
  cat >stores/components.lua <<'END'
local t = shoal.types
return {
  c = { f = 0, d = t.f64(0), i = t.i32(0), u = t.u32(0), b = t.u8(0), t = false, e = t.entity, s = t.string "",
    n = t.enum { "text", "5" }, lim = t.f32(1, { min = 0, max = 10 }), v = t.vec2(0, 0), r = { x = 0 },
    list = t.list(t.f32, 4, { 1 }), ints = t.list(t.i32, 4), m = t.mat4 },
  extra = { f = 0, i = t.i32(0) },
  gun = t.many { heat = 0, v = t.vec2(0, 0) },
  g = t.single { f = 0, d = t.f64(0), i = t.i32(0), v = t.vec2(0, 0), list = t.list(t.f64, 4, { 1 }) },
}
END
  { echo "$targets" && echo === && echo "$values"; } | awk -F'|' '
    $0 == "===" { in_values = 1; next }
    !in_values { name[++count] = $1; code[count] = $2; read[count] = $3; next }
    { value[++values] = $0 }
    END {
      for (k = 1; k <= count; ++k) {
        file = "stores/systems/" sprintf("t%02d", k) ".lua"
        print "local function attempt(f, q)\n  local good, last = pcall(f, q)" > file
        print "  return good and \"stored\" or tostring(type(last) == \"table\" and last.message or last), last" > file
        print "end\nreturn { query = { \"c\", \"body\", \"sprite\", \"transform\" }, update = function(q)" > file
        print "  local e, result, last = q.entity[1], nil, nil\n  if world.tick ~= 1 then return end" > file
        for (v = 1; v <= values; ++v) {
          statement = code[k]
          while ((at = index(statement, "$V")) > 0)
            statement = substr(statement, 1, at - 1) value[v] substr(statement, at + 2)
          print "  result, last = attempt(function(q) local last for i = 1, q.count do local e = q.entity[i]" > file
          print "    " statement " end return last end, q)" > file
          printf "  print(%s, %s, result, select(2, pcall(function(q) return %s end, q)))\n", quote(name[k]), \
            quote(value[v]), read[k] > file
        }
        print "end }" > file
        close(file)
      }
    }
    function quote(s) { gsub(/"/, "\\\"", s); return "\"" s "\"" }'
}

# The same for loops that are compiled to native code: one system and one component for each pair.

native_targets='q.C.f[i] = $V
q.C.d[i] = $V
q.C.i[i] = $V
q.C.b[i] = $V
q.C.t[i] = $V
q.C.lim[i] = $V
q.C.v.x[i] = $V
e.C.f = $V
e.C.i = $V
e.C.lim = $V
e.C.v.x = $V
world.single.g.d = $V
q.C.f[i] = q.C.f[i] + $V
e.transform.x = $V q.C.f[i] = e.transform.x + 1
q.transform.y[i] = $V q.C.f[i] = q.transform.y[i] + 1
local o = q.entity[q.count + 1 - i] o.transform.scale_x = $V q.C.f[i] = e.transform.scale_x'
native_values='1.5
2 ^ 40
q.C.zero[i] / q.C.zero[i]
1 / q.C.zero[i]
1LL
5i
"5"
true
nil'

write_native_game() {
  mkdir -p native/systems native/components
  cat >native/game.lua <<'END'
return { start = function()
  local components = { transform = {} }
  for k = 1, 144 do components[("c%03d"):format(k)] = {} end
  for _ = 1, 300 do world.spawn(nil, components) end
end }
END
  echo 'return { g = shoal.types.single { d = shoal.types.f64(0) } }' >native/components/single.lua
  { echo "$native_targets" && echo === && echo "$native_values"; } | awk '
    $0 == "===" { in_values = 1; next }
    !in_values { code[++count] = $0; next }
    { value[++values] = $0 }
    END {
      for (k = 1; k <= count; ++k)
        for (v = 1; v <= values; ++v) {
          name = sprintf("c%03d", ++number)
          print "local t = shoal.types\nreturn { " name " = { zero = 0, f = 1, d = t.f64(1), i = t.i32(1), b = t.u8(1), " \
            "t = false, lim = t.f32(1, { min = 0, max = 10 }), v = t.vec2(1, 1) } }" > ("native/components/" name ".lua")
          statement = code[k]
          while ((at = index(statement, "$V")) > 0)
            statement = substr(statement, 1, at - 1) value[v] substr(statement, at + 2)
          gsub(/[.]C[.]/, "." name ".", statement)
          print "return { query = { \"" name "\", \"transform\" }, update = function(q)\n  for i = 1, q.count do" \
            (statement ~ /e[.]/ ? " local e = q.entity[i]" : "") "\n    " statement "\n  end\nend }" \
            > ("native/systems/" name ".lua")
        }
    }'
}

outcomes() { # outcomes GAME FILE [OPTION…]: writes the output, the errors and the hash to FILE
  if [ ! -d "$1" ]; then [ "$1" = native ] && write_native_game || write_game; fi
  game=$1 file=$2
  shift 2
  run_for 60 "$release" run "$game" --headless --no-watch --seed 3 --ticks 4 --hash "$@"
  { cat out && grep '^error: error in' err; } >"$file"
}
all_pairs() {
  outcomes stores compiled
  expected=$(($(echo "$targets" | wc -l) * $(echo "$values" | wc -l)))
  [ "$(grep -vc '^tick' compiled)" = $expected ] || fail "expected $expected outcomes, got $(wc -l <compiled)"
}
# 64-bit integers were converted differently by compiled and by interpreted Lua.
no_wide_integers() {
  [ -s compiled ] || outcomes stores compiled
  [ "$(grep -c '	1LL	' compiled)" = "$(echo "$targets" | wc -l)" ] || fail "$(head -n 3 compiled)"
  ! awk -F '\t' '$2 ~ /LL$|^5i$/ && $3 == "stored"' compiled | grep . || fail "64-bit integers were stored"
}
same_outcomes() { # same_outcomes GAME [OPTION…]
  game=$1
  [ -s "$game.compiled" ] || outcomes "$game" "$game.compiled" --native off
  shift
  outcomes "$game" other "$@"
  cmp -s "$game.compiled" other || fail "with $*: $(diff "$game.compiled" other | head -n 8)"
}
native_errors() { # the log contains the first errors; the hash contains all parked systems
  [ -s native.compiled ] || outcomes native native.compiled --native off
  [ "$(grep -c '^error: error in' native.compiled)" -ge 16 ] || fail "$(head -n 8 native.compiled)"
  ! grep '^error: error in' native.compiled | grep -v 'systems/c[0-9]*.lua:3: ' || fail "an error has no line"
}
it "every store of every kind of value either succeeds or reports an error" all_pairs
it "64-bit integers cannot be stored in any field, vector or list" no_wide_integers
it "stores have the same outcome in interpreted and compiled Lua" same_outcomes stores --no-jit
it "a loop that stores a value of a wrong type fails with its line" native_errors
it "loops that store values have the same outcome in interpreted and compiled Lua" same_outcomes native --no-jit
it "loops that store values have the same outcome in native code and in LuaJIT" same_outcomes native --native now
