# Matches of real processes over the loopback interface: the same hash on all machines, joining a running match,
# crashes, lost hosts, and each reason why a machine cannot join a match.
# needs: release checked
. "$(dirname "$0")/../lib.sh"
. "$root/tests/scenarios/lib/match.sh"
cd "$tmp" || exit 1
d=7 f=9 w=26 s=22 a=4 # scancodes

# make_game: writes the game `duel`, in which everything depends on the inputs of all players.
make_game() {
  rm -rf duel
  mkdir -p duel/systems
  echo "return { title = 'Duel', id = 'netplay_duel', multiplayer = { players = { 2, 4 } } }" >duel/game.lua
  echo 'return { fire = { "key:f", "key2:x" }, move = { negative = { "key:a" }, positive = { "key:d" } } }' \
    >duel/input.lua
  echo 'return { score = shoal.types.single { joined = 0, shots = 0, x = 0.0 } }' >duel/components.lua
  cat >duel/systems/play.lua <<'END'
return {
  on = {
    player_joined = function(ev)
      for i = 1, ev.count do world.single.score.joined = world.single.score.joined * 10 + ev.player[i] end
    end,
  },
  update = function()
    local score = world.single.score
    for number = 1, 4 do
      if input.pressed("fire", number) then
        score.shots = score.shots + number
        world.spawn(nil, { transform = { x = world.random() * 100 }, lifetime = { seconds = 2 } })
      end
      score.x = score.x + input.axis("move", number) * world.random()
    end
  end,
}
END
}

# plays GAME TITLE KEYS: two machines with different builds play a shipped game over a bad network.
plays() {
  press keys "$2" 400 1 "$3"
  host "$release" play "$1" --ticks 150 --replay keys --net-sim 60ms,20ms,5%
  start peer "$checked" play "$1" --join "$address" --replay keys --net-sim 40ms,20ms,5%
  agree 150 host peer
  start alone "$release" play "$1" --ticks 150 --net-sim 0ms,0ms,0%
  ends_with 0 alone
  case $(tail -n 1 alone.out) in "tick 150 hash "*) ;; *) fail "alone: $(tail -n 1 alone.out)" ;; esac
  [ "$(tail -n 1 alone.out)" != "$last" ] || fail "the inputs have no effect"
}
it "two machines with different builds compute the same match of Pong over a bad network" plays pong Rally "10-60:$s 70-90:$w"
it "two machines with different builds compute the same match of Tron over a bad network" plays tron Trace "125-126:$s 135-136:$d"

# shows_names GAME TICK LUA TEXT: runs the game with a system that executes LUA in tick TICK, so that player 2 wins, and
# checks the displayed string with the winner's name. Long names are shortened.
shows_names() {
  rm -rf named
  cp -r "$root/scripts/games/$1" named
  cat >named/systems/zz_end.lua <<END
return { update = function()
  if world.tick == $2 then $3 end
  for e in world.each "text" do
    if world.tick == $2 + 30 and e.text.value:find " " then log.info("shows %s", e.text.value) end
  end
end }
END
  host "$release" run named --name Ada --players 2 --ticks 240 --log info
  start b "$release" run named --name "Bartholomew the Great" --join "$address" --net-sim 60ms,20ms,5% --log info
  agree 240 host b
  for machine in host b; do
    has_line $machine.err "shows $4\$" || fail "$machine: $(grep shows $machine.err)"
  done
}
it "Tron displays the winner's name in a match and shortens a long name" shows_names tron 150 'world.find "cycle 1":destroy()' \
  '@takes_round {"name":"Bartholomew…"}'
it "Pong displays the winner's name in a match and shortens a long name" shows_names pong 60 \
  'world.single.match.right = 7 world.emit("go", { to = "over" })' '@over.wins {"name":"Bartholomew…"}'

four_play() {
  make_game
  press keys.1 Duel 400 1 "10-20:$f 30:$f 40-60:$d"
  press keys.2 Duel 400 1 "12-14:$f 15-16:$f 20-50:$a"
  host "$release" run duel --players 4 --ticks 150 --replay keys.1
  start b "$release" run duel --join "$address" --replay keys.2 --net-sim 80ms,40ms,10%
  start c "$checked" run duel --join "$address" --local 2 --replay keys.1 --net-sim 120ms,40ms,5%
  agree 150 host b c
  run_for 30 "$release" run duel --headless --no-watch --ticks 150 --players 4 --net-sim 40ms,0ms,0% \
    --exec 'print("alone")' --hash
  exits 0
}
it "four players on three machines compute the same match over bad networks" four_play

ticks_are_measured() {
  make_game
  press keys Duel 400 1 "10-20:$f"
  host "$release" run duel --players 2 --ticks 100 --replay keys --stats
  start peer "$release" run duel --join "$address" --replay keys --net-sim 40ms,20ms,5% --stats
  ends_with 0 host peer
  has_line host.out '^stats: 100 ticks in ' || fail "host: $(grep 'ticks in' host.out)"
  count=$(sed -n 's/^stats: \([0-9]*\) ticks in .*/\1/p' peer.out)
  [ "${count:-0}" -ge 100 ] || fail "peer: $(grep 'ticks in' peer.out)" # the count includes ticks that ran again
  ! grep -h 'ticks in 0.000 s' host.out peer.out || fail "the ticks of the match take no time"
}
it "--stats measures the ticks of a match on both machines" ticks_are_measured

finds_host() {
  make_game
  press keys Duel 400 1 "10-20:$f"
  host "$release" run duel --players 2 --ticks 100 --replay keys
  ! has_line host.err 'cannot listen for questions' || skip "$(cat host.err)"
  cp -r duel other
  echo '-- other files' >>other/game.lua
  start peer "$release" run other --join lan
  ends_with 1 peer
  has_line peer.err 'The only match in the local network needs a different version' || fail "$(cat peer.err)"
  start peer "$release" run duel --join lan
  agree 100 host peer
  has_line peer.err 'found “Duel” at .*1 of 4 players' || fail "$(cat peer.err)"
  start peer "$release" run duel --join lan
  ends_with 1 peer # the second message means that a different suite hosts a match
  has_line peer.err 'No match of “Duel” was found in the local network' ||
    has_line peer.err 'The only match in the local network needs a different version' || fail "$(cat peer.err)"
}
it "--join lan finds the host of the same game on the local network" finds_host

