# Reentrancy (design/0019): no function that scripts can call crashes the process, even if its arguments run code during
# the call. Random calls to all functions (tests/fuzz/api) in the sanitizer build: 10,000, with --long 1,300,000. Half
# of them run with guard pages after the columns (base/allocation_fence.h), as sanitizers do not check JIT-compiled
# code.
# needs: release sanitize
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

rounds=1 share=12 # number of rounds; each run makes one of `share` parts of the calls
[ -z "$LONG" ] || rounds=10 share=1
batches() { echo "start = $(($1 / share)), update = $(($2 / share)), render = $(($3 / share)), endless = false, log_calls = false"; }
export ASAN_OPTIONS="detect_leaks=0:handle_segv=1:abort_on_error=0"

luajit tests/fuzz/signatures.lua scripts/types/*.lua >"$tmp/signatures.lua"

# run_calls NAME SEED SETTINGS [OPTIONS]: runs the fuzzer once and writes $tmp/NAME.out, .err and .status. Each run has
# its own save folder: loading the save of a different run would set its tick and end this run early.
run_calls() {
  name=$1 run_seed=$2 settings=$3
  shift 3
  rm -rf "$tmp/$name" "$tmp/$name.data" && cp -r tests/fuzz/api "$tmp/$name" && cp "$tmp/signatures.lua" "$tmp/$name/"
  echo "return { $settings }" >"$tmp/$name/config.lua"
  status=0
  XDG_DATA_HOME="$tmp/$name.data" timeout -k 2 $((8 * SLOW)) "$sanitized" run "$tmp/$name" --headless --no-watch \
    --seed "$run_seed" --ticks 3 --budget 60000 --log error "$@" \
    >"$tmp/$name.out" 2>"$tmp/$name.err" </dev/null || status=$?
  echo "$status" >"$tmp/$name.status"
}

# expect_no_crash NAME: checks that the process has neither crashed nor caused a sanitizer report; scripts may have
# failed.
expect_no_crash() {
  [ "$(cat "$tmp/$1.status")" -le 1 ] && ! grep -q 'runtime error:\|ERROR: .*Sanitizer\|crashed on its trial' "$tmp/$1.err"
}

expect_survival() { # expect_survival NAME SEED SETTINGS: on a crash, repeats the run with logging to find the call
  expect_no_crash "$1" && return
  with_log=$(echo "$3" | sed 's/log_calls = false/log_calls = true/')
  case $1 in *-beside) SHOAL_FENCE=1 run_calls "$1" "$2" "$with_log" --log warn ;; *) run_calls "$1" "$2" "$with_log" --log warn ;; esac
  fail "seed $2, { $3 }: status $(cat "$tmp/$1.status"); $(grep ': call ' "$tmp/$1.err" | tail -n 1); $(grep -v ': call ' "$tmp/$1.err" |
    grep 'runtime error\|Sanitizer\|expected' | head -n 3; tail -n 3 "$tmp/$1.err")"
}

# run_series PREFIX FIRST_SEED LAST_SEED SETTINGS: makes two runs at a time, one of them with guard pages, and prints
# the number of calls.
run_series() {
  seed=$2
  while [ "$seed" -le "$3" ]; do
    run_calls "$1" "$seed" "$4" &
    SHOAL_FENCE=1 run_calls "$1-beside" $((seed + 1)) "$4"
    wait
    expect_survival "$1" "$seed" "$4"
    expect_survival "$1-beside" $((seed + 1)) "$4"
    cat "$tmp/$1.out" "$tmp/$1-beside.out" >>"$tmp/$1.all"
    seed=$((seed + 2))
  done
  awk '/^calls / { n += $2 } END { print n + 0 }' "$tmp/$1.all"
}

all_functions() {
  rm -f "$tmp/everything.all"
  made=$(run_series everything 1 $((4 * rounds)) "$(batches 5000 2500 830), callbacks = false")
  case $made in *[!0-9]*) fail "$made" ;; esac
  [ "$made" -ge $((50000 * rounds / share)) ] || fail "only $made calls returned"
}
it "random calls to every scriptable function, with arguments that spawn, destroy, throw and recurse, never crash the process" all_functions

callbacks() {
  rm -f "$tmp/callbacks.all"
  made=$(run_series callbacks 1011 $((1010 + 4 * rounds)) "$(batches 5000 2500 330), callbacks = true")
  case $made in *[!0-9]*) fail "$made" ;; esac
  [ "$made" -ge $((40000 * rounds / share)) ] || fail "only $made calls returned"
  # Every function with a callback parameter must have run a callback. Exceptions: shoal.cache calls it only while files
  # are loaded, panel:button only on a button press.
  grep '"function" }' "$tmp/signatures.lua" | sed 's/^ *\["\(.*\)"\].*/\1/' |
    grep -v '^shoal\.cache$\|^panel:button$' >"$tmp/takes"
  [ "$(wc -l <"$tmp/takes")" -ge 2 ] || fail "no signatures: $(head -n 5 "$tmp/signatures.lua")"
  while read -r takes; do # calls are random, so each missed function gets a separate run
    grep -aq "^ran [1-9][0-9]* within $takes\$" "$tmp/callbacks.all" && continue
    run_calls alone 1 "start = 500, update = 200, render = 0, callbacks = true, endless = false, log_calls = false, only = '$takes'"
    expect_survival alone 1 "start = 500, update = 200, render = 0, callbacks = true, endless = false, log_calls = false, only = '$takes'"
    grep -aq "^ran [1-9][0-9]* within $takes\$" "$tmp/alone.out" || fail "no function ran within $takes"
  done <"$tmp/takes"
}
it "script callbacks and metamethods that run inside engine calls never crash the process" callbacks

