# The functions that plugins call: other plugins' functions, input, the net plugin, every function of the list. Each
# test is a plugin that uses them, rightly or wrongly, in the real program.
# needs: release
. "$(dirname "$0")/../lib.sh"
here=$root/tests/scenarios/plugins
game=$tmp/game
cd "$tmp" || exit 1

compile() { # compile SOURCE FILE WORD…: a plugin, as anybody would build it
  source=$1
  library=$2
  shift 2
  compile_once "$library" "${CC:-cc}" -std=c11 -O0 -ffp-contract=off -fPIC -shared -I"${include:-$root/engine/include}" \
    "$@" "$here/$source.c" || fail "$source.c does not compile with $*"
}
hot=heat
a_game() { # a_game PLUGIN…: with these in its game.lua, and five things that are hot
  rm -rf "$game"
  mkdir -p "$game/plugins" "$game/systems"
  plugins=
  for name in "$@"; do plugins="$plugins\"$name\", "; done
  cat >"$game/game.lua" <<END
return { title = "Services", plugins = { $plugins }, start = function() for _ = 1, 5 do world.spawn("stove") end end }
END
  echo "return { stove = { components = { $hot = { rate = 0 }, transform = {} } } }" >"$game/assemblages.lua"
  echo 'return { jump = { "key:space" }, turn = { negative = "key:left", positive = "key:right" } }' >"$game/input.lua"
}
runs() { # runs WORD…: the game, headless
  run_for 60 "$release" run "$game" --headless --no-watch --ticks 5 "$@"
}
asked() { # asked "SQL" WORD…: the last row of what it says
  question=$1
  shift
  run_for 60 "$release" sql "$game" "$question" --ticks 5 "$@"
  tail -n 1 "$tmp/out" | tr -s ' '
}

# ---- libraries of another version

other_version() { # other_version NUMBER
  a_game heat
  compile heat "$game/plugins/heat.so" -DOTHER_VERSION="$1"
  runs
  exits 1
  says err "built for version $1 of the plugin interface, but this Shoal has version 6: rebuild it"
}
it "a library of an older interface is refused with both numbers" other_version 5
it "a library of a newer interface is refused with both numbers" other_version 7

# ---- other plugins' functions

calls() { # calls FLAG…: caller with these
  a_game heat caller
  compile heat "$game/plugins/heat.so"
  compile caller "$game/plugins/caller.so" "$@"
}
called() {
  calls
  runs --strict
  exits 0
  [ "$(asked 'SELECT boiled, why FROM caller')" = " 100 heat.boil: it has no heat to boil with" ] || fail "$(cat "$tmp/out")"
}
it "a plugin calls another one's function, and goes on where that fails" called

wrong() { # wrong "WORDS" FLAG…
  words=$1
  shift
  calls "$@"
  runs
  exits 1
  says err "$words"
}
it "a plugin that is not there is named, with the nearest" \
  wrong "unknown plugin haet: did you mean heat?" '-DWANTED="haet.boil"'
it "a function that it does not have" \
  wrong "the plugin heat has no function bol: did you mean boil?" '-DWANTED="heat.bol"'
it "a name without a plugin" \
  wrong "function name must be PLUGIN.FUNCTION, got boil" '-DWANTED="boil"'
it "another version, with both numbers" \
  wrong "heat.boil: expected version 2 of plugin heat, got version 1" -DWANTED_VERSION=2
it "other types, with both lists" \
  wrong "heat.boil takes (e:entity) and gives (value:number), but the caller expects takes (e:number)" '-DTAKES="e:number"'
it "a function that changes the world is not called in the render phase" \
  wrong "heat.boil is not pure" -DIN_RENDER
it "a call from a thread of the plugin's own" wrong "shoal_action was called from a thread of the plugin" -DTHREAD -pthread
it "an action that there is not, with the nearest" \
  wrong "there is no action jumb in input.lua: did you mean jump?" '-DACTION="jumb"'
it "one like no other, with what gives it a key" \
  wrong 'there is no action quixotic in input.lua; quixotic = "key:space" there gives it a key' '-DACTION="quixotic"'

