# Errors in scripts of a running game, the state that a reload keeps, and basic functions: quitting, pausing, printing,
# random numbers.
# needs: release
. "$(dirname "$0")/../lib.sh"
games=$root/tests/scenarios/games
cd "$tmp" || exit 1

play() { run_for 60 "$release" run "$@" --headless; }
silent_about() { ! grep -qF -- "$2" "$tmp/$1" || fail "unexpected '$2': $(cat "$tmp/$1")"; }
expect_count() { # expect_count N FILE "text"
  [ "$(grep -cF -- "$3" "$tmp/$2")" = "$1" ] || fail "expected '$3' $1 times: $(cat "$tmp/$2")"
}

parked() {
  play "$games/parked" --ticks 30
  exits 1 err "system fails" "systems/fails.lua:9"
  expect_count 1 err "on purpose"
}
it "a failing system is reported once, with its line" parked
isolated() {
  play "$games/parked" --ticks 30
  says out "runs 30 things 1 rows 1 direct 1"
  silent_about out "it ran on"
  silent_about out "was heard"
}
it "a failed system is parked, its queued changes are dropped, and other systems run" isolated

reloads() {
  play "$games/reloads" --ticks 30
  expect_count 1 out "game start"
  expect_count 1 out "listener: start"
  expect_count 2 out "listener: enter"
  expect_count 2 out "listener: reload in tick"
  says out "listener: reload in tick 11" "listener: reload in tick 21"
  expect_count 1 out "listener: bang 9 in tick"
  expect_count 1 out "listener: bang 10 in tick 11"
  says out "end: things 2, first entity(1:0 \"first\") at 30.0"
  says out "listener: runs 59" # runs for two entities in ticks 0 to 28, and for the first entity in tick 29
  expect_count 1 out "listener: stop"
}
behaviour_reloads() {
  play "$games/reloads" --ticks 30
  expect_count 1 out "ticker: create"
  says out "ticker: ticks 29" # ticks 0 to 28
  expect_count 1 out "ticker: destroy"
}
it "a behaviour keeps its fields across reloads, and its destroy function runs once" behaviour_reloads
it "a reload keeps the world and does not repeat start functions, enter functions or events" reloads
fixed() {
  play "$games/reloads" --ticks 30
  exits 1
  expect_count 2 err "not yet"
  expect_count 1 out "recovering: start" # effects of start are applied before update runs
  expect_count 2 out "recovering: enter entity(1:0" # after the failed run, enter is called again, but not update
  says out "recovering: markers 2, by start true"
  silent_about out "recovering: enter entity(3"
}
it "the enter function of a system that failed in its first tick is called again after a reload" fixed

# throws "test name" MESSAGE…: a system with the code on stdin must fail with these messages, and a different system
# must keep running.
throws() {
  name=$1
  shift
  rm -rf thrown
  mkdir -p thrown/systems
  echo 'return { title = "thrown", start = function() world.spawn("thing") end }' >thrown/game.lua
  echo 'return { motion = { vx = 0 }, burning = { heat = 1 } }' >thrown/components.lua
  echo 'return { thing = { components = { transform = {}, motion = {} } } }' >thrown/assemblages.lua
  echo 'return { bang = { power = 1 } }' >thrown/events.lua
  cat >thrown/systems/first.lua
  echo 'return { priority = 5, update = function() if world.tick == 9 then print("the end " .. world.count("thing")) end end }' \
    >thrown/systems/second.lua
  it "$name" thrown_says "$@"
}
thrown_says() {
  play thrown --ticks 10
  exits 1 out "the end 1"
  [ "$(grep -c '^error: error in' "$tmp/err")" = 1 ] || fail "expected one error, got: $(cat "$tmp/err")"
  for message in "$@"; do says err "$message"; done
}

throws "a system that calls error(nil) is parked" systems/first.lua:2 nil <<'END'
return { update = function()
  error(nil)
end }
END
throws "a system that throws a table is parked" systems/first.lua:2 table <<'END'
return { update = function()
  error({})
end }
END
throws "a system that throws a table with failing metamethods is parked" systems/first.lua:2 table <<'END'
return { update = function()
  error(setmetatable({}, { __index = function() error("again") end, __tostring = function() error("again") end }))
end }
END
throws "an error inside a coroutine is reported with its line" systems/first.lua:2 inside <<'END'
return { update = function()
  local go = coroutine.wrap(function() error("inside") end)
  go()
end }
END
throws "yielding in an update function is an error" systems/first.lua:2 yield <<'END'
return { update = function()
  coroutine.yield()
end }
END
throws "yielding in an each function is an error" systems/first.lua:3 yield <<'END'
return { query = { "motion" },
  each = function(e)
    coroutine.yield(e)
  end }