# Without a mouse, the pointer still moves in the world while the camera moves.
moves_the_camera() { # moves_the_camera LUA: two machines play a game whose camera moves, and which runs LUA in each tick
  make_game
  mkdir duel/lib
  echo 'return { title = "Duel", id = "netplay_pan", width = 320, height = 180, tests = true,
    multiplayer = { players = { 2, 4 } } }' >duel/game.lua
  echo 'return { eye = { components = { transform = { x = 160 }, camera = {} } } }' >duel/assemblages.lua
  echo 'return { runs = 0 }' >duel/lib/counter.lua
  cat >duel/systems/pan.lua <<END
local counter = require "lib.counter"
return { update = function()
  counter.runs = counter.runs + 1
  if world.tick == 1 then world.spawn("eye") end
  for e in world.each("camera") do e.transform.x = e.transform.x + 1 end
  if world.tick == 140 then print("runs", counter.runs) end
  $1
end }
END
  host "$release" run duel --players 2 --ticks 150
  start peer "$release" run duel --join "$address" --net-sim 80ms,0ms,0%
  agree 150 host peer
}

predicts_no_pointer() {
  moves_the_camera ""
  runs=$(sed -n 's/^runs	//p' peer.out)
  [ "$runs" -le 154 ] || fail "the peer ran $runs ticks instead of 140"
}
it "a moving camera causes no rollbacks in a game that does not read pointers" predicts_no_pointer

reads_pointer() {
  moves_the_camera 'world.single.score.x = input.mouse(2)
  if world.tick > 120 and world.tick < 130 then print("pointer", world.single.score.x > 80) end'
  for machine in host peer; do
    [ "$(grep -c '^pointer	true$' $machine.out)" = 9 ] || fail "$machine: $(cat $machine.out)"
  done
}
it "all machines read the same pointer of a player, which moves with the camera" reads_pointer

# Each machine moves its mouse over a bad network; the third machine joins later. The game sums all movements.
reads_movements() {
  make_game
  sed -i 's/x = 0.0/x = 0.0, x1 = 0, y1 = 0, x2 = 0, y2 = 0, x3 = 0, y3 = 0/' duel/components.lua
  cat >duel/systems/turn.lua <<'END'
return { update = function()
  local score = world.single.score
  for i = 1, 3 do
    local mouse = input.mouse[i]
    score["x" .. i], score["y" .. i] = score["x" .. i] + mouse.dx, score["y" .. i] + mouse.dy
  end
  if world.tick == 299 then
    print("moved", score.x1, score.y1, score.x2, score.y2, score.x3, score.y3)
    print("read", pcall(function() return input.mouse.dx end))
  end
end }
END
  press keys.1 Duel 400 1 "10-209:mouse 3.25 -1"
  press keys.2 Duel 400 1 "1-80:mouse -2.5 0.015625"
  press keys.3 Duel 400 1 "1-40:mouse 1000 0.25"
  host "$release" run duel --players 2 --ticks 300 --replay keys.1 --hash every=10
  start b "$checked" run duel --join "$address" --replay keys.2 --net-sim 80ms,40ms,10%
  wait_for 20 has_line host.out '^tick 30 ' || fail "the match does not begin: $(cat host.err b.err)"
  start c "$release" run duel --join "$address" --replay keys.3 --net-sim 120ms,40ms,5%
  agree 300 host b c
  for machine in host b c; do
    has_line $machine.out '^moved	650	-200	-200	1.25	40000	10$' || fail "$machine: $(grep '^moved' $machine.out)"
    has_line $machine.out '^read	false	.*input.mouse.*use .*input.mouse\[player\].dx' ||
      fail "$machine: $(grep '^read' $machine.out)"
  done
}
it "all machines compute the same sums of mouse movements, even if a machine joins later" reads_movements

joins_late() {
  make_game
  press keys Duel 400 1 "10-20:$f 30:$f 40-90:$d"
  host "$release" run duel --players 2 --ticks 220 --replay keys --hash every=10
  start b "$release" run duel --join "$address"
  wait_for 20 has_line host.out '^tick 60 ' || fail "the match does not begin: $(cat host.err b.err)"
  start c "$release" run duel --join "$address" --replay keys
  agree 220 host b c
  has_line c.err 'player 3 has joined' || fail "the late player has not joined: $(cat c.err)"
}
it "a machine that joins a running match computes the same hashes" joins_late

leaves() {
  make_game
  host "$release" run duel --players 2 --ticks 150
  start b "$release" run duel --join "$address" --ticks 60
  ends_with 0 b
  has_line b.out '^tick 60 hash ' || fail "$(cat b.out)"
  ends_with 0 host
  has_line host.err 'player 2 has left' || fail "$(cat host.err)"
}
it "a match continues after a machine leaves" leaves

# The machine's process is killed, so it cannot report its departure; a new process uses the same token.
comes_back() {
  make_game
  press keys Duel 400 1 "10-20:$f 30:$f 40-90:$d"
  host "$release" run duel --players 2 --ticks 300 --replay keys --hash every=10
  forget killed
  "$release" run duel --join "$address" --headless --no-watch >killed.out 2>killed.err &
  killed=$!
  wait_for 20 has_line host.out '^tick 60 ' || fail "the match does not begin: $(cat host.err killed.err)"
  kill -9 $killed
  wait $killed || :
  start b "$release" run duel --join "$address" --replay keys
  agree 300 host b
  has_line host.err 'player 2 is back' || fail "$(cat host.err)"
  ! has_line host.err 'player 3' || fail "the machine is another player: $(cat host.err)"
}
it "a killed machine rejoins as the same player" comes_back