kept() {
  calls -DKEEPS
  launch "$release" run "$game" --headless --watch --exec 'print("begins")'
  trap stop_program EXIT
  expect_log "begins"
  expect_cpu_use "$program" 20
  mark_log
  compile heat other.so -DLATER
  mv other.so "$game/plugins/heat.so"
  expect_log "reload refused: plugin caller.run: the function was looked up before plugins were reloaded"
  ! has_exited "$program" || fail "the game is over"
}
it "a function that is kept across a reload is answered with a sentence" kept

# ---- the world: observers, queries, spawning with values, commands

herds() { # herds FLAG…: a game of sheep
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
lives_as() { # lives_as WORD…: 100 ticks with a command between two of them; the same hashes as the first time
  run_for 60 "$release" run "$game" --headless --no-watch --strict --ticks 100 --hash every=10 "$@"
  exits 0
  grep '^tick' "$tmp/out" >hashes
  [ -s lived ] || cp hashes lived
  cmp -s hashes lived || fail "$(diff lived hashes | head -n 4)"
}
herded() {
  herds
  rm -f lived
  lives_as --record herd --exec 'shoal.cockpit("Shear all")'
  lives_as --replay herd
  [ "$(asked 'SELECT born, gone, black > 0, wool, moved > born, asked > 1, first > 0 FROM herd' --ticks 100 \
    --exec 'shoal.cockpit("Shear all")')" = " 28 0 1 20 1 1 1" ] || fail "$(cat "$tmp/out" "$tmp/err")"
  rm -f lived
  lives_as
  lives_as --check-rollback 5
}
it "observers, queries and what is spawned with values are the same in a replay and after a step back" herded

endless() {
  herds -DENDLESS
  runs
  exits 1
  says err "error in plugin herd.ear: called 100 times in one tick, most recently .changed for"
}
it "an observer whose own changes never end is parked with an error" endless

scopes() {
  herds
  runs --ticks 20 --stats
  exits 0
  says out "stats: scope herd.count: move "
  grep -q '^stats: scope herd.count: move: nothing [0-9.]* us/run 20 runs, 50% ' "$tmp/out" || fail "$(grep scope "$tmp/out")"
  herds -DLEAVES_OPEN
  runs --ticks 20 --stats
  exits 0
  says out "stats: scope herd.count: move: nothing "
  says err "plugin herd: a scope was not ended: it ended with the call"
  herds -DENDS_TWICE
  runs
  exits 1
  says err "error in plugin herd.count: shoal_scope_end: no scope is open"
}
it "what a plugin measures of itself stands beside the systems in --stats" scopes

commands() {
  herds
  runs --ticks 20 --exec 'print(select(2, pcall(shoal.cockpit, "Shear al")))' --exec 'local e = world.spawn("sheep") print(pcall(shoal.cockpit, "Shear all", nil, nil, e))'
  says out "there is no command “Shear al”: did you mean Shear all?"
  says out "plugin herd: this one stays as it is"
}
it "a command of a plugin is found by its name, and fails with its words" commands

# ---- tables and texts of any bytes

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
  runs --ticks 1
  exits 0
  ! grep "not the same" "$tmp/out" || fail "$(cat "$tmp/out")"
  says out "7	mill	entity"
  says out "-1	nowhere	"
  says out "4	true	12	nil"
  while read -r words; do says out "shoal.plugins.tables.$words"; done <<'END'
echo: t must be a table, got number
echo: t.f is a function: use numbers, booleans, strings, entities and tables
echo: t has the key 1.5: keys must be strings, or list indices from 1 without gaps
echo: t has the key 3: keys must be strings
echo: t has the key boolean: keys must be strings
echo: t.again.again.again.again.again.again.again.again.again.again.again.again.again.again.again.again is nested more than 16 tables deep or contains itself
echo: t has more than 65536 members, nested ones included
echo: t has a metatable: pass a table of plain values
echo: t.a.b has a metatable
through: echo: argument 1 must be a table: build it with shoal_table_begin and shoal_table_end
wrong: shoal_put: no table is open
wrong: shoal_table_end: no table is open
wrong: shoal_table_begin: key must be NULL for the outermost table
wrong: tables can be nested at most 16 deep
wrong: a table can have at most 65,536 members, including nested tables
wrong: shoal_put: value must be a number, boolean, text or entity
wrong: results must be in memory of the host
END
}
it "tables and texts of any bytes go to a plugin and come back, and what cannot is a sentence" tables

