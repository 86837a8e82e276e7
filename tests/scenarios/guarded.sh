# Nothing that a script can call ends the process, whatever the arguments do in the middle of it (tests/fuzz/api,
# design/0019): random calls of everything in the sanitized build, and of what takes a table or a function. 40,000
# calls, 1,300,000 in the long form; half of them with columns behind a fence (base/allocation_fence.h), for machine
# code of scripts is none of the sanitizer's.
# needs: release sanitize
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

rounds=1 share=3 # of the calls of a run in the long form, one in so many
[ -z "$LONG" ] || rounds=10 share=1
batches() { echo "start = $(($1 / share)), update = $(($2 / share)), render = $(($3 / share)), endless = false, said = false"; }
export ASAN_OPTIONS="detect_leaks=0:handle_segv=1:abort_on_error=0"

luajit tests/fuzz/signatures.lua scripts/types/*.lua >"$tmp/signatures.lua"

# calls NAME SEED SETTINGS [options]: what it said lies in $tmp/NAME.out and .err, its exit status in NAME.status. It
# has saves of its own: with that of another run it would load that one's tick, and come to its end early.
calls() {
  name=$1 seed=$2 settings=$3
  shift 3
  rm -rf "$tmp/$name" "$tmp/$name.data" && cp -r tests/fuzz/api "$tmp/$name" && cp "$tmp/signatures.lua" "$tmp/$name/"
  echo "return { $settings }" >"$tmp/$name/chosen.lua"
  status=0
  XDG_DATA_HOME="$tmp/$name.data" timeout -k 2 800 "$sanitized" run "$tmp/$name" --headless --no-watch \
    --seed "$seed" --ticks 3 --budget 60000 --log error "$@" \
    >"$tmp/$name.out" 2>"$tmp/$name.err" </dev/null || status=$?
  echo "$status" >"$tmp/$name.status"
}

# A script may fail, and a process that dies, or that a sanitizer complains about, may not.
lived() {
  [ "$(cat "$tmp/$1.status")" -le 1 ] && ! grep -q 'runtime error:\|ERROR: .*Sanitizer\|crashed on its trial' "$tmp/$1.err"
}

judge() { # judge NAME SEED SETTINGS: the seed and the call when it did not live
  lived "$1" && return
  said=$(echo "$3" | sed 's/said = false/said = true/')
  case $1 in *-beside) SHOAL_FENCE=1 calls "$1" "$2" "$said" --log warn ;; *) calls "$1" "$2" "$said" --log warn ;; esac
  fail "seed $2, { $3 }: status $(cat "$tmp/$1.status"); $(grep ': call ' "$tmp/$1.err" | tail -n 1); $(grep -v ': call ' "$tmp/$1.err" |
    grep 'runtime error\|Sanitizer\|expected' | head -n 3; tail -n 3 "$tmp/$1.err")"
}

# series PREFIX FIRST LAST SETTINGS: two at a time, as many calls in each.
series() {
  seed=$2
  while [ "$seed" -le "$3" ]; do
    calls "$1" "$seed" "$4" &
    SHOAL_FENCE=1 calls "$1-beside" $((seed + 1)) "$4"
    wait
    judge "$1" "$seed" "$4"
    judge "$1-beside" $((seed + 1)) "$4"
    cat "$tmp/$1.out" "$tmp/$1-beside.out" >>"$tmp/$1.all"
    seed=$((seed + 2))
  done
  awk '/^calls / { n += $2 } END { print n + 0 }' "$tmp/$1.all"
}

everything() {
  rm -f "$tmp/everything.all"
  made=$(series everything 1 $((4 * rounds)) "$(batches 5000 2500 830), callbacks = false")
  case $made in *[!0-9]*) fail "$made" ;; esac
  [ "$made" -ge $((50000 * rounds / share)) ] || fail "only $made calls came to their end"
}
it "no call of anything that a script can reach, with arguments that spawn, destroy, throw and call again, ends the process" everything

callbacks() {
  rm -f "$tmp/callbacks.all"
  made=$(series callbacks 1011 $((1010 + 4 * rounds)) "$(batches 5000 2500 330), callbacks = true")
  case $made in *[!0-9]*) fail "$made" ;; esac
  [ "$made" -ge $((40000 * rounds / share)) ] || fail "only $made calls came to their end"
  # Of every function that takes one, one has run within it; shoal.cache runs one only while files are loaded, and
  # panel:button when somebody presses it.
  grep '"function" }' "$tmp/signatures.lua" | sed 's/^ *\["\(.*\)"\].*/\1/' |
    grep -v '^shoal\.cache$\|^panel:button$' >"$tmp/takes"
  [ "$(wc -l <"$tmp/takes")" -ge 2 ] || fail "no signatures: $(head -n 5 "$tmp/signatures.lua")"
  while read -r takes; do # which calls are made is a matter of luck, and of what else can be called
    grep -aq "^ran [1-9][0-9]* within $takes\$" "$tmp/callbacks.all" && continue
    calls alone 1 "start = 500, update = 200, render = 0, callbacks = true, endless = false, said = false, only = '$takes'"
    judge alone 1 "start = 500, update = 200, render = 0, callbacks = true, endless = false, said = false, only = '$takes'"
    grep -aq "^ran [1-9][0-9]* within $takes\$" "$tmp/alone.out" || fail "no function ran within $takes"
  done <"$tmp/takes"
}
it "no function or metamethod of a script that runs within a call of the engine's ends the process" callbacks