# play_host B C: starts a host, whose process number is $host, machine b (player 2) with the arguments B, and machine c
# (player 3) with the arguments C
play_host() {
  make_game
  forget host
  "$release" run duel --host --port 0 --headless --no-watch --players 2 --hash every=10 >host.out 2>host.err &
  host=$!
  wait_for 20 has_line host.out '^listening: ' || fail "$(cat host.err)"
  address=127.0.0.1:$(sed -n 's/^listening: .*://p' host.out)
  # shellcheck disable=SC2086
  start b "$release" run duel --join "$address" $1
  wait_for 20 has_line host.out '^tick 10 ' || fail "the match does not begin: $(cat host.err b.err)"
  # shellcheck disable=SC2086
  start c "$release" run duel --join "$address" $2
  for machine in host b; do # b, which may continue as the host, must know c
    wait_for 20 has_line $machine.err 'player 3 has joined' || fail "c does not join: $(cat $machine.err c.err)"
  done
}

# play_killed_host B C: like play_host, then kills the host
play_killed_host() {
  play_host "$1" "$2"
  kill -9 $host
  wait $host || :
}

# c has neither the address nor the key of the new host, and must not join a different match of the same game.
rejoins() {
  make_game
  forget other
  "$release" run duel --host --port 0 --headless --no-watch --players 2 >other.out 2>other.err &
  other=$!
  wait_for 20 has_line other.out '^key: ' || fail "$(cat other.err)"
  ! has_line other.err 'cannot listen for questions' || skip "$(cat other.err)"
  play_killed_host "--continue --ticks 300" ""
  agree 300 b c
  kill $other
  has_line c.err 'The host is gone' && has_line c.err 'saved tick' || fail "the match was not saved: $(cat c.err)"
  has_line c.err "continues as the host" || fail "$(cat c.err)"
  [ "$(grep -c 'player [23] is back' b.err)" = 1 ] || fail "the machine is another player: $(cat b.err c.err)"
  ! has_line other.err 'player 2' || fail "a machine has joined another match: $(cat other.err)"
}
it "after the host is killed, one machine continues as the host, and the remaining machine joins it automatically" \
  rejoins

gives_way() {
  play_killed_host "--continue --ticks 300" "--continue --ticks 300"
  ! has_line host.err 'cannot listen for questions' || skip "$(cat host.err)"
  agree 300 b c
  for machine in b c; do
    has_line $machine.err 'this machine is the host from tick' || fail "$machine does not continue: $(cat $machine.err)"
  done
  has_line c.err 'continues as the host' && has_line b.err 'player 3 is back' || fail "$(cat b.err c.err)"
  ! has_line b.err 'continues as the host' || fail "both machines have given way: $(cat b.err c.err)"
}
it "if two machines continue as hosts at the same time, one of the two joins the other" gives_way

# The killed host's token is stored in its folder of saves, like the token of a peer.
host_comes_back() {
  play_killed_host "--continue --accept --ticks 400" "--ticks 400"
  wait_for 40 has_line b.err 'player 3 is back' || fail "$(cat b.err c.err)"
  start again "$release" run duel --join "127.0.0.1:$(sed -n 's/^listening: .*://p' b.out)"
  agree 400 b c again
  has_line b.err 'player 1 is back' || fail "$(cat b.err again.err)"
  ! has_line b.err 'player 4' || fail "the machine is another player: $(cat b.err)"
}
it "a killed host that is started again joins the new host as the same player" host_comes_back

# The peers replace the host after 10 s. The resumed host must neither report them as disconnected nor continue alone.
frozen_host_comes_back() {
  limit_s=$((3 * limit_s))
  play_host "--continue --accept --ticks 1200" "--ticks 1200"
  ! has_line host.err 'cannot listen for questions' || skip "$(cat host.err)"
  kill -STOP $host
  wait_for 40 has_line b.err 'player 3 is back' || { kill -CONT $host && fail "$(cat b.err c.err)"; }
  kill -CONT $host
  wait_for 40 has_line b.err 'player 1 is back' || fail "$(cat host.err b.err)"
  agree 1200 b c
  wait $host || fail "$(cat host.err)"
  [ "$(tail -n 1 host.out)" = "$last" ] || fail "host: $(tail -n 1 host.out), expected $last"
  ! has_line host.err 'was disconnected: the machine' || fail "the host blames the others: $(cat host.err)"
}
[ -z "$LONG" ] ||
  it "a host that was frozen for over 10 s joins the new host as the same player" frozen_host_comes_back

# If no machine continues as the host, the remaining machines exit after 60 seconds. The saved match can be loaded.
loses_host() {
  play_killed_host "" ""
  wait_for 90 has_ended b && wait_for 90 has_ended c || fail "$(cat b.err c.err)"
  ends_with 1 b c
  has_line c.err 'The host is gone' || fail "$(cat c.err)"
  has_line c.err 'saved tick' || fail "the match was not saved: $(cat c.err)"
  run_for 20 "$release" run duel --headless --no-watch --ticks 1 --load data/shoal/saves/netplay_duel/match.sqlite
  exits 0
}
[ -z "$LONG" ] || it "machines that find no new host save the match and exit with status 1" loses_host

two_windows() {
  press keys Trace 400 1 "125-126:$s 135-136:$d"
  forget host
  SDL_VIDEODRIVER=offscreen "$release" play tron --host --port 0 --no-watch --width 320 --height 180 --ticks 100 --replay keys --hash \
    --screenshot host.png >host.out 2>host.err &
  wait_for 30 has_line host.out '^listening: ' || fail "$(cat host.err)"
  SDL_VIDEODRIVER=offscreen run_for 60 "$release" play tron --no-watch --width 320 --height 180 --replay keys --hash --ticks 100 \
    --join "127.0.0.1:$(sed -n 's/^listening: .*://p' host.out)" --screenshot peer.png
  exits 0
  wait || fail "$(cat host.err)"
  [ "$(tail -n 1 host.out)" = "$(tail -n 1 out)" ] || fail "$(tail -n 1 host.out), $(tail -n 1 out)"
  says out "tick 100 hash "
  [ -s host.png ] && [ -s peer.png ] || fail "no pictures"
}
it "two machines with windows compute the same match of Tron" two_windows