# ---- jobs that outlive a tick

jobs() { # jobs FLAG…
  rm -rf "$game"
  mkdir -p "$game/plugins" "$game/systems"
  compile jobs "$game/plugins/jobs.so" "$@"
  echo "return { title = 'Jobs', plugins = { 'jobs' } }" >"$game/game.lua"
}
fine='-DNAME="sum" -DWORK=sum'
due_jobs() {
  jobs $fine -DDUE=7
  rm -f lived
  lives_as
  lives_as --check-rollback 3
  echo 'return { update = function() if world.tick % 10 == 4 then reload() end end }' >"$game/systems/again.lua"
  jobs_of_reloads=$(asked 'SELECT done, late, wanted FROM sums' --ticks 100)
  [ "$jobs_of_reloads" = " 12 88 13" ] || fail "$jobs_of_reloads: $(cat "$tmp/err")"
}
it "a job that is due in a tick is there in that one: after a step back and over reloads, too" due_jobs

recorded_jobs() {
  jobs $fine -DDUE=0 -DSLOW
  echo 'return { update = function() if world.single.sums.done == 3 then world.quit() end end }' >"$game/systems/stop.lua"
  rm -f lived
  run_for 60 "$release" run "$game" --headless --no-watch --strict --ticks 40000000 --hash every=500 --record worked
  exits 0
  grep '^tick' "$tmp/out" >lived
  run_for 60 "$release" run "$game" --headless --no-watch --strict --ticks 40000000 --hash every=500 --replay worked
  exits 0
  grep '^tick' "$tmp/out" | cmp -s - lived || fail "$(tail -n 3 "$tmp/out" lived)"
}
it "one that is not due is there when it is done, and a replay does not do it again" recorded_jobs

wrong_job() { # wrong_job "WORDS" FLAG…
  words=$1
  shift
  jobs "$@"
  runs --ticks 20
  exits 1
  says err "$words"
}
it "a job without work" wrong_job "shoal_job_result: .work must not be NULL" '-DNAME="sum"' -DWORK=NULL -DDUE=3
it "one whose name is no line" wrong_job "and .name must be one line of 1 to 60 bytes" '-DNAME=""' -DWORK=sum -DDUE=3
it "one that says that it has written more than there is room" \
  wrong_job "its job sum returned 9 bytes, but the buffer has 8" $fine -DDUE=3 -DLIES

# ---- sounds

bells() { # bells FLAG…
  rm -rf "$game"
  mkdir -p "$game/plugins" "$game/systems"
  compile bell "$game/plugins/bell.so" "$@"
  echo "return { title = 'Bell', plugins = { 'bell' } }" >"$game/game.lua"
}
sounds() {
  bells
  rm -f lived
  lives_as --record rung
  lives_as --replay rung
  lives_as --check-rollback 4
  of='FROM sound JOIN transform USING (entity) JOIN sound_space USING (entity)'
  [ "$(asked "SELECT file, volume, loop, x, range $of" --ticks 20)" = "hum.ogg 0.5 1 7 800" ] || fail "$(cat "$tmp/out")"
  [ "$(asked 'SELECT stopped, again, (SELECT count(*) FROM sound) FROM bell' --ticks 60)" = " 1 0 1" ] ||
    fail "$(cat "$tmp/out")"
}
it "a plugin plays, changes and stops sounds, which are the same in a replay and after a step back" sounds

wrong_sound() { # wrong_sound "WORDS" FLAG
  bells "$2"
  runs
  exits 1
  says err "$1"
}
it "a sound without a file" wrong_sound "shoal_play: .file must not be empty" '-DWRONG=.volume = 1'
it "a sound that is too loud" wrong_sound "shoal_play of a.ogg: .volume must be 0 to 1, .pan -1 to 1" \
  '-DWRONG=.file = "a.ogg", .volume = 2'
