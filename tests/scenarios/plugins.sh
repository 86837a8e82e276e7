# Plugins in the shipped program: their features, the errors for rejected plugins, and the state that a reload of a
# library keeps. No plugin may crash the game without a report.
# needs: release checked
. "$(dirname "$0")/../lib.sh"
here=$root/tests/scenarios/plugins
game=$tmp/game
cd "$tmp" || exit 1

compile() { # compile SOURCE FILE FLAG…: compiles a plugin without optimization, which is three times as fast
  source=$1
  library=$2
  shift 2
  compile_once "$library" "${CC:-cc}" -std=c11 -O0 -ffp-contract=off -fPIC -shared -I"$root/engine/include" "$@" \
    "$here/$source.c" || fail "$source.c does not compile with $*"
}

make_game() { # make_game PLUGIN…: creates a game with these plugins
  rm -rf "$game"
  mkdir -p "$game/plugins" "$game/systems"
  plugins=
  parts=
  more=
  for name in "$@"; do
    plugins="$plugins\"$name\", "
    case $name in heat) parts="$parts heat = { rate = 2 }," ;; store) more=' e:add("age")' ;; threads) more=' e:add("task")' ;; throws) more=' e:add("scent")' ;; esac
  done
  cat >"$game/game.lua" <<END
return { title = "Plugins", plugins = { $plugins }, start = function()
  for _, e in ipairs(world.spawn_many("stove", 5)) do e.transform.x = 4$more end
end }
END
  cat >"$game/components.lua" <<'END'
return { mark = { value = 1 } }
END
  echo "return { stove = { components = {$parts transform = { x = 3 }, mark = {} } } }" >"$game/assemblages.lua"
  cat >"$game/systems/marks.lua" <<'END'
return { query = { "mark" }, update = function(q) for i = 1, q.count do q.mark.value[i] = q.mark.value[i] + 1 end end }
END
}
run_headless() { # run_headless ARGUMENT…: runs the game headless
  run_for 30 "$release" run "$game" --headless "$@"
}
query() { # query "SQL" ARGUMENT…: prints the last row of the result
  sql=$1
  shift
  run_for 30 "$release" sql "$game" "$sql" "$@"
  tail -n 1 "$tmp/out" | tr -s ' '
}

# ---- features of plugins

columns() {
  make_game heat
  compile heat "$game/plugins/heat.so"
  echo 'return { after = "heat.cool", query = { "heat", "transform" }, update = function(q)
    if world.tick == 3 then print(q.count, q.heat.value[1] < 20, q.heat.rate[1]) end end }' >"$game/systems/look.lua"
  run_headless --ticks 5 --strict
  exits 0 out "5	true	2"
  [ "$(query 'SELECT count(*), min(value) = max(value), max(value) < 20 FROM heat' --ticks 5)" = " 5 1 1" ] ||
    fail "SQL says $(cat "$tmp/out")"
}
it "a plugin's columns can be read by systems and by SQL" columns

order() {
  make_game heat
  sed 's/\.after = {"cool"}/.after = {"kool", "call", "shoal.transform", "other.step", "heat.cool"}/' "$here/heat.c" >"$tmp/unordered.c"
  grep -q kool "$tmp/unordered.c" || fail "heat.c has no system after cool"
  echo 'return { query = { "heat" }, update = function() end }' >"$game/systems/calm.lua"
  (here=$tmp && compile unordered "$game/plugins/heat.so") || exit 1
  run_headless --ticks 2
  exits 1 err 'heat.chill: .after: unknown system kool'
  says err '.after: unknown system call: did you mean calm?'
  says err '.after: system shoal.transform runs in phase post_update, after the phase of this system (update): change .phase'
  ! grep -q 'other.step' "$tmp/err" || fail "a system of a plugin that the game does not use is reported"
}
it "unknown and impossible names in .after and .before of a plugin's system are errors" order

functions() {
  make_game heat
  compile heat "$game/plugins/heat.so"
  cat >"$game/systems/call.lua" <<'END'
return { query = { "heat" }, update = function(q)
  local heat = shoal.plugins.heat
  if world.tick ~= 1 then return end
  local values, n, who, m, word = heat.warm(q.entity, q.heat.rate, "hello")
  print(n, m, word, values[1] == q.heat.value[1], who[5] == q.entity[5])
  values, n = heat.warm({ q.entity[2], shoal.none }, { 5 }, "")
  print(n, values[2], values[1] == q.heat.value[2], heat.boil(q.entity[1]))
  print(pcall(heat.boil, 3))
  print(pcall(heat.boil, q.entity[1], 3))
  print(pcall(heat.warm, q.entity, { "x" }, ""))
  print(pcall(heat.boil, shoal.none))
  print(pcall(heat.warm, q.entity, {}, ""))
  print(pcall(function() return values[1] end))
  print(pcall(function() return heat.freeze end))
end }
END
  run_headless --ticks 3 --strict
  exits 0 out "5	5	hello	true	true" "2	-1	true	100" "heat.boil: e must be an entity, got"
  says out "heat.boil: expected 1 argument, got 2" "heat.warm: by must be a number, got text"
  says out "heat.boil: e has no heat" "shoal.plugins.heat has no freeze"
  says out "heat.warm: by must not be empty"
  says out "index 1 of shoal.plugins.heat.warm.values is out of range"
}
it "a plugin's functions check the types of their arguments and accept lists" functions

events() {
  make_game heat
  compile heat "$game/plugins/heat.so"
  sed -i 's/rate = 2/rate = 600/' "$game/assemblages.lua"
  echo 'return { on = { cold = function(ev) print("cold", world.tick, ev.count, ev.who[1]:alive()) end } }' >"$game/systems/hear.lua"
  run_headless --ticks 8 --strict
  exits 0 out "cold	2	5	true" "cold	3	5	false"
  [ "$(query 'SELECT count(*) FROM mark' --ticks 8)" = " 0" ] || fail "$(cat "$tmp/out") are still alive"
}
it "scripts receive a plugin's events, and entities that a plugin destroys are removed" events

receives_events() {
  make_game heat
  compile heat "$game/plugins/heat.so" -DKINDLE
  echo 'return { kindle = { who = shoal.types.entity, cancelled = false, by = 0 } }' >"$game/events.lua"
  echo 'return { query = { "heat" }, update = function(q) for i = 1, q.count do
    world.emit("kindle", { who = q.entity[i], by = 1000 * i }) end end }' >"$game/systems/a_tell.lua"
  echo 'return { after = "a_tell", before = "heat.kindle", on = { kindle = function(ev) ev.cancelled[2] = true end } }' \
    >"$game/systems/b_cancel.lua"
  got=$(query "SELECT group_concat(round(value / 1000)) FROM heat" --ticks 3)
  [ "$got" = "3.0,0.0,9.0,12.0,15.0" ] || fail "after three ticks SQL returns $got: $(cat "$tmp/err")"
  rm "$game/events.lua" "$game/systems/a_tell.lua" "$game/systems/b_cancel.lua"
  run_headless --ticks 5
  exits 1 err "unknown event kindle"
  [ "$(query 'SELECT max(value) FROM mark' --ticks 5)" = " 6" ] || fail "the game stopped"
}
it "a plugin receives the events of scripts, except cancelled events" receives_events

