# Matches over simulated networks: random sessions of 2 to 8 machines, with joins, leaves, crashes, slow machines and the
# loss of the host. Sessions of a model world, and sessions in which each machine also runs the game Asteroids. A normal
# run has 60 sessions, which follow the 10 sessions of the unit tests `match`, and leaves Asteroids to the session of
# `match_asteroids`. With --long, 10,000 and 300 sessions run in parts; finished parts are skipped if the run is started
# again.
# needs: release/unit
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
unit=$(bin release unit)

# run_sessions SECONDS SUITE: like run_for. The load may have risen since tests/run measured SLOW, so the time limit also
# grows with the number of runnable processes per core.
run_sessions() {
  per_core=$(awk -v cores="$(nproc)" '{ print int($1 / cores) }' /proc/loadavg 2>/dev/null || echo 0)
  [ "$per_core" -ge 1 ] || per_core=1
  run_for "$(($1 * per_core))" "$unit" "$2"
}

sessions_agree() { # sessions_agree COUNT FIRST
  SHOAL_MATCH_SESSIONS=$1,$2 run_sessions 30 "match: random_sessions"
  exits 0
}

asteroids_agree() { # asteroids_agree COUNT FIRST
  SHOAL_ASTEROIDS_SESSIONS=$1,$2 run_sessions 60 match_asteroids
  exits 0
}

# The list of finished parts belongs to one version of the program.
part_agrees() { # part_agrees FUNCTION COUNT FIRST
  done=$unit.sessions.$(cksum <"$unit" | cut -d ' ' -f 1)
  grep -qsx "$1 $3" "$done" && return
  "$@"
  echo "$1 $3" >>"$done"
}

desyncs_are_named() { # desyncs_are_named SEED
  SHOAL_DESYNC_SEED=$1 run_sessions 60 match_desync
  exits 0
}
if [ -n "$LONG" ]; then
  for seed in $(seq 1 20); do
    it "50 injected desyncs are located within a second with network seed $seed" desyncs_are_named "$seed"
  done
fi

edits_agree() { # edits_agree COUNT
  SHOAL_MATCH_EDITS=$1 run_sessions 600 match_reload
  exits 0
}
[ -z "$LONG" ] || it "200 edits by four players reach all machines without a desync" edits_agree 200

if [ -z "$LONG" ]; then
  it "the machines of 60 random sessions agree with the host after every tick and lose no input" sessions_agree 60 11
else
  first=1
  while [ "$first" -le 10000 ]; do
    it "the machines of sessions $first to $((first + 499)) agree with the host after every tick and lose no input" \
      part_agrees sessions_agree 500 "$first"
    first=$((first + 500))
  done
  first=1
  while [ "$first" -le 300 ]; do
    it "machines in Asteroids sessions $first to $((first + 19)) agree with the host and lose no input" \
      part_agrees asteroids_agree 20 "$first"
    first=$((first + 20))
  done
fi
