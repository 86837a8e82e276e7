# Kills processes of a served world, and checks that no acknowledged tick is lost:
#
#   sh tests/served_campaign.sh PROGRAM [--rooms N] [--supervisors N] [--owners N] [--db FILE] [--state FILE]
#                               [--folder FOLDER] [--port P]
#
# Kills N processes of rooms, two at a time, kills N supervisors, and starts N further supervisors with --take-over, in
# a world with two rooms and six bots. Each room prints every committed tick with its hash, and repeats the ticks since
# its snapshot when it recovers. After each step, the room must recover at least its last printed tick, and each tick
# must have the same hash each time. With --state, adds the totals to the file, so that a campaign can be split over
# several runs. Prints the totals, or the first failure, and then exits with 1.
program=$1
shift
rooms=0 supervisors=0 owners=0 db= state= folder=${TMPDIR:-/tmp}/shoal-served-campaign port=$((21000 + $$ * 7 % 25000))
while [ $# -gt 1 ]; do
  case $1 in
    --rooms) rooms=$2 ;; --supervisors) supervisors=$2 ;; --owners) owners=$2 ;; --db) db=$2 ;; --state) state=$2 ;;
    --folder) folder=$2 ;; --port) port=$2 ;;
    *) echo "unknown option $1" >&2; exit 2 ;;
  esac
  shift 2
done
[ -x "$program" ] || { echo "served_campaign: $program is not a program" >&2; exit 2; }
program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")
mkdir -p "$folder/game/systems" && cd "$folder" || exit 2
: "${db:=$folder/world.db}"
limit_s=$((60 * ${SLOW:-100} / 100))

cat >game/game.lua <<'END'
return { title = "Campaign", id = "served_campaign", tick_rate = 30, multiplayer = { players = { 1, 4 } },
  serve = { rooms = { cave = { sleeps = false, players = 3 }, town = { sleeps = false, players = 3 } } } }
END
echo 'return { fire = { "key:f" }, move = { negative = { "key:a" }, positive = { "key:d" } } }' >game/input.lua
echo 'return { score = shoal.types.single { shots = 0, x = 0.0 } }' >game/components.lua
cat >game/systems/play.lua <<'END'
return {
  update = function()
    local score = world.single.score
    if world.tick % 20 == 0 then
      world.spawn(nil, { transform = { x = world.random() * 100 }, lifetime = { seconds = 2 } })
    end
    for _, player in ipairs(players.list()) do
      if input.pressed("fire", player.number) then score.shots = score.shots + player.number end
      score.x = score.x + input.axis("move", player.number) * world.random()
    end
  end,
}
END

serve() { # serve [OPTIONS]: starts a supervisor, and sets $server
  "$program" serve game --db "$db" --port "$port" --bots 6 --hash every=1 "$@" >>out 2>>err </dev/null &
  server=$!
}
stop() { kill "$server" 2>/dev/null && wait "$server"; }
fail() {
  echo "served_campaign: after $killed_rooms kills of rooms, $killed_supervisors kills of supervisors and" \
    "$second_owners second owners: $1"
  tail -n 5 err
  exit 1
}
count_recovered() { grep -c "^recovered: $1 " out; }
# wait_until_recovered ROOM COUNT: waits until the room has recovered more often than COUNT.
wait_until_recovered() {
  tries=$((limit_s * 20))
  until [ "$(count_recovered "$1")" -gt "$2" ]; do
    tries=$((tries - 1))
    { [ $tries -gt 0 ] && kill -0 "$server" 2>/dev/null; } || fail "the room $1 does not recover"
    sleep 0.05
  done
}
wait_for_line() { # wait_for_line TEXT: waits for a line in the supervisor's log
  tries=$((limit_s * 20))
  until grep -q "$1" err; do
    tries=$((tries - 1))
    { [ $tries -gt 0 ] && kill -0 "$server" 2>/dev/null; } || fail "no line: $1"
    sleep 0.05
  done
}
# wait_for_ticks COUNT: waits until the room `town` has committed so many further ticks.
wait_for_ticks() {
  tries=$((limit_s * 20)) ticks=$(($(grep -c '^town tick' out) + $1))
  until [ "$(grep -c '^town tick' out)" -ge $ticks ]; do
    tries=$((tries - 1))
    { [ $tries -gt 0 ] && kill -0 "$server" 2>/dev/null; } || fail "the room town does not run"
    sleep 0.05
  done
}
# wait_for_bots: waits until all bots of the current supervisor play, and a second longer, because each second permits a
# number of questions.
wait_for_bots() {
  tries=$((limit_s * 10))
  until [ "$(grep 'of 6 bots play' err | tail -n 1)" = "6 of 6 bots play" ]; do
    tries=$((tries - 1))
    { [ $tries -gt 0 ] && kill -0 "$server" 2>/dev/null; } || fail "the bots do not play"
    sleep 0.1
  done
  wait_for_ticks 30
}
# pause SEED: a random time, so that kills occur at different moments between two commits.
pause() { wait_for_ticks "$(awk -v seed="$1" 'BEGIN { srand(seed); print int(6 + rand() * 40) }')"; }

