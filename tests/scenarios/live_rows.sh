# Rows of players who are in no room, after reloads of a served world: the rows are converted by all codes in order, a
# kill at any point loses or duplicates no row, and reload --try lists what would be dropped or different.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/scenarios/lib/match.sh"
cd "$tmp" || exit 1
port=$((20000 + $$ * 13 % 25000))

# make_game FOLDER COMPONENTS FIELD [ASSEMBLAGE]: a player who owns nothing gets a sack, whose FIELD is 37.
make_game() {
  mkdir -p "$1/systems"
  cat >"$1/game.lua" <<'END'
return { title = "Village", id = "live_rows", multiplayer = { players = { 1, 4 } },
  tick_rate = 20, serve = { rooms = { mine = {}, town = { sleeps = false } } } }
END
  echo 'return { fire = { "key:f" } }' >"$1/input.lua"
  echo "return { $2 }" >"$1/components.lua"
  echo "return { ${4-sack} = { components = { transform = {}, purse = {} },
    children = { coin = { components = { transform = {}, purse = { $3 = 2 } } } } } }" >"$1/assemblages.lua"
  cat >"$1/systems/work.lua" <<END
local function list(player)
  local out = {}
  for e in world.each { "owned", "purse" } do
    if e.owned.player == player then out[#out + 1] = ("%d+%d"):format(e.purse.$3, e:child("coin").purse.$3) end
  end
  return table.concat(out, " ")
end
return {
  on = { player_joined = function(ev)
    for i = 1, ev.count do
      if list(ev.player[i]) == "" then
        world.spawn("${4-sack}", { owned = { player = ev.player[i] } }).purse.$3 = 37
      end
    end
  end },
  update = function()
    if world.tick % 7 ~= 0 then return end
    for _, player in ipairs(players.list()) do print("has", player.name, "$3", list(player.number)) end
  end,
}
END
}

serve() { # serve [OPTIONS…]
  forget server
  "$release" serve village --db "$tmp/world/world.db" --port $port "$@" >server.out 2>server.err </dev/null &
  server=$!
  echo $server >>servers
  wait_for 40 has_line server.out '^listening: ' || fail "$(cat server.err)"
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
  rm -rf world village next user-*
  mkdir world
  make_game village 'purse = { gold = 10 }' gold
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
  XDG_DATA_HOME="$tmp/user-$1" "$release" run village --headless --no-watch --world "127.0.0.1:$port" --name "$1" \
    --room "$2" >"$1.out" 2>"$1.err" </dev/null &
  echo $! >"$1.process"
}
leave() { # leave NAME: ends the machine, and waits until the room has stored the departure
  kill "$(cat "$1.process")" 2>/dev/null
  wait "$(cat "$1.process")" 2>/dev/null
  rm -f "$1.process"
  wait_for 90 is_absent || fail "$1 does not leave: $(cat server.err)"
}
has() { # has NAME FIELD VALUES
  wait_for 40 has_line "$1.out" "^has	$1	$2	$3$" || fail "$1 has no $2 $3: $(tail -n 3 "$1.out" "$1.err" server.err)"
}
sql() { sqlite3 -cmd '.timeout 10000' world/world.db "$1"; }
is_absent() { [ "$(sql 'SELECT count(*) FROM account WHERE room IS NOT NULL')" = 0 ]; }
have_code() { [ "$(sql "SELECT count(*) FROM owned WHERE code <> $1")" = 0 ]; }

reload() { # reload STATUS ARGUMENTS…: runs the command, with its output in reload.out and reload.err
  expected=$1
  shift
  code=0
  "$release" world world/world.db reload "$@" >reload.out 2>reload.err </dev/null || code=$?
  [ $code = "$expected" ] || fail "reload $*: status $code: $(cat reload.out reload.err server.err)"
}
lists() { has_line reload.out "$1" || fail "“$1” is not in: $(cat reload.out reload.err)"; }

COINS='purse = { coins = 10, renamed_from = { coins = "gold" } }'
MONEY='purse = { money = 10, renamed_from = { money = "coins" } }'

renames() {
  new_world
  join ada town
  has ada gold 37+2
  leave ada
  make_game next "$COINS" coins
  reload 0 next
  lists '^rows of players: 2 entities of 1 account'
  lists '^rows of players: changed: 1 time: purse.coins: renamed from purse.gold (account 1)'
  make_game next "$MONEY" money
  reload 0 next # waits until the rows have the previous code
  wait_for 40 have_code 2 || fail "$(cat server.err)"
  [ "$(sql 'SELECT sum(money) = 39 FROM owned_purse')" = 1 ] || fail "$(sql 'SELECT * FROM owned_purse' 2>&1)"
  "$release" world world/world.db status >status
  ! has_line status 'must be rewritten' || fail "$(cat status)"
  join ada mine
  has ada money 37+2
  leave ada
  reload 0 --back
  wait_for 40 have_code 3 || fail "$(cat server.err)"
  join ada town
  has ada coins 37+2 # code 1 does not declare the name of code 2
  leave ada
  end_world
}
it "the rows of a player keep their values through two renames while the player is away" renames

