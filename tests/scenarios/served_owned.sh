# Entities that players of a served world own, in real processes: they travel with their players, and are neither lost
# nor duplicated.
# needs: release release/world_owner
. "$(dirname "$0")/../lib.sh"
. "$root/tests/scenarios/lib/match.sh"
cd "$tmp" || exit 1

make_game() {
  rm -rf village
  mkdir -p village/systems
  cat >village/game.lua <<'END'
return { title = "Village", id = "served_owned", multiplayer = { players = { 1, 4 } },
  serve = { rooms = { mine = {}, town = { sleeps = false } } } }
END
  echo 'return { fire = { "key:f" } }' >village/input.lua
  echo 'return { purse = { gold = 10, best = shoal.types.entity, note = shoal.types.string "" } }' >village/components.lua
  echo 'return { sack = { components = { transform = {}, purse = {} }, children = { coin = { components = { transform = {}, purse = { gold = 1 } } } } } }' \
    >village/assemblages.lua
  # The name of a player decides what the player does.
  cat >village/systems/work.lua <<'END'
local function list(player)
  local out = {}
  for e in world.each { "owned", "purse" } do
    if e.owned.player == player then
      out[#out + 1] = ("%.0f:%d:%s"):format(e.owned.item, e.purse.gold, tostring(e.purse.best == e:child("coin")))
    end
  end
  table.sort(out)
  return table.concat(out, " ")
end
local function get_name(number)
  for _, player in ipairs(players.list()) do
    if player.number == number then return player.name end
  end
end
-- Returns the number and a checksum of the sacks with notes, which do not fit into one record.
local function sum_notes(player)
  local count, sum = 0, 0
  for e in world.each { "owned", "purse" } do
    if e.owned.player == player and e.purse.note ~= "" then
      count = count + 1
      for k = 1, #e.purse.note do sum = (sum + e.purse.note:byte(k) * k) % 1000003 end
    end
  end
  return count, sum
end
local function hoard(player)
  for _ = 1, 120 do
    local letters = {}
    for k = 1, 200 do letters[k] = string.char(96 + world.random(26)) end
    world.spawn("sack", { owned = { player = player }, purse = { note = table.concat(letters) } })
  end
end
return {
  on = { player_joined = function(ev)
    for i = 1, ev.count do
      if list(ev.player[i]) == "" and get_name(ev.player[i]) == "hoarder" then hoard(ev.player[i]) end
      if list(ev.player[i]) == "" then
        local sack = world.spawn("sack", { owned = { player = ev.player[i] } })
        sack.purse.best = sack:child("coin")
      end
    end
  end },
  update = function()
    if world.tick % 40 ~= 0 then return end
    for _, player in ipairs(players.list()) do
      print("has", world.room, player.name, list(player.number), world.count("sack"))
      if player.name == "hoarder" then
        print("hoard", world.room, sum_notes(player.number))
        players.move(player.number, world.room == "town" and "mine" or "town")
      end
      if player.name == "miner" then
        for e in world.each { "owned", "purse" } do
          if e.owned.player == player.number then e.purse.gold = e.purse.gold + 1 end
        end
        players.move(player.number, world.room == "town" and "mine" or "town")
      end
    end
  end,
}
END
}

port=$((20000 + $$ * 11 % 25000))
serve() {
  forget server
  "$release" serve village --db "$tmp/world/world.db" --port $port >server.out 2>server.err </dev/null &
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
  rm -rf world user-*
  mkdir world
  make_game
  serve
}
end_world() {
  kill "$server"
  code=0
  wait "$server" || code=$?
  [ $code = 0 ] || fail "the server has ended with status $code: $(tail -n 5 ./*.err)"
}
change() { "$(bin release world_owner)" world/world.db "$1" 0 >/dev/null || fail "cannot change the database: $1"; }
join() { # join MACHINE USER NAME [OPTIONS…]
  machine=$1
  user=$2
  name=$3
  shift 3
  forget "$machine"
  XDG_DATA_HOME="$tmp/user-$user" "$release" run village --headless --no-watch --world "127.0.0.1:$port" \
    --name "$name" "$@" >>"$machine.out" 2>>"$machine.err" </dev/null &
  echo $! >"$machine.process"
}
leave() {
  for machine; do
    kill "$(cat "$machine.process")" 2>/dev/null
    wait "$(cat "$machine.process")" 2>/dev/null
    rm -f "$machine.process"
  done
}
has() { # has MACHINE ROOM NAME ITEMS [SACKS]
  wait_for 40 has_line "$1.out" "^has	$2	$3	$4	${5-[0-9]*}$" ||
    fail "$1: $3 has no $4 in $2: $(tail -n 3 "$1.out" "$1.err" server.err)"
}
room_process() { sed -n "s/^room $1: starts (process \([0-9]*\)).*/\1/p" server.err | tail -n 1; }

doors() {
  new_world
  join a ada miner --room town
  join b bob Bob --room town
  has a town miner '[0-9]*:10:true'
  item=$(sed -n 's/^has	town	miner	\([0-9]*\):10:true.*/\1/p' a.out | head -n 1)
  has a mine miner "$item:11:true" 1
  has a town miner "$item:12:true" 2
  has a mine miner "$item:13:true" 1
  has b town Bob '[0-9]*:10:true' 1 # the sack of the player miner has left the town
  leave a b
  end_world
}
it "owned entities keep their children, references and numbers when their player moves to a different room" doors

large_group() {
  new_world
  join a ada hoarder --room town
  wait_for 40 has_line a.out '^hoard	town	120	' || fail "a: $(tail -n 3 a.out a.err server.err)"
  sum=$(sed -n 's/^hoard	town	120	\([0-9]*\)$/\1/p' a.out | head -n 1)
  wait_for 40 has_line a.out "^hoard	mine	120	$sum\$" || fail "a: $(tail -n 3 a.out a.err server.err)"
  forget a
  wait_for 40 has_line a.out "^hoard	town	120	$sum\$" || fail "a: $(tail -n 3 a.out a.err server.err)"
  [ "$(sed -n 's/^hoard	[a-z]*	//p' a.out | sort -u)" = "120	$sum" ] || fail "entities have changed: $(grep hoard a.out)"
  leave a
  end_world
}
it "owned entities that do not fit into one record move with their player to a different room, too" large_group

restarts() {
  new_world
  join a ada Ada --room town
  has a town Ada '[0-9]*:10:true' 1
  item=$(sed -n 's/^has	town	Ada	\([0-9]*\):10:true.*/\1/p' a.out | head -n 1)
  leave a
  join b bob Bob --room town
  has b town Bob '[0-9]*:10:true'
  wait_until_committed world/world.db town
  kill -9 "$(room_process town)"
  wait_for 30 has_line b.err 'connected again' || fail "b: $(tail -n 5 b.err server.err)"
  forget b
  has b town Bob '[0-9]*:10:true'
  leave b
  end_world
  serve
  join a ada Ada --room mine
  has a mine Ada "$item:10:true" 1
  leave a
  end_world
}
it "the kill of a room and the end of a world lose no owned entities" restarts

damaged_rows() {
  new_world
  join a ada Ada --room town
  has a town Ada '[0-9]*:10:true'
  leave a
  join b bob Bob --room mine
  has b mine Bob '[0-9]*:10:true'
  leave b
  end_world
  change "UPDATE owned SET components = '{' WHERE account = 1"
  change "UPDATE owned SET components = replace(components, '\"gold\":10', '\"gold\":10,\"silver\":3') WHERE account = 2"
  serve
  XDG_DATA_HOME="$tmp/user-ada" run_for 20 "$release" run village --headless --no-watch --world "127.0.0.1:$port"
  exits 1
  says server.err 'account 1 cannot join: row 1 of account 1 is malformed'
  join b bob Bob --room town
  has b town Bob '[0-9]*:10:[a-z]*' 1
  has_line server.err 'entities of player 1: .*silver' || fail "$(tail -n 5 server.err)"
  leave b
  end_world
}
it "an account with a malformed row is refused, and an unknown field of an owned entity is dropped with a report" damaged_rows

# Ways to give a player more entities than the limit: a loop over a column, and a condition that native code compiles.
exceeds_limit() { # exceeds_limit [OPTION…]: prints the hash after 60 ticks
  run_for 30 "$release" run guild --headless --no-watch --ticks 60 --hash "$@"
  exits 0
  [ "$(grep -c '^owned	256$' out)" = 2 ] || fail "$(cat out err)"
  says err 'systems/column.lua:6: player 1 owns 256 entities, which is the maximum: destroy some of them'
  says err 'systems/native.lua:6: player 1 owns 256 entities, which is the maximum: destroy some of them'
  tail -n 1 out
}
limits_columns() {
  mkdir -p guild/systems
  echo 'return { title = "Guild", id = "guild", multiplayer = { players = { 1, 4 } }, serve = { rooms = { town = {} } } }' \
    >guild/game.lua
  cat >guild/systems/column.lua <<'END'
return {
  query = { "owned" },
  update = function(q)
    local player = q.owned.player
    for i = 1, world.tick == 2 and q.count or 0 do
      player[i] = 1
    end
  end,
}
END
  cat >guild/systems/native.lua <<'END'
return {
  query = { "owned" },
  update = function(q)
    local player = q.owned.player
    for i = 1, q.count do
      if player[i] == 0 and world.tick > 10 then player[i] = 1 end
    end
  end,
}
END
  cat >guild/systems/count.lua <<'END'
return { update = function()
  if world.tick == 1 then for _ = 1, 300 do world.spawn(nil, { owned = {} }) end end
  if world.tick == 4 or world.tick == 50 then
    local count = 0
    for e in world.each "owned" do count = count + (e.owned.player == 1 and 1 or 0) end
    print("owned", count)
  end
end }
END
  plain=$(exceeds_limit)
  [ -n "$plain" ] && [ "$(exceeds_limit --native now)" = "$plain" ] && [ "$(exceeds_limit --native off)" = "$plain" ] ||
    fail "the hashes differ from $plain: $(tail -n 1 out)"
}
it "writes to the column owned.player that exceed the limit of 256 entities are undone and reported with their line" limits_columns
