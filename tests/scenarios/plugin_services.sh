# Functions that plugins can call: functions of other plugins, the world, tables, jobs, sounds, input and the net
# plugin, every function of the headers, and the C++ wrappers. Most tests run a plugin that uses them, correctly or
# incorrectly, in the shipped program.
# needs: release
. "$(dirname "$0")/../lib.sh"
here=$root/tests/scenarios/plugins
game=$tmp/game
cd "$tmp" || exit 1

compile() { # compile SOURCE FILE FLAG…: compiles a plugin as its author would
  source=$1
  library=$2
  shift 2
  compile_once "$library" "${CC:-cc}" -std=c11 -O0 -ffp-contract=off -fPIC -shared -I"${include:-$root/engine/include}" \
    "$@" "$here/$source.c" || fail "$source.c does not compile with $*"
}
component=heat
make_game() { # make_game PLUGIN…: creates a game with these plugins and five hot stoves
  rm -rf "$game"
  mkdir -p "$game/plugins" "$game/systems"
  plugins=
  for name in "$@"; do plugins="$plugins\"$name\", "; done
  cat >"$game/game.lua" <<END
return { title = "Services", plugins = { $plugins }, start = function() for _ = 1, 5 do world.spawn("stove") end end }
END
  echo "return { stove = { components = { $component = { rate = 0 }, transform = {} } } }" >"$game/assemblages.lua"
  echo 'return { jump = { "key:space" }, turn = { negative = "key:left", positive = "key:right" } }' >"$game/input.lua"
}
run_headless() { # run_headless ARGUMENT…: runs the game headless
  run_for 60 "$release" run "$game" --headless --no-watch --ticks 5 "$@"
}
query() { # query "SQL" ARGUMENT…: prints the last row of the result
  sql=$1
  shift
  run_for 60 "$release" sql "$game" "$sql" --ticks 5 "$@"
  tail -n 1 "$tmp/out" | tr -s ' '
}

# ---- libraries built for different interface versions

version=$(sed -n 's/^#define SHOAL_API_VERSION \([0-9]*\)u$/\1/p' "$root/engine/include/shoal/api.h")
other_version() { # other_version NUMBER "FIX"
  make_game heat
  compile heat "$game/plugins/heat.so" -DOTHER_VERSION="$1"
  run_headless
  exits 1 err "the plugin was built for version $1 of the plugin interface, but Shoal provides version $version: $2"
}
it "a library built for an older interface is rejected, and the error names both versions and the page with the fix" \
  other_version 8 \
  "rename the words of its sources (engine/docs/stability.md#from-api-8-to-9), and rebuild the plugin"
it "a library for an older interface with the same names is rejected, and the error suggests a rebuild" \
  other_version $((version - 1)) "rebuild the plugin with the headers of this version"
it "a library built for a newer interface is rejected, and the error names both versions" other_version $((version + 1)) \
  "update Shoal, or rebuild the plugin with these headers"

# ---- calling functions of other plugins

call_with() { # call_with FLAG…: creates a game whose plugin caller is compiled with these flags
  make_game heat caller
  compile heat "$game/plugins/heat.so"
  compile caller "$game/plugins/caller.so" "$@"
}
calls_function() {
  call_with
  run_headless --strict
  exits 0
  [ "$(query 'SELECT boiled, why FROM caller')" = " 100 heat.boil: e has no heat" ] || fail "$(cat "$tmp/out")"
}
it "a plugin can call a function of a different plugin and handle its failure" calls_function

wrong() { # wrong "MESSAGE" FLAG…: the call must fail with this message
  message=$1
  shift
  call_with "$@"
  run_headless
  exits 1 err "$message"
}
it "the error for calling an unknown plugin suggests the nearest plugin" \
  wrong "unknown plugin haet: did you mean heat?" '-DWANTED="haet.boil"'
it "the error for calling an unknown plugin function suggests the nearest function" \
  wrong "plugin heat has no function bol: did you mean boil?" '-DWANTED="heat.bol"'
it "calling a function name without the name of its plugin is an error" \
  wrong "a function's name must be PLUGIN.FUNCTION, got boil" '-DWANTED="boil"'
it "the error for expecting a different plugin version names both versions" \
  wrong "heat.boil requires version 2 of plugin heat, got version 1" -DWANTED_VERSION=2
it "the error for calling a function with different types names both signatures" \
  wrong "heat.boil has .parameters (e:entity) and .results (value:number), but the caller expects .parameters (e:number)" '-DTAKES="e:number"'
it "a plugin function that changes the world cannot be called in the render phase" \
  wrong "heat.boil is not pure" -DIN_RENDER
it "an API call from a plugin's thread is an error" wrong "shoal_action_value was called from a thread of the plugin" -DTHREAD -pthread
it "the error for an unknown action suggests the nearest action" \
  wrong "input.lua has no action jumb: did you mean jump?" '-DACTION="jumb"'
it "the error for an unknown action without a similar name shows how to declare the action" \
  wrong 'input.lua has no action quixotic: declare it, quixotic = "key:space"' '-DACTION="quixotic"'

kept_function() {
  call_with -DKEEPS
  launch "$release" run "$game" --headless --watch --exec 'print("begins")'
  trap stop_program EXIT
  expect_log "begins"
  expect_cpu_use "$program" 20
  mark_log
  compile heat other.so -DLATER
  mv other.so "$game/plugins/heat.so"
  expect_log "reload refused: plugin caller.run: callee is from before the last reload of plugins"
  ! has_exited "$program" || fail "the game ended"
}
it "calling a plugin function that was looked up before a reload is an error" kept_function

# ---- access to the world: observers, queries, spawning with values, commands

make_herd() { # make_herd FLAG…: creates a game with ten sheep
  rm -rf "$game"
  mkdir -p "$game/plugins" "$game/systems"
  compile herd "$game/plugins/herd.so" "$@"
  echo "return { title = 'Herd', plugins = { 'herd' },
    start = function() for _ = 1, 10 do world.spawn('sheep') end end }" >"$game/game.lua"
  echo "return { sleeping = {} }" >"$game/components.lua"
  cat >"$game/assemblages.lua" <<'END'
