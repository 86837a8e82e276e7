# What the shell tests share; sourced. A suite is named after its file, or as `suite` says, and prints a line for each
# test, `ok NAME` or `not ok NAME: why`; tests/run counts them. FILTER in the environment picks tests by a part of
# "suite: name", TMP is a folder that the driver removes.

suite=${suite:-$(basename "$0" .sh)}
root=$(cd "$(dirname "$0")" && while [ ! -e shoal ]; do cd ..; done && pwd)
release=$root/build/release/bin/shoal
tmp=${TMP:-/tmp}/$suite
mkdir -p "$tmp"

wanted() {
  case "$suite: $1" in *"${FILTER-}"*) return 0 ;; esac
  return 1
}

# it "does what its name says" FUNCTION [ARGUMENTS]: the function ends a failed test with `fail "why"`.
it() {
  test_name=$1
  shift
  wanted "$test_name" || return 0
  if why=$("$@" 2>&1); then
    echo "ok $test_name"
  else
    echo "not ok $test_name: $(printf '%s\n' "$why" | tail -n 12 | sed '2,$s/^/  /')"
  fi
}

fail() {
  echo "$*"
  exit 1
}

# run_for SECONDS COMMAND…: its output in $tmp/out and $tmp/err, its exit status in $status.
run_for() {
  seconds=$1
  shift
  status=0
  timeout -k 2 "$seconds" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
}

exits() {
  [ "$status" = "$1" ] || fail "exit status $status instead of $1; said: $(tail -n 5 "$tmp/err" "$tmp/out")"
}

says() { # says FILE "text": the file has a line with this text in it
  grep -qF -- "$2" "$tmp/$1" || fail "'$2' is not in what it said: $(tail -n 8 "$tmp/$1")"
}

one_line() {
  [ "$(wc -l <"$tmp/$1")" = 1 ] || fail "not one line: $(cat "$tmp/$1")"
}

# Of a program that goes on running, and writes its lines to $log; `marked` is how many of them are not looked at.
mark() { marked=$(wc -l <"$log"); } # what follows looks only at lines from here on
since() { tail -n "+$((marked + 1))" "$log"; }
said() { since | grep -qF -- "$1"; }
