# Moderation of a match: removed and banned players, the match's password, and seats that the host gives away. The tests
# run real processes over the loopback interface. Each machine has its own data folder, like a different user's machine.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/scenarios/lib/match.sh"
cd "$tmp" || exit 1
limit_s=$((60 * SLOW / 10))
f=9 # scancode

# make_game MAX_PLAYERS: writes the game `duel`, in which everything depends on the inputs and the number of players.
make_game() {
  rm -rf duel users "$XDG_RUNTIME_DIR/shoal"
  mkdir -p duel/systems
  echo "return { title = 'Duel', id = 'moderated_duel', multiplayer = { players = { 2, ${1:-4} } } }" >duel/game.lua
  echo 'return { fire = { "key:f" } }' >duel/input.lua
  echo 'return { score = shoal.types.single { shots = 0, left = 0, players = 0 } }' >duel/components.lua
  cat >duel/systems/play.lua <<'END'
return {
  on = {
    player_left = function(ev)
      for i = 1, ev.count do world.single.score.left = world.single.score.left * 10 + ev.player[i] end
    end,
  },
  update = function()
    local score = world.single.score
    score.players = score.players + #players.list()
    for _, entry in ipairs(players.list()) do
      if input.pressed("fire", entry.number) then
        score.shots = score.shots + entry.number
        world.spawn(nil, { transform = { x = world.random() * 100 } })
      end
    end
  end,
}
END
  press keys Duel 900 1 "10-20:$f 30:$f 100-160:$f 300:$f 320:$f 500:$f"
}

user() { # user NAME: the command of a user with separate files
  echo "env XDG_DATA_HOME=$tmp/users/$1 $release run duel --log info"
}
links() { ls "$XDG_RUNTIME_DIR/shoal" 2>/dev/null; }
has_link() { [ "$(links | wc -l)" -ge "$1" ]; }

# hosts ARGUMENTS…: starts a host whose cockpit listens on $port.
hosts() {
  # shellcheck disable=SC2046
  host $(user host) --replay keys --cockpit "$@"
  wait_for 20 has_link 1 || fail "no cockpit: $(cat host.err)"
  port=$(links)
}

# hosts_until_killed ARGUMENTS…: starts such a host, which the test ends with kill_host.
hosts_until_killed() {
  forget host
  # shellcheck disable=SC2046
  $(user host) --replay keys --cockpit --headless --host --port 0 "$@" >host.out 2>host.err </dev/null &
  host_process=$!
  wait_for 20 has_line host.out '^key: ' || fail "$(cat host.err)"
  address=127.0.0.1:$(sed -n 's/^listening: .*://p' host.out)
  wait_for 20 has_link 1 || fail "no cockpit: $(cat host.err)"
  port=$(links)
}
kill_host() {
  kill -9 $host_process
  wait $host_process || :
}

joins() { # joins NAME PLAYER ARGUMENTS…: starts a machine, and waits until the host has added it as this player
  joiner=$1 player=$2
  shift 2
  # shellcheck disable=SC2046
  start "$joiner" $(user "$joiner") --join "$address" --name "$joiner" --replay keys "$@"
  wait_for 30 has_line host.err "player $player has joined" || fail "$joiner does not join: $(cat host.err "$joiner.err")"
}

ask() { # ask COMMAND: runs a command of the host's console
  "$release" ask "$port" "$1" >ask.out 2>&1 || fail "$1: $(cat ask.out)"
}

refused() { # refused NAME TEXT ARGUMENTS…: expects that a joining machine is refused with this text
  refused=$1 text=$2
  shift 2
  # shellcheck disable=SC2046
  start "$refused" $(user "$refused") --join "$address" "$@"
  ends_with 1 "$refused"
  grep -qF -- "match: $text" "$refused.err" || fail "$refused: expected '$text': $(cat "$refused.err")"
}

# begin: starts a host, a machine as player 2 and a machine as player 3
begin() {
  hosts --players 2 "$@"
  joins ada 2
  joins bo 3
}

kicks() {
  make_game
  begin --ticks 500
  ask "remove player 2"
  ends_with 1 ada
  has_line ada.err 'the host: a user has removed the player' || fail "$(cat ada.err)"
  refused ada "The host has removed you from this match"
  ! has_line host.err 'player 2 is back' || fail "$(cat host.err)"
  joins cleo 2 # cleo takes the free seat
  agree 500 host bo cleo
  has_line bo.err 'player 2 has left' || fail "$(cat bo.err)"
}
it "a removed player leaves the match on all machines, and cannot join the match again" kicks

bans() {
  make_game
  begin --ticks 400
  ask "ban player 2"
  ends_with 1 ada
  has_line ada.err 'the host: a user has banned the player' || fail "$(cat ada.err)"
  agree 400 host bo
  hosts --players 2 --ticks 300 # a later match
  refused ada "The host has banned you from its matches"
  # The account is banned at all addresses; a different user of this machine is not banned.
  address="[::1]:${address##*:}"
  refused ada "The host has banned you from its matches"
  has_line host.err 'match: refused \[::1\]:.*banned' || fail "$(cat host.err)"
  ask "lift all bans"
  joins ada 2
  agree 300 host ada
}
it "a banned player is refused in later matches until the bans are lifted" bans