return {
  sheep = {
    components = { transform = {}, wool = {} },
    children = { bell = { components = { transform = {} } } },
    states = { initial = "awake", awake = {}, asleep = { sleeping = {} } },
  },
}
END
}
same_hashes() { # same_hashes ARGUMENT…: runs 100 ticks; the hashes must equal the hashes of the first run
  run_for 60 "$release" run "$game" --headless --no-watch --strict --ticks 100 --hash every=10 "$@"
  exits 0
  grep '^tick' "$tmp/out" >hashes
  [ -s lived ] || cp hashes lived
  cmp -s hashes lived || fail "$(diff lived hashes | head -n 4)"
}
herd_rolls_back() {
  make_herd
  rm -f lived
  same_hashes --record herd --exec 'shoal.cockpit("Shear all")'
  same_hashes --replay herd
  [ "$(query 'SELECT born, gone, black > 0, wool, moved > born, asked > 1, first > 0 FROM herd' --ticks 100 \
    --exec 'shoal.cockpit("Shear all")')" = " 28 0 1 20 1 1 1" ] || fail "$(cat "$tmp/out" "$tmp/err")"
  rm -f lived
  same_hashes
  same_hashes --check-rollback 5
}
it "a plugin's observers, queries and spawned values give the same hashes in a replay and after a rollback" herd_rolls_back

endless_observer() {
  make_herd -DENDLESS
  run_headless
  exits 1 err "error in plugin herd.ear: the observer was called 100 times in one tick, most recently .changed for"
}
it "an observer that triggers itself endlessly is parked with an error" endless_observer

scopes() {
  make_herd
  run_headless --ticks 20 --stats
  exits 0 out "stats: scope herd.count: move "
  grep -q '^stats: scope herd.count: move: nothing [0-9.]* us/run 20 runs, 50% ' "$tmp/out" || fail "$(grep scope "$tmp/out")"
  make_herd -DLEAVES_OPEN
  run_headless --ticks 20 --stats
  exits 0 out "stats: scope herd.count: move: nothing "
  says err "plugin herd: shoal_profile_begin was called without shoal_profile_end: the scope was ended after the call"
  make_herd -DENDS_TWICE
  run_headless
  exits 1 err "error in plugin herd.count: shoal_profile_end: no scope is open"
}
it "--stats lists the profiling scopes of a plugin with the systems" scopes

many_scopes() {
  make_herd -DMANY_SCOPES
  run_headless --ticks 20 --stats
  exits 0 out "stats: scope herd.count: n125 "
  says out "stats: scope herd.count: move: nothing "
}
it "a plugin with the maximum number of profiling scopes can begin them again in each tick" many_scopes

commands() {
  make_herd
  run_headless --ticks 20 --exec 'print(select(2, pcall(shoal.cockpit, "Shear al")))' --exec 'local e = world.spawn("sheep") print(pcall(shoal.cockpit, "Shear all", nil, nil, e))'
  says out "unknown command “Shear al”: did you mean Shear all?"
  says out "plugin herd: this one stays as it is"
}
it "a plugin's cockpit command is found by name, and its failure shows the plugin's message" commands

# ---- tables and strings with arbitrary bytes

