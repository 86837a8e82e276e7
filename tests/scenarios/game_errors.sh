# Mistakes in a game's files: each is reported with its file and line or with the invalid name, and the program neither
# crashes nor hangs. After an error in a declaration or a script it exits with status 1.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

# game NAME: creates the folder of a valid game; the tests then add a mistake.
game() {
  rm -rf "$1"
  mkdir -p "$1/systems"
  cat >"$1/game.lua" <<'END'
return {
  title = "probe",
  start = function() for i = 1, 3 do world.spawn("thing", { motion = { vx = i } }) end end,
}
END
  echo 'return { motion = { vx = 0, vy = 0 } }' >"$1/components.lua"
  echo 'return { thing = { components = { transform = {}, motion = {} } } }' >"$1/assemblages.lua"
  cat >"$1/systems/movement.lua" <<'END'
return { phase = "update", query = { "transform", "motion" },
  update = function(q, dt)
    local x, vx = q.transform.x, q.motion.vx
    for i = 1, q.count do x[i] = x[i] + vx[i] * dt end
  end,
}
END
}

play() { run_for 60 "$release" run "$@" --headless; }

valid_game() {
  game valid
  play valid --ticks 60 --exec 'return string.format("%.2f", world.time)'
  exits 0
}
it "the unmodified test game runs without an error" valid_game

# reports_error NAME FILE TEXT…: the game NAME with FILE from stdin must fail with an error that contains each TEXT
reports_error() {
  game "$1"
  name=$1
  cat >"$1/$2"
  shift 2
  play "$name" --ticks 30
  exits 1
  for text in "$@"; do says err "$text"; done
}

unknown_type() {
  reports_error unknown_type components.lua components.lua:3 quaternion <<'END'
return {
  health = { hp = 1 },
  motion = { vx = 0, vy = 0, turn = shoal.types.quaternion },
}
END
}
it "an unknown type in a schema is reported with file, line and type" unknown_type

broken_schema() {
  reports_error broken_schema components.lua components.lua health <<'END'
return {
  motion = { vx = 0, vy = 0 },
  health = { hp = function() end },
}
END
}
it "a field whose default is a function is reported with its component" broken_schema

assemblage_cycle() {
  reports_error cycle assemblages.lua rock pebble thing <<'END'
return {
  rock = { is = "pebble", components = {} },
  pebble = { is = "thing", components = {} },
  thing = { is = "rock", components = {} },
}
END
}
it "an assemblage cycle is reported with all assemblages of the cycle" assemblage_cycle

unknown_parent() {
  reports_error unknown_parent assemblages.lua vehicle <<'END'
return { thing = { is = "vehicle", components = {} } }
END
}
it "an unknown base of an assemblage is named in the error" unknown_parent

assemblage_component() {
  reports_error unknown_component assemblages.lua healht <<'END'
return { thing = { components = { healht = { hp = 1 } } } }
END
}
it "an unknown component of an assemblage is named in the error" assemblage_component

assemblage_field() {
  reports_error unknown_field assemblages.lua motion vz <<'END'
return { thing = { components = { motion = { vz = 1 } } } }
END
}
it "an unknown field in an assemblage's component is named in the error" assemblage_field

unknown_query() {
  reports_error unknown_query systems/movement.lua systems/movement.lua velocity <<'END'
return { phase = "update", query = { "transform", "velocity" }, update = function(q, dt) end }
END
}
it "an unknown component in a query is named in the error" unknown_query

order_cycle() {
  game order
  echo 'return { phase = "update", after = "movement", before = "movement", update = function(dt) end }' \
    >order/systems/early.lua
  play order --ticks 10
  exits 1 err movement early
}
it "a cyclic order of systems is reported with the names of the systems" order_cycle

unknown_phase() {
  reports_error unknown_phase systems/movement.lua systems/movement.lua tomorrow <<'END'
return { phase = "tomorrow", update = function(dt) end }
END
}
it "an unknown phase is named in the error" unknown_phase

syntax_error() {
  reports_error syntax systems/movement.lua systems/movement.lua:2 <<'END'
return { phase = "update",
  update = function(dt) if end,
}
END
}
it "a syntax error is reported with file and line" syntax_error

global_typo() {
  reports_error typo systems/movement.lua systems/movement.lua:2 scroe <<'END'
return { phase = "update", update = function(dt)
  scroe = 1
end }
END
}
it "an assignment to an undeclared global is reported with the global's name, file and line" global_typo

global_read() {
  reports_error typo_read systems/movement.lua systems/movement.lua:2 wrold <<'END'
return { phase = "update", update = function(dt)
  wrold.spawn("thing")
end }
END
}
it "a read of an undeclared global is reported with the global's name, file and line" global_read