# --- refusals

refused() { # refused PLAYERS DEVELOPERS ARGUMENTS…: a machine is refused with a line for players and one for developers
  players=$1 developers=$2
  shift 2
  start refused "$@"
  ends_with 1 refused
  grep -qF -- "match: $players" refused.err || fail "expected '$players', got: $(cat refused.err)"
  grep -qF -- "match: $developers" refused.err || fail "expected '$developers', got: $(cat refused.err)"
}

refuses() {
  make_game
  host "$release" run duel --players 4 --ticks 100
  rm -rf other
  cp -r duel other
  echo '-- changed' >>other/systems/play.lua
  refused "The host runs a different version of this game: copy its folder. Different files: systems/play.lua" \
    "the host has different files: systems/play.lua" \
    "$release" run other --join "$address"
  rm -rf other
  cp -r duel other
  mkdir -p other/assets
  echo 'pixels' >other/assets/hero.dat
  refused "The host runs a different version of this game: copy its folder. Different files: assets/hero.dat" \
    "the host has different files: assets/hero.dat" \
    "$release" run other --join "$address"
  mkdir -p other_version
  cp -r "$root/scripts" other_version/
  ln -sfn "$root/assets" other_version/assets
  echo '-- changed' >>other_version/scripts/shoal/kit/ui.lua
  refused "The host runs a different version of Shoal: install the same version." "engine scripts: the host has " \
    env SHOAL_ROOT="$tmp/other_version" "$release" run duel --join "$address"
  rm -rf other_version
  refused "The host uses different plugins: copy the game and its plugins from the host." \
    "plugins: the host has nothing more, the joiner data 1 (schema " \
    "$release" run duel --join "$address" --plugin "${release%/bin/*}/plugins/data.so"
  refused "The match is full. It has at most 4 players." "at most 4 players and 40 connections" \
    "$release" run duel --join "$address" --local 4
  refused "The host's key is not the expected key." "the key of " \
    "$release" run duel --join "$address" --key aaaa-bbbb-cccc-dddd
  key=$(sed -n 's/^key: //p' host.out)
  start b "$release" run duel --join "$address" --local 3 --key "$key"
  agree 100 host b
  rm -rf other
}
it "incompatible machines are refused with one line for players and one for developers" refuses

refuses_ninth() {
  make_game
  sed -i 's/{ 2, 4 }/{ 2, 8 }/' duel/game.lua
  host "$release" run duel --players 8 --ticks 900
  start b "$release" run duel --join "$address" --local 7
  wait_for 20 has_line host.err 'player 8 has joined' || fail "$(cat host.err b.err)"
  refused "The match is full. It has at most 8 players." "at most 8 players and 40 connections" \
    "$release" run duel --join "$address"
  agree 900 host b
}
it "a ninth player is refused and the eight players continue" refuses_ninth

# A library that changes the rounding of the processor before the program starts.
calculates_differently() {
  case $(uname -m) in x86_64 | aarch64) ;; *) skip "the rounding is set for x86-64 and arm64 only" ;; esac
  make_game
  echo '#include <fenv.h>
    __attribute__((constructor)) static void set(void) { fesetround(FE_UPWARD); }' >rounding.c
  compile_once rounding.so cc -shared -fPIC rounding.c -lm
  host "$release" run duel --players 2 --ticks 30
  start refused env LD_PRELOAD="$tmp/rounding.so" "$release" run duel --join "$address"
  ends_with 1 refused
  has_line refused.err 'The computers calculate differently: use the same build of Shoal.' || fail "$(cat refused.err)"
  has_line refused.err 'match: arithmetic: the host has sleef' || fail "$(cat refused.err)"
  start b "$release" run duel --join "$address"
  agree 30 host b
}
it "a machine with a different rounding mode is refused" calculates_differently

cannot_begin() { # cannot_begin TEXT ARGUMENTS…: the game must exit with status 2 and print TEXT
  text=$1
  shift
  run_for 20 "$release" run duel --headless --no-watch "$@"
  exits 2 err "$text"
}

needs_players() {
  make_game
  sed -i 's/, multiplayer = .*/ }/' duel/game.lua
  rm duel/systems/play.lua
  cannot_begin "Duel cannot be played over a network." --host --port 0
  says err "the game declares no players: add multiplayer = { players = { 2, 8 } } to game.lua"
  cannot_begin "Duel cannot be played over a network." --join 127.0.0.1:9
}
it "a game that declares no players cannot be played in a match" needs_players