tables() {
  rm -rf "$game"
  mkdir -p "$game/plugins" "$game/systems"
  compile tables "$game/plugins/tables.so" -fsanitize=undefined -fno-sanitize-recover
  cat >"$game/game.lua" <<'END'
local constant = { from = "a file", list = { 1, 2 } }
return { title = "Tables", plugins = { "tables" }, start = function()
  local tables = shoal.plugins.tables
  local e = world.spawn()
  local function same(a, b)
    if type(a) ~= "table" or type(b) ~= "table" then return a == b or a ~= a and b ~= b end
    for k, v in pairs(a) do if not same(v, b[k]) then return false end end
    for k in pairs(b) do if a[k] == nil then return false end end
    return true
  end
  local deep = {}
  for i = 1, 15 do deep = { deep, i = i } end
  local long = {}
  for i = 1, 65535 do long[i] = i end
  for i, t in ipairs { {}, { 1, 2, 3 }, { a = 1, b = "x", c = true, d = e }, { { {} }, {}, { n = {} } }, constant,
    { 0 / 0, 1 / 0, -1, ["key with blank"] = "v\0w", [""] = "" }, deep, { long } } do
    if not same(t, tables.echo(t)) then print("not the same: " .. i) end
  end
  print(tables.look({ walk = { speed = 7 }, stops = { "a", { name = "mill" } }, who = e, fast = true }))
  print(tables.look({}))
  print(#tables.zeros("a\0b\0"), tables.zeros("a\0b\0") == "a\0b\0", tables.passes(12), tables.wrong(0))
  local circle = {}
  circle.again = circle
  long[65536] = 1
  for _, t in ipairs { 5, { f = print }, { [1.5] = 1 }, { 1, [3] = 3 }, { [true] = 1 }, circle, { long },
    setmetatable({}, { __index = print }), { a = { b = setmetatable({}, {}) } } } do
    print(select(2, pcall(tables.echo, t)))
  end
  print(select(2, pcall(tables.through)))
  for i = 1, 7 do print(select(2, pcall(tables.wrong, i))) end
end }
END
  run_headless --ticks 1
  exits 0
  ! grep "not the same" "$tmp/out" || fail "$(cat "$tmp/out")"
  says out "7	mill	entity" "-1	nowhere	" "4	true	12	nil"
  while read -r message; do says out "shoal.plugins.tables.$message"; done <<'END'
echo: t must be a table, got 5
echo: t.f is a function: use numbers, booleans, strings, entities and tables
echo: t has the key 1.5: keys must be strings, or list indices from 1 without gaps
echo: t has the key 3: keys must be strings
echo: t has the key boolean: keys must be strings
echo: t.again.again.again.again.again.again.again.again.again.again.again.again.again.again.again.again is nested too deeply (at most 16 tables): flatten it, or remove the cycle
echo: t has more than 65536 members, including nested members
echo: t has a metatable: pass a table of plain values
echo: t.a.b has a metatable
through: echo: argument 1 must be a table: build it with shoal_table_begin and shoal_table_end
wrong: shoal_table_put: no table is open
wrong: shoal_table_end: no table is open
wrong: shoal_table_begin: key must be NULL for the outermost table
wrong: shoal_table_begin: tables are nested too deeply (at most 16 levels)
wrong: too many members in a table (at most 65536, including nested tables)
wrong: shoal_table_put: value must be a number, boolean, string or entity
wrong: results must be in the host's memory
END
}
it "tables and binary strings can be passed to plugins and back, and invalid tables are errors" tables

# ---- jobs that take longer than a tick

make_jobs() { # make_jobs FLAG…
  rm -rf "$game"
  mkdir -p "$game/plugins" "$game/systems"
  compile jobs "$game/plugins/jobs.so" "$@"
  echo "return { title = 'Jobs', plugins = { 'jobs' } }" >"$game/game.lua"
}
fine='-DNAME="sum" -DWORK=sum'
due_jobs() {
  make_jobs $fine -DDUE=7
  rm -f lived
  same_hashes
  same_hashes --check-rollback 3
  echo 'return { update = function() if world.tick % 10 == 4 then reload() end end }' >"$game/systems/again.lua"
  jobs_of_reloads=$(query 'SELECT done, late, wanted FROM sums' --ticks 100)
  [ "$jobs_of_reloads" = " 12 88 13" ] || fail "$jobs_of_reloads: $(cat "$tmp/err")"
}
it "a job with a due tick delivers its result in this tick, even after rollbacks and reloads" due_jobs

recorded_jobs() {
  make_jobs $fine -DDUE=0 -DSLOW
  echo 'return { update = function() if world.single.sums.done == 3 then world.quit() end end }' >"$game/systems/stop.lua"
  rm -f lived
  run_for 60 "$release" run "$game" --headless --no-watch --strict --ticks 40000000 --hash every=500 --record worked
  exits 0
  grep '^tick' "$tmp/out" >lived
  run_for 60 "$release" run "$game" --headless --no-watch --strict --ticks 40000000 --hash every=500 --replay worked
  exits 0
  grep '^tick' "$tmp/out" | cmp -s - lived || fail "$(tail -n 3 "$tmp/out" lived)"
}
it "a job without a due tick delivers its result when it has finished, and is not run in a replay" recorded_jobs

# The tick waits for the job's thread, or computes the job itself if the job is already due when it is requested.
endless_job() {
  for due in 2 '(shoal_tick(c)>1?-1:1)'; do
    make_jobs $fine "-DDUE=$due" -DENDLESS -g
    rm -f ./*.crash.txt
    run_headless --ticks 12 --budget 5
    exits 1 err "crash: plugin jobs, job sum"
    says err ": a tick waited for the job's result (.due_tick), but the job exceeded its time limit: make .work return sooner, or split the job into several"
    grep -qE "sum at [^ ]*jobs.c:(1[0-9]|2[0-9])" err || fail "$due: $(cat err)"
  done
}
it "a job that never returns terminates the program with a report that names the job and its line" endless_job

# The job never ends when it is recorded. In the replay it would end immediately, but the recording has no result.
waiting_job() {
  for due in 2 '(shoal_tick(c)>1?-1:1)'; do
    make_jobs $fine "-DDUE=$due" -DWAITS -g
    rm -f lived
    run_for 60 "$release" run "$game" --headless --ticks 70 --budget 5 --hash every=10 --record waited
    exits 1 err "job sum (sum at"
    grep -qE "sum at [^ ]*jobs.c:(1[0-9]|2[0-9])\) did not return within the [0-9]+ ms that a tick waited for its result" err || fail "$due: $(cat err)"
    grep '^tick' out >lived
    ANSWERS=1 run_for 60 "$release" run "$game" --headless --ticks 70 --budget 5 --hash every=10 --replay waited
    says err "did not return within the"
    grep '^tick' out | cmp -s - lived || fail "$(cat lived out err)"
  done
}
it "a due job that only waits is reported and its system is parked, even in a replay" waiting_job

wrong_job() { # wrong_job "MESSAGE" FLAG…
  message=$1
  shift
  make_jobs "$@"
  run_headless --ticks 20
  exits 1 err "$message"
}
it "a job without a work function is an error" wrong_job "shoal_poll_job: .work must not be NULL" '-DNAME="sum"' -DWORK=NULL -DDUE=3
it "a job with an invalid name is an error" wrong_job "shoal_poll_job: .name must be one line of 1 to 60 bytes" '-DNAME=""' -DWORK=sum -DDUE=3
it "a job that reports more bytes than its buffer holds is an error" \
  wrong_job "job sum returned 9 bytes, but the buffer has 8" $fine -DDUE=3 -DLIES

# ---- sounds

make_bell() { # make_bell FLAG…
  rm -rf "$game"
  mkdir -p "$game/plugins" "$game/systems"
  compile bell "$game/plugins/bell.so" "$@"
  echo "return { title = 'Bell', plugins = { 'bell' } }" >"$game/game.lua"
}
sounds() {
  make_bell
  rm -f lived
  same_hashes --record rung
  same_hashes --replay rung
  same_hashes --check-rollback 4
  of='FROM sound JOIN transform USING (entity) JOIN sound_space USING (entity)'
  [ "$(query "SELECT file, volume, loop, x, range $of" --ticks 20)" = "hum.ogg 0.5 1 7 800" ] || fail "$(cat "$tmp/out")"
  [ "$(query 'SELECT stopped, again, (SELECT count(*) FROM sound) FROM bell' --ticks 60)" = " 1 0 1" ] ||
    fail "$(cat "$tmp/out")"
}
it "a plugin's sounds are the same in a replay and after a rollback" sounds

wrong_sound() { # wrong_sound "MESSAGE" FLAG
  make_bell "$2"
  run_headless
  exits 1 err "$1"
}
it "playing a sound without a file is an error" wrong_sound "shoal_play_sound: .file must not be empty" '-DWRONG=.volume = 1'
it "playing a sound with a volume above 1 is an error" wrong_sound "shoal_play_sound of a.ogg: .volume must be from 0 to 1, got" \
  '-DWRONG=.file = "a.ogg", .volume = 2'
it "playing a sound at an infinite position is an error" wrong_sound "shoal_play_sound of a.ogg: .x and .y must be finite, got inf, 0" \
  '-DWRONG=.file = "a.ogg", .positional = true, .x = 1e30f * 1e30f'
it "a bus volume above 1 is an error" wrong_sound "shoal_set_sound_volume: volume must be from 0 to 1" -DLOUD

# ---- input

actions() {
  call_with '-DACTION="jump"'
  cat >"$game/components.lua" <<'END'
return { heard = shoal.types.single { jump = 0 } }
END
  cat >"$game/systems/look.lua" <<'END'
return { update = function()
  world.single.heard.jump = world.single.heard.jump + (input.pressed("jump") and 100 or input.down("jump") and 1 or 0)
end }
END
  luajit "$root/tests/scenarios/lib/random_input.lua" keys 300 5 Services || fail "cannot generate key presses"
  run_for 60 "$release" sql "$game" "SELECT jump > 200, jump = action FROM heard, caller" --replay keys --ticks 300
  [ "$(tail -n 1 "$tmp/out" | tr -s ' ')" = " 1 1" ] || fail "$(cat "$tmp/out" "$tmp/err")"
}
it "a plugin reads the same actions as scripts" actions

# ---- every function of the headers, called where it is not allowed and with random arguments

stray_game() { # stray_game FLAG…
  rm -rf "$game"
  mkdir -p "$game/plugins" "$game/systems"
  compile misplaced_calls "$game/plugins/stray.so" -g -pthread -Wno-unused-value -Wno-unused-result "$@"
  cat >"$game/game.lua" <<'END'
return { title = "Stray", plugins = { "stray" }, start = function()
  for i = 1, 6 do world.spawn("twig", { leaf = { x = i }, transform = { x = i } }) end
end }
END
  echo 'return { twig = { components = { transform = {}, leaf = {} } } }' >"$game/assemblages.lua"
}
# run_from PLACE: runs misplaced_calls.c from this place, sets $hash to a hash of all entities, and writes $tmp/errors.
# The hash of the world would include the list of parked functions.
run_from() {
  rm -f "$tmp/entities"
  PLACE=$1 run_for 60 "$release" run "$game" --headless --no-watch --ticks 20 --export "$tmp/entities"
  grep '^error: error in plugin stray' "$tmp/err" >"$tmp/errors" || :
  hash=$(cksum "$tmp/entities" 2>/dev/null)
  [ -n "$hash" ] || fail "$1: the run did not finish: $(tail -n 4 "$tmp/err")"
}
wrong_callers() {
  stray_game
  count=$(sed -n '/define SHOAL_WORLD_FUNCTIONS/,$p' "$root/engine/include/shoal/functions.h" | cat - "$here/misplaced_calls.c" | grep -c '^  [FX](')
  run_from none
  [ ! -s "$tmp/errors" ] || fail "$(cat "$tmp/errors")"
  before=$hash
  for where in "thread:from a thread of the plugin" "later:from a thread of the plugin" "over:with the context of an earlier call"; do
    run_from "${where%%:*}"
    [ "$hash" = "$before" ] || fail "$where: the hash differs"
    [ "$(grep -c "${where#*:}" "$tmp/errors")" = "$count" ] || fail "$where: $(wc -l <"$tmp/errors") of $count calls were reported; others: $(grep -v "${where#*:}" "$tmp/errors")"
  done
  run_from here
}
it "each API function called from a thread, or after its callback has returned, reports an error and changes nothing" wrong_callers

job_parts() {
  stray_game
  sed -n '/define SHOAL_WORLD_FUNCTIONS/,$p' "$root/engine/include/shoal/functions.h" |
    awk 'BEGIN { RS = "  F[(]" } NR > 1 && !/, (ANY_THREAD|ALWAYS|COMMAND|SPAWN),/ { sub(/,.*/, ""); print "shoal_" $0 }' |
    sort >"$tmp/refused"
  for _ in 1 2 3 4; do
    run_from part
    sed -n 's/.* \(shoal_[a-z_]*\) \(cannot be\|was\) called .*/\1/p' "$tmp/errors" | sort -u >"$tmp/told"
    diff "$tmp/refused" "$tmp/told" >"$tmp/diff" || fail "$(cat "$tmp/diff")"
  done
}
it "a shoal_parallel_for callback may call only thread-safe functions" job_parts

