# Library of the suites in tests/window with two windows, one of a host and one of a peer; sourced after display.sh.
peer= # process of the second window
clean_up_both() {
  [ -z "$peer" ] || kill "$peer" 2>/dev/null
  cleanup
}
trap clean_up_both EXIT

peer_log=$tmp/peer.log
start_peer() { # start_peer ARGUMENTS…: starts the second window
  XDG_DATA_HOME="$tmp/peer_data" "$release" "$@" --log info >"$peer_log" 2>&1 </dev/null &
  peer=$!
}
host_has() { grep -qF -- "$1" "$log"; }
peer_has() { grep -qF -- "$1" "$peer_log"; }
both_have() { host_has "$1" && peer_has "$1"; }
show_logs() { tail -n 5 "$log" "$peer_log"; }
# find_window PROCESS: the window of the process
find_window() { xdotool search --all --onlyvisible --pid "$1" 2>/dev/null | head -n 1; }
has_window_of() { [ -n "$(find_window "$1")" ]; }
select_window() { # select_window PROCESS
  window=$(find_window "$1")
  [ -n "$window" ] || fail "no window of process $1: $(show_logs)"
  xdotool windowfocus --sync "$window"
}
# press_until SECONDS KEY CHECK TEXT: presses the key until the check finds the text, because a busy machine may miss it
press_until() {
  wait_for "$1" try_event "key $2" "$3" "$4" || fail "$2 does not lead to “$4”: $(show_logs)"
}
# click_until SECONDS CHECK TEXT: as press_until, but clicks where the mouse is
click_until() {
  wait_for "$1" try_event "click 1" "$2" "$3" || fail "a click does not lead to “$3”: $(show_logs)"
}
try_event() {
  # shellcheck disable=SC2086
  xdotool $1
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    ! "$2" "$3" || return 0
    sleep 0.1
  done
  return 1
}
point_at() { xdotool mousemove --window "$window" "$1" "$2"; }