END
throws "endless recursion is an error" systems/first.lua:1 "stack overflow" <<'END'
local function deeper(n) return 1 + deeper(n + 1) end
return { update = function() deeper(1) end }
END
throws "endless recursion cannot be caught with pcall" systems/first.lua:1 "stack overflow" <<'END'
local function deeper() return (pcall(deeper)) end
return { update = function() deeper() error("done") end }
END
throws "endless recursion through C functions cannot be caught with pcall" systems/first.lua:1 "stack overflow" <<'END'
local function deeper() return (("x"):gsub("x", deeper)) end
return { update = function() pcall(deeper) error("done") end }
END
throws "endless recursion in compiled code is an error, even with a failing error handler" systems/first.lua:1 "stack overflow" <<'END'
local t = setmetatable({}, { __index = function(t, k) return t[k + 1] end })
return { update = function()
  for _ = 1, 100 do xpcall(function(n) return t[n] end, function() return math.sqrt("x") end, 1) end
  error("done")
end }
END
# Reading the locals of a function needs a free slot of the Lua stack. The number of free slots when the stack overflows
# depends on the frame size.
recursion_sizes() {
  rm -rf sizes
  mkdir -p sizes/systems
  echo 'return { title = "sizes" }' >sizes/game.lua
  for size in 1 2 3 4 5 6 7 8 9 10 11 12; do
    locals=$(seq -s , -f 'v%g' $size)
    echo "local function deeper(n) local $locals = n
return 1 + deeper(n + 1) + $(echo "$locals" | tr , +) end
return { update = function() for i = 1, 2 do deeper(i) end end }" >"sizes/systems/frame$size.lua"
  done
  play sizes --ticks 10
  [ "$(grep -cE '^error: error in system frame[0-9]+: systems/frame[0-9]+.lua:[12]: stack overflow' "$tmp/err")" = 12 ] || fail "$(cat "$tmp/err")"
}
it "the error of an endless recursion has its line for functions with 1 to 12 locals" recursion_sizes

throws "an error in an event handler parks its system" systems/first.lua:4 "in a handler" <<'END'
return { update = function() world.emit("bang") end,
  on = {
    bang = function(ev)
      error("in a handler " .. ev.count)
    end } }
END
throws "an error in an enter function parks its system" systems/first.lua:2 "in enter" <<'END'
return { query = { "motion" }, enter = function(e)
  error("in enter " .. tostring(e))
end }
END
throws "an error in a start function parks its system" systems/first.lua:2 "in start" <<'END'
return { start = function()
  error("in start")
end, update = function() print("it ran on") end }
END
throws "an error message that begins like a location is not changed" systems/first.lua:2 "12:30: too late" <<'END'
return { update = function()
  error("12:30: too late", 0)
end }
END
throws "an error that is caught and rethrown keeps its original line" systems/first.lua:3 \
  "systems/first.lua:3: first" <<'END'
return { update = function()
  local good, problem = pcall(function()
    error("first")
  end)
  error(problem, 0)
end }
END
throws "an error raised by an engine function has the line of the calling script" systems/first.lua:3 "boulder" "thing" <<'END'
return { update = function()
  local t = {}
  t.e = world.spawn("boulder")
end }
END
throws "a missing component is reported with the entity" systems/first.lua:2 "burning" "entity(1:0 thing)" <<'END'
return { query = { "motion" }, each = function(e)
  e.transform.x = e.burning.heat
end }
END
throws "an error in the callback of spawn_many is reported with its line, and nothing is spawned" systems/first.lua:3 "out of range" <<'END'
return { update = function()
  world.spawn_many("thing", 5, function(q)
    q.motion.vx[6] = 1
  end)
end }
END
throws "a failing render system is parked" systems/first.lua:2 "draw has no squiggle" <<'END'
return { phase = "render", update = function()
  draw.squiggle(1)
end }
END
throws "an error with a message of 10 MB is reported with its line" systems/first.lua:2 "xxxxxxxx" <<'END'
return { update = function()
  error(("x"):rep(1e7))
end }
END

start_fails() {
  rm -rf started
  mkdir -p started
  printf 'return { title = "s", start = function()\n  world.spawn("nobody")\nend }\n' >started/game.lua
  play started --ticks 5
  exits 1 err "game.lua:2" nobody
}
it "an error in the start function of game.lua is reported with its line" start_fails

