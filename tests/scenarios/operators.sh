# Operator commands of a served world: two rooms and a player in real processes.
# needs: release release/world_owner
. "$(dirname "$0")/../lib.sh"
. "$root/tests/scenarios/lib/match.sh"
cd "$tmp" || exit 1

make_game() {
  rm -rf village
  mkdir -p village/systems village/scenes
  cat >village/game.lua <<'END'
return { title = "Village", id = "operated_village", multiplayer = { players = { 1, 4 } },
  serve = { rooms = { mine = { count = 2 }, town = { sleeps = false } } } }
END
  echo 'return { score = shoal.types.single { gold = 0, ticks = 0 } }' >village/components.lua
  echo 'return { gift = { amount = 1, note = shoal.types.string "" } }' >village/events.lua
  cat >village/systems/work.lua <<'END'
return {
  on = { gift = function(ev)
    for i = 1, ev.count do
      world.single.score.gold = world.single.score.gold + ev.amount[i]
      print(string.format("%s tick %d: %d %s, gold %d", world.room, world.tick, ev.amount[i], ev.note[i],
        world.single.score.gold))
    end
  end },
  update = function()
    local score = world.single.score
    score.ticks = score.ticks + 1
    if score.ticks % 30 == 0 then print("works", world.room) end
    if score.ticks % 10 ~= 0 then return end
    local names = {}
    for _, player in ipairs(players.list()) do names[#names + 1] = player.name end
    print("names", world.tick, table.concat(names, ","))
  end,
}
END
}

port=$((20000 + $$ * 11 % 25000))
serve() { # serve NAME [OPTIONS…]: starts a process that serves the world, and sets $server
  name=$1
  shift
  forget "$name"
  "$release" serve village --db "$tmp/world/world.db" --port $port "$@" >"$name.out" 2>"$name.err" </dev/null &
  server=$!
  echo $server >>servers
}
stop_all() {
  # shellcheck disable=SC2046
  kill -CONT $(cat servers) 2>/dev/null
  # shellcheck disable=SC2046
  kill $(cat servers ./*.process 2>/dev/null) 2>/dev/null
  rm -f servers ./*.process
  wait
}
: >servers

new_world() {
  trap stop_all EXIT
  rm -rf world
  mkdir world
  make_game
  serve server
  wait_for 20 has_line server.err 'room town: open' || fail "$(cat server.err)"
}
end_world() {
  kill "$server"
  code=0
  wait "$server" || code=$?
  [ $code = 0 ] || fail "the server has ended with status $code: $(tail -n 5 ./*.err)"
}
join() { # join NAME ROOM: starts a player's machine, which plays in this room
  forget "$1"
  XDG_DATA_HOME=$tmp/users/$1 "$release" run village --headless --no-watch --world "127.0.0.1:$port" --room "$2" \
    --name "$1" >"$1.out" 2>"$1.err" </dev/null &
  echo $! >"$1.process"
  wait_for 30 has_line "$1.out" "^works	$2" || fail "$1 does not play in $2: $(tail -n 4 "$1.err" ./*server.err)"
}
leave() {
  kill "$(cat "$1.process")" 2>/dev/null
  wait "$(cat "$1.process")" 2>/dev/null
  rm -f "$1.process"
}
room_process() { sed -n "s/^room $1: starts (process \([0-9]*\)).*/\1/p" server.err | tail -n 1; }

operates() { # operates ARGUMENTS…: a command with status 0; its output is in `out`
  run_for 90 "$release" world world/world.db "$@"
  exits 0
}
refuses() { # refuses TEXT ARGUMENTS…: a command with status 1 and this message
  text=$1
  shift
  run_for 90 "$release" world world/world.db "$@"
  exits 1
  says err "$text"
}
has_gold() { # has_gold ROOM AMOUNT
  operates ask "$1" 'SELECT gold FROM score'
  grep -q "^ *$2$" out || fail "expected $2 gold, got: $(cat out)"
}
sql() { "$(bin release world_owner)" world/world.db "$1" 0 >/dev/null || fail "$1"; }

emits_events() {
  new_world
  join ann town
  operates emit town gift '{"amount": 3, "note": "coins"}'
  says out "emitted"
  wait_for 10 has_line ann.out '^town tick [0-9]*: 3 coins, gold 3$' || fail "$(tail -n 5 ann.out)"
  operates emit town gift
  wait_for 10 has_line ann.out '^town tick [0-9]*: 1 , gold 4$' || fail "$(tail -n 5 ann.out)"
  has_gold town 4
  # The events are in the records: a recovered room has the same gold, and emits nothing again.
  wait_until_committed world/world.db town
  kill -9 "$(room_process town)"
  wait_for 40 has_line ann.err 'connected again' || fail "$(tail -n 5 ann.err server.err)"
  has_gold town 4
  ! has_line ann.err desync || fail "$(cat ann.err)"
  leave ann
  end_world
}
it "emit emits an event in the room and on its players' machines, and a recovered room keeps the event's result" emits_events

wakes_room() {
  new_world
  join ann mine
  leave ann
  operates stop mine-1
  says out "the room stores its state and ends"
  wait_for 20 has_line server.err 'room mine-1: asleep' || fail "$(cat server.err)"
  refuses "room mine-1 does not run, so it has no players" say mine-1 hello
  operates emit mine-1 gift '{"amount": 9}'
  has_gold mine-1 9
  end_world
}
it "stop ends a room, and emit starts the room again" wakes_room

talks() {
  new_world
  join ann town
  join bob mine
  operates say "restart at 20:00"
  says out "mine-1: sent"
  says out "town: sent"
  operates say mine-1 "dig deeper"
  wait_for 10 has_line ann.err 'chat: server: restart at 20:00' || fail "$(tail -n 5 ann.err)"
  wait_for 10 has_line bob.err 'chat: server: dig deeper' || fail "$(tail -n 5 bob.err)"
  ! has_line ann.err 'dig deeper' || fail "ann has received the line for a different room"
  operates ask 'SELECT count(*) AS n FROM score'
  says out "mine-1:"
  says out "town:"
  refuses "no such table: scroe" ask town 'SELECT * FROM scroe'
  refuses "may only read" ask town 'UPDATE score SET gold = 1'
  leave ann
  leave bob
  end_world
}
it "say sends a line to the players of one room or of all rooms" talks

rejects() {
  new_world
  refuses "the game declares no event gfit: did you mean gift?" emit town gfit
  refuses "event gift: unknown field amont: did you mean amount?" emit town gift '{"amont": 1}'
  refuses "gift.amount must be a number, got text \"3\"" emit town gift '{"amount": "3"}'
  refuses "JSON, line 1, column 12" emit town gift '{"amount": }'
  refuses "the world has no room twon, or it has never run: did you mean town?" emit twon gift
  refuses "at most 200 bytes" say town "$(printf '%201s' x)"
  refuses_usage "unknown command “emti”: did you mean emit?" world/world.db emti town gift
  refuses_usage "emit takes 2 to 3 arguments, got 1" world/world.db emit town
  says err "usage: shoal world DB emit ROOM EVENT"
  refuses_usage "say takes 1 to 2 arguments, got 3: write quotes around a text with spaces" \
    world/world.db say town good evening
  refuses_usage "the database and the command are missing: write shoal world DB status, for example"
  refuses_usage "the command is missing: write shoal world DB status, for example" world/world.db
  refuses_usage "the database is missing: write shoal world DB status" status
  refuses_usage "the database is missing: write shoal world DB ban" ban ann
  refuses_usage "nowhere.db does not exist: pass the database of a served world" nowhere.db status
  refuses_usage "nowhere.db does not exist: pass the database of a served world" nowhere.db reload --back
  refuses_usage "postgre://: unknown kind of database" postgre://shoal@localhost/world status
  refuses "the world has no room cellar, or it has never run: use a name that status lists" say cellar hello
  operates log
  grep -q "emit *town .*gfit.*failed: the game declares no event gfit" out || fail "$(cat out)"
  says out " $(id -un) "
  end_world
  for command in "emit town gift" "say hello" "ask SELECT"; do
    # shellcheck disable=SC2086
    refuses "the world is not served, so no room runs: start it with ./shoal serve" $command
  done
}
refuses_usage() { # refuses_usage TEXT ARGUMENTS…: `shoal world ARGUMENTS` exits with status 2 and this message
  text=$1
  shift
  run_for 20 "$release" world "$@"
  exits 2
  says err "$text"
}
it "an invalid operator command is refused with the invalid argument and a fix" rejects

# The room is killed after it has taken the command: the supervisor, which would restart the room, is suspended.
executes_once() {
  new_world
  join ann town
  freeze world/world.db "$server" "$(room_process town)"
  operates emit town gift --no-wait
  sql "UPDATE command SET taken = (SELECT fence FROM room WHERE name = 'town')"
  kill -9 "$(room_process town)"
  kill -CONT "$server"
  wait_for 40 has_line ann.err 'connected again' || fail "$(tail -n 5 ann.err server.err)"
  wait_for 20 is_lost || fail "$(cat log)"
  has_gold town 0
  # A command that was not taken is executed by the next process.
  freeze world/world.db "$server" "$(room_process town)"
  operates emit town gift --no-wait
  kill -9 "$(room_process town)"
  kill -CONT "$server"
  wait_for 20 is_emitted || fail "$(cat log)"
  has_gold town 1
  leave ann
  end_world
}
is_emitted() { "$release" world world/world.db log >log && grep -q 'done: emitted' log; }
is_lost() { "$release" world world/world.db log >log && grep -q 'failed: lost: the process ended' log; }
it "a command that a killed room has taken is reported as lost, and not executed again" executes_once

kills_randomly() {
  new_world
  i=0
  for state in 'waits$\|is being\|done' 'is being executed$\|done' 'done' 'is being executed$\|done' 'waits$\|is being\|done'; do
    "$release" world world/world.db emit town gift --no-wait >/dev/null || fail "emit"
    wait_for 20 is_last_command "$state" || fail "$(cat log)"
    kill -9 "$(room_process town)" 2>/dev/null
    i=$((i + 1))
    wait_for 40 has_starts $((i + 1)) || fail "$(tail -n 5 server.err)"
  done
  wait_for 60 has_no_waiting || fail "$(cat log)"
  operates ask town 'SELECT gold FROM score'
  gold=$(sed -n 's/^ *\([0-9]*\)$/\1/p' out | tail -n 1)
  executed=$(grep -c 'done: emitted' log)
  lost=$(grep -c 'failed: lost' log)
  [ $((executed + lost)) = 5 ] || fail "$executed executed, $lost lost: $(cat log)"
  [ "$gold" -ge "$executed" ] && [ "$gold" -le 5 ] || fail "gold $gold, $executed executed, $lost lost"
  end_world
}
is_last_command() { "$release" world world/world.db log >log && tail -n 1 log | grep -q "$1"; } # is_last_command STATE
has_starts() { [ "$(grep -c 'room town: open' server.err)" -ge "$1" ]; }
has_no_waiting() { "$release" world world/world.db log >log && ! grep -q 'waits$\|is being executed$' log; }
it "each emit command is executed at most once if the room is killed five times" kills_randomly

backs_up() {
  new_world
  join ann town
  operates emit town gift '{"amount": 5}'
  operates backup copy.db
  says out "copy.db: written; also back up world/world.key: without it"
  refuses "copy.db exists: name a new file" backup copy.db
  leave ann
  operates stop
  says out "the world has ended"
  code=0
  wait "$server" || code=$?
  [ $code = 0 ] || fail "the server has ended with status $code"
  operates stop
  says out "the world is not served"
  cp copy.db world/world.db
  rm -f world/world.db-wal world/world.db-shm
  serve server
  wait_for 40 has_line server.err 'room town: open' || fail "$(cat server.err)"
  has_gold town 5
  end_world
}
it "stop ends the world, and a backup made while the world ran can be served" backs_up

# join_as NAME [OPTIONS…]: starts the machine of a user with a separate account.key, without waiting.
join_as() {
  user=$1
  shift
  forget "$user"
  XDG_DATA_HOME=$tmp/users/$user "$release" run village --headless --no-watch --world "127.0.0.1:$port" --room town \
    --name "$user" "$@" >"$user.out" 2>"$user.err" </dev/null &
  echo $! >"$user.process"
}
plays() { wait_for 30 has_line "$1.out" '^works	town' || fail "$1 does not play: $(tail -n 4 "$1.err" server.err)"; }
lists() { # lists NAME: the command `players` shows this player
  "$release" world world/world.db players >players && grep -q "^$1 " players
}
lists_not() { ! lists "$1"; }

moderates() {
  rm -rf users
  new_world
  join_as ann
  join_as bob
  plays ann
  plays bob
  lists ann && lists bob || fail "$(cat players)"
  operates kick ANN
  says out "removed"
  wait_for 20 has_line ann.err "You were removed from this room" || fail "$(cat ann.err)"
  wait_for 20 lists_not ann || fail "$(cat players)"
  refuses "ann is in no room" kick ann
  refuses "the world has no account bub: did you mean bob?" kick bub
  operates ban bob "2 days" "for cheating"
  says out "bob is banned for 2 days"
  wait_for 20 has_line bob.err "You are banned from this world" || fail "$(cat bob.err)"
  join_as bob
  wait_for 20 has_line bob.err "for cheating" || fail "$(cat bob.err)"
  operates unban bob
  join_as bob
  plays bob
  operates mute bob 1h
  lists bob && grep -q "^bob .*muted for 60 minutes" players || fail "$(cat players)"
  operates unmute bob
  refuses "the duration must be forever or a number of seconds" mute bob soon
  operates log
  grep -q "ban  .*for cheating.*done: bob is banned for 2 days" out || fail "$(cat out)"
  leave bob
  end_world
}
it "kick and ban remove a player by name and are listed in the log" moderates

# The trigger changes a result that is stored while the account is still in the room.
finishes_after_departure() {
  rm -rf users
  new_world
  join_as ann
  plays ann
  lists ann || fail "$(cat players)"
  sql "CREATE TRIGGER early AFTER UPDATE OF done_at ON command WHEN NEW.kind = 'kick'
    AND EXISTS (SELECT 1 FROM account WHERE name = 'ann' AND room IS NOT NULL)
    BEGIN UPDATE command SET result = 'stored before the departure' WHERE id = NEW.id; END"
  operates kick ann
  says out "removed"
  leave ann
  end_world
}
it "the result of kick is not stored before the player has left the room" finishes_after_departure

renames() {
  rm -rf users
  new_world
  join_as ann
  plays ann
  join_as cid
  plays cid
  operates rename ann "Ann of Town"
  says out "ann is now Ann of Town"
  says out "renamed"
  for user in ann cid; do
    wait_for 20 has_line $user.out '^names	.*Ann of Town' || fail "$(tail -n 3 $user.out server.err)"
  done
  # A tick has the same names on all machines, even after the room has been recovered.
  for user in ann cid; do sed '$d' $user.out; done | grep '^names' | sort -u >names
  [ "$(cut -f 2 names | sort | uniq -d)" = "" ] || fail "$(cat names)"
  wait_until_committed world/world.db town
  kill -9 "$(room_process town)"
  wait_for 40 has_line cid.err 'connected again' || fail "$(tail -n 5 cid.err server.err)"
  grep '^names' cid.out | tail -n 1 | grep -q 'Ann of Town' || fail "$(tail -n 3 cid.out)"
  ! has_line cid.err desync || fail "$(cat cid.err)"
  leave cid
  refuses "the world has no account ann" rename ann x
  join_as bob
  plays bob
  refuses "a different account has the name ANN OF TOWN" rename bob "ANN OF TOWN"
  refuses "a name has at most" rename bob "$(printf '%90s' x)"
  leave ann
  wait_for 30 lists_not "Ann of Town" || fail "$(cat players)"
  join_as ann
  plays ann
  wait_for 20 has_line server.err "joined: Ann of Town" || fail "$(tail -n 5 server.err)"
  # A user with a new key gets the account by the code.
  operates reset "ann of town"
  code=$(sed -n 's/^code: //p' out)
  leave ann
  rm -rf users/ann
  join_as ann --code "$code"
  plays ann
  operates players
  grep -q '^Ann of Town ' out || fail "$(cat out)"
  operates delete "Ann of Town"
  says out "deleted"
  refuses "the world has no account Ann of Town" kick "Ann of Town"
  leave bob
  end_world
}
it "rename, reset and delete change the account with the given name" renames

# Each of these five accounts asks to join within 3 s of the previous join or departure.
fills() {
  rm -rf users
  new_world
  for user in ann bob cid dan; do
    join_as $user
    plays $user
  done
  leave dan
  wait_for 20 has_line server.err 'player 4 left' || fail "$(tail -n 5 server.err)"
  join_as eve
  plays eve
  join_as dan
  wait_for 20 has_line dan.err 'full' || fail "$(cat dan.err)"
  for user in ann bob cid eve; do leave $user; done
  end_world
}
it "a player's place in a room is free immediately after the player leaves" fills

# An account that is in a room whose process has crashed is released, and its player leaves when the room recovers.
releases() {
  rm -rf users
  new_world
  join_as ann
  plays ann
  wait_until_committed world/world.db town
  refuses "runs: use kick" release ann
  kill -9 "$server" "$(room_process town)"
  leave ann
  wait_for 40 is_unserved || fail "$("$release" world world/world.db status)"
  operates status
  says out "town has no save: start it once with the version of Shoal and of the game that has written it"
  refuses "which does not run: use release first" delete ann
  operates release ann
  says out "ann is in no room any more"
  operates delete ann
  serve server
  wait_for 60 has_line server.err 'room town: open' || fail "$(cat server.err)"
  wait_for 20 has_line server.err 'has left the room since, so player 1 leaves' || fail "$(cat server.err)"
  end_world
}
is_unserved() { "$release" world world/world.db status | grep -q '^served: no'; }
it "release frees an account of a room that does not run" releases

# Operators edit what a player owns while the player is away. A player who joins without items gets a sack.
own_items() {
  cat >village/components.lua <<'END'
return { score = shoal.types.single { gold = 0, ticks = 0 }, purse = { gold = 10, best = shoal.types.entity },
  pocket = shoal.types.many { size = 2 } }
END
  echo 'return { sack = { components = { transform = {}, purse = {} }, children = { coin = { components = { transform = {}, purse = { gold = 1 } } } } } }' \
    >village/assemblages.lua
  cat >village/systems/items.lua <<'END'
local function list(player)
  local out = {}
  for e in world.each { "owned", "purse" } do
    if e.owned.player == player then out[#out + 1] = ("%.0f:%d"):format(e.owned.item, e.purse.gold) end
  end
  table.sort(out)
  return table.concat(out, " ")
end
return {
  on = { player_joined = function(ev)
    for i = 1, ev.count do
      if list(ev.player[i]) == "" then world.spawn("sack", { owned = { player = ev.player[i] } }) end
    end
  end },
  update = function()
    if world.tick % 20 ~= 0 then return end
    for _, player in ipairs(players.list()) do print("has", player.name, list(player.number), world.count("sack")) end
  end,
}
END
}
new_owners() { # new_owners NAME…: a served world in which these players have been, and own a sack each
  trap stop_all EXIT
  rm -rf world users
  mkdir world
  make_game
  own_items
  serve server
  wait_for 20 has_line server.err 'room town: open' || fail "$(cat server.err)"
  for name; do
    join_as "$name"
    wait_for 30 has_line "$name.out" "^has	$name	[0-9]*:10	" || fail "$name has no sack: $(tail -n 4 "$name.err")"
    leave "$name"
    wait_for 30 lists_not "$name" || fail "$(cat players)"
  done
}
is_away() { # is_away NAME: the departure of the player is stored
  "$release" world world/world.db take "$1" >"$1.json" 2>take.err
}
takes() { # takes NAME: writes what the player owns to NAME.json
  wait_for 20 is_away "$1" || fail "$(cat take.err)"
}

gives() {
  new_owners ann bob
  takes ann
  grep -q '"assemblage": "sack"' ann.json && grep -q '"gold": 10' ann.json || fail "$(cat ann.json)"
  sack=$(sed -n 's/^ *"item": \([0-9]*\),/\1/p' ann.json | head -n 1)
  coin=$(sed -n 's/^ *"item": \([0-9]*\),/\1/p' ann.json | tail -n 1)
  sql "DELETE FROM invite WHERE EXISTS (SELECT instance, size FROM owned_pocket)" # fails without the view
  operates status
  grep -q "^ann was taken [0-9]* s ago, and cannot join: use give or release" out || fail "$(cat out)"
  join_as ann
  wait_for 20 has_line ann.err "The operator of this world is changing what your player owns" || fail "$(cat ann.err)"
  # The taken account stays taken when the world ends and starts again.
  kill -9 "$server" "$(room_process town)"
  forget server
  serve server
  wait_for 40 has_line server.err 'room town: open' || fail "$(cat server.err)"
  refuses "s ago: use give or release" take ann
  refuses "ann is taken: use give or release first" delete ann
  sed 's/"gold": 10/"gold": 70/; s/^\]$/,{"assemblage": "sack", "parent": '"$sack"'}]/' ann.json >edited.json
  operates give ann edited.json
  says out "ann owns 4 items: 1 added, 1 changed, 0 removed; new numbers: 45"
  refuses "ann is not taken: use take first" give ann edited.json
  join_as ann
  wait_for 30 has_line ann.out "^has	ann	$sack:70	2" || fail "$(tail -n 4 ann.out ann.err server.err)"
  leave ann
  wait_for 30 lists_not ann || fail "$(cat players)"
  # A removed child does not return with its assemblage.
  takes ann
  grep -q "\"parent\": $sack," ann.json || fail "$(cat ann.json)"
  awk -v coin="$coin" 'BEGIN { RS = "\n  },\n"; ORS = "" } !($0 ~ "\"item\": " coin ",") { if (n++) print RS; print }' ann.json >edited.json
  run_for 90 sh -c "'$release' world world/world.db give ann - <edited.json"
  exits 0
  says out "ann owns 3 items: 0 added, 0 changed, 1 removed"
  operates log
  grep -q "give .*ann.*done: ann owns 3 items" out || fail "$(cat out)"
  takes ann
  echo '[{}]' >one.json
  operates give ann one.json
  says out "ann owns 1 item: 1 added, 0 changed, 3 removed"
  end_world
}
it "give stores the edited items of a taken account, and existing items keep their numbers" gives

refuses_gifts() {
  new_owners ann bob
  refuses "the world has no account anne: did you mean ann?" take anne
  join_as bob
  plays bob
  lists bob || fail "$(cat players)"
  refuses "bob is in the room town: use kick first" take bob
  leave bob
  takes bob
  operates release bob
  says out "bob is not taken any more; nothing was changed"
  operates ban ann 1h
  takes ann
  theirs=$(sed -n 's/^ *"item": \([0-9]*\),/\1/p' bob.json | head -n 1)
  own=$(sed -n 's/^ *"item": \([0-9]*\),/\1/p' ann.json | head -n 1)
  bad_gift() { # bad_gift TEXT JSON
    echo "$2" >bad.json
    refuses "$1" give ann bad.json
  }
  bad_gift 'JSON, line 2, column 13: ' "[{
    \"name\": }]"
  bad_gift 'JSON: expected a list of items' '{}'
  bad_gift 'entry 1: unknown key “itme”: did you mean item?' '[{"itme": 4}]'
  bad_gift 'entry 1: `components` must be an object of components' '[{"components": 4}]'
  bad_gift 'entry 2 (sack): unknown component “purze”: did you mean purse?' \
    '[{}, {"assemblage": "sack", "components": {"purze": {}}}]'
  bad_gift 'entry 1: purse has no field glod: did you mean gold?' '[{"components": {"purse": {"glod": 4}}}]'
  bad_gift 'entry 1: gold must be a number, got text "much"' '[{"components": {"purse": {"gold": "much"}}}]'
  bad_gift 'did you mean sack?' '[{"assemblage": "sak"}]'
  bad_gift 'entry 1: the item -1 is its own ancestor' \
    '[{"item": -1, "parent": -2}, {"item": -2, "parent": -1}]'
  bad_gift 'entry 1: the parent 7 is not in the list' '[{"parent": 7}]'
  bad_gift "entries 1 and 2 have the same number, $own" "[{\"item\": $own}, {\"item\": $own}]"
  bad_gift "entry 1: the account does not own the item $theirs: remove the number" "[{\"item\": $theirs}]"
  bad_gift 'too many items: 257 (at most 256)' "[$(seq -s , 257 | sed 's/[0-9]*/{}/g; s/{}{}/{}/g')]"
  bad_gift 'too many items with the children of their assemblages (at most 256)' \
    "[$(seq -s , 129 | sed 's/[0-9][0-9]*/{"assemblage": "sack"}/g')]"
  refuses "nowhere.json cannot be read" give ann nowhere.json
  operates log
  grep -q "give .*failed: too many items" out || fail "$(cat out)"
  # The account is unchanged, taken and banned.
  operates give ann ann.json
  says out "ann owns 2 items: 0 added, 0 changed, 0 removed"
  takes ann
  sed 's/ann/bob/' ann.json | cmp -s - ann.json || fail "$(cat ann.json)"
  operates release ann
  join_as ann
  wait_for 20 has_line ann.err "banned" || fail "$(cat ann.err)"
  end_world
}
it "give refuses an invalid list of items and reports the entry and the reason" refuses_gifts

releases_room() {
  new_owners
  join_as ann
  join_as bob
  plays ann
  plays bob
  lists ann && lists bob || fail "$(cat players)"
  refuses "the room town runs: use stop town first" release town
  kill -9 "$server" "$(room_process town)"
  leave ann
  leave bob
  wait_for 40 is_unserved || fail "$("$release" world world/world.db status)"
  refuses "ann is in the room town: use release first" take ann
  operates release town
  says out "2 accounts released"
  refuses "no account is in the room" release town
  refuses "the world has no account twon" release twon
  takes ann
  operates release ann
  # The room has been removed from the game.
  sed -i 's/town = { sleeps = false }/tavern = { sleeps = false }/' village/game.lua
  serve server
  wait_for 40 has_line server.err 'room tavern: open' || fail "$(cat server.err)"
  end_world
}
it "release frees all accounts of a room that does not run" releases_room

# The room of an account is removed from the game while the world is down.
strands_accounts() {
  new_owners
  join_as ann
  plays ann
  lists ann || fail "$(cat players)"
  kill -9 "$server" "$(room_process town)"
  leave ann
  wait_for 40 is_unserved || fail "$("$release" world world/world.db status)"
  sed -i 's/town = { sleeps = false }/tavern = { sleeps = false }/' village/game.lua
  forget server
  serve server
  wait_for 40 has_line server.err 'room tavern: open' || fail "$(cat server.err)"
  join_as ann --room tavern
  wait_for 20 has_line ann.err "Your player is still in the room town: try again later, or ask the operator" ||
    fail "$(cat ann.err)"
  wait_for 5 has_line server.err \
    "account 1 cannot join: it is in the room town, which game.lua does not declare: use ./shoal world DB release town" ||
    fail "$(cat server.err)"
  operates release town
  says out "1 account released"
  join_as ann --room tavern
  wait_for 30 has_line ann.out '^works	tavern' || fail "$(tail -n 4 ann.err server.err)"
  leave ann
  end_world
}
it "an account in a room that the game no longer declares is refused until an operator releases the room" strands_accounts
