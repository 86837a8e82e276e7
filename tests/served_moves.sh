# Moves players among rooms whose processes are killed, and checks that nothing that they own is lost or doubled:
#
#   sh tests/served_moves.sh PROGRAM [--moves N] [--kills N] [--bots N] [--part M] [--db FILE|postgres]
#                            [--state FILE] [--folder FOLDER] [--port P]
#
# Eight rooms and N bots (64), each with a bag of 100 gold and three gems. A bot stays in a room for half a second to
# a second, gives gold and a gem to another player, and goes through a door. After every M moves (--part, 1,000), the
# world ends: the rows of what the players own must contain all gold and each gem once, and the chronicle each move
# once. `--db postgres` starts a server. With --state, adds the totals to the file after each part, so that a
# campaign can be split over several runs. Prints the totals, or the first failure, and then exits with 1.
name=served_moves moves=200 kills=2 bots=64 part=1000 db= state= folder= port=
target=${1-}
shift
while [ $# -gt 1 ]; do
  case $1 in
    --moves) moves=$2 ;; --kills) kills=$2 ;; --bots) bots=$2 ;; --db) db=$2 ;; --state) state=$2 ;;
    --folder) folder=$2 ;; --port) port=$2 ;; --part) part=$2 ;;
    *) echo "unknown option $1" >&2; exit 2 ;;
  esac
  shift 2
done
. "$(dirname "$0")/served_lib.sh"
begin "$target"

cat >game/game.lua <<'END'
local rooms = {}
for i = 1, 8 do rooms["r" .. i] = { sleeps = false, players = 32 } end
return { title = "Moves", id = "served_moves", tick_rate = 20, multiplayer = { players = { 1, 8 } },
  chronicle = { moved = "forever" }, serve = { rooms = rooms } }
END
echo 'return { fire = { "key:f" } }' >game/input.lua
echo 'return { moved = { player = shoal.types.i32(0), n = shoal.types.i32(0) } }' >game/events.lua
cat >game/components.lua <<'END'
local t = shoal.types
return { bag = { gold = 100, moves = t.i32(0), room = t.i32(0), wait = t.i32(0) }, gem = { size = 1 } }
END
echo 'return { bag = { components = { bag = {} } }, gem = { components = { gem = {} } } }' >game/assemblages.lua
cat >game/systems/play.lua <<'END'
local function find_bag(player)
  for e in world.each { "owned", "bag" } do
    if e.owned.player == player then return e end
  end
end
local function enter(player)
  local bag, room = find_bag(player), tonumber(world.room:sub(2))
  if not bag then
    bag = world.spawn("bag", { owned = { player = player } })
    for _ = 1, 3 do world.spawn("gem", { owned = { player = player } }) end
  end
  bag.bag.wait = 10 + math.floor(world.random() * 10)
  if bag.bag.room == room then return end -- the player has returned
  bag.bag.room = room
  bag.bag.moves = bag.bag.moves + 1
  world.emit("moved", { player = player, n = bag.bag.moves })
end
local function trade(bag, other)
  local gold = math.min(bag.bag.gold, 1 + math.floor(world.random() * 20))
  bag.bag.gold = bag.bag.gold - gold
  other.bag.gold = other.bag.gold + gold
  for e in world.each { "owned", "gem" } do
    if e.owned.player == bag.owned.player then
      e.owned.player = other.owned.player
      return
    end
  end
end
local function leave(bag)
  local room = 1 + math.floor(world.random() * 7)
  if room >= bag.bag.room then room = room + 1 end
  bag.bag.wait = 240 -- a door that stays closed leads back after 10 s
  players.move(bag.owned.player, "r" .. room)
end
return {
  on = { player_joined = function(ev)
    for i = 1, ev.count do enter(ev.player[i]) end
  end },
  update = function()
    for bag in world.each { "owned", "bag" } do
      local other = find_bag(players.list()[1].number)
      bag.bag.wait = bag.bag.wait - 1
      if bag.bag.wait == 5 and other and other ~= bag then trade(bag, other) end
      if bag.bag.wait == 0 then leave(bag) end
    end
  end,
}
END

