# Cuts a served world off from its database, and checks that no committed tick is lost and that no tick is delayed:
#
#   sh tests/served_cuts.sh PROGRAM [--cuts N] [--longest S] [--delay MS] [--db FILE|postgres] [--state FILE]
#                           [--folder FOLDER] [--port P]
#
# Two rooms and six bots. Each of N cuts lasts 2 to S seconds (30): another program locks the file, or all processes of
# PostgreSQL (`--db postgres` starts a server) are stopped. In every second cut, the process of a room is killed. The
# rooms pause after 2 s, and resume. The delays of ticks in the first seconds of the cuts are compared with the delays
# before the cuts, because other programs also delay ticks: the medians may differ by at most MS (1). With --state, adds
# the totals to the file, so that a campaign can be split over several runs. Prints the totals, or the first failure,
# and then exits with 1.
name=served_cuts cuts=1 longest=30 delay=1 db= state= folder= port=
target=${1-}
shift
while [ $# -gt 1 ]; do
  case $1 in
    --cuts) cuts=$2 ;; --longest) longest=$2 ;; --delay) delay=$2 ;; --db) db=$2 ;; --state) state=$2 ;; --folder) folder=$2 ;;
    --port) port=$2 ;;
    *) echo "unknown option $1" >&2; exit 2 ;;
  esac
  shift 2
done
. "$(dirname "$0")/served_lib.sh"
begin "$target"

cat >game/game.lua <<'END'
return { title = "Cuts", id = "served_cuts", tick_rate = 30, multiplayer = { players = { 1, 4 } },
  serve = { rooms = { cave = { sleeps = false, players = 3 }, town = { sleeps = false, players = 3 } } } }
END
echo 'return { fire = { "key:f" }, move = { negative = { "key:a" }, positive = { "key:d" } } }' >game/input.lua
echo 'return { score = shoal.types.single { shots = 0, x = 0.0 } }' >game/components.lua
cat >game/systems/play.lua <<'END'
return {
  update = function()
    local score = world.single.score
    score.x = score.x + world.random()
    for _, player in ipairs(players.list()) do
      if input.pressed("fire", player.number) then score.shots = score.shots + player.number end
      score.x = score.x + input.axis("move", player.number)
    end
  end,
}
END

# cut: the database does not answer until `mend`.
cut() {
  if [ -n "$postgres" ]; then
    sh "$tests/scenarios/lib/postgres.sh" cut "$postgres"
    return
  fi
  rm -f lock locked
  mkfifo lock
  sqlite3 "$db" <lock >locked 2>&1 &
  locker=$!
  exec 9>lock
  printf ".timeout 20000\nBEGIN IMMEDIATE;\nSELECT 'locked';\n" >&9
  wait_until "the file cannot be locked" test -s locked
  has_line locked '^locked$' || fail "the file cannot be locked: $(cat locked)"
}
mend() {
  if [ -n "$postgres" ]; then
    sh "$tests/scenarios/lib/postgres.sh" mend "$postgres"
    return
  fi
  exec 9>&-
  wait $locker
}
# list_delays FIRST LAST: prints the longest delay in ms of each second in which rooms ran, from these lines of `err`.
# The line of a beat contains the ticks so far, players, durations, the number of late ticks, and this delay in µs.
list_delays() {
  sed -n "$1,$2s/.* room \([a-z]*\): beat /\1 /p" err |
    awk '($1 in tick) && $2 - tick[$1] >= 20 { print $7 / 1000 } { tick[$1] = $2 }'
}
quantile() { sort -g "$1" | awk -v q="$2" '{ v[NR] = $1 } END { printf "%.2f", NR ? v[int((NR - 1) * q) + 1] : 0 }'; }
count_lines_of_log() { wc -l <err; }

run_cut() { # run_cut NUMBER SECONDS
  wait_for_lines 6 err ': beat '
  before=$(count_lines_of_log)
  cut
  first=$(count_lines_of_log)
  list_delays $((before - 40 > 1 ? before - 40 : 1)) "$before" >>delays_before
  pauses=$(count_lines err 'pauses until the database answers')
  victim=
  if [ $(($1 % 2)) = 0 ]; then
    victim=$([ $(($1 % 4)) = 0 ] && echo cave || echo town)
    recovered=$(count_lines out "^recovered: $victim ")
    wait_for_lines 1 err ": beat "
    kill -9 "$(room_process $victim)"
    killed=$((killed + 1))
  fi
  sleep "$2"
  list_delays "$first" "$(count_lines_of_log)" >>delays_during
  mend
  [ -z "$victim" ] || wait_until "$victim does not recover" has_lines out "^recovered: $victim " $((recovered + 1))
  # Whether a room pauses during a cut of about 2 s depends on its latest commit.
  [ "$2" -lt 4 ] || has_lines err 'pauses until the database answers' $((pauses + 1)) || fail "no room has paused"
  for room in cave town; do wait_for_lines 60 out "^$room tick "; done
  check_hashes
}

killed=0 seconds=0 seed=$(date +%s)
serve --bots 6 --hash every=1 --log debug
wait_until "the bots do not play" play_all 6
: >delays_before
: >delays_during
for i in $(seq 1 "$cuts"); do
  length=$(random $((seed + i)) 2 "$longest")
  run_cut "$i" "$length"
  seconds=$((seconds + length))
done
wait_until "the bots do not play" play_all 6
stop || fail "the world has ended with status $code"
check_hashes
usual=$(quantile delays_before 0.5) median=$(quantile delays_during 0.5)
[ -s delays_before ] && [ -s delays_during ] || fail "no delays were measured"
awk -v a="$usual" -v b="$median" -v d="$delay" 'BEGIN { exit b > a + d }' ||
  fail "the median of the longest delays of a second is $median ms in cuts, and $usual ms before them"
total cuts "$cuts"
total seconds "$seconds"
total kills "$killed"
total ticks "$(count_ticks)"
maximum usual "$usual"
maximum median "$median"
print_totals "%d cuts of the database, %d s, %d kills meanwhile, %d committed ticks: no tick lost, all hashes equal; \
median of the longest delay of a second: before %.2f ms, in cuts %.2f ms (largest of the runs)" cuts seconds kills \
  ticks usual median