refuses_plugin() {
  make_game
  cat >hidden.c <<'END'
#include <shoal/plugin.h>
static void *open_it(shoal_context *c) { return shoal_realloc(c, NULL, 0, 16); }
static void close_it(shoal_context *c, void *state) { shoal_realloc(c, state, 16, 0); }
static void run(shoal_context *c, const shoal_view *v, float dt_s) { (void)c, (void)v, (void)dt_s; }
SHOAL_PLUGIN(.name = "hidden", .version = 1, .has_side_effects = SIDE_EFFECTS,
             .systems = SHOAL_SYSTEMS({.name = "count", .run = run}), .open = open_it, .close = close_it)
END
  compile_once hidden.so cc -std=gnu11 -shared -fPIC -DSIDE_EFFECTS=0 -I"$root/engine/include" hidden.c
  cannot_begin "This game cannot be played over a network because of its plugin hidden." --host --port 0 --plugin hidden.so
  says err "plugin hidden keeps a state outside the world: store it in components, or rebuild it in \`on_restore\`"
  cat >counter.c <<'END'
#include <shoal/plugin.h>
static int ticks;
static void run(shoal_context *c, const shoal_view *v, float dt_s) { (void)c, (void)v, (void)dt_s, ++ticks; }
SHOAL_PLUGIN(.name = "counter", .version = 1, .systems = SHOAL_SYSTEMS({.name = "count", .run = run}))
END
  compile_once counter.so cc -std=gnu11 -g -shared -fPIC -I"$root/engine/include" counter.c
  cannot_begin "This game cannot be played over a network because of its plugin counter." --host --port 0 --plugin counter.so
  says err "plugin counter has the writable static variable ticks (counter.c), which no rollback restores"
  compile_once hidden.so cc -std=gnu11 -shared -fPIC -DSIDE_EFFECTS=1 -I"$root/engine/include" hidden.c
  cannot_begin "because of its plugin hidden." --host --port 0 --plugin hidden.so
  says err "plugin hidden has side effects"
}
it "a match is refused if a plugin keeps state outside the world or has side effects, and the error names the plugin" refuses_plugin

unknown_addresses() {
  make_game
  refused 'The address “nowhere.invalid” is unknown.' "--join: nowhere.invalid: " "$release" run duel --join nowhere.invalid
  refused 'The address “1.2.3.4:0” is unknown.' "--join: address \"1.2.3.4:0\": port must be" \
    "$release" run duel --join 1.2.3.4:0
  # A port on which nothing answers.
  refused "The host does not answer." "no answer from 127.0.0.1:9: no datagram has arrived" "$release" run duel --join 127.0.0.1:9
}
it "--join reports an unknown address and a host that does not answer" unknown_addresses

rejects_options() {
  make_game
  cannot_begin "--host cannot be used with --join" --host --join 127.0.0.1
  cannot_begin "--port requires --host" --port 5
  cannot_begin "--key requires --join or --world" --key abc
  cannot_begin "--accept requires --host, or --join with --continue" --join 127.0.0.1 --accept
  cannot_begin "--name requires --host, --join or --world" --name Ada
  cannot_begin "--name requires a name in UTF-8" --host --name "$(printf 'a\001')"
  cannot_begin "--name: the name has 25 characters and 25 bytes, but at most 24 characters and 27 bytes fit: try " \
    --host --name abcdefghijklmnopqrstuvwxy
  cannot_begin "--share-code requires --host or --join" --share-code
  cannot_begin "--continue requires --join" --continue
  cannot_begin "--local requires --host, --join, --world or --net-sim" --local 2
  cannot_begin "--record cannot be used in a match: remove it, or --host" --host --record x
  cannot_begin "--players cannot be used in a match: remove it, or --join" --join 127.0.0.1 --players 2
  cannot_begin "--net-sim: round trip must be a time such as 120ms" --net-sim fast,0ms,0%
  cannot_begin "--players 5 is out of range: the game has 2 to 4 players" --host --port 0 --players 5
  cannot_begin "--local 3 is out of range: the match has 2 players" --host --port 0 --players 2 --local 3
  cannot_begin "missing.replay" --host --port 0 --replay missing.replay
  cannot_begin "--port must be an integer from 0 to 65535" --host --port 65536
}
it "incompatible and invalid match options are rejected" rejects_options

port_in_use() {
  make_game
  host "$release" run duel --players 2 --ticks 20
  cannot_begin "choose a different port" --host --port "${address##*:}"
  start b "$release" run duel --join "$address"
  agree 20 host b
}
it "--host with a port that is already in use is an error" port_in_use

# --- during the match

survives_junk() {
  make_game
  press keys Duel 400 1 "10-20:$f 30:$f 40-90:$d"
  host "$release" run duel --players 2 --ticks 150 --replay keys
  start b "$release" run duel --join "$address" --replay keys
  luajit "$root/tests/scenarios/lib/junk_datagrams.lua" "${address##*:}" 20000 || fail "cannot send datagrams"
  agree 150 host b
}
it "junk datagrams at the host's port do not disturb a match" survives_junk

restarts() {
  make_game
  sed -i 's/local score = world.single.score/&\n    if world.tick == 40 and score.shots < 1000 then score.shots = 0 world.restart() end/' \
    duel/systems/play.lua
  press keys Duel 400 1 "10-20:$f 30:$f 50-90:$d"
  host "$release" run duel --players 2 --ticks 130 --replay keys
  start b "$release" run duel --join "$address" --replay keys --net-sim 60ms,20ms,5%
  agree 130 host b
  [ "$(grep -c restarted host.err)" = 3 ] || fail "the host has not restarted 3 times: $(cat host.err)"
  [ "$(grep -c restarted b.err)" = 3 ] || fail "the peer has not restarted 3 times: $(cat b.err)"
}
it "world.restart() restarts the game on all machines of a match" restarts

# settings_of NAME SETTINGS: writes the settings file of a machine with its own folder of saves.
settings_of() {
  mkdir -p "$1/shoal/saves/netplay_duel"
  echo "{\"format\":1,\"settings\":{$2}}" >"$1/shoal/saves/netplay_duel/game.settings.json"
}

