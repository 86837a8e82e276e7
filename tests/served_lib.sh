# Functions of the programs that serve a world for a long time (served_moves.sh, served_cuts.sh, served_week.sh).
# Sourced by scripts that have set `name` and the defaults of their options. Each function may end the script with
# `fail`. Files in the current folder: `out` and `err`, the output of all supervisors; `totals`, the sums of this run.

# begin PROGRAM [keep]: checks the program and changes to $folder, which is emptied unless `keep` is given and $state
# exists. Sets $program to its absolute path.
begin() {
  [ -x "$1" ] || { echo "$name: $1 is not a program" >&2; exit 2; }
  tests=$(cd "$(dirname "$0")" && pwd)
  program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
  : "${folder:=${TMPDIR:-/tmp}/shoal-$name}" "${port:=$((21000 + $$ * 7 % 25000))}" "${db:=world.db}"
  case ${state:-/} in /*) ;; *) state=$PWD/$state ;; esac
  [ "${2-}" = keep ] && [ -n "$state" ] && [ -f "$state" ] || rm -rf "$folder"
  mkdir -p "$folder/game/systems" && cd "$folder" || exit 2
  limit_s=$((120 * ${SLOW:-100} / 100)) # a busy machine is slow
  server= postgres=
  : >out
  : >err
  : >totals
  trap finish EXIT
  trap 'exit 1' INT TERM
  [ "$db" != postgres ] || start_postgres
}
finish() {
  stop >/dev/null 2>&1
  [ -z "$postgres" ] || sh "$tests/scenarios/lib/postgres.sh" stop "$postgres"
  [ -z "$postgres" ] || rm -rf "$postgres"
}
# start_postgres: starts a server in memory, which ends with this process. Sets $db to its address.
start_postgres() {
  postgres=$(mktemp -d /dev/shm/shoal_postgres_XXXXXX || mktemp -d)
  db=$(sh "$tests/scenarios/lib/postgres.sh" start "$postgres" $$) || { echo "$name: $db" >&2; exit 2; }
}
fail() {
  echo "$name: $*"
  tail -n 5 err
  exit 1
}

# serve [OPTIONS]: starts a supervisor; sets $server to its process and $first_line to the number of its first line in
# `err`
serve() {
  first_line=$(($(wc -l <err) + 1))
  "$program" serve game --db "$db" --port "$port" "$@" >>out 2>>err </dev/null &
  server=$!
}
stop() { # stop: ends the world, and waits for its end
  [ -n "$server" ] || return 0
  kill "$server" 2>/dev/null
  code=0
  wait "$server" || code=$?
  server=
  return $code
}
# wait_until PROBLEM COMMAND…: retries the command every 50 ms. Fails with the problem after $limit_s seconds, or if
# the supervisor has ended.
wait_until() {
  problem=$1
  shift
  tries=$((limit_s * 20))
  until "$@"; do
    tries=$((tries - 1))
    { [ $tries -gt 0 ] && kill -0 "$server" 2>/dev/null; } || fail "$problem"
    sleep 0.05
  done
}
has_line() { grep -q -- "$2" "$1"; } # has_line FILE PATTERN
count_lines() { grep -c -- "$2" "$1" || true; }
has_lines() { [ "$(count_lines "$1" "$2")" -ge "$3" ]; } # has_lines FILE PATTERN COUNT
# wait_for_lines COUNT FILE PATTERN: waits until this many more lines of the file match.
wait_for_lines() { wait_until "no further $1 lines: $3" has_lines "$2" "$3" $(($(count_lines "$2" "$3") + $1)); }
# play_all COUNT: succeeds if all bots of the current supervisor play.
play_all() { [ "$(tail -n "+$first_line" err | grep "of $1 bots play" | tail -n 1)" = "$1 of $1 bots play" ]; }
room_process() { sed -n "s/^room $1: starts (process \([0-9]*\)).*/\1/p" err | tail -n 1; }
query() { # query SQL: prints the rows of the database, with | between their columns
  case $db in
    postgres://*) psql -X -q -A -t "$db" -c "$1" ;;
    *) sqlite3 -cmd '.timeout 20000' "$db" "$1" ;;
  esac
}
random() { awk -v seed="$1" -v min="$2" -v max="$3" 'BEGIN { srand(seed); print int(min + rand() * (max - min + 1)) }'; }

# check_hashes: fails if a room has lost a committed tick, or if a tick has two hashes, or if a room or a proof has
# failed. Requires --hash every=1. A room that wakes changes its state between two ticks, so a recovery that runs no
# tick has a different hash after the last tick of the former process.
check_hashes() {
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
  check_log
}
check_log() {
  ! grep 'recovery differs\|proof .* has failed\|cannot start\|does not respond\|stale\|dropped' err >problems ||
    fail "$(head -n 1 problems)"
}
count_ticks() { awk '$2 == "tick" && !(($1, $3) in known) { known[$1, $3] = 1; ++n } END { print n + 0 }' out; }

# total NAME VALUE: adds the value to this sum. maximum NAME VALUE: keeps the largest value.
total() { echo "$1 + $2" >>totals; }
maximum() { echo "$1 m $2" >>totals; }
# print_totals FORMAT NAME…: adds this run to the file $state, and prints the sums of all runs with this format.
print_totals() {
  format=$1
  shift
  [ -z "$state" ] || [ ! -f "$state" ] || cat "$state" >>totals
  awk '$2 == "+" { sum[$1] += $3 } $2 == "m" && $3 > top[$1] { top[$1] = $3 }
    END { for (n in sum) print n, "+", sum[n]; for (n in top) print n, "m", top[n] }' totals | sort >sums
  [ -z "$state" ] || cp sums "$state"
  values=
  for value; do values="$values $(sed -n "s/^$value [+m] //p" sums)"; done
  # shellcheck disable=SC2086,SC2059
  printf "$format\n" $values
}