plugins() {
  rm -f "$tmp/plugins.all"
  made=$(series plugins 2001 $((2000 + 2 * rounds)) "$(batches 5000 700 300), callbacks = true,
    plugins = { 'data', 'mesh', 'nav', 'physics', 'spatial' }")
  case $made in *[!0-9]*) fail "$made" ;; esac
  [ "$made" -ge $((15000 * rounds / share)) ] || fail "only $made calls came to their end"
}
it "neither does it in the functions of the plugins that ship" plugins

# What a panel draws with, and what it does: a chunk draws the panel, and presses.
panels() {
  settings="start = 500, update = 300, render = 600, callbacks = false, endless = false, said = false"
  for seed in 1 ${LONG:+2}; do
    calls panels $seed "$settings" --exec 'shoal.cockpit("Calls", "Go", nil, 1)' --exec 'shoal.cockpit("Calls", "Slide", 2)' \
      --exec 'shoal.cockpit("Call")'
    judge panels $seed "$settings"
    for widget in label value plot slider button; do
      calls panels $seed "$settings, only = 'panel:$widget'" --exec 'shoal.cockpit("Calls", "Go")' --log warn
      judge panels $seed "$settings, only = 'panel:$widget'"
      grep -q '^drawn [1-9]' "$tmp/panels.out" || fail "panel:$widget has drawn nothing: $(tail -n 3 "$tmp/panels.out" "$tmp/panels.err")"
    done
  done
}
it "neither does it in what a panel of the cockpit draws with, nor in what its buttons do" panels

endless() {
  for seed in 1 2 3; do
    calls endless "$seed" "start = 0, update = 500, render = 200, callbacks = true, endless = true, said = false" --budget 20
    lived endless || fail "seed $seed: $(tail -n 5 "$tmp/endless.err")"
    grep -q 'lua:[0-9]*: stopped after' "$tmp/endless.err" || fail "seed $seed: nothing was stopped: $(tail -n 5 "$tmp/endless.err")"
    grep -q 'tick 3 done' "$tmp/endless.out" || fail "seed $seed: the run did not go on: $(tail -n 5 "$tmp/endless.err")"
  done
}
it "a metamethod that never ends is stopped wherever it was called, and the run goes on" endless

# A run ends a batch at its first recursion without end, so there are many short ones.
recursing() {
  stopped=0
  for seed in 1 2 3 4 ${LONG:+5 6 7 8}; do
    calls recursing "$seed" "start = 0, update = 500, render = 200, callbacks = true, endless = false, deep = true, said = false"
    lived recursing || fail "seed $seed: $(tail -n 5 "$tmp/recursing.err")"
    grep -q 'tick 3 done' "$tmp/recursing.out" || fail "seed $seed: the run did not go on: $(tail -n 5 "$tmp/recursing.err")"
    stopped=$((stopped + $(grep -c 'stack overflow' "$tmp/recursing.err")))
  done
  [ "$stopped" -ge $((LONG ? 8 : 4)) ] || fail "only $stopped were stopped"
}
it "a call that calls itself without end is stopped wherever it was made, and the run goes on" recursing

