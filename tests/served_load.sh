# Measures a served world under load:
#
#   sh tests/served_load.sh PROGRAM [--bots N] [--entities N] [--seconds S] [--net RTT,JITTER,LOSS] [--folder FOLDER]
#                           [--sticks N] [--port P]
#
# One room at 30 Hz with moving entities (default: 10,000) and bots (32), on a simulated network (120ms,40ms,5%), for S
# seconds (60) after all bots have joined. The bots press keys, or move N sticks. Prints the median and the 99th percentile of the ticks, the traffic per bot
# and the size of the records, then kills the room and prints the time of its recovery.
program=$1
shift
bots=32 entities=10000 seconds=60 sticks= net=120ms,40ms,5% folder=${TMPDIR:-/tmp}/shoal-served-load
port=$((21000 + $$ * 7 % 25000))
while [ $# -gt 1 ]; do
  case $1 in
    --bots) bots=$2 ;; --entities) entities=$2 ;; --seconds) seconds=$2 ;; --net) net=$2 ;; --folder) folder=$2 ;;
    --sticks) sticks=$2 ;; --port) port=$2 ;;
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
return { drift = { x = 0.0, y = 0.0 }, score = shoal.types.single { shots = 0, x = 0.0 } }
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
      if input.pressed("fire", player.number) then score.shots = score.shots + 1 end
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
wait_for_line() { # wait_for_line FILE TEXT
  tries=$((limit_s * 10))
  until grep -q "$2" "$1"; do
    tries=$((tries - 1))
    { [ $tries -gt 0 ] && kill -0 "$server" 2>/dev/null; } || fail "no line: $2"
    sleep 0.1
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

"$program" serve game --db world.db --port "$port" --bots "$bots" ${sticks:+--sticks "$sticks"} --net-sim "$net" --log debug >out 2>err </dev/null &
server=$!
trap 'kill "$server" 2>/dev/null; wait "$server"' EXIT
trap 'exit 1' INT TERM
wait_for_line err "$bots of $bots bots play"
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
median() { sort -g "$1" | awk '{ v[NR] = $1 } END { printf "%.2f", v[int((NR + 1) / 2)] * 1000 }'; }
traffic=$(sed -n 's/.*bots: \([0-9.]*\) KB.s to a bot, \([0-9.]*\) KB.s from a bot.*/\1 \2/p' err |
  awk '{ to += $1; from += $2 } END { if (NR > 0) printf "%.2f %.2f", to / NR, from / NR }')
[ -n "$traffic" ] && [ -s p99 ] && [ -n "$begin" ] && [ -n "$end" ] || fail "measurements are missing"
players=$(metric players)
[ "$players" = "$bots" ] || fail "$players of $bots bots play at the end"
kill -9 "$(sed -n 's/^room town: starts (process \([0-9]*\)).*/\1/p' err | tail -n 1)"
wait_for_line err 'room town: recovered'
recovered=$(sed -n 's/.*room town: recovered \([0-9]*\) ticks after the snapshot in \([0-9]*\) ms.*/\1 \2/p' err |
  tail -n 1)
echo "$bots bots, $entities entities, $net, $seconds s:" \
  "tick $(median p50) ms, 99 % $(median p99) ms (median of seconds);" \
  "${traffic% *} KB/s to a bot, ${traffic#* } KB/s from a bot;" \
  "records $(awk -v kb=$((end - begin)) -v n=$((tick - first)) 'BEGIN { printf "%.2f", kb * 30 / n }') KB/s;" \
  "recovery of ${recovered% *} ticks in ${recovered#* } ms"
