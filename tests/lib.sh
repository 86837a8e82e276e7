# Library of the shell tests; sourced. A suite is named after its file or by `suite`, and prints one line per test:
# `ok NAME`, `not ok NAME: why` or `skipped NAME: why`; tests/run counts these lines. Environment: FILTER selects tests
# by a substring of "suite: name" (several filters: one per line); TMP is the suite's own folder, removed by tests/run;
# LONG is set if tests/run runs with --long.
#
# The line `# needs: …` of a suite lists the programs that tests/run builds for it: `release` means the program `shoal`
# of that configuration, `release/mutate` the program `mutate`. `checked` is a configuration with asserts that is
# compared with the release build: debug with --long, otherwise sanitize, so that a normal run builds no debug
# configuration.

LONG=${LONG-}
export SLOW="${SLOW:-100}" SLOW_CPU="${SLOW_CPU:-100}" # see tests/run
newline='
'
suite=${suite:-$(basename "$0" .sh)}
root=$(cd "$(dirname "$0")" && while [ ! -e shoal ]; do cd ..; done && pwd)
tmp=${TMP:-/tmp/shoal$(echo "$root" | tr / -)/$suite} # kept for inspection when a suite is run by hand
mkdir -p "$tmp"
. "$root/tests/wait.sh"

checked_config=$([ -n "$LONG" ] && echo debug || echo sanitize)
needs=$(sed -n 's/^# needs: //p' "$0")
bin() { # bin CONFIG [NAME]: the path of a program
  case " $needs " in
    *" $1${2+/$2} "*) [ "$1" != checked ] || set -- "$checked_config" ${2+"$2"}
      echo "$root/build/$1/bin/${2-shoal}" ;;
    *) echo "$tmp/missing from the needs line of $suite: $1${2+/$2}" ;;
  esac
}
release=$(bin release)
checked=$(bin checked)
sanitized=$(bin sanitize)
export XDG_DATA_HOME="$tmp/data"      # save folder of this suite
export XDG_RUNTIME_DIR="$tmp/runtime" # links to the cockpits of this suite's games
mkdir -p -m 700 "$XDG_RUNTIME_DIR"

is_selected() { matches_filter "$suite: $1"; }
matches_filter() { # matches_filter TEXT: succeeds if TEXT contains one of the filters
  filters=${FILTER-}
  while :; do
    case $1 in *"${filters%%"$newline"*}"*) return 0 ;; esac
    case $filters in *"$newline"*) filters=${filters#*"$newline"} ;; *) return 1 ;; esac
  done
}

# it "name of the test" FUNCTION [ARGUMENTS]: runs the function as a test. It reports a failure with `fail "why"`, and
# `skip "why"` if the test cannot run on this machine, or only in part. Every test must pass if a filter selects it
# alone: a test that uses files of an earlier one names its function with `requires` (tests/scenarios/single_tests.sh
# checks this). With LIST set, the name is only printed.
it() {
  test_name=$1
  shift
  is_selected "$test_name" || return 0
  [ -z "${LIST-}" ] || { echo "test $test_name"; return; }
  verdict=0
  why=$("$@" 2>&1) || verdict=$?
  { echo "test $test_name"; times; } >>"$tmp/.times"
  [ "$verdict" != 0 ] || echo "$*" >>"$tmp/.ran"
  case $verdict in
    0) echo "ok $test_name" ;;
    77) echo "skipped $test_name: $(printf '%s\n' "$why" | tail -n 1)" ;;
    *) echo "not ok $test_name: $(printf '%s\n' "$why" | tail -n 12 | sed '2,$s/^/  /')" ;;
  esac
}

# Like `it`, but ignores FILTER: for a test whose files all later tests of the suite use.
it_always() { (FILTER= && it "$@"); }

# requires "FUNCTION [ARGUMENTS]"…: runs the functions of earlier tests that a filter has left out, in this test. Call
# it first, because the functions overwrite out, err and log.
: >"$tmp/.ran"
: >"$tmp/.times" # CPU time after each test, for tests/suite
requires() {
  for required in "$@"; do
    ! grep -qxF -- "$required" "$tmp/.ran" || continue
    $required
    echo "$required" >>"$tmp/.ran"
  done
}