# Code 1 adds a component, a field and an assemblage, which the release does not declare. `--back` keeps their values
# beside the rows, also if the player joins in the meantime, and the next reload restores them.
adds_values() { # adds_values FOLDER
  make_game "$1" 'purse = { gold = 10, silver = 1 }, wallet = { notes = 2 }' gold
  sed -i 's/^return {/return { gem = { components = { transform = {}, wallet = {} } },/' "$1/assemblages.lua"
  cat >"$1/systems/gems.lua" <<'END'
return {
  update = function()
    for e in world.each { "owned", "purse" } do
      if e.purse.gold == 37 and e.purse.silver == 1 then
        e.purse.silver = 55
        e:add("wallet", { notes = 66 })
        world.spawn("gem", { owned = { player = e.owned.player } }).wallet.notes = 77
      end
      if world.tick % 7 == 0 and e:has("wallet") then print("values", e.purse.silver, e.wallet.notes, world.count("wallet")) end
    end
  end,
}
END
}
has_values() { wait_for 40 has_line ada.out '^values	55	66	2$' || fail "$(tail -n 3 ada.out ada.err server.err)"; }
# keep_values: gives ada, who is in no room, values that the current code (2) does not declare.
keep_values() {
  new_world
  join ada town
  has ada gold 37+2
  leave ada
  adds_values next
  reload 0 next
  wait_for 40 have_code 1 || fail "$(cat server.err)"
  join ada town
  has_values
  leave ada
  reload 0 --back
  lists '^rows of players: changed: 1 time: purse.silver: unknown to this code, and kept for later code (account 1)'
  lists '^rows of players: changed: 1 time: wallet: unknown to this code, and kept for later code (account 1)'
  lists '^rows of players: changed: 1 time: gem: unknown to this code, and kept for later code (account 1)'
  wait_for 40 have_code 2 || fail "$(cat server.err)"
}
keeps_unknown_values() {
  keep_values
  join ada mine
  has ada gold 37+2
  leave ada
  [ "$(sql 'SELECT count(*) FROM owned')" = 3 ] || fail "$(sql 'SELECT * FROM owned')"
  reload 0 next
  wait_for 40 have_code 3 || fail "$(cat server.err)"
  ! sql 'SELECT components FROM owned' | grep -q parked || fail "$(sql 'SELECT components FROM owned')"
  join ada mine
  has_values
  leave ada
  end_world
}
it "values unknown to earlier code are kept by reload --back, and restored by the next reload" keeps_unknown_values

# Prints all values and attributes of all rows, in an order that does not depend on their text.
list_values() {
  sql "SELECT item, owned.parent, name, assemblage, code, fullkey, value.type, atom
    FROM owned, json_tree(components) AS value ORDER BY item, fullkey"
}
# operates ARGUMENTS…: runs an operator's command, which must exit with status 0, and writes its output to `out`.
operates() {
  run_for 90 "$release" world world/world.db "$@"
  exits 0
}
gives_kept_values() {
  keep_values
  list_values >before
  grep -q silver before || fail "no kept values: $(cat before)"
  operates take ada
  cp out items.json
  operates give ada items.json
  says out 'ada owns 3 items: 0 added, 0 changed, 0 removed'
  list_values >after
  cmp before after || fail "$(diff before after)"
  operates take ada
  sed '/"silver"/s/55/44/' out >items.json
  operates give ada items.json
  says out 'ada owns 3 items: 0 added, 1 changed, 0 removed'
  list_values | grep -q 'silver.*|integer|44$' ||
    fail "the kept value was not changed: $(list_values)"
  end_world
}
it "the command give accepts kept values in the output of take, and changes only edited values" gives_kept_values