# The restart makes the peer read its own file again, and then take over the host's state, as after the lobby.
keeps_settings() {
  make_game
  rm -rf saves_host saves_b
  echo 'return { music = 1.0, skill = shoal.types.enum { "easy", "hard" }, best = 0 }' >duel/settings.lua
  cat >duel/systems/records.lua <<'END'
return { update = function()
  if world.tick == 60 and settings.best == 5 then world.restart() end
  if world.tick == 30 or world.tick == 60 then settings.best = settings.best + 1 end
  if world.tick == 90 then log.info("skill %s, best %d", settings.skill, settings.best) end
end }
END
  settings_of saves_host '"skill":"hard","best":4,"music":0.25'
  settings_of saves_b '"skill":"easy","best":1,"music":0.75'
  cp -r saves_b saves_before
  host env XDG_DATA_HOME="$tmp/saves_host" "$release" run duel --players 2 --ticks 200 --log info
  start b env XDG_DATA_HOME="$tmp/saves_b" "$release" run duel --join "$address" --net-sim 60ms,20ms,5% --log info
  agree 200 host b
  has_line host.err "restarted" && has_line host.err "skill hard, best 8" || fail "$(cat host.err)"
  has_line b.err "skill hard, best 8" || fail "the peer has other settings than the host: $(cat b.err)"
  grep -qF '"best":8' saves_host/shoal/saves/netplay_duel/game.settings.json || fail "the host has stored no settings"
  diff -r saves_before/shoal/saves/netplay_duel saves_b/shoal/saves/netplay_duel >&2 ||
    fail "the peer has stored settings of the host"
}
it "a peer plays with the host's settings, and keeps its own settings file" keeps_settings

# A script that exceeds a limit of the host is stopped on the host and parked on all machines. Out-of-range values are
# errors only with --strict, and an error changes the result of a tick, so --strict must be the same on all machines.
follows_limits() {
  make_game
  sed -i 's/shots = 0/&, small = shoal.types.i16(0)/' duel/components.lua
  cat >duel/systems/limits.lua <<'END'
return { update = function()
  local score = world.single.score
  if world.tick == 30 then score.small = 100000 end
  if world.tick == 40 then
    local numbers = {}
    for i = 1, 3000000 do numbers[i] = i end
    score.shots = score.shots + #numbers
  end
end }
END
  host "$release" run duel --players 2 --ticks 80
  start b "$release" run duel --join "$address" --memory 4000 --strict --budget 5000
  agree 80 host b
  has_line b.err "--memory, --budget and --strict of the host replace this machine's options" || fail "$(cat b.err)"
  host "$release" run duel --players 2 --ticks 80 --memory 40
  start b "$release" run duel --join "$address"
  ends_with 1 host
  [ "$(tail -n 1 host.out)" = "$(tail -n 1 b.out)" ] || fail "$(tail -n 1 host.out), $(tail -n 1 b.out)"
  ! has_line b.out '^desync' || fail "$(cat b.out)"
  has_line b.err 'the host has stopped limits/body: .*out of memory' || fail "$(cat b.err)"
}
it "all machines of a match use the host's --memory, --budget and --strict" follows_limits

refuses_limits() { # refuses_limits ERROR REASON HOST_OPTIONS [OPTIONS]
  make_game
  # shellcheck disable=SC2086
  host "$release" run duel --players 2 --ticks 23 $3
  # shellcheck disable=SC2086
  start b "$release" run duel --join "$address" ${4-}
  ends_with 1 b
  pkill -f "$release run duel --players 2 --ticks 23" || true # the host still waits for its second player
  has_line b.err "match: $1" && has_line b.err "match: $2" || fail "$(cat b.err)"
}
it "a machine refuses a host that requires 60 GB of memory" refuses_limits "The host needs more memory than this machine allows" \
  "the host runs with --memory 61440, but this machine allows 1024 MB: join with --memory 61440" "--memory 61440"
it "a machine refuses a host that requires more memory than the machine's --memory" \
  refuses_limits "The host needs more memory" \
  "the host runs with --memory 1024, but this machine allows 100 MB: join with --memory 1024" "" "--memory 100"
it "a machine refuses a host without a time limit for scripts" refuses_limits \
  "The host allows scripts to run for too long" "the host runs with --budget 0, " "--budget 0"
it "a machine refuses a host with a time limit for scripts of more than 10 s" refuses_limits \
  "The host allows scripts to run for too long" "the host runs with --budget 10001, " "--budget 10001"

# The state of 100,000 entities has 2 MB, whose transfer would take more than three minutes at 10 KB/s. The rate must be
# much lower than the 16 KB/s that two minutes require, because the host's measurement varies on a busy machine.
refuses_slow() {
  make_game
  sed -i 's/{ 2, 4 }/{ 1, 4 }/' duel/game.lua
  echo 'return { thing = { a = 0.0, b = 0.0 } }' >duel/components.lua
  cat >duel/systems/play.lua <<'END'
return { update = function()
  for i = 1, world.tick == 1 and 100000 or 0 do
    world.spawn(nil, {
      transform = { x = world.random(), y = world.random() }, thing = { a = world.random(), b = world.random() },
    })
  end
  if world.tick == 2 and world.count "thing" == 100000 then log.warn("all entities exist") end
end }
END
  forget host
  timeout -k 2 "$limit_s" "$release" run duel --host --port 0 --players 1 --headless --no-watch \
    --log debug --net-sim 40ms,0ms,0%,0%,0%,10KB/s >host.out 2>host.err &
  host_process=$!
  wait_for 20 has_line host.out '^key: ' || fail "$(cat host.err)"
  wait_for 20 has_line host.err 'all entities exist' || fail "$(cat host.err)"
  address=127.0.0.1:$(sed -n 's/^listening: .*://p' host.out)
  start b "$release" run duel --join "$address" --log debug
  wait_for 20 has_ended b || true # the host decides after 10 s
  kill $host_process
  ends_with 1 b
  has_line b.err 'The host has disconnected this machine: loading the match takes more than two minutes' ||
    fail "$(cat b.err)"
  has_line host.err 'closed the connection to player 2: the connection is too slow' ||
    fail "$(cat host.err)"
}
it "a machine whose connection would need more than two minutes to load the match is refused" refuses_slow