# every_nth N FIRST WORD…: prints every Nth word, beginning with the word number FIRST: a normal run tests these cases of a
# loop over many similar ones. Prints all words with --long, and if a filter selects single tests instead of suites.
every_nth() {
  nth=$1 nth_first=$2
  shift 2
  case ${FILTER-} in
    "" | *:) [ -z "$LONG" ] || nth=1 nth_first=1 ;;
    *) nth=1 nth_first=1 ;;
  esac
  for nth_word; do
    if [ "$nth_first" -le 1 ]; then echo "$nth_word" && nth_first=$nth; else nth_first=$((nth_first - 1)); fi
  done
}

fail() {
  echo "$*"
  exit 1
}
skip() {
  echo "$*"
  exit 77
}

# skip_without PROGRAM [NOTE]: skips the test if the program is not installed. By default, the message names the command
# that installs it, which the summary of tests/run repeats.
skip_without() {
  command -v "$1" >/dev/null || skip "$1 is not installed (${2-./shoal deps --test installs it})"
}

# run_for SECONDS COMMAND…: runs the command with its output in $tmp/out and $tmp/err and its exit status in $status.
# The time limit only catches hangs: it is ten times SECONDS (on the reference CPU), as the load may rise during a run.
run_for() {
  seconds=$(($1 * SLOW / 10))
  shift
  status=0
  timeout -k 2 "$seconds" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
  [ "$status" != 124 ] || fail "did not exit within $seconds s; output: $(tail -n 5 "$tmp/err" "$tmp/out")"
}

