# Live code of a served world in real processes: ./shoal world DB reload tries changed code in each room, stores it, and
# the rooms switch to it with their players, including killed rooms and rooms that were not running. With --long, ten
# reloads in a row with kills instead of three.
# needs: release release/world_owner
. "$(dirname "$0")/../lib.sh"
. "$root/tests/scenarios/lib/match.sh"
cd "$tmp" || exit 1
reloads=${LONG:+10}
reloads=${reloads:-3}
port=$((20000 + $$ * 7 % 25000))

# make_game FOLDER FIELD STEP [FORMER]: each tick adds STEP to the field FIELD, which was renamed from FORMER.
make_game() {
  mkdir -p "$1/systems" "$1/scenes"
  cat >"$1/game.lua" <<'END'
return { title = "Village", id = "live_village", multiplayer = { players = { 1, 4 } }, scene = "town",
  tick_rate = 20, serve = { rooms = { mine = { scene = "mine", count = 2 }, town = { sleeps = false } } } }
END
  for scene in town mine; do
    echo '{ "format": 1, "entities": [ { "components": { "place": { "name": "'$scene'" } } } ] }' >"$1/scenes/$scene.json"
  done
  echo 'return { fire = { "key:f" } }' >"$1/input.lua"
  former=${4:+", renamed_from = { $2 = \"${4-}\" }"}
  echo "return { place = { name = \"\" }, score = shoal.types.single { $2 = 0, luck = 0.0$former } }" >"$1/components.lua"
  cat >"$1/systems/work.lua" <<END
return {
  update = function()
    local score = world.single.score
    score.$2 = score.$2 + $3
    score.luck = score.luck + world.random()
    if world.tick % 7 == 0 then
      for e in world.each "place" do print("$2", e.place.name, score.$2) end
    end
  end,
}
END
}