# plants: adds to the game `duel` a module whose state differs between machines, and a system that reads this state.
# `tests = true` permits state in modules.
plants() {
  make_game
  sed -i 's/title/tests = true, title/' duel/game.lua
  echo 'return { tick = -1, runs = 0 }' >duel/plant.lua
  cat >duel/systems/wrap.lua <<'END'
local plant = require "plant"
return {
  after = "play",
  update = function()
    plant.runs = plant.runs + 1
    if world.tick == plant.tick then world.single.score.x = world.single.score.x + 0.5 end
    if plant.runs == plant.last then world.single.score.shots = 7 end
  end,
}
END
}

# differ LINE NAME…: machines must print this desync line only, and a recording's path, and end with the same hash.
differ() {
  named=$1
  shift
  ends_with 0 "$@"
  for machine; do
    line=$(grep '^desync: ' "$machine.out" | sort -u | sed 's/tick [0-9]*/tick N/')
    [ "$line" = "desync: tick N: $named" ] || fail "$machine: '$line', expected '$named': $(cat "$machine.err")"
    [ "$(tail -n 1 "$machine.out")" = "$(tail -n 1 "$1.out")" ] || fail "the machines differ at the end"
    recording=$(sed -n 's/.*replay them with --replay //p' "$machine.err" | head -n 1)
    [ -s "$recording" ] || fail "$machine: no recording '$recording': $(cat "$machine.err")"
  done
}

names_system() {
  plants
  host "$release" run duel --players 2 --ticks 130
  start b "$checked" run duel --join "$address" --exec 'require("plant").tick = 60'
  differ 'score.x 0 and 0.5, after system wrap (systems/wrap.lua:4)' host b
  recording=$(sed -n 's/.*replay them with --replay //p' host.err)
  run_for 20 "$release" run duel --headless --no-watch --replay "$recording"
  exits 0
  recording=$(sed -n 's/.*replay them with --replay //p' b.err)
  run_for 20 "$release" run duel --headless --no-watch --replay "$recording"
  exits 1 # this process has not changed the module
  says err 'score.x'
}
it "both machines report the value and the system of a desync and continue" names_system

names_host() {
  plants
  host "$release" run duel --players 3 --ticks 130 --exec 'require("plant").tick = 60'
  start b "$release" run duel --join "$address"
  start c "$release" run duel --join "$address" --net-sim 60ms,20ms,5%
  differ 'score.x 0.5 and 0, after system wrap (systems/wrap.lua:4)' host b c
  [ "$(grep -c '^desync: ' host.out)" = 2 ] || fail "$(cat host.out)"
}
it "all machines report a desync that the host causes" names_host

names_hidden_state() {
  plants
  host "$release" run duel --players 2 --ticks 130
  start b "$release" run duel --join "$address" --exec 'require("plant").last = 50'
  differ 'score.shots 0 and 7, state outside the world: does not recur on the joined machine: run with --check-rollback 8' host b
}
it "a desync caused by state outside the world is reported as state outside the world" names_hidden_state

# begins_shared OPTIONS…: starts a host, and a machine that watches its own copy of the game. Both play until the end of
# the test, because the trial of a change takes long on a busy machine.
begins_shared() {
  make_game
  rm -rf copy
  cp -r duel copy
  forget host b
  timeout -k 2 "$limit_s" "$release" run duel --host --port 0 --players 2 --headless --no-watch --hash every=10 \
    "$@" >host.out 2>host.err &
  host_process=$!
  wait_for 20 has_line host.out '^listening: ' || fail "$(cat host.err)"
  address=127.0.0.1:$(sed -n 's/^listening: .*://p' host.out)
  timeout -k 2 "$limit_s" "$release" run copy --join "$address" --net-sim 40ms,10ms,5% --headless --watch \
    --hash every=10 "$@" >b.out 2>b.err &
  peer_process=$!
  wait_for 20 has_line host.err 'player 2 has joined' || fail "$(cat host.err b.err)"
}
# expects_shared NAME TEXT: waits for a line in the error output of a machine. If it does not appear, ends the match.
expects_shared() {
  wait_for 60 has_line "$1.err" "$2" && return
  kill $host_process $peer_process
  fail "$1: $(cat "$1.err")"
}
# ends_shared: requires that both machines have the same state after 20 more ticks, and ends the match.
ends_shared() {
  tick=$(sed -n '$s/^tick \([0-9]*\) .*/\1/p' b.out)
  tick=$((tick + 20))
  wait_for 20 has_line b.out "^tick $tick " && wait_for 20 has_line host.out "^tick $tick " ||
    expects_shared b "tick $tick"
  kill $host_process $peer_process
  wait $host_process $peer_process || :
  [ "$(grep "^tick $tick " host.out)" = "$(grep "^tick $tick " b.out)" ] || fail "tick $tick differs: $(cat b.out)"
  ! grep '^desync' host.out b.out || fail "the machines differ"
}

refuses_reload() {
  begins_shared
  echo '-- changed' >>copy/systems/play.lua
  expects_shared b 'The change was not loaded: this match was started without --share-code.'
  ends_shared
  ! has_line b.err 'reloaded' || fail "$(cat b.err)"
}
it "a reload in a match is refused without --share-code" refuses_reload

# A changed component migrates the worlds of both machines, but does not change the host's file.
shares_reload() {
  begins_shared --share-code
  echo 'return { score = shoal.types.single { joined = 0, shots = 0, x = 0.0, added = 5 } }' >copy/components.lua
  for machine in host b; do
    expects_shared $machine 'all machines run the changes of player 2'
    expects_shared $machine 'reloaded components.lua in .*1 field added'
  done
  ends_shared
  ! grep -q added duel/components.lua || fail "the host's file was changed"
}

ignores_asset() {
  begins_shared --share-code
  mkdir -p copy/assets
  echo '{}' >copy/assets/room.tmj
  expects_shared b 'assets/room.tmj is not reloaded in a match: only Lua files, scenes and data files can be shared'
  echo '{ }' >copy/assets/room.tmj
  echo 'return { score = shoal.types.single { joined = 0, shots = 0, x = 0.0, added = 5 } }' >copy/components.lua
  expects_shared b 'all machines run the changes of player 2'
  ends_shared
  [ "$(grep -c 'room.tmj' b.err)" = 1 ] || fail "not one warning: $(cat b.err)"
}
it "with --share-code, a reload on one machine reloads all machines of a match" shares_reload
it "a changed asset is not reloaded in a match and causes one warning" ignores_asset