random_calls() {
  stray_game -DFUZZES
  echo 'return { update = function() pcall(shoal.plugins.stray.rustle, { a = 1 }) pcall(shoal.plugins.stray.look) end }' \
    >"$game/systems/call.lua"
  seeds=24
  [ -z "$LONG" ] || seeds=400
  for seed in $(seq "$seeds"); do
    FUZZ=$seed run_for 60 "$release" run "$game" --headless --no-watch --ticks 40
    [ "$status" -le 1 ] || fail "seed $seed: exit status $status: $(tail -n 4 "$tmp/err")"
  done
}
it "random API calls with random arguments from any callback do not crash" random_calls

event_rows() {
  stray_game
  cat >stray.c <<'END'
#include <shoal/plugin.h>
#define LEAF_FIELDS(F) F(f32, x, 0)
SHOAL_COMPONENT(leaf, LEAF_FIELDS)
SHOAL_EVENT(wind, LEAF_FIELDS)
static void blow(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)v, (void)dt_s;
  shoal_rows rows = shoal_get_rows(shoal_get_world(c), &wind_component);
  shoal_fail(c, "%u rows: %s", rows.count, shoal_last_error(shoal_get_world(c)));
}
SHOAL_PLUGIN(.name = "stray", .version = 1, .components = SHOAL_COMPONENTS(leaf, wind),
             .systems = SHOAL_SYSTEMS({.name = "blow", .query = {"leaf"}, .parallel = true, .run = blow}))
