# Matches over simulated networks: random sessions of 2 to 8 machines, with joins, leaves, crashes, slow machines and the
# loss of the host. With --long, 10,000 sessions run in parts; finished parts are skipped if the run is started again.
# needs: release/unit
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
unit=$(bin release unit)

sessions_agree() { # sessions_agree COUNT FIRST
  SHOAL_MATCH_SESSIONS=$1,$2 run_for 30 "$unit" match
  exits 0
}

# The list of finished parts belongs to one version of the program.
part_agrees() { # part_agrees COUNT FIRST
  done=$unit.sessions.$(cksum <"$unit" | cut -d ' ' -f 1)
  grep -qsx "$2" "$done" && return
  sessions_agree "$@"
  echo "$2" >>"$done"
}

desyncs_are_named() { # desyncs_are_named SEED
  SHOAL_DESYNC_SEED=$1 run_for 60 "$unit" match_desync
  exits 0
}
if [ -n "$LONG" ]; then
  for seed in $(seq 1 20); do
    it "50 planted desyncs are named within a second with seed $seed of the network" desyncs_are_named "$seed"
  done
fi

edits_agree() { # edits_agree COUNT
  SHOAL_MATCH_EDITS=$1 run_for 600 "$unit" match_reload
  exits 0
}
[ -z "$LONG" ] || it "200 edits of four players reach all games without a desync" edits_agree 200

if [ -z "$LONG" ]; then
  it "500 random sessions agree with the host after every tick and lose no input" sessions_agree 500 1
else
  first=1
  while [ "$first" -le 10000 ]; do
    it "sessions $first to $((first + 499)) agree with the host after every tick and lose no input" part_agrees 500 "$first"
    first=$((first + 500))
  done
fi
