# Measures a served world under load:
#
#   sh tests/served_load.sh PROGRAM [--bots N] [--entities N] [--seconds S] [--net RTT,JITTER,LOSS] [--folder FOLDER]
#                           [--sticks N] [--port P] [--hostile N] [--turns N] [--limit MS] [--play-limit MS]
#
# One room at 30 Hz with moving entities (default: 10,000) and bots (32), on a simulated network (120ms,40ms,5%), for S
# seconds (60) after all bots have joined. The bots press keys, or move N sticks. Prints the median and the 99th
# percentile of the ticks, the traffic per bot and the size of the records, then kills the room and prints the time of
# its recovery, and the time from the kill until a bot's press takes effect again. With --play-limit MS, it fails if the
# latter is longer.
#
# With --hostile N, N of the bots attack the room (engine/docs/served_worlds.md). The same load runs alternately without
# and with them, as often as --turns says (3), and the script prints the medians of both. With hostile bots, it fails if
# the 99th percentile of the ticks is longer by more than --limit ms (1), if an honest bot was dropped, if the median of
# the longest silences (no datagram for a bot, in intervals of 2 s) is longer by a second, or if the room has not
# limited an attack. On a busy machine, only the CPU times can be compared. All bots share one process, so hostile bots
# also delay the other bots on such a machine.
program=$1
shift
bots=32 entities=10000 seconds=60 sticks= hostile= turns=3 limit=1 play_limit= net=120ms,40ms,5%
folder=${TMPDIR:-/tmp}/shoal-served-load
port=$((21000 + $$ * 7 % 25000))
while [ $# -gt 1 ]; do
  case $1 in
    --bots) bots=$2 ;; --entities) entities=$2 ;; --seconds) seconds=$2 ;; --net) net=$2 ;; --folder) folder=$2 ;;
    --sticks) sticks=$2 ;; --port) port=$2 ;; --hostile) hostile=$2 ;; --turns) turns=$2 ;; --limit) limit=$2 ;;
    --play-limit) play_limit=$2 ;;
    *) echo "unknown option $1" >&2; exit 2 ;;
  esac
  shift 2
done
[ -x "$program" ] || { echo "served_load: $program is not a program" >&2; exit 2; }
program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")
rm -rf "$folder"
mkdir -p "$folder/game/systems" && cd "$folder" || exit 2
limit_s=$((60 * ${SLOW:-100} / 100))

cat >game/game.lua <<'END'
return { title = "Load", id = "served_load", tick_rate = 30, multiplayer = { players = { 1, 8 } },
  serve = { rooms = { town = { sleeps = false, players = 32 } } } }
END
if [ -n "$sticks" ]; then # actions are sorted by name, and the axes must be the first
  echo 'return { a1 = { axis = "pad:leftx" }, a2 = { axis = "pad:lefty" }, a3 = { axis = "pad:rightx" },
    a4 = { axis = "pad:righty" }, fire = { "key:f" },
    move = { negative = { "key:a" }, positive = { "key:d" } } }'
else
  echo 'return { fire = { "key:f" }, jump = { "key:j" }, move = { negative = { "key:a" }, positive = { "key:d" } } }'
fi >game/input.lua
cat >game/components.lua <<'END'
return { drift = { x = 0.0, y = 0.0 }, score = shoal.types.single { shots = 0, printed = 0, x = 0.0 } }
END
cat >game/systems/drift.lua <<'END'
return {
  query = { "transform", "drift" },
  each = function(e)
    local x, y = e.transform.x + e.drift.x, e.transform.y + e.drift.y
    if x < 0 or x > 1000 then e.drift.x = -e.drift.x end
    if y < 0 or y > 1000 then e.drift.y = -e.drift.y end
    e.transform.x, e.transform.y = x, y
  end,
}
END
cat >game/systems/play.lua <<END
return {
  start = function()
    for _ = 1, $entities do
      world.spawn(nil, { transform = { x = world.random() * 1000, y = world.random() * 1000 },
        drift = { x = world.random() - 0.5, y = world.random() - 0.5 } })
    end
  end,
  update = function()
    local score = world.single.score
    for _, player in ipairs(players.list()) do
      if input.pressed("fire", player.number) then
        score.shots = score.shots + 1
        if world.tick >= score.printed + 3 then
          score.printed = world.tick
          print("shot", world.tick)
        end
      end
      score.x = score.x + input.axis("move", player.number)
    end
  end,
}
END