out_of_range() {
  reports_error range systems/movement.lua systems/movement.lua:2 <<'END'
return { phase = "update", query = { "transform", "motion" }, update = function(q, dt)
  q.transform.x[q.count + 1] = 1
end }
END
}
it "a write past the end of a column is an error with file and line" out_of_range

before_range() {
  reports_error range_low systems/movement.lua systems/movement.lua:2 <<'END'
return { phase = "update", query = { "transform", "motion" }, update = function(q, dt)
  q.transform.x[0] = 1
end }
END
}
it "a write to index 0 of a column is an error with file and line" before_range

recursion() {
  reports_error recursion systems/movement.lua systems/movement.lua overflow <<'END'
local function deeper(n) return 1 + deeper(n + 1) end
return { phase = "update", update = function(dt) deeper(1) end }
END
  for _ in 1 2 3 4 5 6; do # repeated: the recursion is not always compiled when the stack overflows
    play recursion --ticks 3
    exits 1 err "systems/movement.lua" overflow
  done
}
it "endless recursion does not crash the game and is an error that names the file" recursion

is_sandboxed() { # is_sandboxed CODE: fails unless CODE is an error
  game sandbox
  play sandbox --ticks 1 --exec "$1"
  exits 1
}
for code in 'io.open("/etc/passwd")' 'os.execute("true")' 'require("ffi")' 'package.loadlib("x", "y")' \
  'loadstring(string.dump(function() end))()' 'debug.getregistry()' 'dofile("/etc/passwd")'; do
  it "the sandbox rejects $code" is_sandboxed "$code"
done

failing_system() {
  game parked
  cat >parked/systems/broken.lua <<'END'
return { phase = "update", update = function(dt)
  world.spawn("thing")
  error("on purpose")
end }
END
  play parked --ticks 60
  exits 1 err systems/broken.lua:3 "on purpose"
  [ "$(grep -c 'on purpose' "$tmp/err")" -le 3 ] || fail "the error is reported repeatedly: $(head -n 8 "$tmp/err")"
}
it "a failing system is reported once and parked" failing_system

restart_retries() {
  game again
  cat >again/systems/broken.lua <<'END'
return { phase = "update", update = function()
  print("tried in tick " .. world.tick)
  error("on purpose")
end }
END
  echo 'return { update = function() if world.tick == 5 then world.restart() end end }' >again/systems/restart.lua
  play again --ticks 12
  exits 1
  [ "$(grep -c "tried in tick" "$tmp/out")" = 2 ] || fail "expected one try after each start: $(cat "$tmp/out" "$tmp/err")"
  [ "$(sort -u "$tmp/out" | grep -c "tried in tick")" = 1 ] || fail "tried in other ticks: $(cat "$tmp/out")"
}
nil_value() {
  game nil
  printf 'return { update = function()\nlocal names = {}\nprint(names[1].length)\nend }\n' >nil/systems/broken.lua
  play nil --ticks 3
  exits 1 err "systems/broken.lua:3: attempt to index a nil value: this value is nil: check that it is set before"
  ! grep -q "world.find" "$tmp/err" || fail "names a function that the line does not call: $(cat "$tmp/err")"
}
it "an error about a nil value does not mention world.find if its line does not call world.find" nil_value

nan_position() { # nan_position ROWS LUA [FIELD DEFAULT]: LUA, in line 3, writes NaN to FIELD (transform.x)
  game nan
  echo "return { start = function() for i = 1, $1 do world.spawn('thing', { motion = { vx = i } }) end end }" >nan/game.lua
  [ "${3%%.*}" != body ] ||
    echo 'return { thing = { components = { transform = {}, motion = {}, body = {} } } }' >nan/assemblages.lua
  printf 'return { phase = "update", query = { "transform", "motion" }, update = function(q, dt)\n%s\n%s\n%s\n' \
    'local x, vx = q.transform.x, q.motion.vx for i = 1, q.count do' "$2" 'end end }' >nan/systems/movement.lua
  play nan --ticks 200
  exits 0
  says err "systems/movement.lua:3: ${3-transform.x} must be a number, got nan; stored ${4-0}: check for a division by zero (reported once)"
  [ "$(grep -c 'got nan' "$tmp/err")" = 1 ] || fail "reported repeatedly: $(head -n 8 "$tmp/err")"
}
it "a NaN written to a position is reported once" nan_position 3 'x[i] = x[i] + vx[i] / (dt - dt) * 0'
it "a NaN written through an entity is reported once" nan_position 3 'q.entity[i].transform.x = 0 / 0 * vx[i]'
it "a NaN written in a late iteration of a compiled loop is reported once" nan_position 3000 \
  'x[i] = x[i] + vx[i] * dt if x[i] > 9000 then x[i] = (x[i] - x[i]) / (dt - dt) end'