serve() { # serve: starts the process that serves the world
  forget server
  "$release" serve village --db "$tmp/world/world.db" --port $port --hash every=7 >server.out 2>server.err </dev/null &
  server=$!
  echo $server >>servers
  wait_for 20 has_line server.out '^listening: ' || fail "$(cat server.err)"
}
stop_all() {
  # shellcheck disable=SC2046
  kill $(cat servers ./*.process 2>/dev/null) 2>/dev/null
  rm -f servers ./*.process
  wait
}
: >servers
new_world() {
  trap stop_all EXIT
  rm -rf world village next
  mkdir world
  make_game village gold 1
  serve
}
end_world() { # ends the world with SIGTERM, and expects exit status 0
  kill "$server"
  code=0
  wait "$server" || code=$?
  [ $code = 0 ] || fail "the server has ended with status $code: $(tail -n 5 ./*.err)"
}

join() { # join NAME ROOM: starts a player's machine with a separate account
  forget "$1"
  XDG_DATA_HOME="$tmp/user-$1" "$release" run village --headless --no-watch --hash every=7 --world "127.0.0.1:$port" --room "$2" \
    >>"$1.out" 2>"$1.err" </dev/null & # appends, because tests empty the file while the machine writes
  echo $! >"$1.process"
}
leave() {
  kill "$(cat "$1.process")" 2>/dev/null
  wait "$(cat "$1.process")" 2>/dev/null
  rm -f "$1.process"
}
plays() { # plays NAME FIELD: the machine prints the values of this field
  wait_for 30 has_line "$1.out" "^$2	" || fail "$1 does not print $2: $(tail -n 6 "$1.err" server.err)"
}
value() { sed -n "s/^$2	[a-z]*	//p" "$1.out" | "${3:-tail}" -n 1; }
room_process() { sed -n "s/^room $1: starts (process \([0-9]*\)).*/\1/p" server.err | tail -n 1; }

reload() { # reload STATUS ARGUMENTS…: runs the command, with its output in reload.out and reload.err
  expected=$1
  shift
  code=0
  "$release" world world/world.db reload "$@" >reload.out 2>reload.err </dev/null || code=$?
  [ $code = "$expected" ] || fail "reload $*: status $code: $(cat reload.out reload.err server.err)"
}
lists() { has_line reload.out "$1" || fail "“$1” is not in: $(cat reload.out reload.err)"; }
complains() { has_line reload.err "$1" || fail "“$1” is not in: $(cat reload.out reload.err)"; }
status_lists() {
  "$release" world world/world.db status >status
  has_line status "$1" || fail "“$1” is not in: $(cat status)"
}
code_is() { "$release" world world/world.db status | grep -q "^code $1: "; }
has_no_code() { ! "$release" world world/world.db status | grep -q "^code "; }

# agrees NAME ROOM FIELD: the machine and the room have printed equal hashes, at least two since FIELD appeared.
shares_hashes() {
  sed -n "/^$3	/,\$s/^tick //p" "$1.out" >own
  sed -n "s/^$2 tick //p" server.out >room
  [ "$(awk 'NR == FNR { hash[$1] = $3; next } $1 in hash' room own | wc -l)" -ge 2 ]
}
agrees() {
  wait_for 20 shares_hashes "$@" || fail "no hashes: $(tail -n 5 "$1.out" server.out server.err)"
  sed -n 's/^tick //p' "$1.out" >own
  sed -n "s/^recovered: $2 tick \([0-9]*\) .*/\1/p" server.out >recoveries
  # A machine may have run up to 50 ticks that a killed room had not committed.
  awk 'FILENAME == "recoveries" { lost[++count] = $1; next }
    FILENAME == "room" { hash[$1] = $3; next }
    { for (i = 1; i <= count; ++i) if ($1 > lost[i] && $1 <= lost[i] + 50) next }
    $1 in hash && hash[$1] != $3 { print; exit 1 }' recoveries room own >differences ||
    fail "$1 differs from $2: $(cat differences)"
  ! grep -q 'desync' "$1.err" server.err || fail "$(cat "$1.err" server.err)"
}
proves() { # proves ROOM: waits until the room has verified its snapshot after the reload
  wait_for 30 has_line server.err "room $1: proved the snapshot" || fail "$(cat server.err)"
  ! grep -q 'proof.*failed\|recovery differs' server.err || fail "$(cat server.err)"
}

two_rooms() {
  new_world
  join a town
  join b mine
  plays a gold
  plays b gold
  make_game next coins 3 gold
  before=$(value a gold)
  reload 0 next --note "three coins"
  lists '^2 files differ from the release: components.lua, systems/work.lua'
  lists '^town: 1 system changed, 1 field renamed'
  lists '^town: changed: score.coins: renamed from gold'
  lists '^mine-1: different after [0-9]* repeated ticks: score'
  lists '^stored code 1'
  lists '^town: runs code 1'
  lists '^mine-1: runs code 1'
  plays a coins
  plays b coins
  last=$(value a gold)
  after=$(value a coins head)
  [ "$after" -gt "$last" ] && [ "$last" -ge "$before" ] || fail "gold $last became coins $after"
  agrees a town coins
  agrees b mine-1 coins
  join c town # machine c has the files of the release, and receives the code
  plays c coins
  agrees c town coins
  status_lists '^code 1: stored .* by .*: three coins'
  proves town
  for machine in a b c; do leave $machine; done
  end_world
}
it "rooms and their players switch to changed code, and keep the values of a renamed field" two_rooms

# Code 1 renames a field, and code 2 reverts the rename. Code 3 uses the name of code 1 again without `renamed_from`, so
# all machines lose the values, including machines that have run code 1.
later_machine_agrees() {
  new_world
  join a town
  plays a gold
  make_game next coins 1 gold
  reload 0 next
  make_game next gold 1
  reload 0 next
  lists '^town: runs code 2'
  join b town
  plays b gold
  make_game next coins 1
  reload 0 next
  lists '^town: runs code 3'
  : >b.out
  plays b coins
  agrees b town coins
  for machine in a b; do leave $machine; done
  end_world
}
it "a machine that joins after a rename was reverted has the same hashes as the room" later_machine_agrees

lists_problems() {
  new_world
  join a town
  plays a gold
  make_game next coins 3 gold
  reload 0 next --try
  lists '^town: changed: score.coins: renamed from gold'
  lists '^no room refuses the code; nothing was stored'
  make_game next coins 3
  reload 0 next --try
  lists '^town: changed: score.gold: removed, values dropped'
  make_game next gold 1
  echo 'return { update = function() if world.tick % 2 == 0 then error("no luck") end end }' >next/systems/luck.lua
  reload 1 next --try
  lists '^town: refused: .*systems/luck.lua:1: no luck'
  echo 'return {' >next/systems/luck.lua
  reload 1 next --try
  lists '^town: refused: systems/luck.lua:[12]: .*unexpected end of file'
  rm next/systems/luck.lua
  echo 'return { place = { name = "" }, score = shoal.types.single { gold = 0, luck = 0.0, more = 0,
    migrate = function(old, new, q) error("not today") end } }' >next/components.lua
  reload 1 next
  lists '^town: refused: components.lua:[12]: .*not today'
  lists '^refused: nothing was stored'
  has_no_code || fail "a code was stored"
  plays a gold
  leave a
  end_world
}
it "reload --try lists refused code, dropped values and differences, and stores nothing" lists_problems