fail() {
  echo "served_load: $1"
  tail -n 5 err
  exit 1
}
wait_for_line() { wait_for_more "$1" "$2" 0; } # wait_for_line FILE TEXT
wait_for_more() { # wait_for_more FILE TEXT COUNT: waits for more than COUNT lines; polls often, as times are measured
  tries=$((limit_s * 50))
  until [ "$(grep -c "$2" "$1")" -gt "$3" ]; do
    tries=$((tries - 1))
    { [ $tries -gt 0 ] && kill -0 "$server" 2>/dev/null; } || fail "no line: $2"
    sleep 0.02
  done
}
wait_for_tick() { # wait_for_tick TICK
  tries=$((limit_s * 10))
  until [ "$(metric tick)" -ge "$1" ]; do
    tries=$((tries - 1))
    { [ $tries -gt 0 ] && kill -0 "$server" 2>/dev/null; } || fail "the room does not reach tick $1"
    sleep 0.1
  done
}
kb_of_records() { "$program" world world.db status | sed -n 's/^town .* \([0-9]*\) KB *[0-9]* KB .*/\1/p'; }
metric() { sed -n "s/^shoal_room_$1{room=\"town\"} //p" world.prom; }

# serve_bots [OPTIONS]: starts the world, and waits until all honest bots play
serve_bots() {
  "$program" serve game --db world.db --port "$port" --bots "$bots" ${sticks:+--sticks "$sticks"} --net-sim "$net" \
    --log debug "$@" >out 2>err </dev/null &
  server=$!
  wait_for_line err '^\([0-9]*\) of \1 bots play'
}
trap 'kill "$server" 2>/dev/null; wait "$server"' EXIT
trap 'exit 1' INT TERM
# median FILE [FACTOR]: prints the median of the file's numbers, multiplied by FACTOR (1)
median() {
  sort -g "$1" | awk -v factor="${2:-1}" '{ v[NR] = $1 } END { printf "%.2f\n", v[int((NR + 1) / 2)] * factor }'
}

# --- hostile bots

cpu_of() { awk '{ print $14 + $15 }' "/proc/$1/stat"; } # cpu_of PROCESS: its CPU time in units of 10 ms
# measure_turn NAME [OPTIONS]: runs the load once, and adds a line to each of these files: NAME.p99, NAME.cpu and
# NAME.delay (medians of the seconds in ms), NAME.share (percent of a core that the room uses), NAME.silence (longest
# silence of 2 s in ms, median), and NAME.traffic (KB/s to an honest bot). Appends the log to NAME.log.
measure_turn() {
  turn=$1
  shift
  rm -f world.*
  serve_bots "$@"
  first=$(wc -l <err)
  room=$(sed -n 's/^room town: starts (process \([0-9]*\)).*/\1/p' err | tail -n 1)
  cpu_before=$(cpu_of "$room")
  tries=$((seconds * 10 + limit_s * 10))
  until [ "$(tail -n "+$((first + 1))" err | grep -c ': beat ')" -ge "$seconds" ]; do
    tries=$((tries - 1))
    { [ $tries -gt 0 ] && kill -0 "$server" 2>/dev/null; } || fail "the room sends no beats"
    sleep 0.1
  done
  echo $((($(cpu_of "$room") - cpu_before) / seconds)) >>"$turn.share"
  tail -n "+$((first + 1))" err >measured
  cat err >>"$turn.log"
  kill "$server"
  wait "$server" || fail "the world has ended with status $?"
  ! grep '^bot [0-9]* has lost the connection' measured >lost || fail "$(head -n 1 lost)"
  ! grep -q 'desync of player\|crashed\|killed\|does not respond' measured || fail "see $folder/measured"
  # beat TICK PLAYERS P50 P99 LATE MAX_DELAY …
  sed -n 's/.*: beat //p' measured | awk '{ print $4 / 1000 >"p99"; print $6 / 1000 >"delay" }'
  sed -n 's/.*CPU time of ticks: .* 99 % \([0-9]*\) us.*/\1/p' measured | awk '{ print $1 / 1000 }' >cpu
  median cpu >>"$turn.cpu"
  median p99 >>"$turn.p99"
  median delay >>"$turn.delay"
  sed -n 's/.*longest silence \([0-9]*\) ms.*/\1/p' measured >silences
  median silences >>"$turn.silence"
  sed -n 's/.*bots: \([0-9.]*\) KB.s to a bot.*/\1/p' measured >traffic
  median traffic >>"$turn.traffic"
}
# expect_limit NAME PATTERN: fails unless a log line of the turns with hostile bots matches PATTERN.
expect_limit() { grep -q "$2" hostile.log || fail "no limit for $1: see $folder/hostile.log"; }