END
  ${CC:-cc} -std=c11 -fPIC -shared -I"$root/engine/include" -o "$game/plugins/stray.so" stray.c || fail "stray.c does not compile"
  run_headless
  exits 1 err "0 rows: wind must be a component, got an event"
}
it "shoal_get_rows of an event in a parallel system returns no rows and sets the error" event_rows

# ---- error messages about columns

columns_of() { # columns_of "BODY" FLAG…: runs the plugin warm, whose system has this body and a query for transform
  rm -rf "$game"
  mkdir -p "$game/plugins"
  body=$1
  shift
  cat >warm.c <<'END'
#include <shoal/plugin.h>
#define WARM_FIELDS(F) F(f32, value, 0) F(vec2, way, 0, 0)
SHOAL_COMPONENT(warm, WARM_FIELDS)
#define COLD_FIELDS(F) F(f32, value, 0)
SHOAL_COMPONENT(cold, COLD_FIELDS)
SHOAL_COMPONENT(transform, SHOAL_TRANSFORM_FIELDS)
#define VALUE SHOAL_COLUMN(v, warm, value)
static _Thread_local bool is_caller;
static _Atomic bool is_on_worker;
#ifndef PART
#define PART
#endif
static void part(void *view, uint32_t number, uint32_t worker) {
  const shoal_view *v = view;
  (void)number, (void)worker;
  while (is_caller && !is_on_worker) continue; // only a different thread runs PART
  is_on_worker = true;
  if (!is_caller) { PART; }
}
static void grow(shoal_context *c, const shoal_view *v, float dt_s) { (void)c, (void)dt_s; BODY; }
SHOAL_PLUGIN(.name = "warm", .version = 1, .components = SHOAL_COMPONENTS(warm, cold),
             .systems = SHOAL_SYSTEMS({.name = "grow", .query = {"warm", "transform"}, .run = grow}))
END
  ${CC:-cc} -std=c11 -O0 -g -w -ffp-contract=off -fPIC -shared -I"$root/engine/include" "-DBODY=$body" "$@" \
    -o "$game/plugins/warm.so" warm.c || fail "warm.c does not compile"
  echo "return { title = 'Warm', plugins = { 'warm' }, start = function() world.spawn('stove') end }" >"$game/game.lua"
  echo 'return { stove = { components = { warm = {}, transform = {} } } }' >"$game/assemblages.lua"
  run_headless
  [ "$status" -gt 0 ] || fail "exit status $status"
}
null_columns() { # null_columns COMPONENT: prints the message
  echo "the columns of $1 are NULL: add \"$1\" to the query, and list the component in .components or .uses"
}
column_errors() {
  columns_of 'SHOAL_COLUMN(v, transform, x)[0] = 1'
  says err "in grow at warm.c:20: $(null_columns transform)"
  columns_of 'SHOAL_COLUMN(v, cold, value)[0] = 1'
  says err "in grow at warm.c:20: $(null_columns cold)"
  desc='&(shoal_query_desc){.with = {"warm"}}'
  columns_of "shoal_view q; if (shoal_query_begin(shoal_get_world(c), $desc, &q)) SHOAL_COLUMN(&q, cold, value)[0] = 1"
  says err "in grow at warm.c:20: $(null_columns cold)"
  columns_of 'SHOAL_AT(v, SHOAL_COLUMN(v, warm, value), 3) = 1' -DSHOAL_DEBUG
  says err "warm.c:20: row 3 of warm.value is out of range (count 1)"
  columns_of 'SHOAL_AT(v, VALUE, 3) = 1' -DSHOAL_DEBUG
  says err "warm.c:20: row 3 of warm.VALUE is out of range (count 1)"
  columns_of 'SHOAL_AT(v, SHOAL_COLUMNS(v, warm)->way.y, 3) = 1' -DSHOAL_DEBUG
  says err "warm.c:20: row 3 of warm.way.y is out of range (count 1)"
  columns_of 'SHOAL_AT(v, SHOAL_COLUMN(v, transform, x), 0) = 1' -DSHOAL_DEBUG
  says err "warm.c:20: row 0 of x: $(null_columns transform)"
  rm -f ./*.crash.txt
  columns_of 'if (shoal_tick(c) == 3) SHOAL_COLUMN(v, cold, value)[0] = 1'
  grep -qxF "cause: $(null_columns cold)" shoal-3.crash.txt || fail "$(cat "$tmp/err" ./*.crash.txt)"
  # A part of shoal_parallel_for, on a worker's thread, looks the column up in the view of the system.
  if [ "$(nproc)" -gt 1 ]; then
    parts='if (shoal_tick(c) == 3) { is_caller = true; shoal_parallel_for(c, part, (void *)v, 2); }'
    rm -f ./*.crash.txt
    columns_of "$parts" '-DPART=SHOAL_COLUMN(v, cold, value)[0] = 1'
    grep -qxF "cause: $(null_columns cold)" shoal-3.crash.txt || fail "$(cat "$tmp/err" ./*.crash.txt)"
    columns_of "$parts" -DSHOAL_DEBUG '-DPART=SHOAL_AT(v, SHOAL_COLUMN(v, cold, value), 0) = 1'
    says err "row 0 of value: $(null_columns cold)"
  fi
  columns_of 'if (shoal_tick(c) == 3 && !SHOAL_COLUMN(v, cold, value)) __builtin_abort()'
  ! grep -q '^cause' shoal-3.crash.txt || fail "$(cat shoal-3.crash.txt)"
}
it "a NULL column and an out-of-range row are errors that name the fix" column_errors

wrong_sizes() {
  columns_of 'shoal_realloc(c, shoal_realloc(c, NULL, 0, 16), 12, 0)'
  says err "shoal_realloc: \`old_bytes\` is 12, but the block has 16 bytes: pass the \`new_bytes\` of the previous call"
  columns_of 'char text[16]; shoal_realloc(c, text, 16, 0)'
  says err "shoal_realloc: \`old\` must be memory of shoal_realloc that has not been freed"
}
it "a wrong size or foreign memory in shoal_realloc parks the system with an error that names the fix" wrong_sizes

# ---- the net plugin, if it was built

if [ -e "${release%/bin/shoal}/plugins/net.so" ]; then
  run_example() { # run_example ARGUMENT…: runs the example until it has received forty messages
    rm -rf talk
    cp -r "$root/engine/plugins/net/example" talk
    echo 'return { update = function() if world.single.received.count >= 40 then world.quit() end end }' >talk/systems/stop.lua
    run_for 60 "$release" run talk --headless --no-watch --strict --ticks 4000000 --hash every=50 "$@"
    exits 0
  }
  records_messages() {
    run_example --record spoken
    grep '^tick' "$tmp/out" >lived
    [ -s lived ] || fail "the run ended without hashes"
    run_example --replay spoken
    grep '^tick' "$tmp/out" | cmp -s - lived || fail "$(diff lived "$tmp/out" | head -n 4)"
  }
  it "messages received by the net plugin are recorded, and a replay without a network gives the same hashes" records_messages

  keeps_port() {
    rm -rf talk
    cp -r "$root/engine/plugins/net/example" talk
    mkdir talk/plugins
    cp "${release%/bin/shoal}/plugins/net.so" talk/plugins/
    echo 'return { every = 10, update = function() local net = world.single.net
      if net.connected then print("port", net.bound, world.single.received.count) end end,
      on = { net_peer = function(ev) for i = 1, ev.count do print(ev.here[i] and "came" or "went") end end } }' \
      >talk/systems/tell.lua
    launch "$release" run talk --headless --watch
    trap stop_program EXIT
    expect_log "port	" # the tab distinguishes the message from the folder's name
    port=$(sed -n 's/^port	\([0-9]*\)	.*/\1/p' "$log" | head -n 1)
    for _ in 1 2 3; do
      mark_log
      { cat talk/plugins/net.so; printf x; } >new.so
      mv new.so talk/plugins/net.so
      expect_log "reloaded net.so in"
      mark_log
      expect_log "port	$port	"
    done
    [ "$(grep -c '^came' "$log")" = 2 ] || fail "connected $(grep -c '^came' "$log") times from both ends"
    ! grep '^went' "$log" || fail "a connection was closed"
  }
  it "reloading the net plugin keeps its port and connections" keeps_port

  make_side() { # make_side NAME: creates a game with the net plugin and the system on stdin
    rm -rf "$1"
    mkdir -p "$1/systems"
    echo "return { title = '$1', plugins = { 'net' } }" >"$1/game.lua"
    echo 'return { talk = shoal.types.single { reloads = 0, said = 0, heard = 0, came = 0, went = 0, last = false } }' \
      >"$1/components.lua"
    echo 'return { on = { net_peer = function(ev) local talk = world.single.talk
      for i = 1, ev.count do
        if ev.here[i] then talk.came = talk.came + 1 else talk.went = talk.went + 1 end
      end end } }' >"$1/systems/count.lua"
    cat >"$1/systems/talk.lua"
  }
  reloads=20
  [ -z "$LONG" ] || reloads=100
  survives_reloads() { # a server that echoes messages reloads repeatedly
    sed "s/RELOADS/$reloads/" <<'END' | make_side server
return { after = "net.hear", phase = "input",
  start = function() world.single.net.listen, world.single.net.echo = true, true end,
  on = { net_message = function(ev) local talk = world.single.talk
    for i = 1, ev.count do
      talk.last = talk.last or ev.text[i] == "bye"
      if talk.reloads == RELOADS and not talk.last then shoal.plugins.net.send(ev.peer[i], "over") end
    end
  end },
  update = function() local talk, net = world.single.talk, world.single.net
    if talk.said ~= net.bound then
      talk.said = net.bound
      print("port " .. net.bound)
    end
    if talk.last then
      print(("served: %d reloads, came %d, went %d"):format(talk.reloads, talk.came, talk.went))
      world.quit()
    elseif talk.came > 0 and talk.reloads < RELOADS then
      talk.reloads = talk.reloads + 1
      reload()
    end
  end }
END
    make_side client <<'END'
return { after = "net.hear", phase = "input",
  on = { net_message = function(ev) local talk = world.single.talk
    for i = 1, ev.count do
      if ev.text[i] == "over" then
        talk.last = true
      elseif ev.text[i] == tostring(talk.heard + 1) then
        talk.heard = talk.heard + 1
      elseif ev.text[i] ~= "bye" then
        print(("not in order: %s after %d"):format(ev.text[i], talk.heard))
        world.quit()
      end
    end
  end },
  update = function() local talk, net = world.single.talk, world.single.net
    if net.connected and not talk.last and talk.said < talk.heard + 3 then
      talk.said = talk.said + 1
      shoal.plugins.net.send(0, tostring(talk.said))
    elseif talk.last and talk.said == talk.heard and talk.reloads == 0 then
      talk.reloads = 1
      print(("heard all: came %d, went %d"):format(talk.came, talk.went))
      shoal.plugins.net.send(0, "bye")
    elseif not net.connected and talk.went > 0 then
      world.quit()
    end
  end }
END
    launch "$release" run server --headless --no-watch
    trap stop_program EXIT
    expect_log "port "
    port=$(sed -n 's/^port \([0-9]*\)$/\1/p' "$log" | head -n 1)
    run_for 60 "$release" run client --headless --no-watch --exec "world.single.net.address = '127.0.0.1:$port'"
    says out "heard all: came 1, went 0"
    expect_log "served: $reloads reloads, came 1, went 0"
    [ "$(grep -c '^port' "$log")" = 1 ] || fail "$(grep '^port' "$log")"
  }
  it "the net plugin keeps a busy connection through $reloads reloads" survives_reloads

  unavailable_port() {
    run_example
    rm -rf blocked
    cp -r talk blocked
    sed -i 's/net.listen = true/net.listen, world.single.net.port = true, 70000/' blocked/game.lua
    run_for 60 "$release" run blocked --headless --no-watch --ticks 20
    exits 0 err "net: cannot listen on port 70000"
    sed -i 's/net.listen = true/net.address = "nowhere"/; s/net.listen, .*/net.address = "nowhere"/' blocked/game.lua
    run_for 60 "$release" run blocked --headless --no-watch --ticks 20
    says err "net: invalid address “nowhere”: expected HOST:PORT, such as localhost:4000"
  }
  it "the net plugin reports an invalid port or address, and the game continues" unavailable_port
