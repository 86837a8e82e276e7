# The game Hamlet in a served world: players dig in a mine, carry their bags through its door, trade, and get gifts from
# the operator. The elder remembers their trades, and kills of rooms lose nothing.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/scenarios/lib/match.sh"
cd "$tmp" || exit 1

# A copy of the game with a system that plays for the players: Ada digs and sells as in the demo, Bo and Cy trade three
# ores for two coins.
make_game() {
  rm -rf game
  cp -r "$root/scripts/games/hamlet" game
  cat >game/systems/zz_bot.lua <<'END'
local deals, people = require "lib.deals", require "lib.people"
local OFFERS = { Bo = { row = 1, ore = 3 }, Cy = { row = 3, coins = 2 } }

-- Presses the controls of one side of a deal, every second tick.
local function trade(e, offer)
  local intent, bag = e.intent, e.hero.bag.bag
  intent.x, intent.y, intent.use, intent.back = 0, 0, false, false
  if world.tick % 2 == 0 then return end
  if deals.is_open(e) then
    local good = deals.GOODS[offer.row]
    intent.y = e.deal.row ~= offer.row and 1 or 0
    intent.x = e.deal.row == offer.row and e.deal[good] < offer[good] and 1 or 0
    intent.use = e.deal[good] == offer[good] and not e.deal.agreed
  elseif not e:has "deal" and bag[deals.GOODS[offer.row]] >= offer[deals.GOODS[offer.row]] then
    for other in world.each "hero" do
      local player = people.find_player(other.hero.player)
      if other ~= e and player and OFFERS[player.name] then intent.use = true end
    end
  end
end

return {
  phase = "pre_update",
  after = { "controls", "pilot" },
  query = { "hero", "intent" },
  each = function(e)
    local player, bag = people.find_player(e.hero.player), e.hero.bag
    if not player or not bag:alive() then return end
    if OFFERS[player.name] then
      trade(e, OFFERS[player.name])
    elseif player.name == "Ada" and not e:has "pilot" then
      e:add "pilot"
    end
    if world.tick % 10 == 0 then
      print("has", world.room, player.name, bag.bag.ore, bag.bag.gold, bag.bag.coins,
        ("%.0f"):format(bag.owned.item), world.count "bag")
      for folk in world.each "speech" do print("says", folk.speech.text) end
    end
  end,
}
END
}

