# Machines of a match, sourced after tests/lib.sh. The files of the machine NAME are in the current folder: NAME.out,
# NAME.err and, once it has exited, its exit status in NAME.status.

limit_s=$((30 * SLOW / 10)) # seconds after which a machine is stopped

press() { # press FILE TITLE TICKS SEED [KEYS]: writes a recording of these key presses, or of random ones
  luajit "$root/tests/scenarios/lib/random_input.lua" "$1" "$3" "$4" "$2" ${5+"$5"} || fail "cannot generate key presses"
}

# forget NAME…: empties the files of machines, so that a test finds no earlier line. Machines that a test forgets while
# they run must append to these files: their next line would otherwise follow zero bytes.
forget() {
  for machine; do
    rm -f "$machine.status"
    : >"$machine.out"
    : >"$machine.err"
  done
}

start() { # start NAME PROGRAM ARGUMENTS…: starts a machine in the background
  name=$1
  shift
  forget "$name"
  (
    code=0
    timeout -k 2 $limit_s "$@" --headless --hash >>"$name.out" 2>>"$name.err" </dev/null || code=$?
    echo $code >"$name.status"
  ) &
}
has_line() { grep -q -- "$2" "$1"; }
has_ended() { [ -s "$1.status" ]; }
listens_or_ended() { has_line host.out '^listening: ' || has_ended host; }

host() { # host PROGRAM ARGUMENTS…: starts a host, and sets $address
  start host "$@" --host --port 0
  wait_for 20 listens_or_ended
  has_line host.out '^listening: ' || fail "no address: $(cat host.out host.err)"
  address=127.0.0.1:$(sed -n 's/^listening: .*://p' host.out)
}

ends_with() { # ends_with STATUS NAME…: waits for the machines, and compares their exit statuses
  expected=$1
  shift
  for machine; do # wait_for multiplies its seconds by SLOW / 25
    wait_for $((limit_s * 25 / SLOW + 5)) has_ended "$machine" ||
      fail "$machine does not exit: $(tail -n 3 "$machine.err")"
    [ "$(cat "$machine.status")" = "$expected" ] ||
      fail "$machine: exit status $(cat "$machine.status"): $(tail -n 4 "$machine.err" "$machine.out")"
  done
}

agree() { # agree TICK NAME…: the last line of each machine is the same, of this tick
  tick=$1
  shift
  ends_with 0 "$@"
  last=$(tail -n 1 "$1.out")
  for machine; do
    [ "$(tail -n 1 "$machine.out")" = "$last" ] || fail "$machine: $(tail -n 1 "$machine.out"), expected $last"
    ! grep -q '^desync' "$machine.out" || fail "$machine: $(grep '^desync' "$machine.out")"
  done
  case $last in "tick $tick hash "*) ;; *) fail "$1: $last" ;; esac
}

# ---- rooms of a served world

# freeze DB PROCESS…: stops processes with SIGSTOP at a moment when none of them locks the database, a file, because no
# other process could write to it until they continue.
freeze() {
  database=$1
  shift
  for _ in $(seq 100); do
    kill -STOP "$@"
    sqlite3 -cmd '.timeout 1000' "$database" 'BEGIN IMMEDIATE; ROLLBACK' 2>/dev/null && return
    kill -CONT "$@"
    sleep 0.05
  done
  fail "the database is locked"
}

committed_tick() { # committed_tick DB ROOM: prints the room's last committed tick
  "$release" world "$1" status | sed -n "s/^$2  *[a-z]*  *[0-9]*  *\([0-9]*\) .*/\1/p" | head -n 1
}
has_committed() { [ "$(committed_tick "$1" "$2")" -gt "$3" ]; } # has_committed DB ROOM TICK

# wait_until_committed DB ROOM: waits until the database contains everything that the room has done before the call. The
# first commit after the call may have begun before it, so a second commit must follow.
wait_until_committed() {
  for _ in 1 2; do
    committed=$(committed_tick "$1" "$2")
    wait_for 10 has_committed "$1" "$2" "${committed:-0}" || fail "$2 commits nothing after tick $committed"
  done
}

# wait_for_lines FILE PATTERN COUNT: waits until COUNT more lines of the file match.
wait_for_lines() {
  count=$(($(grep -c -- "$2" "$1") + $3))
  wait_for 20 has_lines "$1" "$2" $count || fail "$(grep -c -- "$2" "$1") of $count lines $2: $(tail -n 3 "$1")"
}
has_lines() { [ "$(grep -c -- "$2" "$1")" -ge "$3" ]; }

# ---- network namespaces (namespaces.sh)

needs_namespaces() {
  skip_without ip
  unshare -rn ip link add va type veth peer name vb 2>/dev/null ||
    skip "network namespaces with virtual interfaces are not permitted"
}

# in_namespace NAME PROGRAM ARGUMENTS…: writes the script of the machine `host`, `joiner.1`, `joiner.2` … A joiner starts
# once the host listens; its arguments may contain $printed_address and $port, which its script evaluates.
printed_address='$(sed -n "s/^listening: //p" host.out)'
port='$(sed -n "s/^listening: .*://p" host.out)'
in_namespace() {
  name=$1
  shift
  {
    [ "$name" = host ] || echo "wait_for $limit_s sh -c \"grep -q '^key: ' host.out || [ -s host.status ]\""
    echo "timeout $limit_s $* --headless --no-watch --hash >$name.out 2>$name.err"
    echo "echo \$? >$name.status"
  } >"$name"
}

play_in_namespaces() { # play_in_namespaces JOINERS [LOSS]: runs the scripts of the host and of this number of joiners
  : >host.out
  rm -f ./*.status
  unshare -rn sh "$root/tests/scenarios/lib/namespaces.sh" "$@" >namespaces.log 2>&1 || fail "$(cat namespaces.log)"
}
