# Waiting for conditions. Sourced by lib.sh, and by scripts that run in other shells than the suite. Needs SLOW (see
# tests/run).

# wait_for SECONDS COMMAND…: retries the command every 50 ms, after 20 tries every 200 ms, until it succeeds; fails after
# four times SECONDS (on the reference CPU), but not before 10 tries, as one try may take longer than the limit. COMMAND
# may call wait_for.
wait_for() { retry 0 $(($(date +%s) + $1 * SLOW / 25)) "$@"; }
# retry TRIES END SECONDS COMMAND…: the state is in the positional parameters, which each call has for itself.
retry() {
  until run_after_three "$@"; do
    if [ "$1" -lt 20 ]; then sleep 0.05; else sleep 0.2; fi
    tries=$(($1 + 1)) end=$2
    shift 2
    set -- "$tries" "$end" "$@"
    [ $(($1 % 10)) != 0 ] || [ "$(date +%s)" -le "$2" ] || return 1
  done
}
run_after_three() {
  shift 3
  "$@"
}