# A component without a declaration keeps its rows.
removes_component() {
  new_world
  join a town
  plays a gold
  make_game next gold 1
  sed -i 's/place = {/purse = { coins = 3 }, place = {/' next/components.lua
  echo 'return { update = function() if world.tick % 20 == 0 then world.spawn(nil, { purse = {} }) end end }' \
    >next/systems/purse.lua
  reload 0 next
  wait_for 20 has_purse || fail "no purse: $(cat purses)"
  wait_until_committed world/world.db town
  make_game next gold 2
  rm next/systems/purse.lua
  reload 0 next
  lists '^town: changed: purse.* [0-9]* rows\{0,1\}'
  agrees a town gold
  reload 0 --back
  agrees a town gold
  leave a
  end_world
}
has_purse() { "$release" world world/world.db ask town 'SELECT count(*) FROM purse' >purses && grep -q '^ *[1-9]' purses; }
it "a reload that removes a component reports the number of the component's rows" removes_component

goes_back() {
  new_world
  join a town
  plays a gold
  reload 1 --back
  complains 'the world runs its release, which has no previous code'
  make_game next coins 3 gold
  reload 0 next
  make_game next money 5 coins
  reload 0 next
  plays a money
  reload 0 --back
  lists '^back to code 1'
  lists '^town: runs code 3'
  : >a.out
  plays a coins
  reload 0 --back --note "the release again"
  : >a.out
  plays a gold
  status_lists '^code 4: .*: the release again'
  reload 1 --back
  complains 'which has no previous code'
  leave a
  end_world
}
it "reload --back returns to the previous code, and to the release" goes_back

# Two renames while the rooms are down: the values are kept only if no version is skipped.
reloads_while_down() {
  new_world
  join a mine
  plays a gold
  leave a
  end_world
  before=$(value a gold)
  make_game next coins 3 gold
  reload 0 next
  lists '^mine-1: does not run; switches at its next start'
  make_game next money 5 coins
  reload 0 next
  status_lists '^mine-1 has code 0'
  serve
  join a mine
  plays a money
  after=$(value a money head)
  [ "$after" -gt "$before" ] || fail "gold $before became money $after"
  has_line server.err 'room mine-1: runs the live code 2' || fail "$(cat server.err)"
  agrees a mine-1 money
  join b mine # a new room begins with the current code
  plays b money
  leave a
  leave b
  end_world
}
it "a room that was not running applies all new codes in order before its first tick" reloads_while_down

# switches ROOM CODE: succeeds once the room runs this code.
switches() { has_line server.err "room $1: runs the live code $2"; }
kills_after_reloads() {
  new_world
  join a town
  plays a gold
  former=gold
  for i in $(seq 1 "$reloads"); do
    make_game next "field_$i" "$i" "$former"
    former=field_$i
    before=$(grep -c . server.err)
    "$release" world world/world.db reload next >reload.out 2>&1 &
    command=$!
    wait_for 30 switches town "$i" || fail "$(cat reload.out server.err)"
    [ $((i % 2)) = 1 ] || wait_until_committed world/world.db town # the record of the reload is stored
    kill -9 "$(room_process town)"
    code=0
    wait $command || code=$?
    [ $code = 0 ] || fail "reload $i: status $code: $(cat reload.out server.err)"
    code_is "$i" || fail "$("$release" world world/world.db status)"
    plays a "field_$i"
    agrees a town "field_$i"
  done
  [ "$(value a "$former")" -gt "$(value a gold)" ] || fail "the values were lost: $(cat a.out)"
  ! grep -q 'recovery differs\|damaged' server.err || fail "$(cat server.err)"
  leave a
  end_world
}
it "a room that is killed right after a reload continues with the new code ($reloads times)" kills_after_reloads

rejects_wrong_reloads() {
  new_world
  wait_for 20 has_line server.err 'room town: open' || fail "$(cat server.err)"
  reload 0 --help
  lists '^usage:'
  reload 2
  complains 'reload requires the folder of the changed game, or --back'
  reload 2 nope
  complains 'folder not found: “nope”'
  mkdir -p empty
  reload 2 empty
  complains 'game.lua'
  reload 2 next --force
  complains 'unknown option --force'
  reload 2 next --back
  complains '--back requires no folder'
  reload 1 village
  complains 'village contains the running code: nothing has changed'
  make_game next gold 2
  sed -i 's/live_village/other/' next/game.lua
  reload 1 next
  lists '^town: refused: game.lua: the game has the id “other” instead of “live_village”'
  make_game next gold 2
  sed -i 's/town = { sleeps = false }/hall = {}/' next/game.lua
  reload 1 next
  lists '^town: refused: game.lua: `serve` declares no room town'
  make_game next gold 2
  printf '\200' >next/systems/bytes.lua
  reload 2 next
  complains 'systems/bytes.lua: must be a text in UTF-8'
  rm next/systems/bytes.lua
  sed -i 's/+ 1/+ 4/' village/systems/work.lua # changes the release itself
  reload 1 next
  lists '^town: refused: .*village has changed since it was served'
  has_no_code || fail "a code was stored"
  end_world
}
it "invalid reloads are refused with the problem and the fix" rejects_wrong_reloads