# The rows have a different order in each component, some are missing, and a parallel system processes them in parts.
same_hashes() {
  make_game heat
  compile heat "$game/plugins/heat.so"
  cat >"$game/game.lua" <<'END'
return { title = "Plugins", plugins = { "heat" }, start = function()
  for i = 1, 30000 do
    local e = world.spawn(nil, { transform = { x = i } })
    if i % 3 > 0 then e:add("heat", { value = 20 + i % 7, rate = i % 50 }) end
    if i % 5 == 0 then e:add("mark") end
    if i % 4 == 0 then world.spawn(nil, { heat = { value = 99 } }) end
  end
end }
END
  cat >"$game/systems/mix.lua" <<'END'
return { query = { "mark", "heat" }, update = function(q)
  for i = 1, q.count do if (i + world.tick) % 97 == 0 then q.entity[i]:remove("mark") end end
end }
END
  for workers in 1 2; do
    run_headless --ticks 40 --strict --hash every=10 --workers $workers
    exits 0
    cp "$tmp/out" "$tmp/hashes$workers"
  done
  cmp -s "$tmp/hashes1" "$tmp/hashes2" || fail "$(diff "$tmp/hashes1" "$tmp/hashes2")"
  run_for 60 "$checked" run "$game" --headless --ticks 40 --strict --hash every=10 --workers 2
  cmp -s "$tmp/out" "$tmp/hashes1" || fail "the build with asserts differs: $(diff "$tmp/out" "$tmp/hashes1")"
  [ "$(sort -u -k 4 "$tmp/hashes1" | wc -l)" = 4 ] || fail "the hashes do not change: $(cat "$tmp/hashes1")"
  # Whatever the row order, each entity is lifted 40 times and cooled 40 times by its rate, unless chill has changed
  # the rate.
  [ "$(query "SELECT count(*), min(y), max(y) FROM heat JOIN transform USING (entity)" --ticks 40 | cut -d ' ' -f 3-)" = "40 40" ] ||
    fail "lifted by $(cat "$tmp/out")"
  sed -i 's/rate = i % 50/rate = i % 20/' "$game/game.lua" # keeps every stove from becoming cold
  sed -i 's/transform = { x = i }/transform = { x = i }, tag = { number = i }/' "$game/game.lua"
  echo 'return { mark = { value = 1 }, tag = { number = shoal.types.i32(0) } }' >"$game/components.lua"
  wrong="abs(value - (20 + number % 7 - 40 * rate / 60)) > 0.01 OR rate <> number % 20"
  [ "$(query "SELECT count(*), sum($wrong) FROM heat JOIN tag USING (entity)" --ticks 40)" = " 20000 0" ] || fail "cooled: $(cat "$tmp/out")"
}
it "a plugin gives the same hashes with one and two workers, with and without asserts" same_hashes

plugin_option() {
  make_game
  rm -rf more
  mkdir -p more/heat
  compile heat more/heat/heat.so
  compile store more/store.so
  run_headless --ticks 3 --plugin more --exec 'return shoal.plugins.heat.boil(world.spawn(nil, { heat = {} }))'
  exits 0 out "100"
  run_headless --ticks 3 --plugin more/store.so
  says err "plugin store, version 1"
  ! grep -q "plugin heat," "$tmp/err" || fail "heat was loaded too"
}
it "--plugin accepts a library or a folder" plugin_option

definitions() {
  make_game heat
  compile heat "$game/plugins/heat.so"
  run_headless --ticks 0 --types "$tmp/heat.lua"
  exits 0
  luajit -bl "$tmp/heat.lua" >/dev/null || fail "invalid Lua"
  for line in '---@class shoal.Heat' '---@field value number how hot it is (°C)' '---@field heat shoal.Heat' '---Makes it boil.' \
    '---@param e shoal.Entity' '---@return number value' 'function shoal.plugins.heat.boil(e) end' \
    '---@param who shoal.Entity[] | shoal.Column'; do
    grep -qFx -- "$line" "$tmp/heat.lua" || fail "no '$line' in $(cat "$tmp/heat.lua")"
  done
}
it "--types writes definitions of a plugin's components and functions" definitions

writable_statics() {
  make_game
  cat >counter.c <<'END'
#include <shoal/plugin.h>
#define COUNTER_FIELDS(F) F(u32, calls, 0)
SHOAL_SINGLE(counter, COUNTER_FIELDS)
int limit = 3;
static uint32_t calls;
static const uint32_t steps[2] = {1, 2};
static const char *const names[2] = {"one", "two"};
static SHOAL_THREAD uint32_t depth;
static void count(shoal_context *c, const shoal_view *v, float dt_s) {
  static uint32_t last[2];
  (void)c, (void)v, (void)dt_s;
  calls += steps[last[0]] + (uint32_t)limit + ++depth + (uint32_t)names[last[1]][0];
  last[0] = calls & 1, last[1] = depth & 1;
}
SHOAL_PLUGIN(.name = "counter", .version = 1, .components = SHOAL_COMPONENTS(counter),
             .systems = SHOAL_SYSTEMS({.name = "count", .run = count}))
END
  for language in "c c11 _Thread_local ${CC:-cc}" "c++ c++17 thread_local ${CXX:-c++}"; do
    # shellcheck disable=SC2086
    set -- $language
    "$4" -x "$1" -std="$2" -DSHOAL_THREAD="$3" -O0 -w -fPIC -shared -I"$root/engine/include" -o counter.so counter.c || fail "counter.c does not compile"
    run_headless --ticks 1 --plugin counter.so
    exits 0
    for variable in "limit (4 bytes)" "calls (4 bytes)" "last (8 bytes)"; do
      says err "plugin counter: counter.c: writable static variable $variable: a reload resets it"
    done
    [ "$(grep -c "writable static" err)" = 3 ] || fail "$1: $(cat err)"
  done
  strip counter.so
  run_headless --ticks 1 --plugin counter.so
  ! grep "writable static" err || fail "a library without symbols"
}
it "each writable static variable of a plugin is reported with its file, but constants and thread-local variables are not" writable_statics

shipped_statics() {
  make_game
  run_headless --ticks 1 --plugin "${release%/bin/shoal}/plugins"
  exits 0 err "plugin physics, version"
  ! grep "writable static" err || fail "a shipped plugin has writable statics"
}
it "the shipped plugins have no writable static variables" shipped_statics

