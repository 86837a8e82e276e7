# Components that no file declares any more, whose rows are kept: in replays, rollbacks, matches, desync reports and
# saves, and until `gold = false` drops them.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/scenarios/lib/match.sh"
cd "$tmp" || exit 1
kept='gold: no file declares it: 10 rows wait for components/gold.lua'

make_game() { # make_game FOLDER: makes a game, whose shell script edit.sh is read from stdin
  rm -rf "$1"
  mkdir -p "$1/components" "$1/systems"
  cat >"$1/edit.sh"
  cat >"$1/game.lua" <<'END'
return { title = "Kept", id = "kept_components", native = true, multiplayer = { players = { 1, 4 } }, start = function()
  for i = 1, 10 do world.spawn(nil, { gold = { amount = i * 100 } }) end
  world.spawn(nil, { silver = {} })
end }
END
  echo 'return { gold = { amount = 0 } }' >"$1/components/gold.lua"
  echo 'return { silver = { amount = 0 } }' >"$1/components/silver.lua"
  cat >"$1/systems/count.lua" <<'END'
return { update = function()
  for e in world.each "silver" do e.silver.amount = e.silver.amount + world.random() end
end }
END
}
make_edited_game() { # make_edited_game FOLDER: like make_game; the game runs edit.sh and reloads in ticks 10 and 20
  make_game "$1"
  cat >"$1/systems/edit.lua" <<'END'
local ffi = require "ffi"
ffi.cdef "int system(const char *command);"
return { update = function()
  if world.tick == 10 or world.tick == 20 then
    ffi.C.system("cd \"$GAME\" && sh ./edit.sh " .. world.tick)
    reload()
  end
end }
END
}
removal='[ $1 != 10 ] || rm components/gold.lua'
return_in_20='case $1 in 10) mv components/gold.lua gold ;; 20) mv gold components/gold.lua ;; esac'
plays() { # plays FOLDER OPTIONS…
  GAME=$tmp/$1
  export GAME
  run_for 60 "$release" run "$@" --headless --no-watch --trust
}
GOLD='local count, sum = 0, 0 for e in world.each "gold" do count, sum = count + 1, sum + e.gold.amount end
print(count .. " rows, sum " .. sum)'

in_replay() {
  echo "$return_in_20" | make_edited_game game
  plays game --ticks 30 --record recording --hash every=1 --exec "$GOLD"
  exits 0 err "$kept"
  grep '^tick' out >played
  plays game --replay recording --hash every=1
  exits 0
  grep '^tick' out | cmp - played || fail "the replay differs"
}
it "a replay of a run that removes a component and declares it again gives the same hashes" in_replay

in_rollback() {
  echo "$removal" | make_edited_game game
  plays game --ticks 30 --hash every=1
  exits 0
  grep '^tick' out >played
  echo "$removal" | make_edited_game game
  plays game --ticks 30 --hash every=1 --check-rollback 8
  exits 0 err "$kept"
  grep '^tick' out | cmp - played || fail "the hashes differ"
}
it "rollbacks with a component that no file declares any more give the same hashes" in_rollback

# begin_match: starts a host and a machine that share their files; the machine then removes a component.
begin_match() {
  make_game host_game </dev/null
  make_game game </dev/null
  forget host peer late
  timeout -k 2 "$limit_s" "$release" run host_game --host --port 0 --players 2 \
    --headless --no-watch --share-code --trust \
    --hash every=10 >host.out 2>host.err &
  host_process=$!
  late_process=
  wait_for 20 has_line host.out '^listening: ' || fail "$(cat host.err)"
  address=127.0.0.1:$(sed -n 's/^listening: .*://p' host.out)
  timeout -k 2 "$limit_s" "$release" run game --join "$address" \
    --headless --watch --share-code --trust --hash every=10 \
    >peer.out 2>peer.err &
  peer_process=$!
  trap 'kill $host_process $peer_process $late_process 2>/dev/null' EXIT
  wait_for 20 has_line host.err 'player 2 has joined' || fail "$(cat host.err peer.err)"
  rm game/components/gold.lua
  wait_for 20 has_line host.err "$kept" || fail "$(cat host.err peer.err)"
}