fi

# ---- files generated from the list of functions

functions_without_wrapper() {
  ${CXX:-c++} -std=c++17 -O0 -Wall -Wextra -Wno-missing-field-initializers -Wno-unused-parameter -Werror \
    -I"$root/engine/include" -o "$tmp/covered" "$here/covered.cpp" || fail "covered.cpp does not compile"
  as_in_c="event_get_instance event_entity_state pair_instance tick tick_rate random_u32 log fail realloc manager_data \
read_external worker_count parallel_for return_numbers return_entities read_asset report_asset_error store_fd get_fd \
close_fd get_screen_size draw_polygon draw_depth_triangles draw_fullscreen texture_update texture_destroy \
shader_create shader_destroy action_value get_mouse text_input stop_sound set_sound_volume panel_add_widget find_near \
count_near find_nearest find_in_box cast_ray get_mouse_motion "
  [ "$("$tmp/covered" | tr '\n' ' ')" = "$as_in_c" ] || fail "$("$tmp/covered" | tr '\n' ' ')"
}
it "every API function has a C++ wrapper or is listed as usable directly" functions_without_wrapper

cpp_warnings() { # a declaration may omit members; the compiler still warns about members of the plugin's own structs
  cat >warns.cpp <<'END'
#include <shoal/plugin.hpp>
#include <shoal/services.hpp>
#define VALUE_FIELDS(F) F(f32, value, 1)
SHOAL_COMPONENT(warm, VALUE_FIELDS)
static void run(shoal_context *c, const shoal_view *, float) {
  const shoal_query_desc wanted = {.with = {"warm"}};
  const shoal_job job = {.name = "job"};
  shoal_view rows;
  (void)job, (void)shoal_query_begin(shoal_get_world(c), &wanted, &rows);
}
#ifdef OWN
struct pair { int a, b; };
pair own = {.a = 1};
#endif
SHOAL_PLUGIN(.name = "warns", .version = 1, .components = SHOAL_COMPONENTS(warm),
             .systems = SHOAL_SYSTEMS({.name = "run", .query = {"warm"}, .run = run}))
END
  check="${CXX:-c++} -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I$root/engine/include warns.cpp"
  $check || fail "the headers cause warnings"
  ! $check -DOWN 2>warnings || fail "the headers disable a warning for the rest of the file"
  grep -q "missing-field-initializers" warnings || fail "$(cat warnings)"
}
it "the headers cause no warnings in a C++ plugin and disable no warnings for the plugin's own code" cpp_warnings