stale_copies() {
  make_game heat
  compile heat "$game/plugins/heat.so" -DCRASH_IN_LOAD
  rm -rf copies && mkdir copies
  dead=$(sh -c 'echo $$')
  for name in "shoal-$dead-0-heat-AbCdEf.so" "shoal-$$-0-heat-AbCdEf.so" "shoal-$dead.so" "shoal-$dead-0-heat-AbCdEf.txt"; do
    : >"copies/$name"
  done
  TMPDIR=$tmp/copies run_headless --ticks 1
  says err "crashed while loading"
  ls copies >kept
  printf '%s\n' "shoal-$dead-0-heat-AbCdEf.txt" "shoal-$dead.so" "shoal-$$-0-heat-AbCdEf.so" | sort | diff - kept >differences ||
    fail "$(cat differences)"
}
it "copies of plugins that crashed processes left in the temporary folder are removed" stale_copies

# ---- plugins that are rejected at the start with an error; the game runs without them

refused() { # refused "MESSAGE" PLUGIN FLAG…: the plugin compiled with these flags must be rejected with this message
  message=$1
  make_game heat
  compile "$2" "$game/plugins/heat.so" $3
  run_headless --ticks 5
  says err "$message"
  exits 1
  [ "$(query 'SELECT max(value) FROM mark' --ticks 5)" = " 6" ] || fail "the game stopped: $(cat "$tmp/err")"
}
version=$(sed -n 's/^#define SHOAL_API_VERSION \([0-9]*\)u$/\1/p' "$root/engine/include/shoal/api.h")
it "a plugin of a different interface version is rejected, and the error names both versions" \
  refused "the plugin was built for version 8 of the plugin interface, but Shoal provides version $version: rename the words of its sources (engine/docs/stability.md#from-api-8-to-9), and rebuild" heat -DOTHER_VERSION=8
it "a plugin with a smaller API struct is rejected, and the error names both sizes" refused "bytes in the plugin, but 488 in Shoal" heat -DSMALLER
it "a plugin with a larger API struct is rejected, and the error names both sizes" refused "bytes of shoal_api, but Shoal provides" heat -DLARGER
it "a plugin compiled with -fshort-enums is rejected" refused "an enum has 1 bytes in the plugin, but 4 in Shoal" heat -fshort-enums
it "a plugin compiled with -ffast-math is rejected" refused "-ffast-math" heat -ffast-math
it "a library without shoal_plugin_export is rejected" refused "the library has no symbol shoal_plugin_export" heat -DNO_EXPORT
it "a library with an undefined symbol is rejected, and the error names the symbol" refused "undefined symbol: nowhere" heat -DMISSING_SYMBOL
it "a plugin with a wrong column_count is rejected" refused "column_count must be 2 for 2 fields, got 5" heat -DFALSE_COUNT
it "a plugin that crashes in its constructor is rejected" refused "the library crashed while loading: invalid memory access (SIGSEGV)" heat -DCRASH_IN_LOAD
it "a plugin that crashes in its open function is rejected" refused "crashed while loading" heat -DCRASH_IN_OPEN
it "a plugin that exits while loading is rejected, and the error states the exit code" refused "exited the process while loading (exit code 3)" heat -DEXIT_IN_LOAD
[ -z "$LONG" ] ||
  it "a plugin that hangs while loading is rejected" refused "loading took more than 10 s" heat -DHANG_IN_LOAD
it "a plugin whose open function fails is rejected, and the error contains the plugin's message" refused "there is no fire in 7 rooms" heat -DFAIL_IN_OPEN
it "a plugin that needs a missing plugin is rejected" refused "cannot open plugin oven of .dependencies: plugin oven not found" heat '-DNEEDS="oven"'
it "a library whose file name differs from its plugin's name is rejected" refused ".name must match the file name (heat), got hot" heat '-DNAME="hot"'
it "a library that contains a different plugin is rejected" \
  refused ".name must match the file name (heat), got store" store -DPLAIN

foreign_library() {
  make_game heat store
  rm -f "$game/plugins/store.so"
  : >"$game/plugins/store.dll"
  run_headless --ticks 5
  exits 1 err "store.dll is a library for a different system: build the plugin for this system"
}
it "a library for a different system is an error that says so" foreign_library

no_library() {
  make_game heat store
  echo "this is no library" >"$game/plugins/heat.so"
  run_headless --ticks 5
  exits 1 err "heat.so: the dynamic loader cannot load the library: file too short"
  says err "store.so not found (searched $game/plugins, " "dynamic loader"
}
it "a file that is not a library and a missing library are errors" no_library

half_written() {
  make_game heat
  compile heat "$game/plugins/heat.so"
  for part in 100 4000 9000 12000; do
    compile heat whole.so
    head -c $part whole.so >"$game/plugins/heat.so"
    run_headless --ticks 5
    exits 1 err "error in plugin heat"
  done
}
it "a truncated library is rejected" half_written

circle() {
  make_game heat
  compile heat "$game/plugins/heat.so" '-DNEEDS="oven"'
  compile heat "$game/plugins/oven.so" '-DNEEDS="heat"' '-DNAME="oven"'
  run_headless --ticks 5
  exits 1 err "cyclic .dependencies: heat → oven → heat"
}
it "plugins with cyclic dependencies are rejected" circle

name_in_use() {
  make_game heat oven
  compile heat "$game/plugins/heat.so"
  compile heat "$game/plugins/oven.so" '-DNAME="oven"'
  run_headless --ticks 5
  exits 1 err "component heat is already declared by plugin heat"
  rm -rf again
  mkdir -p again/old
  compile heat again/heat.so
  compile heat again/old/heat.so
  run_headless --ticks 5 --plugin again
  says err "plugin heat, version 1: again/heat.so"
  says err "two plugins are named heat (the other file is again/heat.so): remove one of them"
  echo 'return { mark = { value = 1 }, heat = { a = 1 } }' >"$game/components.lua"
  run_headless --ticks 5
  says err "the component heat is already declared by the plugin heat"
}
it "a component or plugin whose name is already in use is rejected" name_in_use

failing_system() {
  make_game heat
  compile heat "$game/plugins/heat.so" -DFAIL_IN_SYSTEM
  run_headless --ticks 9
  exits 1
  [ "$(grep -c 'error in plugin heat.cool: the fire has gone out' "$tmp/err")" = 1 ] || fail "$(cat "$tmp/err")"
  [ "$(query 'SELECT max(value) FROM mark' --ticks 5)" = " 6" ] || fail "the game stopped"
}
it "a failing plugin system is parked, and its message is logged once" failing_system