joins_late() {
  begin_match
  rm -rf late_game
  cp -r host_game late_game
  timeout -k 2 "$limit_s" "$release" run late_game --join "$address" --headless --share-code --trust --hash every=10 \
    >late.out 2>late.err &
  late_process=$!
  wait_for 20 has_line late.out '^tick .* hash' || fail "$(cat host.err late.err)"
  mv host_game/components/gold.lua game/components/gold.lua
  wait_for 20 has_line late.err 'reloaded components/gold.lua' || fail "$(cat late.err)"
  tick=$(($(sed -n 's/^tick \([0-9]*\) hash.*/\1/p' late.out | tail -n 1) + 20))
  for machine in host peer late; do
    wait_for 20 has_line $machine.out "^tick $tick " || fail "$machine: no tick $tick: $(tail -n 3 $machine.err)"
    grep "^tick $tick " $machine.out
    ! grep '^desync' $machine.out || fail "see above"
  done | sort -u >hashes
  [ "$(wc -l <hashes)" = 1 ] || fail "the machines differ: $(cat hashes)"
}
it "a machine that joins a match with an undeclared component gets its rows when a file declares the component" \
  joins_late

make_kept_save() { # writes kept.sqlite, in which no file declares gold
  echo "$removal" | make_edited_game game
  plays game --ticks 12 --save kept.sqlite
  exits 0
  rm game/systems/edit.lua
  sed -i /gold/d game/game.lua
  plays game --ticks 1 --load kept.sqlite --save again.sqlite
  exits 0
}
# In a match that begins with such a save, one machine has different values.
reports_desync() {
  requires make_kept_save
  sed -i 's/title/tests = true, title/' game/game.lua
  echo 'return { tick = -1 }' >game/plant.lua
  cat >game/systems/wrap.lua <<'END'
local plant = require "plant"
return { update = function()
  if world.tick == plant.tick then
    for e in world.each "silver" do e.silver.amount = 0.5 end
  end
end }
END
  host "$release" run game --trust --players 2 --ticks 130 --load kept.sqlite
  start peer "$release" run game --trust --join "$address" --exec 'require("plant").tick = 60'
  ends_with 0 host peer
  for machine in host peer; do
    grep -q '^desync: .*silver.amount .*systems/wrap.lua:2' $machine.out ||
      fail "$machine: $(cat $machine.out $machine.err)"
  done
}
it "a desync is reported with its field in a match with an undeclared component" reports_desync

in_saves() {
  make_kept_save
  echo 'return { gold = { amount = 0 } }' >game/components/gold.lua
  for save in kept again; do
    plays game --ticks 1 --load $save.sqlite --exec "$GOLD"
    exits 0 out "10 rows, sum 5500"
  done
}
it "a save contains the rows of an undeclared component, which return when a file declares it again" in_saves

dropped() {
  echo '[ $1 != 10 ] || echo "return { gold = false }" >components/gold.lua' | make_edited_game game
  plays game --ticks 12 --save dropped.sqlite
  exits 0 err "gold: component removed, 10 rows dropped"
  rm game/systems/edit.lua
  echo 'return { gold = { amount = 0 } }' >game/components/gold.lua
  plays game --ticks 1 --load dropped.sqlite --exec "$GOLD"
  says out "0 rows"
}
it "gold = false in a components file drops the rows of the component gold" dropped

dropped_after_removal() {
  echo 'case $1 in 10) rm components/gold.lua ;; 20) echo "return { gold = false }" >components/gold.lua ;; esac' |
    make_edited_game game
  plays game --ticks 22 --save dropped.sqlite
  exits 0 err "$kept" "gold: component removed, 10 rows dropped"
  run_for 20 "$release" sql dropped.sqlite "SELECT name FROM components WHERE name = 'gold'"
  ! grep -q gold out || fail "the save still has gold"
}
it "gold = false drops the rows of gold that were kept while no file declared gold" dropped_after_removal

dropped_from_saves() {
  make_kept_save
  echo 'return { gold = false }' >game/components/gold.lua
  for save in kept again; do
    plays game --ticks 1 --load $save.sqlite --save dropped_$save.sqlite
    exits 0
  done
  echo 'return { gold = { amount = 0 } }' >game/components/gold.lua
  for save in kept again; do
    plays game --ticks 1 --load dropped_$save.sqlite --exec "$GOLD"
    exits 0 out "0 rows"
  done
}
it "gold = false drops the rows of gold in saves when the saves are loaded" dropped_from_saves
