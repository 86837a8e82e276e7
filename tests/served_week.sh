# Runs a served world for a week of its time in minutes, with crashes and changes of its code:
#
#   sh tests/served_week.sh PROGRAM [--hours N] [--crashes N] [--renames N] [--rate N] [--per-second N]
#                           [--db FILE|postgres] [--state FILE] [--folder FOLDER] [--port P]
#
# The town has N ticks per second of its time (--per-second, 1), and runs up to N ticks per second (--rate, 4,000). Four
# bots own purses. During the first half of the N hours (168), the processes of the room and of the world are killed N
# times (100). Meanwhile, one player leaves, N reloads (2) rename the field of the purse, and the player returns: the
# purse must have its value. The second half, if it has 12 hours, measures the room's memory, which at the end may be at
# most 1.05 times the memory after an hour and two snapshots. All proofs of snapshots must pass. Finally, a reload with
# a file-level local that keeps a value must be refused with its name. With --state, the next run continues the same
# world in FOLDER, and the file contains the totals, so that a week can be split over several runs. Prints the totals,
# or the first failure, and then exits with 1.
name=served_week hours=168 crashes=100 renames=2 rate=4000 per_second=1 db= state= folder= port=
target=${1-}
shift
while [ $# -gt 1 ]; do
  case $1 in
    --hours) hours=$2 ;; --crashes) crashes=$2 ;; --renames) renames=$2 ;; --rate) rate=$2 ;; --db) db=$2 ;; --state) state=$2 ;;
    --per-second) per_second=$2 ;; --folder) folder=$2 ;; --port) port=$2 ;;
    *) echo "unknown option $1" >&2; exit 2 ;;
  esac
  shift 2
done
. "$(dirname "$0")/served_lib.sh"
begin "$target" keep

# write_game FOLDER VERSION: each version renames the field coins_N of the purse.
write_game() {
  mkdir -p "$1/systems"
  cat >"$1/game.lua" <<END
return { title = "Week", id = "served_week", tick_rate = $rate, multiplayer = { players = { 1, 8 } },
  serve = { rooms = { town = { sleeps = false, players = 8 } } } }
END
  echo 'return { fire = { "key:f" } }' >"$1/input.lua"
  former=$([ "$2" = 0 ] || echo ", renamed_from = { coins_$2 = \"coins_$(($2 - 1))\" }")
  echo "return { purse = { coins_$2 = 5$former }, score = shoal.types.single { shots = 0, x = 0.0 } }" >"$1/components.lua"
  echo 'return { purse = { components = { purse = {} } } }' >"$1/assemblages.lua"
  cat >"$1/systems/town.lua" <<END
local function find_purse(player)
  for e in world.each { "owned", "purse" } do
    if e.owned.player == player then return e end
  end
end
return {
  on = { player_joined = function(ev)
    for i = 1, ev.count do
      local account, purse = 0, find_purse(ev.player[i])
      for _, player in ipairs(players.list()) do
        if player.number == ev.player[i] then account = player.account end
      end
      if purse then print("purse", account, purse.purse.coins_$2) end
      if not purse then
        world.spawn("purse", { owned = { player = ev.player[i] }, purse = { coins_$2 = account * 1000 } })
        print("new purse", account)
      end
    end
  end },
  update = function()
    local score = world.single.score
    score.x = score.x + world.random()
    if world.tick % 50 == 0 then world.spawn(nil, { transform = { x = score.x % 100 }, lifetime = { seconds = 0.2 } }) end
    for _, player in ipairs(players.list()) do
      if input.pressed("fire", player.number) then score.shots = score.shots + player.number end
    end
  end,
}
END
}