# Bob receives all sacks. Ada arrives with a sack that has kept values, and leaves before Bob does.
gives_sacks() {
  cat >village/systems/gifts.lua <<'END'
return {
  update = function()
    for _, player in ipairs(players.list()) do
      for e in world.each { "owned", "purse" } do
        if player.name == "bob" and e.owned.player ~= 0 then e.owned.player = player.number end
      end
    end
  end,
}
END
}
account_is_absent() { [ "$(sql "SELECT count(*) FROM account WHERE id = $1 AND room IS NULL")" = 1 ]; }
# brings_kept_values ADDS: ada arrives in a room of the release with a sack that has kept values, and bob joins. ADDS: adds
# the system that passes on the items.
brings_kept_values() {
  new_world
  end_world
  "$1"
  rm -rf world
  mkdir world
  serve
  join ada town
  has ada gold 37+2
  leave ada
  adds_values next
  cp village/systems/gifts.lua next/systems
  reload 0 next
  wait_for 40 have_code 1 || fail "$(cat server.err)"
  join ada town
  has_values
  leave ada
  reload 0 --back
  wait_for 40 have_code 2 || fail "$(cat server.err)"
  join ada town
  has ada gold 37+2
  join bob town
  has ada gold ''
}
# restores_values VALUES: expects these values, which only the later code declares, in bob's purses
restores_values() {
  reload 0 next
  wait_for 40 have_code 3 || fail "$(cat server.err)"
  values="SELECT json_extract(components, '\$.purse.silver'), json_extract(components, '\$.wallet.notes') FROM owned
    WHERE account = 2 AND parent = 0 ORDER BY 1"
  [ "$(sql "$values" | tr '\n' ' ')" = "$1" ] || fail "$(sql "$values") $(sql 'SELECT * FROM owned')"
}
keeps_given_values() {
  brings_kept_values gives_sacks
  has bob gold 37+2
  kill "$(cat ada.process)"
  wait_for 90 account_is_absent 1 || fail "ada does not leave: $(cat server.err)"
  leave bob
  restores_values '55|66 '
  end_world
}
it "kept values of an item are restored if its former owner leaves before its new owner" keeps_given_values

# Ada puts her sacks down when Bob joins, and Bob picks up all sacks when Ada has left.
puts_sacks_down() {
  cat >village/systems/gifts.lua <<'END'
return {
  update = function()
    local numbers = {}
    for _, player in ipairs(players.list()) do numbers[player.name] = player.number end
    for e in world.each { "owned", "purse" } do
      if numbers.bob and e:child("coin") then e.owned.player = numbers.ada and 0 or numbers.bob end
    end
  end,
}
END
}
keeps_values_on_the_ground() {
  brings_kept_values puts_sacks_down
  kill "$(cat ada.process)"
  wait_for 90 account_is_absent 1 || fail "ada does not leave: $(cat server.err)"
  has bob gold '37+2 37+2'
  leave bob
  [ "$(sql 'SELECT count(*) FROM owned WHERE account < 0')" = 0 ] || fail "$(sql 'SELECT * FROM owned')"
  restores_values '1| 55|66 '
  end_world
}
it "kept values of an item are restored if the item has no owner when its former owner leaves" \
  keeps_values_on_the_ground

# The machine is stopped after the room has claimed its account, and before its player joins. Meanwhile, the code
# returns to the release, which does not know the name in the rows.
is_claimed() { [ "$(sql 'SELECT count(*) FROM account WHERE room IS NOT NULL')" = 1 ]; }
reloads_during_join() {
  new_world
  join ada town
  has ada gold 37+2
  leave ada
  make_game next "$COINS" coins
  reload 0 next
  wait_for 40 have_code 1 || fail "$(cat server.err)"
  for joins in 1 2 3 4 5; do
    join ada town
    wait_for 40 is_claimed || fail "$(cat server.err)"
    kill -STOP "$(cat ada.process)"
    sleep 0.5 # the room logs a join that the machine sent before it was stopped
    [ "$(grep -c 'player 1 joined' server.err)" != "$joins" ] || break
    kill -CONT "$(cat ada.process)" # the join was completed before the machine was stopped
    has ada coins 37+2
    leave ada
  done
  reload 0 --back
  [ -f ada.process ] || join ada town # all five joins were completed before the machine was stopped
  kill -CONT "$(cat ada.process)"
  has ada gold 37+2
  leave ada
  [ "$(sql "SELECT sum(json_extract(components, '\$.purse.gold')) FROM owned")" = 39 ] ||
    fail "$(sql 'SELECT * FROM owned')"
  end_world
}
it "a reload between the claim of an account and the player's join keeps the player's values" reloads_during_join

# The room has values of a field that the earlier code does not know: nothing could restore them.
requires_drop() {
  new_world
  join ada town
  has ada gold 37+2
  make_game next 'purse = { gold = 10, silver = 1 }' gold
  reload 0 next
  reload 1 --back
  lists '^town: changed: purse.silver: removed, values dropped'
  lists '^refused: nothing was stored, because the values above would be dropped: use --back --drop'
  "$release" world world/world.db status >status
  has_line status '^code 1: ' || fail "$(cat status)"
  reload 2 next --drop
  has_line reload.err '--drop requires --back' || fail "$(cat reload.err)"
  reload 0 --back --drop
  lists '^stored code 2'
  leave ada
  end_world
}
it "reload --back requires --drop if it would drop values in a room" requires_drop