# exits STATUS [FILE "text"…]: fails unless run_for's command exited with STATUS, and $tmp/FILE contains the texts
exits() {
  [ "$status" = "$1" ] || fail "expected exit status $1, got $status; output: $(tail -n 5 "$tmp/err" "$tmp/out")"
  shift
  [ $# = 0 ] || says "$@"
}

says() { # says FILE "text"…: fails unless each text is part of a line of $tmp/FILE
  said_in=$1
  shift
  for said_text; do
    grep -qF -- "$said_text" "$tmp/$said_in" ||
      fail "expected '$said_text' in $said_in, got: $(tail -n 8 "$tmp/$said_in")"
  done
}

# compile_once FILE COMMAND…: runs `COMMAND… -o FILE` once per distinct command of a suite; later calls copy the result.
rm -rf "$tmp/compiled"
compile_once() {
  target=$1
  shift
  made=$tmp/compiled/$(echo "$*" | cksum | tr ' ' -)
  mkdir -p "$tmp/compiled"
  [ -e "$made" ] || "$@" -o "$made" || return 1
  rm -f "$target" # the previous file may still be mapped by a running program
  cp "$made" "$target"
}

expect_one_line() {
  [ "$(wc -l <"$tmp/$1")" = 1 ] || fail "expected one line, got: $(cat "$tmp/$1")"
}

# allow_kept_locals FOLDER: sets `tests = true` in game.lua, so that the game's systems may keep values in file-level
# locals across ticks, which is otherwise an error. A system that rewinds with world.restore needs such a local to do so
# only once.
allow_kept_locals() {
  sed -i 's/^return {/return { tests = true,/' "$1/game.lua"
  grep -q 'tests = true' "$1/game.lua" || fail "$1/game.lua: expected a line that begins with 'return {'"
}

# ---- a program in the background: process id $program, output file $log, of which the first $marked lines are ignored

log=$tmp/log
program=

launch() { # launch COMMAND…
  : >"$log"
  marked=0
  "$@" >"$log" 2>&1 </dev/null &
  program=$!
}
# launch_cockpit COMMAND…: launches a game with a cockpit and sets $port to the port that the game has chosen, because a
# port chosen by the suite may be in use. The game's link file is named after the port and written once it is open.
launch_cockpit() {
  rm -rf "$XDG_RUNTIME_DIR/shoal"
  launch "$@" --cockpit
  wait_for 20 has_cockpit_or_exited && has_cockpit || fail "no cockpit: $(tail -n 5 "$log")"
  port=$(ls "$XDG_RUNTIME_DIR/shoal")
}
# check_cockpit CHECK [ARGUMENTS]: runs a check of scenarios/lib/cockpit.lua on the launched game.
check_cockpit() {
  checked=$1
  shift
  luajit "$root/tests/scenarios/lib/cockpit.lua" "$checked" "$port" "$@" || {
    stop_program
    fail "$checked: see above; the game's log: $(tail -n 5 "$log")"
  }
}
has_cockpit() { [ -s "$(echo "$XDG_RUNTIME_DIR"/shoal/[0-9]*)" ]; }
has_cockpit_or_exited() { has_exited "$program" || has_cockpit; }
# while_suspended COMMAND…: runs the command while the launched game is suspended. The game then finds all files that
# the command saves in one scan; if it were not suspended, a slow machine might reload after the first of them.
while_suspended() {
  kill -STOP "$program"
  "$@"
  kill -CONT "$program"
}
stop_program() { # sends SIGINT, and SIGKILL after 20 s; sets $status to the exit status
  [ -n "$program" ] || return 0
  kill -INT "$program" 2>/dev/null
  kill -CONT "$program" 2>/dev/null # a test may have failed in while_suspended
  wait_for 20 has_exited "$program" || kill -9 "$program"
  status=0
  wait "$program" || status=$?
  program=
}
mark_log() { marked=$(wc -l <"$log"); } # later checks ignore all lines up to here
log_since_mark() { tail -n "+$((marked + 1))" "$log"; }
log_has() {
  if [ "$marked" = 0 ]; then grep -qF -- "$1" "$log"; else tail -n "+$((marked + 1))" "$log" | grep -qF -- "$1"; fi
}
expect_log() { # expect_log "text"…
  for logged; do
    wait_for_log 20 "$logged" || log_has "$logged" ||
      fail "expected '$logged' in the log, got: $(log_since_mark | grep -v 'tick=' | tail -n 8)"
  done
}
# wait_for_log SECONDS "text": waits until the log has the text. Fails after four times SECONDS (as wait_for), or once
# the program has exited. Reads the log with tail and looks for the program's exit only once a second, because processes
# that search the log several times a second take more CPU time than many of the programs that they wait for. The option
# --pid of tail would wait for a zombie, which an exited program is until the suite's shell waits for it.
wait_for_log() {
  log_seconds=$(($1 * SLOW / 25))
  until log_has "$2"; do
    [ "$log_seconds" -gt 0 ] && ! has_exited "$program" || return 1
    log_seconds=$((log_seconds - 1))
    ! timeout 1 tail -f -n "+$((marked + 1))" "$log" 2>/dev/null | grep -qF -- "$2" || return 0
  done
}

# read_process_stat PID: sets $state (Z if the process has exited) and $cpu (its CPU time in hundredths of a second).
read_process_stat() {
  state=Z
  { read -r line <"/proc/$1/stat"; } 2>/dev/null || return 0
  # shellcheck disable=SC2086
  set -- ${line##*) }
  state=$1
  cpu=$((${12} + ${13}))
}
has_exited() { # has_exited PID: succeeds if the process has exited or is a zombie
  read_process_stat "$1"
  [ "$state" = Z ]
}
has_used_cpu() { # has_used_cpu PID HUNDREDTHS: succeeds once the total CPU time is reached or the process has exited
  read_process_stat "$1"
  [ "$state" = Z ] || [ "$cpu" -ge "$2" ]
}
expect_cpu_use() { # expect_cpu_use PID HUNDREDTHS: waits until the process has used that much more CPU time
  read_process_stat "$1"
  wait_for 60 has_used_cpu "$1" $((cpu + $2)) || fail "process $1 makes no progress"
}

# Sends SIGTERM and expects the program to exit within 1.2 s of CPU time (wall time depends on the machine's load).
expect_prompt_exit() {
  read_process_stat "$program"
  before=$cpu
  kill -TERM "$program"
  wait_for 30 has_exited "$program" || { kill -9 "$program"; fail "still running after SIGTERM: $(tail -n 3 "$log")"; }
  [ $((cpu - before)) -le $((120 * SLOW_CPU / 100)) ] || fail "used $((cpu - before))0 ms of CPU time after SIGTERM"
  status=0
  wait "$program" || status=$?
  program=
}

# suspend_repeatedly PID TIMES: lets the process run for 10 ms of CPU time and suspends it for 30 ms, TIMES times or
# until it exits. The only place where tests sleep for a fixed time: wall time must pass during the suspension.
suspend_repeatedly() {
  for _ in $(seq "$2"); do
    expect_cpu_use "$1" 1
    kill -STOP "$1" 2>/dev/null || break
    sleep 0.03
    kill -CONT "$1" 2>/dev/null
  done
}