# A room that wakes changes its state between two ticks, so a recovery that runs no tick has a different hash after the
# former room's last tick.
check() {
  problem=$(awk '
    $1 == "recovered:" && $4 < last[$2] { print "tick " last[$2] " was committed, but: " $0; exit }
    $1 == "recovered:" { same = ended[$2] == $4 && last[$2] <= $4; ended[$2] = $4; room = $2; tick = $4; hash = $6 }
    $2 == "tick" { same = 0; room = $1; tick = $3; hash = $5; if (tick > last[room]) last[room] = tick }
    $1 == "recovered:" || $2 == "tick" {
      if (!same && ((room, tick) in known) && known[room, tick] != hash) {
        print room " tick " tick " has the hashes " known[room, tick] " and " hash; exit
      }
      known[room, tick] = hash
    }' out)
  [ -z "$problem" ] || fail "$problem"
  ! grep 'recovery differs\|proof .* has failed\|cannot start\|does not respond' err >problems ||
    fail "$(head -n 1 problems)"
}

killed_rooms=0 killed_supervisors=0 second_owners=0
kill_rooms() {
  cave=$(count_recovered cave) town=$(count_recovered town)
  for room in cave town; do
    process=$(sed -n "s/^room $room: starts (process \([0-9]*\)).*/\1/p" err | tail -n 1)
    kill -9 "$process" || fail "$room has no process"
  done
  wait_until_recovered cave "$cave"
  wait_until_recovered town "$town"
  killed_rooms=$((killed_rooms + 2))
}
# replace_supervisor kill|owner|end: replaces the supervisor after a kill, by --take-over, or after an orderly end. The
# next supervisor restarts crashed rooms without the delay of the former supervisor.
replace_supervisor() {
  cave=$(count_recovered cave) town=$(count_recovered town)
  former=$server code=0
  case $1 in
    kill)
      kill -9 "$former"
      wait "$former" 2>/dev/null
      killed_supervisors=$((killed_supervisors + 1))
      serve --take-over ;;
    owner)
      # A second owner asks the first one, which answers at most 8 questions of an address per second: the bots must
      # have joined.
      wait_for_bots
      serve --take-over
      while kill -0 "$former" 2>/dev/null; do
        kill -0 "$server" 2>/dev/null || fail "the second owner has ended"
        sleep 0.1
      done
      wait "$former" || code=$?
      [ $code = 4 ] || fail "the former owner has ended with status $code"
      second_owners=$((second_owners + 1)) ;;
    end)
      stop || fail "the supervisor has ended with status $?"
      serve ;;
  esac
  wait_until_recovered cave "$cave"
  wait_until_recovered town "$town"
}

rm -f "$db" "$db-wal" "$db-shm" "$folder/world.key" out err
: >out
: >err
trap stop EXIT
trap 'exit 1' INT TERM
serve
wait_for_line 'room town: open'
wait_for_line 'room cave: open'
step=0
while [ $killed_rooms -lt "$rooms" ] || [ $killed_supervisors -lt "$supervisors" ] ||
  [ $second_owners -lt "$owners" ]; do
  step=$((step + 1))
  pause $step
  if [ $killed_rooms -lt "$rooms" ]; then kill_rooms; check; fi
  pause $((step + 100000))
  if [ $killed_supervisors -lt "$supervisors" ] && [ $killed_supervisors -le $second_owners ]; then
    replace_supervisor kill
  elif [ $second_owners -lt "$owners" ]; then
    replace_supervisor owner
  else
    replace_supervisor end
  fi
  check
done
pause 1
stop
trap - EXIT
check
ticks=$(awk '$2 == "tick" && !(($1, $3) in known) { known[$1, $3] = 1; ++count } END { print count + 0 }' out)
returns=$(grep -c 'is back' err)
if [ -n "$state" ] && [ -f "$state" ]; then
  read -r a _ _ _ b _ _ _ c _ _ d _ _ e _ <"$state"
  killed_rooms=$((killed_rooms + a)) killed_supervisors=$((killed_supervisors + b)) second_owners=$((second_owners + c))
  ticks=$((ticks + d)) returns=$((returns + e))
fi
totals="$killed_rooms kills of rooms, $killed_supervisors kills of supervisors, $second_owners second owners, "
totals="$totals$ticks committed ticks, $returns returns of players: no tick lost, all hashes equal"
[ -z "$state" ] || echo "$totals" >"$state"
echo "$totals"