if [ -n "$hostile" ]; then
  rm -f ./*.p99 ./*.delay ./*.silence ./*.traffic ./*.cpu ./*.share ./*.log
  for _ in $(seq 1 "$turns"); do
    measure_turn honest
    measure_turn hostile --hostile "$hostile"
  done
  expect_limit "false desyncs" 'closed the connection.*: the state differs too often'
  expect_limit "malformed messages" 'closed the connection.*: malformed message'
  echo "$hostile of $bots bots hostile, $entities entities, $net, $seconds s, $turns turns:" \
    "99 % of the ticks $(median honest.p99) ms without, $(median hostile.p99) ms with them," \
    "of their CPU time $(median honest.cpu) ms, $(median hostile.cpu) ms;" \
    "the room $(median honest.share) % of a core, $(median hostile.share) %;" \
    "longest delay of a second $(median honest.delay) ms, $(median hostile.delay) ms;" \
    "longest silence of 2 s $(median honest.silence) ms, $(median hostile.silence) ms;" \
    "$(median honest.traffic) KB/s to a bot, $(median hostile.traffic) KB/s;" \
    "$(grep -c 'closed the connection' hostile.log) lines about closed sessions"
  awk -v a="$(median honest.p99)" -v b="$(median hostile.p99)" -v l="$limit" 'BEGIN { exit b - a > l }' ||
    fail "hostile bots delay the ticks by more than $limit ms"
  [ "$(median hostile.silence | cut -d . -f 1)" -lt $(($(median honest.silence | cut -d . -f 1) + 1000)) ] ||
    fail "hostile bots delay the datagrams to the other bots"
  exit 0
fi

# --- one run

serve_bots
: >p99
: >p50
wait_for_tick $(($(metric tick) + 1)) # the metrics are written every 10 s
begin=$(kb_of_records)
first=$(metric tick)
tick=$first
while [ "$tick" -lt $((first + seconds * 30)) ]; do
  wait_for_tick $((tick + 1))
  tick=$(metric tick)
  metric tick_p99_seconds >>p99
  metric tick_p50_seconds >>p50
done
end=$(kb_of_records)
traffic=$(sed -n 's/.*bots: \([0-9.]*\) KB.s to a bot, \([0-9.]*\) KB.s from a bot.*/\1 \2/p' err |
  awk '{ to += $1; from += $2 } END { if (NR > 0) printf "%.2f %.2f", to / NR, from / NR }')
[ -n "$traffic" ] && [ -s p99 ] && [ -n "$begin" ] && [ -n "$end" ] || fail "measurements are missing"
players=$(metric players)
[ "$players" = "$bots" ] || fail "$players of $bots bots play at the end"
opened=$(grep -c 'room town: open' err)
kill -9 "$(sed -n 's/^room town: starts (process \([0-9]*\)).*/\1/p' err | tail -n 1)"
killed_ms=$(date +%s%3N)
wait_for_line err 'room town: recovered'
wait_for_more err 'room town: open' "$opened"
shots=$(grep -c '^town: shot' out) # the recovery prints the shots since the snapshot again
wait_for_more out '^town: shot' "$shots"
played_ms=$(($(date +%s%3N) - killed_ms))
recovered=$(sed -n 's/.*room town: recovered \([0-9]*\) ticks after the snapshot in \([0-9]*\) ms.*/\1 \2/p' err |
  tail -n 1)
echo "$bots bots, $entities entities, $net, $seconds s:" \
  "tick $(median p50 1000) ms, 99 % $(median p99 1000) ms (median of seconds);" \
  "${traffic% *} KB/s to a bot, ${traffic#* } KB/s from a bot;" \
  "records $(awk -v kb=$((end - begin)) -v n=$((tick - first)) 'BEGIN { printf "%.2f", kb * 30 / n }') KB/s;" \
  "recovery of ${recovered% *} ticks in ${recovered#* } ms; a press takes effect $played_ms ms after the kill"
[ "$played_ms" -le "${play_limit:-$played_ms}" ] || fail "a press takes effect later than $play_limit ms after the kill"