undoes_writes() {
  make_game heat
  compile heat "$game/plugins/heat.so" -DFAIL_IN_SYSTEM
  for watch in --watch --no-watch; do
    run_for 30 "$release" run "$game" --headless --ticks 5 $watch --save "$tmp/undone.sqlite"
    run_for 30 "$release" sql "$tmp/undone.sqlite" "SELECT max(value) FROM heat"
    tail -n 1 "$tmp/out" | tr -d ' ' >"$tmp/heat$watch"
  done
  [ "$(cat "$tmp/heat--watch")" = 20 ] || fail "the writes were not undone: $(cat "$tmp/heat--watch")"
  [ "$(cat "$tmp/heat--no-watch")" != 20 ] || fail "the system wrote nothing"
}
it "with --watch, the writes of a failing plugin system are undone" undoes_writes

wrong_row_count() {
  make_game store
  compile store "$game/plugins/store.so" -DLIES
  run_headless --ticks 5
  exits 1 err "the manager of age reports 0 rows, expected 1"
  [ "$(query 'SELECT count(*), max(m.value) FROM age, mark m' --ticks 5)" = " 25 6" ] || fail "$(cat "$tmp/out" "$tmp/err")"
}
it "a manager that reports a wrong number of rows is an error, and the game continues" wrong_row_count

it "a plugin system that crashes on its trial tick is parked" refused "system heat.cool crashed on its trial tick (SIGSEGV)" heat \
  -DCRASH_IN_SYSTEM=0