refuses_shared_error() {
  begins_shared --share-code
  echo 'return { update = function() world.single.score.shots = nothing.at_all end }' >copy/systems/wrong.lua
  for machine in host b; do
    expects_shared $machine 'The changes of player 2 were refused by player [12]: The changed code has an error'
    expects_shared $machine 'systems/wrong.lua:1: '
  done
  ends_shared
  ! has_line host.err 'reloaded' || fail "$(cat host.err)"
}
it "all machines of a match refuse changed code with an error and print its file and line" refuses_shared_error

# Both players change the same file. The second change is based on the version before the first change, so it is
# refused; saved again, it replaces the first change.
write_bonus() { # write_bonus FOLDER FIELD: adds a field to the component
  echo "return { score = shoal.types.single { joined = 0, shots = 0, x = 0.0, $2 = 5 } }" >"$1/components.lua"
}
refuses_older_version() {
  begins_shared --share-code --watch --name Ada
  write_bonus duel by_host
  for machine in host b; do
    expects_shared $machine 'all machines run the changes of player 1'
  done
  write_bonus copy by_peer
  running='version of player 1 (Ada): save the file again to replace that version'
  for machine in host b; do
    expects_shared $machine 'The changes of player 2 were refused by player 1: A different player has changed the same'
    expects_shared $machine "components.lua: player 2 (Ada) has changed an older version than the running $running"
  done
  write_bonus copy by_peer
  for machine in host b; do
    expects_shared $machine 'all machines run the changes of player 2'
  done
  ends_shared
}
it "a change to an outdated version is refused with both authors' names, and is accepted when it is saved again" \
  refuses_older_version

# simulates_players COUNT OPTIONS…: a simulated match of a game for one to three players must have COUNT players.
simulates_players() {
  rm -rf small
  mkdir -p small/systems
  echo "return { title = 'Small', id = 'netplay_small', multiplayer = { players = { 1, 3 } } }" >small/game.lua
  echo 'return { update = function() if world.tick == 30 then print("players", #players.list()) end end }' \
    >small/systems/count.lua
  count=$1
  shift
  run_for 30 "$release" run small --headless --no-watch --ticks 40 --net-sim 0ms,0ms,0% "$@"
  exits 0 out "players	$count"
}
it "--net-sim simulates one player on the host and one player on the peer" simulates_players 2
it "--net-sim adds one player on the peer to the players of --local" simulates_players 3 --local 2
it "--net-sim simulates the number of players given with --players" simulates_players 1 --players 1
it "--net-sim simulates at most the number of players that the game allows" simulates_players 3 --local 3

# In a match, the lobby replaces the menu, so the multiplayer games begin without a title screen.
begins_without_menu() {
  rm -rf "shipped_$1"
  cp -r "$root/scripts/games/$1" "shipped_$1"
  echo 'return { update = function() if world.tick == 60 then print("buttons", world.count("button")) end end }' \
    >"shipped_$1/systems/buttons_at_60.lua"
  run_for 30 "$release" run "shipped_$1" --headless --no-watch --ticks 80 --net-sim 0ms,0ms,0%
  exits 0 out "buttons	0"
}
for game in asteroids bounty_hunter pong tron; do
  it "a match of $game begins without a menu" begins_without_menu $game
done

# --- real interfaces

agree_between_namespaces() {
  needs_namespaces
  make_game
  press keys.1 Duel 400 1 "10-20:$f 30:$f 40-60:$d"
  press keys.2 Duel 400 1 "12-14:$f 15-16:$f 20-50:$a"
  in_namespace host "$release" run duel --host --port 0 --players 4 --ticks 150 --replay keys.1
  # This joiner uses the address that the host prints.
  in_namespace joiner.1 "$release" run duel --join "$printed_address" --replay keys.2 --net-sim 60ms,20ms,5%
  in_namespace joiner.2 "$checked" run duel --join "10.9.2.1:$port" --local 2 --replay keys.2
  play_in_namespaces 2
  agree 150 host joiner.1 joiner.2
  case $(head -n 1 host.out) in "listening: 10.9."[12]".1:"*) ;; *) fail "$(head -n 1 host.out)" ;; esac
  # The joiner remembers the key of this address.
  grep -q "$(sed -n 's/^key: //p' host.out)" data/shoal/match.hosts || fail "the host's key is not remembered"
}
it "four players on three machines compute the same states over real network interfaces" agree_between_namespaces

# The first address of a machine often belongs to a bridge for virtual machines, which other computers cannot reach.
prints_route_source() {
  needs_namespaces
  make_game
  start host unshare -rn sh -c 'ip link set lo up
    ip link add docker0 type veth peer name docker1 && ip addr add 172.17.0.1/16 dev docker0
    ip link set docker0 up && ip link set docker1 up
    ip link add lan0 type veth peer name lan1 && ip addr add 10.77.0.5/24 dev lan0
    ip link set lan0 up && ip link set lan1 up
    ip addr add 2001:db8:7::5/64 dev lan0 nodad
    ip route add default via 10.77.0.1 && ip -6 route add default via 2001:db8:7::1 dev lan0
    exec "$@"' sh "$release" run duel --host --port 4811 --players 2 --ticks 1
  wait_for 20 listens_or_ended
  wait_for 20 has_line host.out '^key: '
  pkill -f "$release run duel --host --port 4811" || true
  [ "$(head -n 2 host.out)" = "listening: 10.77.0.5:4811
ipv6: [2001:db8:7::5]:4811" ] || fail "$(cat host.out host.err)"
}
it "a host prints the source addresses of its default routes" prints_route_source