begin_world() { serve --log debug --take-over --bots "$1"; } # begin_world BOTS
tick() { sed -n 's/.*: beat \([0-9]*\) .*/\1/p' err | tail -n 1; }
has_tick() { [ "$(tick)" -ge "$1" ]; }
# wait_for_tick TICK: waits for at most $limit_s seconds per 2,000 ticks.
wait_for_tick() {
  now=$(tick)
  while [ "${now:-0}" -lt "$1" ]; do
    wait_until "the room does not run after tick $now" has_tick $((${now:-0} + 2000 < $1 ? ${now:-0} + 2000 : $1))
    now=$(tick)
  done
}
crash() {
  recoveries=$(count_lines out '^recovered: town ')
  kill -9 "$(room_process town)" || fail "the room has no process"
  kill -9 "$server"
  wait "$server" 2>/dev/null
  begin_world "$bots"
  wait_until "the room does not recover" has_lines out '^recovered: town ' $((recoveries + 1))
  crashed=$((crashed + 1))
  [ $((crashed % 4)) != 0 ] || change_bots "$bots" # an orderly end writes a snapshot, so that recoveries stay short
}
change_bots() { # change_bots COUNT: the last bots are then away
  stop || fail "the world has ended with status $code"
  bots=$1
  begin_world "$bots"
  wait_until "the bots do not play" play_all "$bots"
}
# reload ARGUMENTS…: with the output in the file `reload`.
reload() { "$program" world "$db" reload "$@" >reload 2>&1 </dev/null; }
rename_away() {
  change_bots 3
  for _ in $(seq 1 "$renames"); do
    version=$((version + 1))
    write_game "next_$version" $version
    reload "next_$version" --note "version $version" || fail "reload $version: $(tail -n 3 reload)"
    echo $version >version
    wait_for_tick $(($(tick) + rate))
  done
  purses=$(count_lines out 'purse.4.4000')
  change_bots 4
  wait_until "the player who was away has lost the purse: $(tail -n 3 err)" has_lines out 'purse.4.4000$' $((purses + 1))
}
memory_kb() { sed -n 's/^RssAnon:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$(room_process town)/status"; }
measure_memory() { # measure_memory TICKS
  first=$(tick) proofs=$(count_lines err 'proved the snapshot')
  wait_for_tick $((first + hour))
  wait_until "no snapshot is proved" has_lines err 'proved the snapshot' $((proofs + 2))
  process=$(room_process town)
  begin_kb=$(memory_kb)
  wait_for_tick $((first + $1))
  end_kb=$(memory_kb)
  [ "$(room_process town)" = "$process" ] || fail "the room has been restarted during the measurement"
  ratio=$(awk -v a="$begin_kb" -v b="$end_kb" 'BEGIN { printf "%.3f", b / a }')
  awk -v r="$ratio" 'BEGIN { exit r > 1.05 }' || fail "the memory has grown from $begin_kb KB to $end_kb KB"
}
# names_local: the file-level local of a changed system is named.
names_local() {
  write_game planted "$version"
  echo 'local hidden = 0 return { update = function() hidden = hidden + 1 world.single.score.x = hidden end }' \
    >planted/systems/hidden.lua
  ! reload planted --try || fail "a file-level local that keeps a value is accepted: $(cat reload)"
  has_line reload 'hidden.lua:1: .*hidden' || fail "the local is not named: $(cat reload)"
}

hour=$((3600 * per_second)) crashed=0 bots=4 version=0
[ ! -f version ] || version=$(cat version)
[ -f game/game.lua ] || write_game game 0
begin_world 4
wait_until "the bots do not play" play_all 4
begin_tick=$(tick)
half=$((hours * hour / 2))
for i in $(seq 1 "$crashes"); do
  wait_for_tick $((begin_tick + half * i / (crashes + 1)))
  [ "$i" != $(((crashes + 1) / 2)) ] || rename_away
  crash
  check_log
done
wait_until "the bots do not play" play_all 4
ratio=0
if [ "$hours" -ge 24 ]; then measure_memory "$half"; else wait_for_tick $((begin_tick + 2 * half)); fi
check_log
names_local
end_tick=$(tick)
stop || fail "the world has ended with status $code"
check_log
[ "$hours" -lt 24 ] || has_lines err 'proved the snapshot' 1 || fail "no snapshot was proved"
total ticks $((end_tick - begin_tick))
total crashes "$crashed"
total reloads "$renames"
total proofs "$(count_lines err 'proved the snapshot')"
maximum memory "$ratio"
print_totals "%d ticks of a town with $((24 * hour)) ticks a day, %d crashes, %d renames while a player was away, %d proofs: \
nothing lost; memory at most %.3f of that after an hour; a planted local was named" ticks crashes reloads proofs memory