ending() {
  for call in 'world.quit()' 'world.restart()' 'reload()' 'world.load("junk")' 'world.quit(setmetatable({}, { __index = error }))' 'world.pause(false)'; do
    calls ending 1 "start = 50, update = 10, render = 5, callbacks = false, endless = false, said = false" --exec "$call"
    lived ending || fail "$call: $(tail -n 5 "$tmp/ending.err")"
  done
}
it "calls that end the run, or ask the host for something, end it in order" ending

# anywhere WHAT FILE CODE [options]: the game with this file; `deep()` in it recurses without end, in compiled code.
anywhere() {
  what=$1 file=$2 code=$3
  shift 3
  rm -rf "$tmp/deep" && mkdir -p "$tmp/deep/systems" "$tmp/deep/behaviours" "$tmp/deep/scenes" "$tmp/deep/lib"
  echo 'local t = setmetatable({}, { __index = function(t, k) return t[k + 1] end })
    local function fall() return t[1] end
    return function() for _ = 1, 20 do pcall(fall) xpcall(fall, function() return math.sqrt("x") end) end end' >"$tmp/deep/lib/deep.lua"
  echo 'return { start = function() for i = 1, 200 do world.spawn("a") end end }' >"$tmp/deep/game.lua"
  echo 'return { p = { x = 0 } }' >"$tmp/deep/components.lua"
  echo 'return { a = { components = { p = {}, b = {} } } }' >"$tmp/deep/assemblages.lua"
  echo 'return {}' | tee "$tmp/deep/behaviours/b.lua" >"$tmp/deep/scenes/one.lua"
  echo "local deep = require(\"lib.deep\") $code" >"$tmp/deep/$file"
  run_for 20 "$release" run "$tmp/deep" --headless --ticks 4 "$@"
  [ "$status" -le 1 ] || fail "$what: exit status $status: $(tail -n 3 "$tmp/err")"
  grep -q 'lua:[0-9]*: stack overflow: endless recursion' "$tmp/err" || fail "$what: $(tail -n 3 "$tmp/err")"
}

recursions() {
  anywhere "a file" components.lua 'deep() return {}'
  anywhere "start" game.lua 'return { start = deep }'
  anywhere "update" systems/s.lua 'return { update = deep }' --watch --history 3
  anywhere "drawing" systems/s.lua 'return { phase = "render", update = deep }'
  anywhere "enter" systems/s.lua 'return { query = { "p" }, enter = deep }'
  anywhere "stop" systems/s.lua 'return { stop = deep }'
  anywhere "a block" systems/s.lua 'return { update = function() world.spawn_many("a", 3, deep) end }'
  anywhere "blocks in one another" systems/s.lua \
    'local function f() world.spawn_many("a", 1, f) end return { update = f }'
  anywhere "a coroutine" systems/s.lua 'return { update = function() coroutine.wrap(deep)() end }'
  anywhere "a behaviour" behaviours/b.lua 'return { create = deep }'
  anywhere "a scene" scenes/one.lua 'return { start = deep }' --exec 'world.scene("one")'
  anywhere "--exec" systems/s.lua 'return {}' --exec 'require("lib.deep")()'
}
it "a recursion without end is stopped wherever a script runs, and says its line" recursions

# A chunk that a script has made has lines too, and is found among those that it made before.
made() {
  rm -rf "$tmp/made" && mkdir -p "$tmp/made/systems"
  echo 'return {}' >"$tmp/made/game.lua"
  printf 'for i = 1, 1000 do load("return " .. i) end\nlocal text = "local n = 0\\n\\nwhile true do n = n + 1 end"\n%s' \
    'return { update = function() load(text, "@made.lua")() end }' >"$tmp/made/systems/s.lua"
  run_for 20 "$release" run "$tmp/made" --headless --ticks 1 --budget 25
  exits 1
  says err "made.lua:3: stopped"
}
it "a loop without end in a chunk that a script has made is named by its line" made