it "a NaN written to a radius is reported once" nan_position 3 'q.entity[i].body.radius = 0 / 0 * vx[i]' body.radius 10
it "a NaN written to a scale in a late iteration of a compiled loop is reported once" nan_position 3000 \
  'local s = q.transform.scale_x s[i] = s[i] + vx[i] * dt if s[i] > 9000 then s[i] = (s[i] - s[i]) / (dt - dt) end' \
  transform.scale_x 1

nan_in_values() { # each call that receives a table of values reports the NaN in it, once, at its own line
  game nan
  cat >nan/game.lua <<'END'
return { start = function()
  local e = world.spawn("thing", { transform = { x = 0 / 0 } })
  e:set("transform", { angle = 0 / 0 })
  for i = 1, 3 do e:add("body", { radius = 0 / 0 }) e:remove("body") end
end }
END
  play nan --ticks 3
  exits 0
  for place in "2: transform.x must be a number, got nan; stored 0" \
    "3: transform.angle must be a number, got nan; stored 0" "4: body.radius must be a number, got nan; stored 10"; do
    says err "game.lua:$place: check for a division by zero (reported once)"
  done
  [ "$(grep -c "game.lua.*got nan" "$tmp/err")" = 3 ] || fail "expected 3 reports: $(cat "$tmp/err")"
}
it "a NaN in the values of world.spawn, e:set and e:add is reported once" nan_in_values
it "world.restart() runs a parked system again" restart_retries

missing_files() {
  game missing
  cat >missing/assemblages.lua <<'END'
return { thing = { components = { transform = {}, motion = {}, sprite = { image = "no_such_image.png" } } } }
END
  cat >missing/systems/noise.lua <<'END'
return { phase = "update", update = function(dt) audio.play("no_such_sound.wav") end }
END
  run_for 60 env SDL_VIDEODRIVER=offscreen "$release" run missing --ticks 30 --no-watch
  exits 0
  for name in no_such_image.png no_such_sound.wav; do
    [ "$(grep -c "$name" "$tmp/err")" = 1 ] || fail "expected one line about $name, got: $(cat "$tmp/err")"
  done
}
it "a missing image and a missing sound are each reported once, and the game keeps running" missing_files

entity_limit() {
  game many
  cat >many/game.lua <<'END'
return { title = "many", start = function()
  local made = 0
  local fine, why = pcall(function()
    for _ = 1, 4194304 do
      world.spawn()
      made = made + 1
    end
  end)
  log.info("made %d fine %s why %s", made, tostring(fine), tostring(why))
end }
END
  echo 'return { phase = "update", update = function(dt) log.info("ticks %d", world.tick) end }' >many/systems/clock.lua
  play many --ticks 2
  exits 0 err "made 4194303 fine false" "ticks 1"
}
it "the spawn of entity number 4,194,304 is an error, and the game keeps running" entity_limit

missing_glyph() {
  game glyph
  cat >glyph/systems/write.lua <<'END'
return { start = function()
  for i = 1, 3 do world.spawn(nil, { transform = { y = i * 20 }, label = { text = i .. " \240\159\152\128" } }) end
end }
END
  play glyph --ticks 20
  exits 0
  [ "$(grep -c 'no font has the character U+1F600' err)" = 1 ] || fail "expected one message, got: $(cat err)"
}
it "a character missing from all fonts is reported once" missing_glyph

event_after_destroy() {
  game late
  echo 'local t = shoal.types return { hit = { who = t.entity, power = 0 } }' >late/events.lua
  cat >late/systems/hits.lua <<'END'
return {
  start = function()
    local e = world.spawn("thing", { name = "Ann" })
    world.tween(e, "transform.x", 100, 0.2)
    world.after(0.1, "hit", { who = e, power = 3 })
    e:destroy()
  end,
  on = { hit = function(q) print("hit", q.power[1], q.who[1]:alive(), world.count("tween")) end },
}
END
  play late --ticks 20
  exits 0 out "hit	3	false	0"
}
it "a timer's event is delivered even if its entity was destroyed, and the entity's tweens are removed" event_after_destroy

# A library with a cache that its functions fill, and with a global that it declares unless class_commons is false.
libraries() {
  game kept
  mkdir -p kept/lib
  cat >kept/lib/cached.lua <<'END'
local cache = {}
if class_commons ~= false then common = {} end
return { double = function(x) return 2 * x end, remember = function(x) cache[x] = x return cache[x] end }
END
  cat >kept/systems/uses.lua <<'END'
local cached = require "lib.cached"
return { update = function()
  print("double", cached.double(world.tick))
  if world.tick == 3 then cached.remember(1) end
end }
END
  play kept --ticks 5
  says out "double	2"
  says err "lib/cached.lua:3: the table cache of lib/cached.lua was created while files were loaded and is now read-only"
}
it "a module with a local cache table loads, and a write to the cache in a tick is an error with its line" libraries