many_components() { # many_components COUNT: compiles a plugin with a list of COUNT components
  {
    echo '#include <shoal/plugin.h>'
    echo '#define VALUE_FIELDS(F) F(f32, value, 1)'
    list=
    for i in $(seq "$1"); do
      echo "SHOAL_COMPONENT(k$i, VALUE_FIELDS)"
      list="$list${list:+, }k$i"
    done
    echo "SHOAL_PLUGIN(.name = \"many\", .components = SHOAL_COMPONENTS($list))"
  } >many.c
  ${CC:-cc} -std=c11 -Wall -Wextra -Werror -fsyntax-only -I"$root/engine/include" many.c 2>warnings
}
component_lists() {
  many_components 32 || fail "$(cat warnings)"
  ! many_components 33 || fail "33 components are accepted"
  grep -q "SHOAL_COMPONENTS_takes_at_most_32_names_declare_a_NULL_terminated_array_instead" warnings || fail "$(cat warnings)"
}
it "a SHOAL_COMPONENTS list of more than 32 components is a compile error that names the limit" component_lists

dummy_elements() { # the dummy elements of two threads
  cat >dummies.c <<'END'
#include <shoal/plugin.h>
#include <pthread.h>
shoal_row_error_fn *shoal_row_error_handler;
static void *find(void *view) { return shoal_check_row(view, NULL, 4, 0, "value", __FILE__, __LINE__); }
int main(void) {
  shoal_view view = {.count = 0};
  void *other;
  pthread_t thread;
  pthread_create(&thread, NULL, find, &view);
  void *mine = find(&view);
  pthread_join(thread, &other);
  return mine == other;
}
END
  ${CC:-cc} -std=c11 -Wall -Wextra -Werror -DSHOAL_DEBUG -I"$root/engine/include" dummies.c -o dummies -pthread || fail "dummies.c does not compile"
  ./dummies || fail "two threads share a dummy element"
}
it "out-of-range rows on two threads do not share a dummy element" dummy_elements

# ---- C++ wrappers of each header