count_moves() { query "SELECT count(*) FROM chronicle WHERE event = 'moved'" 2>/dev/null || echo 0; }
have_joined() { [ "$(query 'SELECT count(DISTINCT account) FROM chronicle_moved' 2>/dev/null)" = "$bots" ]; }
have_moved() {
  moved=$(count_moves)
  [ "$moved" -ge "$1" ] || { sleep 0.2; false; }
}
# list_phases: prints a line ROOM:PHASE for each room, such as r1:open or r2:crashed.
list_phases() {
  awk '/^room r[1-8]: (starts|open|asleep)/ { phase[$2] = $3 }
    /^error: room r[1-8]: .*; restart in / { phase[$3] = "crashed" }
    END { for (room in phase) print room phase[room] }' err
}
# kill_room SEED: kills the process of a random open room. The next kill does not wait for its recovery.
kill_room() {
  room=r$(random "$1" 1 8)
  list_phases | grep -qx "$room:open" || return 0
  crashes=$(count_lines err "^error: room $room: .*; restart in ")
  kill -9 "$(room_process "$room")" 2>/dev/null || return 0
  killed=$((killed + 1))
  wait_until "the end of $room is not noticed" has_lines err "^error: room $room: .*; restart in " $((crashes + 1))
}
all_are_open() { [ "$(list_phases | grep -c ':open$')" = 8 ]; }
# check_rows: all rooms are asleep, so the rows contain everything that players own. A room may hold an account whose
# machine had not joined it yet.
check_rows() {
  [ "$(query 'SELECT count(*) FROM room WHERE state <> 2')" = 0 ] || fail "a room has not ended in order"
  accounts=$(query 'SELECT count(*) FROM account')
  line=$(query 'SELECT count(*), count(DISTINCT account), CAST(sum(gold) AS INTEGER) FROM owned_bag')
  [ "$line" = "$accounts|$accounts|$((accounts * 100))" ] || fail "bags, owners, gold of $accounts players: $line"
  line=$(query 'SELECT count(*), CAST(sum(size) AS INTEGER) FROM owned_gem')
  [ "$line" = "$((accounts * 3))|$((accounts * 3))" ] || fail "gems of $accounts players: $line"
  line=$(query 'SELECT b.account, b.moves, count(*), count(DISTINCT m.n), max(m.n) FROM owned_bag b
    LEFT JOIN chronicle_moved m ON m.account = b.account GROUP BY b.account, b.moves
    HAVING count(*) <> b.moves OR count(DISTINCT m.n) <> b.moves OR max(m.n) <> b.moves')
  [ -z "$line" ] || fail "account, moves of its bag, rows, different rows, last row: $line"
  check_log
}

# add_part: writes the totals after each part, so that an interrupted campaign keeps them.
add_part() {
  total moves $((moved - counted_moves))
  total kills $((killed - counted_kills))
  counted_moves=$moved counted_kills=$killed
  print_totals "%d moves among 8 rooms, %d kills: all gold and each gem exists once" moves kills >line
  [ -z "$state" ] || : >totals # the file contains them
}

killed=0 moved=0 counted_moves=0 counted_kills=0 seed=$(date +%s)
serve --bots "$bots"
wait_until "not all bots have joined" have_joined
while [ "$moved" -lt "$moves" ]; do
  end=$((moved + part < moves ? moved + part : moves))
  while [ "$moved" -lt $end ]; do
    wait_until "the bots do not move" have_moved $((moved + 1)) # the limit of time applies to each move
    [ $killed -ge "$kills" ] || [ "$moved" -lt $(((killed + 1) * moves / (kills + 1))) ] || kill_room $((seed + moved))
  done
  wait_until "not all rooms are open" all_are_open
  stop || fail "the world has ended with status $code"
  check_rows
  add_part
  [ "$moved" -ge "$moves" ] || serve --bots "$bots"
done
cat line
