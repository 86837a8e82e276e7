# Measures a served world with many rooms, and checks that no bot is dropped:
#
#   sh tests/served_crowd.sh PROGRAM [--rooms N] [--bots N] [--seconds S] [--limit MS] [--db FILE|postgres]
#                            [--state FILE] [--folder FOLDER] [--port P]
#
# N rooms (25) at 30 Hz with N bots (20) each and 1,000 moving entities run for S seconds (600) after all bots have
# joined. In each second, each room must have all its bots. The median of the 99th percentiles of the ticks of a second
# must be at most MS (8). With --state, adds the totals to the file, so that a measurement can be split over several
# runs. Prints the totals, or the first failure, and then exits with 1.
name=served_crowd rooms=25 bots=20 seconds=600 limit=8 db= state= folder= port=
target=${1-}
shift
while [ $# -gt 1 ]; do
  case $1 in
    --rooms) rooms=$2 ;; --bots) bots=$2 ;; --seconds) seconds=$2 ;; --limit) limit=$2 ;; --db) db=$2 ;;
    --state) state=$2 ;; --folder) folder=$2 ;; --port) port=$2 ;;
    *) echo "unknown option $1" >&2; exit 2 ;;
  esac
  shift 2
done
. "$(dirname "$0")/served_lib.sh"
begin "$target"

cat >game/game.lua <<END
return { title = "Crowd", id = "served_crowd", tick_rate = 30, multiplayer = { players = { 1, 8 } },
  serve = { rooms = { town = { sleeps = false, count = $rooms, players = $bots } } } }
END
echo 'return { fire = { "key:f" }, move = { negative = { "key:a" }, positive = { "key:d" } } }' >game/input.lua
echo 'return { drift = { x = 0.0 }, score = shoal.types.single { shots = 0, x = 0.0 } }' >game/components.lua
cat >game/systems/drift.lua <<'END'
return {
  query = { "transform", "drift" },
  each = function(e) e.transform.x = (e.transform.x + e.drift.x) % 1000 end,
}
END
cat >game/systems/play.lua <<'END'
return {
  start = function()
    for _ = 1, 1000 do
      world.spawn(nil, { transform = { x = world.random() * 1000 }, drift = { x = world.random() - 0.5 } })
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

all=$((rooms * bots))
serve --log debug --bots "$all"
wait_until "not all bots play" play_all "$all"
# The beats of a second that began before the last bot joined are skipped.
wait_for_lines $((rooms * 2)) err ': beat '
first=$(wc -l <err)
for _ in $(seq 1 "$seconds"); do wait_for_lines "$rooms" err ': beat '; done
tail -n "+$((first + 1))" err >measured
dropped=$(count_lines measured 'lost the connection\|player [0-9]* left')
[ "$dropped" = 0 ] || fail "$dropped bots were dropped: $(grep 'lost the connection\|left' measured | head -n 1)"
sed -n 's/.*: beat //p' measured | awk '{ print $2, $3 / 1000, $4 / 1000 }' >beats
awk -v n="$bots" '$1 != n { print; exit 1 }' beats >short || fail "a room has $(cut -d ' ' -f 1 short) of $bots bots"
quantile() { cut -d ' ' -f "$1" beats | sort -g | awk -v q="$2" '{ v[NR] = $1 } END { printf "%.2f", v[int((NR - 1) * q) + 1] }'; }
usual=$(quantile 2 0.5) median=$(quantile 3 0.5) top=$(quantile 3 0.99)
awk -v m="$median" -v l="$limit" 'BEGIN { exit m > l }' || fail "the 99th percentile of the ticks of a second is $median ms"
stop || fail "the world has ended with status $code"
check_log
total seconds "$seconds"
total beats "$(wc -l <beats)"
maximum usual "$usual"
maximum median "$median"
maximum top "$top"
print_totals "$rooms rooms of $bots bots, %d s, %d seconds of rooms: no bot dropped; tick %.2f ms, 99 %% %.2f ms \
(medians of seconds), in 99 %% of the seconds at most %.2f ms" seconds beats usual median top