rejects_commands() {
  make_game
  begin --ticks 900
  for command in "remove player 1:plays on this machine" "ban player 4:the players are 1, 2, 3" \
    "give away the place of player 2:is connected"; do
    "$release" ask "$port" "${command%%:*}" >ask.out 2>&1 && fail "accepted: $command"
    grep -qF "${command#*:}" ask.out || fail "$command: $(cat ask.out)"
  done
  "$release" ask "$port" "remov player 2" >ask.out 2>&1 && fail "accepted a wrong name"
  grep -qi "remove player 2" ask.out || fail "no suggestion: $(cat ask.out)"
  agree 900 host ada bo
}
it "moderation commands that cannot be executed report the reason" rejects_commands

set_loss() { # set_loss PORT PERCENT
  luajit "$root/tests/scenarios/lib/cockpit.lua" set_loss "$1" "$2" || fail "cannot change the network"
}
true_successor() {
  make_game
  hosts_until_killed --players 2
  ! has_line host.err 'cannot listen for questions' || skip "$(cat host.err)"
  joins ada 2 --continue --accept --ticks 600
  joins impostor 3 --continue --accept --ticks 600 --net-sim 0ms,0ms,0% --cockpit
  wait_for 20 has_link 2 || fail "no cockpit: $(cat impostor.err)"
  impostor_port=$(links | grep -v "^$port\$")
  joins cleo 4 --ticks 600
  set_loss "$impostor_port" 100
  ask "remove player 3"
  wait_for 20 has_line cleo.err 'player 3 has left' || fail "$(cat cleo.err)"
  kill_host
  agree 600 ada cleo
  ends_with 0 impostor
  has_line impostor.err 'this machine is the host from tick' || fail "the impostor does not pose: $(cat impostor.err)"
  has_line ada.err 'player 4 is back' || fail "$(cat ada.err cleo.err)"
  [ "$(grep -c '127.* continues as the host' cleo.err)" = 1 ] || fail "$(cat cleo.err)"
  ! has_line impostor.err 'is back' || fail "a machine has joined the impostor: $(cat impostor.err)"
  [ "$(tail -n 1 impostor.out)" != "$last" ] || fail "the impostor has the state of the match"
}
it "a removed machine that poses as the successor of a lost host is ignored" true_successor

passwords() {
  make_game
  echo "tea at five" >right
  echo "coffee" >wrong
  hosts --players 2 --ticks 100 --password right
  key=$(sed -n 's/^key: //p' host.out)
  refused ada "The host needs a password. Compare its key with the one on the host's screen: $key" --password right
  refused ada "The password is missing or wrong" --key "$key"
  refused ada "The password is missing or wrong" --key "$key" --password wrong
  joins bo 2 --key "$key" --password right
  agree 100 host bo
}
it "a machine can join a host with a password only with the password and the host's key" passwords

six_passwords() {
  make_game
  echo "tea at five" >right
  echo "coffee" >wrong
  hosts_until_killed --players 2 --password right
  key=$(sed -n 's/^key: //p' host.out)
  for number in 1 2 3 4 5; do
    refused "ada" "The password is missing or wrong" --key "$key" --password wrong
  done
  refused ada "Too many attempts: try again in" --key "$key" --password right
  kill_host
}
it "after five wrong passwords within a minute, the correct password is refused, too" six_passwords

bad_passwords() {
  make_game
  : >empty
  head -c 200 /dev/zero | tr '\0' a >long
  for case in "empty:first line must be a password of 1 to 128 bytes, got 0" "long:got 200 bytes" \
    "secret:--password requires a file with the password in its first line"; do
    run_for 20 "$release" run duel --headless --no-watch --host --port 0 --password "${case%%:*}"
    exits 2 err "${case#*:}"
  done
  run_for 20 "$release" run duel --headless --no-watch --password right
  exits 2 err "--password requires --host or --join"
}
it "a password file without a usable first line is rejected" bad_passwords

# The process of player 3 is killed, so the host reserves the player's seat for a minute.
gives_place_away() {
  make_game 3
  hosts --players 2 --ticks 1800
  joins bo 2
  forget killed
  # shellcheck disable=SC2046
  $(user ada) --join "$address" --name ada --headless --replay keys >killed.out 2>killed.err &
  killed=$!
  wait_for 30 has_line host.err "player 3 has joined" || fail "$(cat host.err)"
  kill -9 $killed
  wait $killed || :
  wait_for 30 has_line host.err "player 3 has lost the connection" || fail "$(cat host.err)"
  refused cleo "The free seats are reserved for players who lost their connection"
  ask "give away the place of player 3"
  joins cleo 3
  agree 1800 host bo cleo
}
it "the host can give the reserved seat of a lost player to a different machine" gives_place_away