plugins() {
  rm -f "$tmp/plugins.all"
  made=$(run_series plugins 2001 $((2000 + 2 * rounds)) "$(batches 5000 700 300), callbacks = true,
    plugins = { 'data', 'mesh', 'nav', 'physics' }")
  case $made in *[!0-9]*) fail "$made" ;; esac
  [ "$made" -ge $((15000 * rounds / share)) ] || fail "only $made calls returned"
}
it "random calls to the functions of the shipped plugins never crash the process" plugins

# Calls the functions of cockpit panels; --exec draws the panel and presses its buttons.
panels() {
  settings="start = 500, update = 300, render = 600, callbacks = false, endless = false, log_calls = false"
  for seed in 1 ${LONG:+2}; do
    run_calls panels $seed "$settings" --exec 'shoal.cockpit("Calls", "Go", nil, 1)' --exec 'shoal.cockpit("Calls", "Slide", 2)' \
      --exec 'shoal.cockpit("Call")'
    expect_survival panels $seed "$settings"
    for widget in label value plot slider button; do
      run_calls panels $seed "$settings, only = 'panel:$widget'" --exec 'shoal.cockpit("Calls", "Go")' --log warn
      expect_survival panels $seed "$settings, only = 'panel:$widget'"
      grep -q '^drawn [1-9]' "$tmp/panels.out" || fail "panel:$widget drew nothing: $(tail -n 3 "$tmp/panels.out" "$tmp/panels.err")"
    done
  done
}
it "random calls to the cockpit's panel functions and button callbacks never crash the process" panels

endless() {
  for seed in 1 2 3; do
    run_calls endless "$seed" "start = 0, update = 500, render = 200, callbacks = true, endless = true, log_calls = false" --budget $((SLOW_CPU / 4))
    expect_no_crash endless || fail "seed $seed: $(tail -n 5 "$tmp/endless.err")"
    grep -q 'lua:[0-9]*: stopped after' "$tmp/endless.err" || fail "seed $seed: nothing was stopped: $(tail -n 5 "$tmp/endless.err")"
    grep -q 'tick 3 done' "$tmp/endless.out" || fail "seed $seed: the run did not continue: $(tail -n 5 "$tmp/endless.err")"
  done
}
it "a metamethod that loops endlessly is stopped in any engine call, and the run continues" endless

# A run ends at its first endless recursion, which not every run contains, so the test makes several short runs.
recursive_callbacks() {
  stopped=0
  for seed in 1 2 3 4 5 6 7 8 ${LONG:+9 10 11 12}; do
    [ "$stopped" -lt $((LONG ? 8 : 4)) ] || break
    run_calls recursing "$seed" "start = 0, update = 500, render = 200, callbacks = true, endless = false, deep = true, log_calls = false"
    expect_no_crash recursing || fail "seed $seed: $(tail -n 5 "$tmp/recursing.err")"
    grep -q 'tick 3 done' "$tmp/recursing.out" || fail "seed $seed: the run did not continue: $(tail -n 5 "$tmp/recursing.err")"
    stopped=$((stopped + $(grep -c 'stack overflow' "$tmp/recursing.err")))
  done
  [ "$stopped" -ge $((LONG ? 8 : 4)) ] || fail "only $stopped calls were stopped"
}
it "an endlessly recursive callback is stopped in any engine call, and the run continues" recursive_callbacks

host_requests() {
  for call in 'world.quit()' 'world.restart()' 'reload()' 'world.load("junk")' 'world.quit(setmetatable({}, { __index = error }))' 'world.pause(false)'; do
    run_calls ending 1 "start = 50, update = 10, render = 5, callbacks = false, endless = false, log_calls = false" --exec "$call"
    expect_no_crash ending || fail "$call: $(tail -n 5 "$tmp/ending.err")"
  done
}
it "calls that quit, restart, reload, load or pause the game never crash the process" host_requests

