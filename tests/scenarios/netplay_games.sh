# Multiplayer games over real sockets between network namespaces, on machines with different builds and random key
# presses: 10 s of each game, 30 minutes with --long. All machines must confirm the same states.
# needs: release checked
. "$(dirname "$0")/../lib.sh"
. "$root/tests/scenarios/lib/match.sh"
cd "$tmp" || exit 1
[ -z "$LONG" ] && ticks=600 || ticks=108000
limit_s=$((ticks / 60 + 60 * SLOW / 10))

# plays GAME TITLE MACHINES: plays a match on 2 or 3 machines, of which the third machine has two players.
plays() {
  needs_namespaces
  mkdir -p "$1" && cd "$1" || exit 1
  export XDG_DATA_HOME="$tmp/$1/data"
  for machine in 1 2 3; do
    press "keys.$machine" "$2" "$ticks" "$machine"
  done
  case $3 in 2) players=2 machines="host joiner.1" ;; *) players=4 machines="host joiner.1 joiner.2" ;; esac
  in_namespace host "$release" play "$1" --host --port 0 --players "$players" --ticks "$ticks" --replay keys.1
  in_namespace joiner.1 "$checked" play "$1" --join "10.9.1.1:$port" --replay keys.2 --net-sim 80ms,40ms,0%
  in_namespace joiner.2 "$release" play "$1" --join "10.9.2.1:$port" --replay keys.3 --net-sim 40ms,20ms,0% --local 2
  loss=5
  unshare -rn nft add table ip t 2>/dev/null || loss=0
  play_in_namespaces $(($3 - 1)) "$loss"
  # shellcheck disable=SC2086
  agree "$ticks" $machines
  [ "$loss" != 0 ] || skip "played without loss: nft is missing or not permitted"
}

# The games wait for their ticks most of the time, so they run in parallel.
play_all() {
  for game in "pong Rally 2" "tron Trace 2" "bounty_hunter Bounty@Hunter 3" "asteroids Rockfall 3"; do
    # shellcheck disable=SC2086
    set -- $game
    it "all machines in a match of $1 compute the same states over real interfaces with loss and latency" \
      plays "$1" "$(echo "$2" | tr @ ' ')" "$3" &
  done
  wait
}
play_all