it "a sound at no place" wrong_sound "shoal_play of a.ogg: fades must be 0 to 60 s, .seconds and .range 0 to 1,000,000, .x and .y finite" \
  '-DWRONG=.file = "a.ogg", .placed = true, .x = 1e30f * 1e30f'
it "a volume that there is not" wrong_sound "shoal_set_volume: volume must be 0 to 1" -DLOUD

# ---- input

actions() {
  calls '-DACTION="jump"'
  cat >"$game/components.lua" <<'END'
return { heard = shoal.types.single { jump = 0 } }
END
  cat >"$game/systems/look.lua" <<'END'
return { update = function()
  world.single.heard.jump = world.single.heard.jump + (input.pressed("jump") and 100 or input.down("jump") and 1 or 0)
end }
END
  luajit "$root/tests/scenarios/lib/keys.lua" keys 300 5 Services || fail "no keys"
  run_for 60 "$release" sql "$game" "SELECT jump > 200, jump = action FROM heard, caller" --replay keys --ticks 300
  [ "$(tail -n 1 "$tmp/out" | tr -s ' ')" = " 1 1" ] || fail "$(cat "$tmp/out" "$tmp/err")"
}
it "a plugin sees the actions that scripts see" actions

# ---- every function of the headers, from where it may not be called, and with anything