# recursion_in NAME FILE CODE [OPTIONS]: runs a game whose FILE contains CODE, in which `deep()` recurses endlessly in
# compiled code.
recursion_in() {
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

recursion_everywhere() {
  recursion_in "a file" components.lua 'deep() return {}'
  recursion_in "start" game.lua 'return { start = deep }'
  recursion_in "update" systems/s.lua 'return { update = deep }' --watch --history 3
  recursion_in "drawing" systems/s.lua 'return { phase = "render", update = deep }'
  recursion_in "enter" systems/s.lua 'return { query = { "p" }, enter = deep }'
  recursion_in "stop" systems/s.lua 'return { stop = deep }'
  recursion_in "a block" systems/s.lua 'return { update = function() world.spawn_many("a", 3, deep) end }'
  recursion_in "blocks in one another" systems/s.lua \
    'local function f() world.spawn_many("a", 1, f) end return { update = f }'
  recursion_in "a coroutine" systems/s.lua 'return { update = function() coroutine.wrap(deep)() end }'
  recursion_in "a behaviour" behaviours/b.lua 'return { create = deep }'
  recursion_in "a scene" scenes/one.lua 'return { start = deep }' --exec 'world.scene("one")'
  recursion_in "--exec" systems/s.lua 'return {}' --exec 'require("lib.deep")()'
}
it "endless recursion is stopped and reported with its line, wherever scripts run" recursion_everywhere

# The chunk that loops is the last of 1,001 chunks, so its line must be found among the lines of many other chunks.
endless_chunk() {
  rm -rf "$tmp/made" && mkdir -p "$tmp/made/systems"
  echo 'return {}' >"$tmp/made/game.lua"
  printf 'for i = 1, 1000 do load("return " .. i) end\nlocal text = "local n = 0\\n\\nwhile true do n = n + 1 end"\n%s' \
    'return { update = function() load(text, "@made.lua")() end }' >"$tmp/made/systems/s.lua"
  run_for 20 "$release" run "$tmp/made" --headless --ticks 1 --budget 25
  exits 1 err "made.lua:3: stopped"
}
it "an endless loop in a chunk made by load() is reported with the chunk's name and line" endless_chunk

# The files return tables whose __index function prints a line if it is called while the game runs.
read_once() {
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
  ! grep asked "$tmp/out" || fail "a table was read after loading"
}
it "the tables that a file returns are read only when the file is loaded" read_once

# Metadata is loaded on demand for an error report, which must not run a game file again.
metadata_report() {
  rm -rf "$tmp/told"
  mkdir -p "$tmp/told/systems"
  echo 'return { start = function() world.spawn("a") end }' >"$tmp/told/game.lua"
  echo 'return { p = { x = 1 }, note = shoal.types.metadata { text = shoal.types.string "", more = 1 } }' >"$tmp/told/components.lua"
  echo 'if pcall(world.count, "p") then print("run again") while true do end end
    return { a = { components = { p = {}, note = { text = "of Ann", more = setmetatable({}, { __tostring = error }) } } } }' \
    >"$tmp/told/assemblages.lua"
  echo 'return { query = { "p" }, each = function(e) e.q.x = 1 end }' >"$tmp/told/systems/s.lua"
  run_for 20 "$release" run "$tmp/told" --headless --ticks 3
  exits 1 err 'note: more = "table", text = "of Ann"'
  ! grep 'run again' "$tmp/out" || fail "assemblages.lua was run again"
}
it "reading metadata for an error report does not run any file again" metadata_report

engine_tables_in_cache() {
  rm -rf "$tmp/caches"
  mkdir -p "$tmp/caches/systems"
  echo 'return { start = function() end, tests = true }' >"$tmp/caches/game.lua"
  echo 'local restored = false
    local hidden = shoal.cache(function() return setmetatable({ n = world.tick }, { __metatable = "mine" }) end)
    return { update = function() hidden.n = hidden.n + 1
    if world.tick == 2 and not restored then restored = true world.restore(world.snapshot()) end
    if world.tick == 5 then print("cached", restored, hidden.n > 0, getmetatable(hidden)) world.quit() end end }' >"$tmp/caches/systems/a.lua"
  run_for 20 "$release" run "$tmp/caches" --headless --ticks 8
  exits 0 out "cached	true	true	mine"
  for words in 'world' 'shoal.math' 'world.single' 'shoal.types.f32' 'draw' '_G'; do
    echo "local c = shoal.cache(function() return $words end) return { update = function() c[1] = 1 end }" >"$tmp/caches/systems/b.lua"
    run_for 20 "$release" run "$tmp/caches" --headless --ticks 3
    exits 1 err "shoal.cache: the function returned an engine table"
  done
}
it "shoal.cache rejects engine tables" engine_tables_in_cache

chunk_names() {
  echo 'return { start = function() print(pcall(load, "return 1", "@[shoal]/x.lua")) print(pcall(load, "return 1", {})) end }' >"$tmp/once/game.lua"
  rm -rf "$tmp/once/systems" "$tmp/once/behaviours" "$tmp/once/assemblages.lua" "$tmp/once/scenes"
  run_for 20 "$release" run "$tmp/once" --headless --ticks 1
  exits 0 out "false	load: chunk names that begin with [shoal]/ are reserved: choose a different name"
  says out "false	load: the chunk name must be a string, got a table"
}
it "load() rejects chunk names that are reserved for the engine" chunk_names