too_many_at_once() {
  rm -rf many
  mkdir -p many/systems
  cat >many/game.lua <<'END'
return { title = "many", start = function()
  print(select(2, pcall(world.spawn_many, "thing", 4194304)))
  local es = world.spawn_many("thing", 4194303)
  print(("alive %d last %s"):format(#es, tostring(es[#es]:alive())))
  print(select(2, pcall(world.spawn, "thing")))
  print(select(2, pcall(world.spawn_many, "thing", 2)))
  print("count " .. world.count("thing"))
  es[77]:destroy()
  print("count " .. world.count("thing"))
end }
END
  echo 'return { thing = { components = { transform = {} } } }' >many/assemblages.lua
  echo 'return { update = function() if world.tick == 1 then print("tick " .. world.count("transform")) end end }' \
    >many/systems/clock.lua
  play many --ticks 2
  exits 0 out "alive 4194303 last true" "count 4194303" "count 4194302" "tick 4194302"
  [ "$(grep -c 'cannot create' "$tmp/out")" = 2 ] || fail "$(cat "$tmp/out")"
}
it "spawning more than 4,194,303 entities is an error and leaves the world unchanged" too_many_at_once

# prints "test name" EXIT_STATUS "output" [options]: runs a game with stdin as its start function and $second as an
# additional system; it must print this output.
prints() {
  name=$1 wanted_status=$2 text=$3
  shift 3
  rm -rf asked
  mkdir -p asked/systems
  { echo 'return { title = "asked", native = true, start = function()'; cat; echo 'end }'; } >asked/game.lua
  echo "$second" >asked/systems/second.lua
  it "$name" prints_text "$wanted_status" "$text" "$@"
}
prints_text() {
  wanted_status=$1 text=$2
  shift 2
  play asked --ticks 20 "$@"
  exits "$wanted_status"
  cat "$tmp/err" >>"$tmp/out"
  says out "$text"
}

second='return { update = function() if world.tick == 5 then print("quits") world.quit() end print("tick " .. world.tick) end }'
prints "world.quit lets the current tick finish" 0 "tick 5" <<'END'
END
quits() {
  play asked --ticks 20
  exits 0
  silent_about out "tick 6"
}
it "no tick runs after the tick that calls world.quit" quits
second='return { phase = "input", update = function(dt)
  if world.tick == 5 and dt > 0 then world.pause() print("pauses") end
  if world.tick == 6 and dt == 0 then print("idle") world.pause(false) end
  if world.tick == 19 then print("all ticks") end
end }'
prints "world.pause(false) in the input phase resumes a paused game" 0 "all ticks" <<'END'
END
pauses() {
  play asked --ticks 20
  exits 0 out pauses idle
}
it "the input phase of a paused game runs with dt = 0" pauses

second='return {}'
prints "a game outside scripts/games cannot use ffi" 1 "game.lua:" <<'END'
  require("ffi")
END
prints "the error for using ffi suggests --trust" 1 "--trust" <<'END'
  require("ffi")
END
prints "--trust allows a game with native = true to use ffi" 0 "8 bytes" --trust <<'END'
  print(require("ffi").sizeof("double") .. " bytes")
END
prints "print writes its arguments, separated by tabs, to the terminal" 0 "printed	1	true	nil	table" <<'END'
  print("printed", 1, true, nil, {})
  log.info("info %d%%", 50)
END
prints "log.warn formats its message and prints its level" 0 "warn: careful 5" <<'END'
  log.warn("careful %d", 5)
END

random_numbers() {
  mkdir -p dice
  rm -f "$tmp/numbers"
  echo 'return { start = function() print(world.random(), world.random(6), world.random(1.5, 9.5)) end }' >dice/game.lua
  for seed in 7 7 8; do
    play dice --ticks 1 --seed $seed
    grep '^0\.' "$tmp/out" >>"$tmp/numbers" || fail "no numbers: $(cat "$tmp/out" "$tmp/err")"
  done
  [ "$(sort -u "$tmp/numbers" | wc -l)" = 2 ] || fail "$(cat "$tmp/numbers")"
  [ "$(sed -n 1p "$tmp/numbers")" = "$(sed -n 2p "$tmp/numbers")" ] || fail "$(cat "$tmp/numbers")"
}
it "the same seed gives the same random numbers, and a different seed gives different numbers" random_numbers