make_village() { # make_village FLAG…
  rm -rf "$game"
  mkdir -p "$game/plugins" "$game/systems" "$game/assets"
  ${CXX:-c++} -std=c++17 -O0 -Wall -Wextra -Wno-missing-field-initializers -Werror -ffp-contract=off -fPIC -shared "$@" \
    -I"$root/engine/include" -o "$game/plugins/village.so" "$here/village.cpp" || fail "village.cpp does not compile"
  echo 'return { title = "Village", plugins = { "village" } }' >"$game/game.lua"
  cat >"$game/assemblages.lua" <<'END'
return { villager = { components = { transform = {} }, children = { dog = { components = { transform = {} } } },
  states = { initial = "awake", awake = {}, asleep = {} } } }
END
  echo 'return { velocity = { x = 0 } }' >"$game/components.lua"
  printf '#8fc04a\n#000000\n' >"$game/assets/wall.dye"
}
cpp_wrappers() {
  make_village
  cat >"$game/systems/ask.lua" <<'END'
return { update = function()
  if world.tick ~= 2 then return end
  local answer, speed = shoal.plugins.village.plan({ walk = { speed = 80 }, stops = { "mill", "bridge\0d" } })
  print(answer.seconds, answer.fine, #answer.list, answer.way[1], answer.way[2], speed)
  print(#shoal.plugins.village.bytes("a\0b"))
end }
END
  run_for 60 "$release" run "$game" --headless --no-watch --ticks 20 --strict --hash every=5 --stats --exec 'shoal.cockpit("Ring")'
  exits 0 out "6	true	14	by the river	7	80" "6" "scope village.look: look: rows"
  grep '^tick' "$tmp/out" >lived
  run_for 60 "$release" run "$game" --headless --no-watch --ticks 20 --strict --hash every=5 --check-rollback 5 \
    --exec 'shoal.cockpit("Ring")'
  grep '^tick' "$tmp/out" | cmp -s - lived || fail "$(diff lived "$tmp/out" | head -n 4)"
  [ "$(query 'SELECT dogs, coins, mode, added, changed > 2, changes > 5, heard > 5, way, dye, rang FROM village' --ticks 20)" = \
    " 1 4 asleep 1 1 1 1 104 2 7" ] || fail "$(cat "$tmp/out")"
}
it "C++ wrappers give the expected results for worlds, queries, tables, jobs, observers, assets and scopes" cpp_wrappers

changed_asset() {
  trap stop_program EXIT
  make_village
  cat >"$game/systems/ask.lua" <<'END'
return { update = function()
  if world.tick % 32 == 0 then print("colours " .. world.single.village.dye .. " .") end
end }
END
  launch "$release" run "$game" --headless --watch --record rec
  expect_log "colours 2 ."
  printf '#8fc04a\n#000000\n#ffffff\n' >"$game/assets/new.tmp"
  mv "$game/assets/new.tmp" "$game/assets/wall.dye"
  expect_log "colours 3 ."
  stop_program
  run_for 60 "$release" run "$game" --headless --no-watch --replay rec
  exits 1 err "replay: assets/wall.dye differs from the recorded file: the replay may diverge"
  says err "village.dye: 2 and 3"
  printf '#8fc04a\n#000000\n' >"$game/assets/wall.dye"
  run_for 60 "$release" run "$game" --headless --no-watch --replay rec
  exits 1 err "village.dye: 3 and 2"
  [ "$(grep -c 'wall.dye differs from the recorded file' "$tmp/err")" = 1 ] || fail "$(cat "$tmp/err")"
  run_for 60 "$release" run "$game" --headless --no-watch --ticks 90 --record rec2
  run_for 60 "$release" run "$game" --headless --no-watch --replay rec2
  exits 0
  ! grep -q 'differs from the recorded file' "$tmp/err" || fail "$(cat "$tmp/err")"
}
it "a replay reports a plugin's asset that differs from the recorded version" changed_asset

exception_closes() {
  make_village -DTHROWS
  run_for 60 "$release" run "$game" --headless --no-watch --ticks 20 --stats
  exits 1 err "error in plugin village.trip: an exception was thrown: it tripped"
  [ "$(grep -c 'error in' "$tmp/err")" = 1 ] || fail "$(cat "$tmp/err")"
}
it "an exception that leaves queries and scopes open causes no additional error" exception_closes

# ---- C++: a plugin and box2d call each other

if [ -e "${release%/bin/shoal}/plugins/box2d.so" ]; then
  calls_box2d() {
    rm -rf "$game"
    mkdir -p "$game/plugins" "$game/systems"
    ${CXX:-c++} -std=c++17 -O0 -Wall -Wextra -Wno-missing-field-initializers -Werror -ffp-contract=off -fPIC -shared \
      -I"$root/engine/include" -o "$game/plugins/wind.so" "$here/wind.cpp" || fail "wind.cpp does not compile"
    cat >"$game/game.lua" <<'END'
return { title = "Wind", plugins = { "box2d", "wind" }, start = function()
  world.single.box2d.gravity_y, world.single.box2d.field = 0, "wind.at"
  world.spawn("crate", { transform = { x = 200, y = 0 } })
  print(shoal.plugins.wind.say(true, "hello"))
  print(pcall(shoal.plugins.wind.say, false, ""))
end }
END
    echo 'return { crate = { components = { transform = {}, box2d_body = {} } } }' >"$game/assemblages.lua"
    run_for 60 "$release" run "$game" --headless --no-watch --ticks 60 --strict --hash every=30
    exits 0 out "hello!" "wind.say: there is nothing to say"
    grep '^tick' "$tmp/out" >lived
    run_for 60 "$release" run "$game" --headless --no-watch --ticks 60 --strict --hash every=30 --check-rollback 5
    grep '^tick' "$tmp/out" | cmp -s - lived || fail "$(diff lived "$tmp/out" | head -n 4)"
    # The values after one second of wind at 120 px/s² and an impulse of 60 px/s.
    [ "$(query 'SELECT round(vx), round(vy), round(y) > 50, seen = entity FROM box2d_body, transform USING (entity), wind' --ticks 60 |
      cut -c1-9)" = " 120 60 1" ] || fail "$(cat "$tmp/out")"
  }
  it "a C++ plugin and box2d call each other, and a rollback gives the same hashes" calls_box2d

  unknown_wind() {
    sed -i 's/wind\.at/wind.att/' "$game/game.lua"
    run_for 60 "$release" run "$game" --headless --no-watch --ticks 5
    exits 1 err "error in plugin box2d.step: plugin wind has no function att: did you mean at?"
  }
  it "an unknown wind function parks box2d's step, and the error suggests the nearest function" unknown_wind
fi