stray_game() { # stray_game FLAG…
  rm -rf "$game"
  mkdir -p "$game/plugins" "$game/systems"
  compile stray "$game/plugins/stray.so" -g -pthread -Wno-unused-value "$@"
  cat >"$game/game.lua" <<'END'
return { title = "Stray", plugins = { "stray" }, start = function()
  for i = 1, 6 do world.spawn("twig", { leaf = { x = i }, transform = { x = i } }) end
end }
END
  echo 'return { twig = { components = { transform = {}, leaf = {} } } }' >"$game/assemblages.lua"
}
strays() { # strays PLACE: its errors in $tmp/errors, its last hash in $hash
  PLACE=$1 run_for 60 "$release" run "$game" --headless --no-watch --ticks 20 --hash
  grep '^error: error in plugin stray' "$tmp/err" >"$tmp/errors" || :
  hash=$(grep '^tick 20 ' "$tmp/out")
  [ -n "$hash" ] || fail "$1: it did not come to its end: $(tail -n 4 "$tmp/err")"
}
astray() {
  stray_game
  count=$(sed -n '/define SHOAL_WORLD_FUNCTIONS/,$p' "$root/engine/include/shoal/functions.h" | cat - "$here/stray.c" | grep -c '^  [FX](')
  strays none
  [ ! -s "$tmp/errors" ] || fail "$(cat "$tmp/errors")"
  before=$hash
  for where in "thread:from a thread of the plugin" "later:from a thread of the plugin" "over:with the context of an earlier call"; do
    strays "${where%%:*}"
    [ "$hash" = "$before" ] || fail "$where: another world"
    [ "$(grep -c "${where#*:}" "$tmp/errors")" = "$count" ] || fail "$where: of $count $(wc -l <"$tmp/errors") were told"
  done
  strays here
}
it "each of them from a thread, and after the call is over: a sentence each, and the same world" astray

in_parts() {
  stray_game
  sed -n '/define SHOAL_WORLD_FUNCTIONS/,$p' "$root/engine/include/shoal/functions.h" |
    awk 'BEGIN { RS = "  F[(]" } NR > 1 && !/, (SHARED|ALWAYS|COMMANDS|SPAWNING),/ { sub(/,.*/, ""); print "shoal_" $0 }' |
    sort >"$tmp/refused"
  for _ in 1 2 3 4; do
    strays part
    sed -n 's/.* \(shoal_[a-z_]*\) \(cannot be\|was\) called .*/\1/p' "$tmp/errors" | sort -u >"$tmp/told"
    diff "$tmp/refused" "$tmp/told" >"$tmp/diff" || fail "$(cat "$tmp/diff")"
  done
}
it "a part of shoal_jobs may only call functions that several threads may call at a time" in_parts

at_random() {
  stray_game -DFUZZES
  echo 'return { update = function() pcall(shoal.plugins.stray.rustle, { a = 1 }) pcall(shoal.plugins.stray.look) end }' \
    >"$game/systems/call.lua"
  seeds=8
  [ -z "$LONG" ] || seeds=400
  for seed in $(seq "$seeds"); do
    FUZZ=$seed run_for 60 "$release" run "$game" --headless --no-watch --ticks 40
    [ "$status" -le 1 ] || fail "seed $seed: exit status $status: $(tail -n 4 "$tmp/err")"
  done
}
it "all of them at random, with anything, from everywhere: nothing crashes" at_random

# ---- what a mistake with columns says

columns_of() { # columns_of "BODY" FLAG…: a system of the plugin warm, whose query names transform
  rm -rf "$game"
  mkdir -p "$game/plugins"
  body=$1
  shift
  cat >warm.c <<'END'
#include <shoal/plugin.h>
#define WARM_FIELDS(F) F(f32, value, 0) F(vec2, way, 0, 0)
SHOAL_COMPONENT(warm, WARM_FIELDS)
SHOAL_COMPONENT(transform, SHOAL_TRANSFORM_FIELDS)
#define VALUE SHOAL_COLUMN(v, warm, value)
static void grow(shoal_context *c, const shoal_view *v, float dt_s) { (void)c, (void)dt_s; BODY; }
SHOAL_PLUGIN(.name = "warm", .version = 1, .components = SHOAL_COMPONENTS(warm),
             .systems = SHOAL_SYSTEMS({.name = "grow", .query = {"warm", "transform"}, .run = grow}))
END
  ${CC:-cc} -std=c11 -O0 -g -w -ffp-contract=off -fPIC -shared -I"$root/engine/include" "-DBODY=$body" "$@" \
    -o "$game/plugins/warm.so" warm.c || fail "warm.c does not compile"
  echo "return { title = 'Warm', plugins = { 'warm' }, start = function() world.spawn('stove') end }" >"$game/game.lua"
  echo 'return { stove = { components = { warm = {}, transform = {} } } }' >"$game/assemblages.lua"
  runs
  exits 1
}
columns_told() {
  columns_of 'SHOAL_COLUMN(v, transform, x)[0] = 1'
  says err "Its columns of transform are NULL: list the fields that the plugin reads in .uses"
  columns_of 'SHOAL_AT(v, SHOAL_COLUMN(v, warm, value), 3) = 1' -DSHOAL_DEBUG
  says err "warm.c:6: row 3 of warm.value is out of range (count 1)"
  columns_of 'SHOAL_AT(v, VALUE, 3) = 1' -DSHOAL_DEBUG
  says err "warm.c:6: row 3 of warm.VALUE is out of range (count 1)"
  columns_of 'SHOAL_AT(v, SHOAL_COLUMNS(v, warm)->way[1], 3) = 1' -DSHOAL_DEBUG
  says err "warm.c:6: row 3 of warm.way[1] is out of range (count 1)"
  columns_of 'SHOAL_AT(v, SHOAL_COLUMN(v, transform, x), 0) = 1' -DSHOAL_DEBUG
  says err "row 0 of x: not a column of this view, or there are no rows: name its component in .query, and in .components or .uses"
}
it "a column that is NULL, and a row that is not there, say what to do" columns_told

# ---- the net plugin, where it was built

if [ -e "${release%/bin/shoal}/plugins/net.so" ]; then
  talks() { # talks WORD…: the example, until forty answers have come, however long that takes
    rm -rf talk
    cp -r "$root/engine/plugins/net/example" talk
    echo 'return { update = function() if world.single.heard.count >= 40 then world.quit() end end }' >talk/systems/stop.lua
    run_for 60 "$release" run talk --headless --no-watch --strict --ticks 4000000 --hash every=50 "$@"
    exits 0
  }
  echoes() {
    talks --record spoken
    grep '^tick' "$tmp/out" >lived
    [ -s lived ] || fail "it was over before anything was said"
    talks --replay spoken
    grep '^tick' "$tmp/out" | cmp -s - lived || fail "$(diff lived "$tmp/out" | head -n 4)"
  }
  it "what the net plugin hears is recorded: a replay without the network gives the same hashes" echoes

  other_library() {
    rm -rf talk
    cp -r "$root/engine/plugins/net/example" talk
    mkdir talk/plugins
    cp "${release%/bin/shoal}/plugins/net.so" talk/plugins/
    echo 'return { every = 10, update = function() local net = world.single.net
      if net.connected then print("port", net.bound, world.single.heard.count) end end,
      on = { net_peer = function(ev) for i = 1, ev.count do print(ev.here[i] and "came" or "went") end end } }' \
      >talk/systems/tell.lua
    launch "$release" run talk --headless --watch
    trap stop_program EXIT
    expect_log "port	" # a folder may be called so, too
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
    ! grep '^went' "$log" || fail "a connection is lost"
  }
  it "another library takes the port over, and who is connected stays so" other_library

  a_side() { # a_side NAME: a game that talks, with the system on standard input
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
  hundred() { # a server that is loaded anew a hundred times, and a client that counts
    a_side server <<'END'
return { after = "net.hear", phase = "input",
  start = function() world.single.net.listen, world.single.net.echo = true, true end,
  on = { net_message = function(ev) local talk = world.single.talk
    for i = 1, ev.count do
      talk.last = talk.last or ev.text[i] == "bye"
      if talk.reloads == 100 and not talk.last then shoal.plugins.net.send(ev.peer[i], "over") end
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
    elseif talk.came > 0 and talk.reloads < 100 then
      talk.reloads = talk.reloads + 1
      reload()
    end
  end }
END
    a_side client <<'END'
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
    expect_log "served: 100 reloads, came 1, went 0"
    [ "$(grep -c '^port' "$log")" = 1 ] || fail "$(grep '^port' "$log")"
  }
  it "a port goes through a hundred reloads, and a client that talks all the time is never disconnected" hundred

  no_port() {
    talks
    rm -rf blocked
    cp -r talk blocked
    sed -i 's/net.listen = true/net.listen, world.single.net.port = true, 70000/' blocked/game.lua
    run_for 60 "$release" run blocked --headless --no-watch --ticks 20
    exits 0
    says err "net: cannot listen on port 70000"
    sed -i 's/net.listen = true/net.address = "nowhere"/; s/net.listen, .*/net.address = "nowhere"/' blocked/game.lua
    run_for 60 "$release" run blocked --headless --no-watch --ticks 20
    says err "net: invalid address “nowhere”: expected HOST:PORT, such as localhost:4000"
  }
  it "a port and an address that cannot be had are a sentence, and the game goes on" no_port
fi

# ---- what is generated from the list of functions

covered() {
  ${CXX:-c++} -std=c++17 -O0 -Wall -Wextra -Wno-missing-field-initializers -Wno-unused-parameter -Werror \
    -I"$root/engine/include" -o "$tmp/covered" "$here/covered.cpp" || fail "covered.cpp does not compile"
  as_in_c="tick tick_rate random log fail resize self external workers jobs give_numbers give_entities asset asset_wrong \
hold held drop screen draw_polygon draw_solids draw_pass texture_put texture_free shader_new shader_free action mouse_now \
typed stop_sound set_volume panel_widget "
  [ "$("$tmp/covered" | tr '\n' ' ')" = "$as_in_c" ] || fail "$("$tmp/covered" | tr '\n' ' ')"
}
it "every function has a wrapper in C++ or is known to be called as in C" covered

page_of_functions() {
  (cd "$root" && luajit engine/docs/site/plugin_functions.lua) | cmp - "$root/engine/docs/plugin_functions.md" ||
    fail "run: luajit engine/docs/site/plugin_functions.lua > engine/docs/plugin_functions.md"
}
it "the page of functions is generated from the list" page_of_functions

# ---- C++: each subject, with types

villages() { # villages FLAG…
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
in_cpp_all() {
  villages
  cat >"$game/systems/ask.lua" <<'END'
return { update = function()
  if world.tick ~= 2 then return end
  local answer, speed = shoal.plugins.village.plan({ walk = { speed = 80 }, stops = { "mill", "bridge\0d" } })
  print(answer.seconds, answer.fine, #answer.list, answer.way[1], answer.way[2], speed)
  print(#shoal.plugins.village.bytes("a\0b"))
end }
END
  run_for 60 "$release" run "$game" --headless --no-watch --ticks 20 --strict --hash every=5 --stats --exec 'shoal.cockpit("Ring")'
  exits 0
  says out "6	true	14	by the river	7	80"
  says out "6"
  says out "scope village.look: look: rows"
  grep '^tick' "$tmp/out" >lived
  run_for 60 "$release" run "$game" --headless --no-watch --ticks 20 --strict --hash every=5 --check-rollback 5 \
    --exec 'shoal.cockpit("Ring")'
  grep '^tick' "$tmp/out" | cmp -s - lived || fail "$(diff lived "$tmp/out" | head -n 4)"
  [ "$(asked 'SELECT dogs, coins, mode, added, changed > 2, changes > 5, heard > 5, way, dye, rang FROM village' --ticks 20)" = \
    " 1 4 asleep 1 1 1 1 104 2 7" ] || fail "$(cat "$tmp/out")"
}
it "each subject in C++: worlds, queries, tables, jobs, observers, sounds, pictures, files, scopes" in_cpp_all

other_file() {
  trap stop_program EXIT
  villages
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
  exits 1
  says err "replay: assets/wall.dye differs from the recorded file: the replay may differ, too"
  says err "village.dye: 2 and 3"
  printf '#8fc04a\n#000000\n' >"$game/assets/wall.dye"
  run_for 60 "$release" run "$game" --headless --no-watch --replay rec
  exits 1
  says err "village.dye: 3 and 2"
  [ "$(grep -c 'wall.dye differs from the recorded file' "$tmp/err")" = 1 ] || fail "$(cat "$tmp/err")"
  run_for 60 "$release" run "$game" --headless --no-watch --ticks 90 --record rec2
  run_for 60 "$release" run "$game" --headless --no-watch --replay rec2
  exits 0
  ! grep -q 'is not the file' "$tmp/err" || fail "$(cat "$tmp/err")"
}
it "a replay says in which tick the simulation used another file of a plugin's kind" other_file

thrown() {
  villages -DTHROWS
  run_for 60 "$release" run "$game" --headless --no-watch --ticks 20 --stats
  exits 1
  says err "error in plugin village.trip: threw an exception: it tripped"
  [ "$(grep -c 'error in' "$tmp/err")" = 1 ] || fail "$(cat "$tmp/err")"
}
it "an exception leaves no query and no scope of them open" thrown

# ---- C++: box2d calls, and is called

if [ -e "${release%/bin/shoal}/plugins/box2d.so" ]; then
  in_cpp() {
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
    exits 0
    says out "hello!"
    says out "wind.say: there is nothing to say"
    grep '^tick' "$tmp/out" >lived
    run_for 60 "$release" run "$game" --headless --no-watch --ticks 60 --strict --hash every=30 --check-rollback 5
    grep '^tick' "$tmp/out" | cmp -s - lived || fail "$(diff lived "$tmp/out" | head -n 4)"
    # a second of wind at 120 px/s², and a push of 60 px/s
    [ "$(asked 'SELECT round(vx), round(vy), round(y) > 50, seen = entity FROM box2d_body, transform USING (entity), wind' --ticks 60 |
      cut -c1-9)" = " 120 60 1" ] || fail "$(cat "$tmp/out")"
  }
  it "a plugin in C++ calls box2d, box2d calls it for its wind, and a step back is exact" in_cpp

  no_wind() {
    sed -i 's/wind\.at/wind.att/' "$game/game.lua"
    run_for 60 "$release" run "$game" --headless --no-watch --ticks 5
    exits 1
    says err "error in plugin box2d.step: the plugin wind has no function att: did you mean at?"
  }
  it "a wind that there is not parks the step, with the nearest name" no_wind
fi