two_reloads() {
  new_world
  wait_for 20 has_line server.err 'room town: open' || fail "$(cat server.err)"
  make_game next gold 2
  make_game later gold 3
  rm -f next.status later.status
  for folder in next later; do
    (
      code=0
      "$release" world world/world.db reload $folder >$folder.out 2>&1 || code=$?
      echo $code >$folder.status
    ) &
  done
  wait_for 60 test -s next.status -a -s later.status || fail "$(cat next.out later.out)"
  [ "$(cat next.status later.status | sort | tr -d '\n')" = 01 ] || fail "$(cat next.out later.out)"
  cat next.out later.out >both
  has_line both 'a different reload has stored code 1 in the meantime: reload again' || fail "$(cat both)"
  end_world
}
it "only one of two simultaneous reloads is stored" two_reloads

# A library that slows down the compression of snapshots while the file `slow` exists. The writer commits between the
# steps of the compression.
make_slow_library() {
  cat >slow.c <<END
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <unistd.h>
size_t ZSTD_compressStream2(void *c, void *out, void *in, int end);
size_t ZSTD_compressStream2(void *c, void *out, void *in, int end) {
  static size_t (*next)(void *, void *, void *, int);
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, "ZSTD_compressStream2");
  if (access("$tmp/slow", F_OK) == 0) usleep(800000);
  return next(c, out, in, end);
}
END
  compile_once slow.so cc -shared -fPIC slow.c -ldl
}

is_paused() { [ "$(grep 'room town \(pauses\|resumes\)' room.err | tail -n 1 | grep -c pauses)" = 1 ]; }
stays_paused() { # a busy machine may delay a commit by a few seconds
  is_paused || return 1
  count=$(grep -c 'room town pauses' room.err)
  sleep 5
  is_paused && [ "$(grep -c 'room town pauses' room.err)" = "$count" ]
}
# Records that wait for a snapshot are not committed: a crash would undo them.
pauses_while_a_snapshot_is_slow() {
  make_slow_library
  trap stop_all EXIT
  rm -rf world village next
  mkdir world
  make_game village gold 1
  cat >village/systems/many.lua <<'END'
return { update = function()
  if world.count("big") == 0 then
    for _ = 1, 40000 do world.spawn(nil, { big = {} }) end
  end
end }
END
  fields=$(seq -f 'f%g = 0' -s ', ' 1 32)
  sed -i "s/place = {/big = { $fields }, place = {/" village/components.lua
  serve
  wait_for 20 has_line server.err 'room town: open' || fail "$(cat server.err)"
  end_world
  "$(bin release world_owner)" world/world.db "UPDATE world SET owner = 7, beat = 1, beat_at = store_now()" 0 ||
    fail "cannot own the world"
  forget room
  LD_PRELOAD="$tmp/slow.so" "$release" run village --headless --no-watch --room town --db world/world.db --owner 7 \
    --port 0 --snapshots 1 >room.out 2>room.err </dev/null &
  room=$!
  echo $room >>servers
  wait_for 20 has_line room.out '^listening: ' || fail "$(cat room.err)"
  : >slow
  sleep 2 # a snapshot has begun
  cp -r village/. next
  sed -i 's/+ 1/+ 2/' next/systems/work.lua
  "$release" world world/world.db reload next >reload.out 2>&1 &
  command=$!
  wait_for 60 stays_paused || fail "$(cat room.err reload.out)"
  ! has_line room.err 'runs the live code' || fail "the snapshot was not slow: $(cat room.err)"
  rm slow
  wait_for 40 has_line room.err 'room town: runs the live code 1' || fail "$(cat room.err reload.out)"
  wait_for 20 has_line room.err 'room town resumes' || fail "$(cat room.err)"
  wait $command || fail "$(cat reload.out room.err)"
  kill $room
  wait $room || fail "status $?: $(cat room.err)"
}
it "a room pauses while a reload waits for a snapshot" pauses_while_a_snapshot_is_slow
