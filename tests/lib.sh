# What the shell tests share; sourced. A suite is named after its file, or as `suite` says, and prints a line for each
# test, `ok NAME`, `not ok NAME: why` or `skipped NAME: why`; tests/run counts them. FILTER in the environment picks
# tests by a part of "suite: name", a line for each, TMP is a folder of the suite's own that the driver removes; LONG
# asks for the long form.
#
# At its head a suite says what is built for it, `# needs: release sanitize`, and nothing else is: a configuration means
# its program, `release/mutate` another one.

LONG=${LONG-}
SLOW=${SLOW:-100} SLOW_CPU=${SLOW_CPU:-100} # see tests/run
newline='
'
suite=${suite:-$(basename "$0" .sh)}
root=$(cd "$(dirname "$0")" && while [ ! -e shoal ]; do cd ..; done && pwd)
tmp=${TMP:-/tmp/shoal$(echo "$root" | tr / -)/$suite} # by hand, it stays there to be looked at
mkdir -p "$tmp"

needs=$(sed -n 's/^# needs: //p' "$0")
bin() { # bin CONFIG [NAME]: the path of a program
  case " $needs " in
    *" $1${2+/$2} "*) echo "$root/build/$1/bin/${2-shoal}" ;;
    *) echo "$tmp/the needs of $suite lack $1${2+/$2}" ;;
  esac
}
release=$(bin release)
debug=$(bin debug)
sanitized=$(bin sanitize)
export XDG_DATA_HOME="$tmp/data" # saves of a suite are its own

wanted() { picked "$suite: $1"; }
picked() { # picked TEXT: whether one of the filters is in it
  filters=${FILTER-}
  while :; do
    case $1 in *"${filters%%"$newline"*}"*) return 0 ;; esac
    case $filters in *"$newline"*) filters=${filters#*"$newline"} ;; *) return 1 ;; esac
  done
}

# it "does what its name says" FUNCTION [ARGUMENTS]: the function ends a failed test with `fail "why"`, and one that
# cannot run here, or only in part, with `skip "why"`.
it() {
  test_name=$1
  shift
  wanted "$test_name" || return 0
  verdict=0
  why=$("$@" 2>&1) || verdict=$?
  case $verdict in
    0) echo "ok $test_name" ;;
    77) echo "skipped $test_name: $(printf '%s\n' "$why" | tail -n 1)" ;;
    *) echo "not ok $test_name: $(printf '%s\n' "$why" | tail -n 12 | sed '2,$s/^/  /')" ;;
  esac
}

# The same for a test on which later ones of its suite depend: it runs whatever FILTER names.
first() { (FILTER= && it "$@"); }

fail() {
  echo "$*"
  exit 1
}
skip() {
  echo "$*"
  exit 77
}

# run_for SECONDS COMMAND…: its output in $tmp/out and $tmp/err, its exit status in $status.
# (For a program that hangs. The load may rise after the speed was measured, so ten times the seconds are given.)
run_for() {
  seconds=$(($1 * SLOW / 10))
  shift
  status=0
  timeout -k 2 "$seconds" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
  [ "$status" != 124 ] || fail "it did not end within $seconds s; said: $(tail -n 5 "$tmp/err" "$tmp/out")"
}

exits() {
  [ "$status" = "$1" ] || fail "exit status $status instead of $1; said: $(tail -n 5 "$tmp/err" "$tmp/out")"
}

says() { # says FILE "text": the file has a line with this text in it
  grep -qF -- "$2" "$tmp/$1" || fail "'$2' is not in what it said: $(tail -n 8 "$tmp/$1")"
}

# compiled FILE COMMAND…: `COMMAND… -o FILE`, once for each command of a suite; later FILEs are copies.
rm -rf "$tmp/compiled"
compiled() {
  target=$1
  shift
  made=$tmp/compiled/$(echo "$*" | cksum | tr ' ' -)
  mkdir -p "$tmp/compiled"
  [ -e "$made" ] || "$@" -o "$made" || return 1
  rm -f "$target" # a program may run the one before it
  cp "$made" "$target"
}

one_line() {
  [ "$(wc -l <"$tmp/$1")" = 1 ] || fail "not one line: $(cat "$tmp/$1")"
}

# within SECONDS COMMAND…: tries it twenty times a second until it holds; what tests wait with. (For four times the
# seconds, for the same reason, and ten times at least: one try may take longer than that.)
within() {
  tries=0 end=$(($(date +%s) + $1 * SLOW / 25))
  shift
  while ! "$@"; do
    tries=$((tries + 1))
    [ $((tries % 10)) != 0 ] || [ "$(date +%s)" -le "$end" ] || return 1
    sleep 0.05
  done
}

# may_remember FOLDER: the systems of this game may keep locals from tick to tick, which is refused otherwise: one
# that travels in time has to know that it has.
may_remember() {
  sed -i 's/^return {/return { tests = true,/' "$1/game.lua"
  grep -q 'tests = true' "$1/game.lua" || fail "$1/game.lua is not as expected"
}

# ---- a program that goes on running: $program, its lines in $log; `marked` is how many of them are not looked at

log=$tmp/log
program=

launch() { # launch COMMAND…
  : >"$log"
  marked=0
  "$@" >"$log" 2>&1 </dev/null &
  program=$!
}
over() { # ends it, politely; its exit status in $status
  [ -n "$program" ] || return 0
  kill -INT "$program" 2>/dev/null
  within 20 ended "$program" || kill -9 "$program"
  status=0
  wait "$program" || status=$?
  program=
}
mark() { marked=$(wc -l <"$log"); } # what follows looks only at lines from here on
since() { tail -n "+$((marked + 1))" "$log"; }
said() { since | grep -qF -- "$1"; }
hears() { within 20 said_or_ended "$1" && said "$1" || fail "never said '$1': $(since | grep -v 'tick=' | tail -n 8)"; }
said_or_ended() { ended "$program" || said "$1"; }

# facts PID: $state, Z when it has ended, and $cpu, the hundredths of a second that it has computed.
facts() {
  state=Z
  { read -r line <"/proc/$1/stat"; } 2>/dev/null || return 0
  # shellcheck disable=SC2086
  set -- ${line##*) }
  state=$1
  cpu=$((${12} + ${13}))
}
ended() { # gone, or not yet waited for
  facts "$1"
  [ "$state" = Z ]
}
has_computed() { # has_computed PID HUNDREDTHS: in all, or it has ended
  facts "$1"
  [ "$state" = Z ] || [ "$cpu" -ge "$2" ]
}
computes() { # computes PID HUNDREDTHS: waits until it has done so from now on
  facts "$1"
  within 60 has_computed "$1" $((cpu + $2)) || fail "it does not go on"
}

# SIGTERM ends the program while it computes for at most a second more; how long that takes is the machine's affair.
told_to_end() {
  facts "$program"
  before=$cpu
  kill -TERM "$program"
  within 30 ended "$program" || { kill -9 "$program"; fail "SIGTERM does not end it: $(tail -n 3 "$log")"; }
  [ $((cpu - before)) -le $((120 * SLOW_CPU / 100)) ] || fail "it computed for $((cpu - before))0 ms after SIGTERM"
  status=0
  wait "$program" || status=$?
  program=
}

# stands_still PID TIMES: so many times, or until it ends, it computes for a moment and stands still for one. What is
# tried is that time goes by meanwhile, so this is the one place where tests sleep.
stands_still() {
  for _ in $(seq "$2"); do
    computes "$1" 1
    kill -STOP "$1" 2>/dev/null || break
    sleep 0.03
    kill -CONT "$1" 2>/dev/null
  done
}