# A room reads only rows of its current or its previous code.
reloads_while_down() {
  new_world
  join ada town
  has ada gold 37+2
  leave ada
  end_world
  make_game next "$COINS" coins
  reload 0 next
  make_game next "$MONEY" money
  reload 0 next
  lists '^rows of players: changed: 1 time: purse.money: renamed from purse.coins'
  have_code 0 && fail "rows were rewritten without a world"
  "$release" world world/world.db status >status
  has_line status '^the rows of 1 account must be rewritten' || fail "$(cat status)"
  serve
  join ada town
  has ada money 37+2
  leave ada
  end_world
}
it "a player who joins before the player's rows are rewritten for new code keeps the values" reloads_while_down

# add_accounts COUNT: adds copies of the rows of account 1, whose gold is the number of the account.
add_accounts() {
  sql "WITH RECURSIVE n(i) AS (SELECT 1001 UNION ALL SELECT i + 1 FROM n WHERE i < 1000 + $1)
    INSERT INTO account SELECT i, CAST('digest' || i AS BLOB), 'a' || i, 'a' || i, NULL, 1, 0, '', '', 0, 0, 0, 0, '',
      NULL FROM n;
    INSERT INTO owned SELECT owned.item + account.id * 100000, account.id,
      CASE owned.parent WHEN 0 THEN 0 ELSE owned.parent + account.id * 100000 END, owned.name, owned.assemblage,
      replace(owned.components, '\"gold\":37', '\"gold\":' || account.id), owned.code
      FROM owned CROSS JOIN account WHERE owned.account = 1 AND account.id > 1000;"
}
rows_process() { pgrep -P "$server" -f -- '--rows' | head -n 1; }
is_rewriting() { [ "$(sql "SELECT count(*) FROM owned WHERE code = $1")" -gt 0 ]; }
is_partly() { # succeeds if all rows of each account have the same code
  [ "$(sql 'SELECT count(*) FROM (SELECT account FROM owned GROUP BY account HAVING count(DISTINCT code) > 1)')" = 0 ]
}
kills() {
  new_world
  join ada town
  has ada gold 37+2
  leave ada
  add_accounts 2000
  make_game next "$COINS" coins
  reload 0 next
  wait_for 40 is_rewriting 1 || fail "$(cat server.err)"
  kill -9 "$(rows_process)"
  is_partly || fail "a transaction was split"
  have_code 1 && fail "the rows were rewritten before the kill: use more accounts"
  kill -9 "$server"
  wait "$server" 2>/dev/null
  serve --take-over
  make_game next "$MONEY" money
  reload 0 next
  lists '^waiting: the rows of [0-9]* accounts still have an earlier code'
  wait_for 40 is_rewriting 2 || fail "$(cat server.err)"
  kill -9 "$(rows_process)"
  wait_for 90 have_code 2 || fail "$(cat server.err)"
  values="SELECT count(*), sum(json_extract(components, '\$.purse.money')) FROM owned WHERE account > 1000 AND parent = 0"
  [ "$(sql "$values")" = '2000|4001000' ] || fail "$(sql "$values")"
  [ "$(sql 'SELECT count(*) FROM owned')" = 4002 ] || fail "$(sql 'SELECT count(*) FROM owned')"
  join ada mine
  has ada money 37+2
  leave ada
  end_world
}
it "no row is rewritten twice or skipped when the processes that rewrite rows are killed" kills

lists_changes() {
  new_world
  join ada town
  has ada gold 37+2
  leave ada
  add_accounts 20
  make_game next 'purse = { gold = shoal.types.i32(10, { min = 0, max = 1010 }) }' gold
  reload 0 next --try
  lists '^rows of players: 42 entities of 21 accounts'
  lists '^rows of players: changed: 10 times: .*gold.*1010.* (accounts 1011, 1012, 1013)'
  make_game next 'wallet = { gold = 10 }, purse = { silver = 10 }' silver
  reload 0 next --try
  lists '^rows of players: changed: 21 times: .*gold.*: unknown to this code, and kept for later code (accounts 1, 1001, 1002)'
  make_game next 'purse = { gold = 10 }' gold bag
  sed -i 's/return {/return { hat = { renamed_from = "sack", components = {} },/' next/assemblages.lua
  reload 0 next --try
  lists '^rows of players: changed: 21 times: hat: renamed from sack'
  make_game next 'purse = { gold = 10 }' gold bag
  reload 0 next --try
  lists '^rows of players: changed: .*sack'
  sql "UPDATE owned SET components = '{' WHERE account = 1005"
  reload 0 next --try
  lists '^rows of players: changed: 1 time: not tried: a row is malformed (account 1005)'
  [ "$(wc -l <reload.out)" -lt 30 ] || fail "too many lines: $(cat reload.out)"
  [ "$(sql 'SELECT count(*) FROM owned WHERE code IN (SELECT base FROM world)')" = 42 ] || fail "rows have changed"
  end_world
}
it "reload --try lists how often players' values would be changed or kept, with example accounts" lists_changes