crashing_system() {
  make_game heat
  compile heat "$game/plugins/heat.so" -DCRASH_IN_SYSTEM=3
  rm -f "$tmp"/*.crash.txt
  run_headless --ticks 5
  [ "$status" -gt 1 ] || fail "exit status $status"
  grep -q '^system: heat.cool$' "$tmp"/*.crash.txt || fail "no report: $(cat "$tmp/err")"
}
it "a plugin system that crashes after its trial tick terminates the program with a report that names the system" crashing_system

# ---- saves

save_without_plugin() {
  make_game heat
  compile heat "$game/plugins/heat.so"
  run_headless --ticks 10 --strict --save "$tmp/a.sqlite" --hash
  exits 0
  cp "$tmp/out" whole
  mv "$game/plugins/heat.so" aside.so
  run_headless --ticks 10 --load "$tmp/a.sqlite" --save "$tmp/b.sqlite"
  exits 1
  mv aside.so "$game/plugins/heat.so"
  run_headless --ticks 10 --strict --load "$tmp/b.sqlite" --exec 'return world.sql("SELECT count(*) n, max(rate) r FROM heat")[1].n'
  exits 0 out "5"
}
it "a save made while a game's plugin is missing keeps the plugin's data" save_without_plugin

storage_is_saved() {
  make_game store
  compile store "$game/plugins/store.so"
  run_headless --ticks 20 --strict --hash
  cp "$tmp/out" whole
  run_headless --ticks 10 --strict --save "$tmp/c.sqlite"
  run_headless --ticks 20 --strict --load "$tmp/c.sqlite" --hash
  cmp -s "$tmp/out" whole || fail "$(cat "$tmp/out") is not $(cat whole)"
  [ "$(query 'SELECT max(ticks) FROM age' --ticks 20)" = " 20" ] || fail "$(cat "$tmp/out")"
}
it "a save contains a manager's private data" storage_is_saved

# ---- reloading libraries of a running game

live() { # live PLUGIN: starts a game that logs its state until the test ends
  trap stop_program EXIT
  make_game "$1"
  compile "$1" "$game/plugins/$1.so"
  sed -i 's/rate = 2/value = 20.5, rate = 0/' "$game/assemblages.lua"
  cat >"$game/systems/say.lua" <<'END'
local function of(table, columns)
  local good, rows = pcall(world.sql, "SELECT count(*) AS n, " .. columns .. " AS v FROM " .. table)
  return good and rows[1].n .. ":" .. tostring(rows[1].v) or "none"
end
return { priority = 100, update = function()
  if world.tick % 512 == 0 then
    log.info("tick=%d heat=%s age=%s marks=%s hottest=%s .", world.tick, of("heat", "max(rate)"), of("age", "max(ticks)"),
      of("mark", "max(value)"), of("heat", "max(value)"))
  end
end }
END
  launch "$release" run "$game" --headless --watch --log info
  expect_log "tick=512 "
}
keeps_running() { mark_log; expect_log "tick="; }
swap_library() { # swap_library SOURCE FLAG…: builds a library and renames it over the loaded one, as linkers do
  source=$1
  shift
  compile "$source" "$tmp/new.so" "$@"
  mark_log
  mv "$tmp/new.so" "$game/plugins/$source.so"
}

same_layout() {
  live heat
  swap_library heat -DNDEBUG -g
  expect_log "reloaded heat.so in"
  keeps_running
  expect_log "heat=5:0 "
}
it "a rebuilt library replaces the running version" same_layout

edit_assemblage() { # edit_assemblage FROM TO: replaces FROM with TO in assemblages.lua
  mark_log
  sed -i "s/$1/$2/" "$game/assemblages.lua"
  expect_log "reloaded assemblages.lua"
  keeps_running
}
edit_keeps_system_values() {
  live heat
  edit_assemblage "value = 20.5" "value = 30.5" # the system has written this value without changing it
  expect_log "hottest=5:30.5 "
  edit_assemblage "rate = 0" "rate = 0.0003" # headless, a thousand seconds of cooling take one second
  keeps_running
  ! log_has "hottest=5:30.5 " || fail "the value does not fall"
  edit_assemblage "value = 30.5" "value = 40.5"
  ! log_has "hottest=5:40.5 " || fail "the edit overwrote a value written by the system"
}
it "editing an assemblage does not overwrite values that a system has changed" edit_keeps_system_values

migrates_by_name() {
  live heat
  sed -i 's/value = 20.5, //' "$game/assemblages.lua"
  expect_log "reloaded assemblages.lua"
  swap_library heat -DLATER
  expect_log "reloaded heat.so in"
  log_has "1 field renamed" || fail "$(cat "$log")"
  keeps_running
  expect_log "heat=5:0 "
  swap_library heat
  expect_log "reloaded heat.so in"
}
it "a changed column layout migrates values by field name" migrates_by_name

incompatible_layout() {
  live heat
  swap_library heat -DUNFIT
  expect_log "reload refused"
  expect_log "or declare a field with a new name and convert the values in a system of the plugin"
  ! log_has "migrate = function" || fail "a plugin in C is told to write Lua"
  keeps_running
  expect_log "heat=5:0 "
}
it "a library with an incompatible layout is rejected, and the previous version keeps running" incompatible_layout

keeps_old_library() { # keeps_old_library "MESSAGE" FLAG…: a library with these flags must be rejected with this message
  message=$1
  shift
  live heat
  swap_library heat "$@"
  expect_log "$message"
  keeps_running
  expect_log "heat=5:0 "
  swap_library heat
  expect_log "reloaded"
}
it "a reloaded library that crashes on its trial tick is rejected" \
  keeps_old_library "system heat.cool crashed on its trial tick (SIGSEGV)" -DCRASH_IN_SYSTEM=0
it "a reloaded library that fails on its trial tick is rejected" keeps_old_library "reload refused: plugin heat.cool: the fire has gone out" -DFAIL_IN_SYSTEM
it "a reloaded library that crashes while loading is rejected" keeps_old_library "the previous library stays in use" -DCRASH_IN_LOAD
it "a reloaded library whose open function fails is rejected" keeps_old_library "there is no fire in 7 rooms: the previous library stays in use" -DFAIL_IN_OPEN

open_fails_without_success() {
  live heat
  swap_library heat -DFAIL_IN_OPEN
  swapped=$marked
  expect_log "there is no fire in 7 rooms: the previous library stays in use"
  keeps_running
  marked=$swapped
  ! log_has "reloaded" || fail "the log reports a successful reload"
  ! log_has "plugin heat, version" || fail "the log says that the library was opened"
}
it "a library whose open function fails is not reported as reloaded" open_fails_without_success
it "a reloaded library of a different interface version is rejected" \
  keeps_old_library "version 8 of the plugin interface" -DOTHER_VERSION=8

crashing_from_the_start() {
  trap stop_program EXIT
  make_game heat
  compile heat "$game/plugins/heat.so" -DCRASH_IN_SYSTEM=0
  launch "$release" run "$game" --headless --watch --log info
  expect_log "system heat.cool crashed on its trial tick"
  mark_log
  echo '-- a comment' >>"$game/components.lua"
  expect_log "reloaded components.lua"
  swap_library heat
  expect_log "reloaded heat.so"
}
it "a plugin system that always crashes does not block reloads of other files" crashing_from_the_start

names_library_once() { # the message that the previous library stays in use must contain the path once
  line=$(log_since_mark | grep "the previous library stays in use" | head -n 1)
  [ "$(echo "$line" | grep -o "plugins/heat.so" | wc -l)" = 1 ] || fail "the path must be given once: $line"
}
overwritten() {
  live heat
  mark_log
  head -c 5000 "$game/plugins/heat.so" >"$tmp/half" && cat "$tmp/half" >"$game/plugins/heat.so"
  expect_log "the previous library stays in use"
  names_library_once
  keeps_running
  mark_log
  rm "$game/plugins/heat.so"
  touch "$game/game.lua"
  expect_log "heat.so: file not found: the previous library stays in use"
  names_library_once
  keeps_running
  expect_log "heat=5:0 "
}
it "a plugin keeps running if its library is overwritten or deleted" overwritten

removed_and_restored() {
  live store
  mark_log
  sed -i 's/"store", //' "$game/game.lua"
  expect_log "age: no plugin declares it: 5 rows wait for the plugin store" "reloaded"
  keeps_running
  expect_log "age=5:"
  mark_log
  echo 'return { update = function() end }' >"$game/systems/other.lua"
  expect_log "reloaded systems/other.lua"
  keeps_running
  expect_log "age=5:"
  mark_log
  sed -i 's/plugins = { /plugins = { "store", /' "$game/game.lua"
  expect_log "reloaded"
  keeps_running
  expect_log "age=5:"
}
it "components of a removed plugin keep their rows until the plugin is restored" removed_and_restored

storage_migrates() {
  live store
  swap_library store -DVERSION=2
  expect_log "reloaded store.so"
  keeps_running
  swap_library store -DVERSION=3 -DREFUSE_TO_MIGRATE
  expect_log "cannot load the saved storage of 40 bytes: version 2 is too old for me: the manager was refilled from the columns"
  expect_log "reloaded store.so"
  keeps_running
}
it "a reload migrates a manager's data, or rebuilds it from the columns with a warning if migrate fails" storage_migrates

crashing_migrate() {
  live store
  swap_library store -DVERSION=2 -DCRASH_IN_MIGRATE
  expect_log "reload refused"
  keeps_running
}
it "a reloaded library that crashes in its migrate function is rejected" crashing_migrate

wrong_row_count_in_reload() {
  live store
  swap_library store -DLIES
  expect_log "reload refused: plugin store: the manager of age reports "
  keeps_running
  expect_log "age=5:"
  ! grep -q parked "$log" || fail "$(grep parked "$log")"
  swap_library store -DVERSION=2
  expect_log "reloaded store.so"
}
it "a reloaded manager that reports a wrong number of rows is rejected" wrong_row_count_in_reload

# ---- NaNs with arbitrary bits, which LuaJIT would interpret as tables and strings

odd_nan() {
  make_game nan
  echo 'return { mark = { value = shoal.types.f32(1, { nan = true }) } }' >"$game/components.lua"
  compile nan "$game/plugins/nan.so"
  echo 'return { stove = { components = { transform = {}, mark = {}, odd = {} } } }' >"$game/assemblages.lua"
  echo 'return { told = { nan = false, number = false } }' >"$game/events.lua"
  cat >"$game/systems/look.lua" <<'END'
return {
  after = "nan.write",
  query = { "odd", "mark", "transform" },
  on = {
    oddity = function(ev)
      if ev.count > 0 then world.emit("told", { nan = ev.value[1] ~= ev.value[1], number = type(ev.value[1]) == "number" }) end
    end,
    told = function(ev) if ev.count > 0 and not (ev.nan[1] and ev.number[1]) then error("an event's NaN is none") end end,
  },
  update = function(q)
    local look, seen, kept = world.lookup("odd"), 0, {}
    for i = 1, q.count do
      local e, v, w = q.entity[i], q.odd.value[i], q.odd.wide[i]
      local list = { v, w, e.odd.value, e.odd.wide, look.value[e], q.odd.value:raw(i), q.odd.matrix[i][(i - 1) % 16 + 1] }
      for k = 1, 7 do
        if type(list[k]) == "number" and list[k] ~= list[k] then seen = seen + 1 end
      end
      q.mark.value[i] = w -- numbers of built-in components are never NaN
      q.mark.value[i] = v
    end
    local one, all = shoal.plugins.nan.give()
    for i = 1, 5 do kept[i] = all[i] end
    collectgarbage()
    if world.tick == 40 then
      print(seen, #kept, tostring(one), tostring(kept[2]), tostring(q.mark.value[3]))
    end
  end,
}
END
  sed -i 's/spawn_many("stove", 5)/spawn_many("stove", 70)/' "$game/game.lua"
  for jit in "" --no-jit; do
    run_headless --ticks 41 --strict --hash $jit
    exits 0 out "490	5	nan	nan	nan"
    mv "$tmp/out" "$tmp/nan$jit"
  done
  cmp -s "$tmp/nan" "$tmp/nan--no-jit" || fail "$(cat "$tmp/nan" "$tmp/nan--no-jit")"
}
it "a NaN written by a plugin is a number in Lua, whatever its bits" odd_nan

wrong_row_count_from_start() {
  live store
  stop_program
  compile store "$game/plugins/store.so" -DLIES
  launch "$release" run "$game" --headless --watch --log info
  expect_log "the plugin's systems are parked"
  mark_log
  echo '-- a comment' >>"$game/components.lua"
  expect_log "reloaded components.lua"
}
it "a manager with a wrong row count since the start does not block reloads of other files" wrong_row_count_from_start

# ---- plugins with threads, which fork() does not copy to the child process

# The order of calls in the table of engine/docs/plugins.md.
first_calls="constructor, create, reopen, attach, run"
last_calls="close, destroy, destructor"
calls_hooks() { # calls_hooks LOG LIST: the plugin must have printed exactly these names
  hooks=$(sed -n 's/^hook //p' "$1" | paste -sd , | sed 's/,/, /g')
  [ "$hooks" = "$2" ] || fail "called $hooks; expected $2"
}
hook_game() { # hook_game FLAG…
  make_game hooks
  compile hooks "$game/plugins/hooks.so" "$@"
  sed -i 's/components = {/components = { hooked = {},/; s/spawn_many("stove", 5)/spawn_many("stove", 1)/' \
    "$game/assemblages.lua" "$game/game.lua"
}
hooks() {
  hook_game
  run_headless --ticks 3
  calls_hooks err "$first_calls, $last_calls"
  run_headless --ticks 3 --check-rollback 2
  calls_hooks err "$first_calls, load, on_restore, run, load, on_restore, run, load, on_restore, $last_calls"
  hook_game -DCRASH_TICK=2
  run_headless --ticks 3
  calls_hooks err "$first_calls"
}
it "the host calls a plugin's functions in the documented order at the start, at the end, for rollback and in a crash" \
  hooks

hooks_in_a_reload() { # only a Lua file changes: the libraries are opened again in every reload
  trap stop_program EXIT
  hook_game
  launch "$release" run "$game" --headless --watch --ticks 1000000
  wait_for 20 log_has "hook run" || fail "the game did not start"
  echo '-- changed' >>"$game/systems/marks.lua"
  expect_log "reloaded systems/marks.lua"
  wait_for 20 log_has "hook destructor" || fail "the previous library was not closed"
  calls_hooks "$log" \
    "$first_calls, constructor, create, save_handover, reopen after a reload, load, on_restore, $last_calls"
}
it "a reload hands a plugin's state over and loads its managers before the previous library is closed" hooks_in_a_reload

threads_start() {
  make_game threads
  compile threads "$game/plugins/threads.so" -pthread
  run_headless --ticks 3 --strict
  exits 0
  [ ! -s "$tmp/err" ] || ! grep -q "did not come" "$tmp/err" || fail "$(cat "$tmp/err")"
  [ "$(query 'SELECT min(done), max(done) FROM task' --ticks 5)" = " 5 5" ] || fail "$(cat "$tmp/out" "$tmp/err")"
  compile threads "$game/plugins/threads.so" -pthread -DCRASH=0
  run_headless --ticks 3
  says err "system threads.ask crashed on its trial tick (SIGSEGV)"
  exits 1
}
it "a plugin with a thread and a lock runs its trial tick, and a crash in that tick is detected" threads_start

threads_reload() {
  live threads
  for i in 1 2 3; do
    mark_log
    echo "-- $i" >>"$game/components.lua"
    expect_log "reloaded components.lua"
  done
  swap_library threads -pthread -DNDEBUG -g
  expect_log "reloaded threads.so"
  keeps_running
  swap_library threads -pthread -DCRASH=0
  expect_log "reload refused: system threads.ask crashed on its trial tick (SIGSEGV)"
  keeps_running
  ! grep -q "did not come" "$log" || fail "$(grep "did not come" "$log")"
}
it "a plugin with a thread and a lock can be reloaded" threads_reload

# The library must stay mapped while its undeclared thread runs.
detached_thread() {
  trap stop_program EXIT
  make_game odd
  compile odd "$game/plugins/odd.so" -pthread '-DINCLUDE=<pthread.h>' '-DOPEN=pthread_t t; pthread_create(&t, NULL, spin, NULL)' \
    '-DHELPERS=static void *spin(void *x) { for (;;) nanosleep(&(struct timespec){0, 1000000}, 0); return x; }'
  launch "$release" run "$game" --headless --watch --exec 'print("begins")'
  expect_log "begins"
  for i in 1 2; do
    mark_log
    echo "-- $i" >>"$game/components.lua"
    expect_log "reloaded components.lua"
  done
  mark_log
  expect_cpu_use "$program" 10
  ! has_exited "$program" || fail "the game ended: $(tail -n 5 "$log")"
}
it "a library whose undeclared thread still runs stays mapped after a reload" detached_thread

# ---- plugins with a single mistake

odd() { # odd "MESSAGE" FLAG…: the plugin must be rejected with this message, and the game must continue
  message=$1
  shift
  make_game odd
  compile odd "$game/plugins/odd.so" "$@"
  run_headless --ticks 5
  says err "$message"
  exits 1
  [ "$(query 'SELECT max(value) FROM mark' --ticks 5)" = " 6" ] || fail "the game stopped: $(cat "$tmp/err")"
}
it "a component named like an entity method is rejected" odd "a component cannot be named count: entities have a method with this name" -DCOMPONENT=count
it 'a `many` component named like an entity method is rejected' odd "a component cannot be named children: entities" -DCOMPONENT=children -DDECLARE=SHOAL_MANY
it "a field named like an entity method is rejected" odd "the field destroy of badge has the name of a method" -DFIELD=destroy
it "an event field named like an event method is rejected" odd "the field count of badge has the name of a method" -DFIELD=count -DDECLARE=SHOAL_EVENT

# Each declaration must be rejected, or its system be parked, with this message, and the game must continue.
declared() {
  while IFS='|' read -r message flag; do
    make_game declared
    printf "%s\n" "$flag" | sed "s, -DKIND,\n-DKIND," >flags; compile declared "$game/plugins/declared.so" "$(head -n 1 flags)" $(tail -n +2 flags)
    run_headless --ticks 3 --exec 'return "marks " .. world.sql("SELECT max(value) AS v FROM mark")[1].v'
    says err "$message"
    says out "marks 1"
    exits 1
  done <<'END'
component badge is listed twice: remove one of the entries|-DLISTED=&badge, &badge
too many fields in badge: 70 (at most 64): split the component|-DFIELD_COUNT=70
field 1 of badge has no name|-DFIELDS={.name = NULL, .type = SHOAL_TYPE_f32}
a.b cannot be the name of field 1 of badge|-DFIELDS={.name = "a.b", .type = SHOAL_TYPE_f32}
the field end of badge has the name of a Lua keyword|-DFIELDS={.name = "end", .type = SHOAL_TYPE_f32}
badge.mood has an unknown type (77)|-DFIELDS={.name = "mood", .type = (shoal_type)77}
enum badge.mood must have at least one choice|-DFIELDS={.name = "mood", .type = SHOAL_TYPE_enum, .default_string = "  "}
enum badge.mood has the choice calm twice|-DFIELDS={.name = "mood", .type = SHOAL_TYPE_enum, .default_string = "calm angry calm"}
a component cannot be named while: it is a Lua keyword|-DCOMPONENT="while"
a component has no name|-DCOMPONENT=NULL
badge has an unknown kind (9)|-DKIND=(shoal_component_kind)9
system work: .reads must name components of .query, .optional or .any, got marc|-DSYSTEM=.query = {"mark"}, .reads = {"marc"}
error in plugin declared.work: badge is a singleton, which belongs to no entity|-DSYSTEM=.query = {"badge"} -DKIND=SHOAL_KIND_SINGLE
error in plugin declared.work: a query must not only exclude components (here mark)|-DSYSTEM=.without = {"mark"}
“x)error()--:number” must be NAME:TYPE|-DFUNCTION=.name = "ask", .parameters = "x)error()--:number"
“end:number” must be NAME:TYPE|-DFUNCTION=.name = "ask", .parameters = "end:number"
the name of a function must consist of|-DFUNCTION=.name = "or"
END
}
it "each kind of invalid declaration is rejected with a specific message" declared

# Scripts and plugins share a list of reserved names.
same_names() {
  luajit -e 'for word in ("alive destroy has add set remove enter state children parent assemblage describe send count entity instance destroy_all"):gmatch("[%a_]+") do print(word) end' >words
  while read -r word; do
    make_game
    echo "return { mark = { value = 1 }, $word = { value = 1 } }" >"$game/components.lua"
    run_headless --ticks 1
    says err "a component cannot be named $word: entities have a method with this name"
    case $word in destroy | children) odd "a component cannot be named $word: entities have" -DCOMPONENT=$word ;; esac
  done <words
}
it "scripts and plugins reject the same component names" same_names

# run_body "C" FLAG…: runs three ticks of a game with the plugin odd, whose system executes this C code.
run_body() {
  make_game odd
  body=$(printf '%s' "$1" | tr '\n' ' ')
  shift
  compile odd "$game/plugins/odd.so" "-DBODY=$body" "$@"
  run_headless --ticks 3
}
once="plugin odd: shoal_set cannot write SHOAL_MANY components: use shoal_set_instance (reported once)"
named_rows() {
  run_body 'shoal_add_instance(shoal_get_world(c), e, &note_component, "left"); shoal_add_instance(shoal_get_world(c), e, &note_component, "right");
    if (shoal_set(shoal_get_world(c), e, &note_component, 0, 9) || !shoal_set_instance(shoal_get_world(c), e, &note_component, "right", 0, 7)) shoal_fail(c, "wrong")'
  exits 0 err "$once"
  [ "$(grep -c shoal_set "$tmp/err")" = 1 ] || fail "$(cat "$tmp/err")"
  got=$(query 'SELECT group_concat(value) FROM (SELECT value FROM note ORDER BY value)' --ticks 3)
  [ "$got" = "1.0,7.0" ] || fail "the rows hold $got: $(cat "$tmp/err")"
  run_body 'if (shoal_set(shoal_get_world(c), e, &note_component, 0, 9)) shoal_fail(c, "wrong")' '-DSYSTEM=.name = "work", .parallel = true'
  exits 0 err "$once"
}
it 'values of a `many` component are set by instance name, and misuse of shoal_set is reported' named_rows

unfinished_events() {
  while IFS='|' read -r message body; do
    run_body "$body" -DDECLARE=SHOAL_EVENT
    exits 0 err "$message"
  done <<'END'
shoal_emit_begin was called without shoal_emit_end: the rows were dropped (reported once)|shoal_emit_begin(shoal_get_world(c), &badge_component, 3)
shoal_emit_begin was called again without shoal_emit_end: the previous rows|shoal_emit_begin(shoal_get_world(c), &badge_component, 3); shoal_emit_begin(shoal_get_world(c), &badge_component, 5); shoal_emit_end(shoal_get_world(c), &badge_component)
shoal_emit_begin: too many rows (at most SHOAL_MAX_EMIT_ROWS)|if (shoal_emit_begin(shoal_get_world(c), &badge_component, 4000000000u)) shoal_fail(c, "it has them")
END
}
it "unfinished and oversized events of a plugin are reported" unfinished_events

invalid_arguments() {
  while read -r body; do
    run_body "$body"
    exits 0
  done <<'END'
shoal_add(shoal_get_world(c), e, NULL); shoal_remove(shoal_get_world(c), e, NULL); shoal_set(shoal_get_world(c), e, NULL, 0, 0); shoal_get_rows(shoal_get_world(c), NULL); shoal_manager_data(c, NULL); shoal_read_events(shoal_get_world(c), NULL); shoal_emit_begin(shoal_get_world(c), NULL, 3); shoal_find_component(shoal_get_world(c), NULL)
shoal_entity x[3] = {0, 0xffffffffu, 0x7fffffffu}; shoal_destroy_many(shoal_get_world(c), x, 3); shoal_destroy(shoal_get_world(c), e); shoal_destroy(shoal_get_world(c), e); shoal_add(shoal_get_world(c), e, &badge_component); shoal_set(shoal_get_world(c), e, &badge_component, 0, 2)
shoal_spawn_many(shoal_get_world(c), "mark", 4294967295u, NULL); shoal_spawn_many(shoal_get_world(c), NULL, 3, NULL); shoal_spawn_many(shoal_get_world(c), "stove", 4294967295u, NULL)
shoal_string(shoal_get_world(c), 0xffffffffu); shoal_intern(shoal_get_world(c), NULL); size_t n; shoal_read_asset(c, NULL, &n); shoal_read_asset(c, "../game.lua", &n)
const shoal_component *x = shoal_find_component(shoal_get_world(c), "transform"); for (uint32_t k = 0; k < x->column_count + 3; ++k) { shoal_set(shoal_get_world(c), e, x, k, 0.0 / 0.0); shoal_set(shoal_get_world(c), e, x, k, 1e300); shoal_set(shoal_get_world(c), e, x, k, 0); }
shoal_value r; shoal_return_numbers(c, &r, 3); shoal_return_string(c, &r, "x"); shoal_parallel_for(c, NULL, NULL, 0); shoal_emit_end(shoal_get_world(c), &badge_component)
END
}
it "invalid arguments to plugin API calls do not crash the game" invalid_arguments

# ---- managers

storage_overruns() {
  live store
  swap_library store -DOVERRUNS
  expect_log "reload refused: plugin store: the manager of age saved more than the 48 bytes that save_bytes returned: return a larger size"
  keeps_running
  swap_library store -DWANTS_TOO_MUCH
  expect_log "reload refused: plugin store: save_bytes of age's manager must be at most 1073741824, got 18446744073709551615"
  keeps_running
}
it "a manager that saves more bytes than save_bytes returned, or requests too many, is rejected" storage_overruns

# ---- C++: an exception makes the function that throws it fail

compile_cpp() { # compile_cpp FLAG…
  compile_once "$game/plugins/throws.so" "${CXX:-c++}" -std=c++20 -O0 -ffp-contract=off -fPIC -shared \
    -I"$root/engine/include" "$@" "$here/throws.cpp" || fail "throws.cpp does not compile with $*"
}

thrown() { # thrown "MESSAGE" FUNCTION FLAG…
  message=$1
  export THROWS="$2"
  shift 2
  make_game throws
  compile_cpp "$@"
  run_headless --ticks 5 --exec 'return "held " .. shoal.plugins.throws.held()'
  says err "$message"
  says out "held 0"
  exits 1
  [ "$(query 'SELECT max(value) FROM mark' --ticks 5)" = " 6" ] || fail "the game stopped: $(cat "$tmp/err")"
}
throws_in_function() {
  make_game throws
  compile_cpp
  run_headless --ticks 2 --strict --exec '(function() print(pcall(shoal.plugins.throws.smell)) return "held " .. shoal.plugins.throws.held() end)()'
  exits 0 out "throws.smell: an exception was thrown: nothing to smell" "held 0"
}
thrown_in_open() {
  make_game throws
  compile_cpp
  export THROWS=open
  run_headless --ticks 5
  says err "throws.so: an exception was thrown: it stinks"
  exits 1
}
if command -v "${CXX:-c++}" >/dev/null; then
  it "a plugin whose open function throws an exception is rejected" thrown_in_open
  it "a plugin system that throws an exception is parked" thrown "error in plugin throws.sniff: an exception was thrown: the nose is too long" system
  it "a parallel plugin system that throws an exception is parked" thrown "plugin throws.sniff: an exception was thrown: the nose is too long" system -DPARALLEL
  it "an exception that is not a std::exception is reported with its type" thrown "an exception was thrown: its type is int, not a std::exception" "system, a number"
  it "a thrown string is reported with its text" thrown "an exception was thrown: the nose is cold" "system, a string"
  it "an exception in a shoal_parallel_for callback makes its system fail" thrown "an exception was thrown: part 3 is too heavy" part
  it "an exception in a manager parks the plugin's systems" thrown "the manager of scent: attach: an exception was thrown: no room for a scent" attach
  it "an exception in a plugin function is an error in the script" throws_in_function
fi

# ---- plugins that never return

never='for (volatile int i = 0;; i = 1 - i) { }'
endless_loop() {
  make_game odd
  compile odd "$game/plugins/odd.so" "-DBODY=if (shoal_tick(c) == 3) $never"
  rm -f "$tmp"/*.crash.txt
  run_headless --ticks 5 --budget 5
  exits 1 err "crash: plugin odd, system odd.work: the plugin function exceeded the time limit and did not return"
  grep -q '^running: plugin odd, system odd.work$' "$tmp"/*.crash.txt || fail "$(cat "$tmp"/*.crash.txt)"
  grep -q '^tick: 3$' "$tmp"/*.crash.txt || fail "$(cat "$tmp"/*.crash.txt)"
  grep -q 'odd' "$tmp"/*.crash.txt || fail "the call stack is missing"
}
it "an endless loop in a plugin terminates the program with a report that names the plugin" endless_loop

# The program receives SIGTERM while the plugin loops or waits forever.
ends_on_sigterm() { # ends_on_sigterm "C"
  make_game odd
  compile odd "$game/plugins/odd.so" "-DBODY=if (shoal_tick(c) == 3) { shoal_log(c, SHOAL_LOG_WARN, \"here\"); $1 }" "-DINCLUDE=<unistd.h>"
  launch "$release" run "$game" --headless
  trap stop_program EXIT
  expect_log "odd: here"
  expect_prompt_exit
  [ "$status" = 1 ] || fail "exit status $status: $(cat "$log")"
  log_has "plugin odd, system odd.work: the plugin function was still running when the program had to exit" || fail "$(cat "$log")"
}
it "SIGTERM terminates a program whose plugin loops forever" ends_on_sigterm "$never"
it "SIGTERM terminates a program whose plugin waits forever" ends_on_sigterm "for (;;) pause();"

endless_parallel_loop() {
  make_game odd
  compile odd "$game/plugins/odd.so" "-DBODY=if (shoal_tick(c) == 6) $never" '-DSYSTEM=.name = "work", .parallel = true'
  sed -i 's/spawn_many("stove", 5)/spawn_many("stove", 40000)/' "$game/game.lua"
  run_headless --ticks 8 --budget 5 --workers 2
  exits 1 err "crash: plugin odd, system odd.work: the plugin function exceeded the time limit and did not return"
}
it "an endless loop in a parallel plugin system terminates the program with a report" endless_parallel_loop

sigterm_while_loading() {
  make_game odd
  compile odd "$game/plugins/odd.so" "-DOPEN=fclose(fopen(\"$tmp/begun\", \"w\")); $never"
  rm -f "$tmp/begun"
  launch "$release" run "$game" --headless
  trap stop_program EXIT
  wait_for 30 test -e "$tmp/begun" || fail "the plugin was not opened"
  expect_prompt_exit
}
it "SIGTERM terminates a program whose plugin hangs while loading" sigterm_while_loading

crash_before_the_first_frame() { # the trial run in a child process does not crash
  make_game odd
  rm -f "$tmp"/*.crash.txt "$tmp/seen"
  compile odd "$game/plugins/odd.so" "-DOPEN=if (access(\"$tmp/seen\", F_OK) == 0) abort(); fclose(fopen(\"$tmp/seen\", \"w\"))" "-DINCLUDE=<unistd.h>"
  run_headless --ticks 5
  [ "$status" -gt 1 ] || fail "exit status $status"
  grep -q '^running: plugin odd, open$' shoal-0.crash.txt || fail "$(cat "$tmp/err")"
  grep -qF "game: $game (while opening or closing it)" shoal-0.crash.txt || fail "$(cat shoal-0.crash.txt)"
  grep -q '^signal: 6' shoal-0.crash.txt || fail "$(cat shoal-0.crash.txt)"
}
it "a plugin that crashes before the first frame causes a crash report" crash_before_the_first_frame