port=$((20000 + ($$ * 13 + 7000) % 25000))
serve() {
  forget server
  "$release" serve ./game --db "$tmp/world/world.db" --port $port >server.out 2>server.err </dev/null &
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
  # A slow disk may lock the database for longer than a process waits for it; the process then tries again.
  ! grep -h "desync\|error: [^r]\|error: room.*: [^e]" ./*.err | grep -v "database is locked.* tries again every" ||
    fail "a machine reports a problem"
}
join() { # join NAME: starts the machine of a player with a separate account
  forget "$1"
  XDG_DATA_HOME="$tmp/user-$1" "$release" run ./game --headless --no-watch --world "127.0.0.1:$port" --name "$1" \
    >"$1.out" 2>"$1.err" </dev/null &
  echo $! >"$1.process"
}
leave() {
  for name; do
    kill "$(cat "$name.process")" 2>/dev/null
    wait "$(cat "$name.process")" 2>/dev/null
    rm -f "$name.process"
  done
}
has() { # has NAME ROOM ORE GOLD COINS: waits until the player has these goods, each a regular expression
  wait_for 60 has_line "$1.out" "^has	$2	$1	$3	$4	$5	" ||
    fail "$1 has no $3, $4, $5 in $2: $(tail -n 3 "$1.out" "$1.err" server.err)"
}
room_process() { sed -n "s/^room $1: starts (process \([0-9]*\)).*/\1/p" server.err | tail -n 1; }
last() { grep "^has	$1	Ada" Ada.out | tail -n 1 | cut -f 4-7; } # prints Ada's goods in a room, and the bag's number
operate() { "$release" world world/world.db "$@" >operator.out 2>&1 || fail "$* fails: $(cat operator.out)"; }

digs() {
  new_world
  join Ada
  has Ada town 0 0 0
  has Ada 'mine-1' '[3-9]' '[0-9]*' 0
  item=$(last mine-1 | cut -f 4)
  before=$(last mine-1 | cut -f 1)
  wait_until_committed world/world.db mine-1
  lines=$(wc -l <Ada.out)
  kill -9 "$(room_process mine-1)"
  wait_for 30 has_line Ada.err 'connected again' || fail "$(tail -n 5 Ada.err server.err)"
  has Ada town 0 0 '[1-9][0-9]*'
  least=$(tail -n "+$((lines + 1))" Ada.out | grep '^has	mine-1' | cut -f 4 | sort -n | head -n 1)
  [ "$least" -ge "$before" ] || fail "the kill has taken ore: $before before, $least after"
  # The bag that left the mine is the bag that is sold in the town.
  # shellcheck disable=SC2046
  set -- $(last mine-1) $(last town)
  [ $(($1 + 5 * $2)) = "$7" ] || fail "$1 ore and $2 gold have left the mine, and the smith has paid $7"
  [ "$4" = "$item" ] && [ "$8" = "$item" ] || fail "the bag had the number $item, then $4 and $8"
  has Ada 'mine-1' '[1-9][0-9]*' '[0-9]*' "$7"
  leave Ada
  end_world
}
it "a bag keeps its contents through the mine's door and back, also if the mine's process is killed" digs

trades() {
  new_world
  join Bo
  join Cy
  has Bo town 0 0 0
  has Cy town 0 0 0
  operate emit town gift '{"name": "bo", "good": "ore", "amount": 5}'
  operate emit town gift '{"name": "Cy", "good": "coins", "amount": 2}'
  has Bo town 2 0 2
  has Cy town 3 0 0
  wait_until_committed world/world.db town
  kill -9 "$(room_process town)"
  wait_for 30 has_line Bo.err 'connected again' || fail "$(tail -n 5 Bo.err server.err)"
  wait_for 30 has_line Cy.err 'connected again' || fail "$(tail -n 5 Cy.err server.err)"
  leave Bo Cy
  join Bo
  has Bo town 2 0 2
  join Cy
  has Cy town 3 0 0
  leave Bo Cy
  end_world
}
it "two players can trade gifts of the operator, and a kill of the town does not undo the trade" requires trades

remembers() {
  requires trades
  sqlite3 -cmd '.timeout 10000' world/world.db "UPDATE chronicle SET at = at - 8 * 86400 WHERE event = 'trade'"
  serve
  join Bo
  wait_for 30 has_line Bo.out '^says	@elder.ore.*last_week' || fail "$(tail -n 3 Bo.out server.err)"
  says Bo.out '"n":3'
  says Bo.out '"name":"Cy"'
  join Cy
  wait_for 30 has_line Cy.out '^says	@elder.coins.*"n":2' || fail "$(tail -n 3 Cy.out server.err)"
  leave Bo Cy
  end_world
}
it "the elder mentions the latest trade of a player who returns a week later" remembers

# Places the names of eight heroes where the heroes arrive, 12 pixels apart, with a prompt and the elder's bubble, then
# the bubbles of both villagers alone.
keeps_labels_apart() {
  make_game
  cat >labels.lua <<'END'
local labels, placed = require "lib.labels", {}
for i = 0, 7 do labels.place(placed, 238 + i % 4 * 12, 85 + math.floor(i / 4) * 8, 36, 10) end
labels.place(placed, 250, 83, 60, 14)
labels.place(placed, 197, 117, 111, 46)
local _, smith = labels.place({}, 83, 125, 111, 46)
local _, elder = labels.place({ { x = 83, y = 125, width = 111, height = 46 } }, 197, 117, 111, 46)
local covered = 0
for i, a in ipairs(placed) do
  for k = 1, i - 1 do
    local b = placed[k]
    local apart = math.abs(a.x - b.x) >= (a.width + b.width) / 2 or a.y <= b.y - b.height or b.y <= a.y - a.height
    if not apart then covered = covered + 1 end
  end
end
print("labels", #placed, "covered", covered, "villagers", smith, elder)
END
  "$release" run ./game --headless --no-watch --strict --ticks 1 --exec "$(cat labels.lua)" >labels.out 2>&1 ||
    fail "$(cat labels.out)"
  has_line labels.out '^labels	10	covered	0	villagers	125	117$' || fail "$(cat labels.out)"
}
it "names and prompts of heroes who stand close together do not cover each other" keeps_labels_apart