# Tables of files whose metamethods print when they are asked for something while the game runs.
asked_once() {
  rm -rf "$tmp/once"
  mkdir -p "$tmp/once/systems" "$tmp/once/behaviours" "$tmp/once/scenes" "$tmp/once/lib"
  echo 'return function(t, late) return setmetatable({}, { __index = function(_, key)
    if pcall(world.count, "p") then print("asked for " .. tostring(key)) while late do end end
    return t[key] end }) end' >"$tmp/once/lib/lively.lua"
  echo 'return require "lib.lively"({ title = "Once", scene = "one", history = 3, start = function() print("started") end }, true)' \
    >"$tmp/once/game.lua"
  echo 'return { p = { x = 1 } }' >"$tmp/once/components.lua"
  echo 'return { a = { components = { p = {}, b = {} } } }' >"$tmp/once/assemblages.lua"
  echo 'return require "lib.lively"({ query = { "p" }, update = function(q) if world.tick == 3 then print("updated", q.count) end end,
    on = setmetatable({}, { __index = function(_, key) print("asked for on." .. key) end }) }, true)' >"$tmp/once/systems/s.lua"
  echo 'return require "lib.lively"({ fields = { n = 0 }, update = function(self) self.n = self.n + 1
    if world.tick == 3 then print("behaved") end end, on = setmetatable({}, { __index = function() print("asked") end }) }, true)' \
    >"$tmp/once/behaviours/b.lua"
  echo 'return require "lib.lively"({ entities = { { assemblage = "a" } }, start = function() print("entered") end }, true)' >"$tmp/once/scenes/one.lua"
  run_for 20 "$release" run "$tmp/once" --headless --ticks 6 --watch --exec 'reload()' --exec 'world.scene("one")'
  exits 0
  for words in started entered behaved "updated	1"; do says out "$words"; done
  ! grep asked "$tmp/out" || fail "not only while it was loaded"
}
it "what a file declares is asked while it is loaded, and not again" asked_once

# What metadata says is wanted when something has failed, and then no file is run again.
told_without_running() {
  rm -rf "$tmp/told"
  mkdir -p "$tmp/told/systems"
  echo 'return { start = function() world.spawn("a") end }' >"$tmp/told/game.lua"
  echo 'return { p = { x = 1 }, note = shoal.types.metadata { text = shoal.types.string "", more = 1 } }' >"$tmp/told/components.lua"
  echo 'if pcall(world.count, "p") then print("run again") while true do end end
    return { a = { components = { p = {}, note = { text = "of Ann", more = setmetatable({}, { __tostring = error }) } } } }' \
    >"$tmp/told/assemblages.lua"
  echo 'return { query = { "p" }, each = function(e) e.q.x = 1 end }' >"$tmp/told/systems/s.lua"
  run_for 20 "$release" run "$tmp/told" --headless --ticks 3
  exits 1
  says err 'note: more = "table", text = "of Ann"'
  ! grep 'run again' "$tmp/out" || fail "it was"
}
it "no file is run again for a report" told_without_running

caches() {
  rm -rf "$tmp/caches"
  mkdir -p "$tmp/caches/systems"
  echo 'return { start = function() end, tests = true }' >"$tmp/caches/game.lua"
  echo 'local restored = false
    local hidden = shoal.cache(function() return setmetatable({ n = world.tick }, { __metatable = "mine" }) end)
    return { update = function() hidden.n = hidden.n + 1
    if world.tick == 2 and not restored then restored = true world.restore(world.snapshot()) end
    if world.tick == 5 then print("cached", restored, hidden.n > 0, getmetatable(hidden)) world.quit() end end }' >"$tmp/caches/systems/a.lua"
  run_for 20 "$release" run "$tmp/caches" --headless --ticks 8
  exits 0
  says out "cached	true	true	mine"
  for words in 'world' 'shoal.math' 'world.single' 'shoal.types.f32' 'draw' '_G'; do
    echo "local c = shoal.cache(function() return $words end) return { update = function() c[1] = 1 end }" >"$tmp/caches/systems/b.lua"
    run_for 20 "$release" run "$tmp/caches" --headless --ticks 3
    exits 1
    says err "shoal.cache: its function returned an engine table"
  done
}
it "a cache is no table of the engine's" caches

names_of_chunks() {
  echo 'return { start = function() print(pcall(load, "return 1", "@[shoal]/x.lua")) print(pcall(load, "return 1", {})) end }' >"$tmp/once/game.lua"
  rm -rf "$tmp/once/systems" "$tmp/once/behaviours" "$tmp/once/assemblages.lua" "$tmp/once/scenes"
  run_for 20 "$release" run "$tmp/once" --headless --ticks 1
  exits 0
  says out "false	load: chunk names that begin with [shoal]/ are reserved"
  says out "false	load: the chunk name must be a string, got table"
}
it "a chunk of a script's cannot be called like one of the engine's" names_of_chunks
