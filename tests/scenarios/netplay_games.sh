# The games for several players, played over real sockets between network namespaces by machines of different builds and
# random key presses: 20 s of each game, 30 minutes with --long. Each machine must confirm the same states.
# needs: release checked
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
[ -z "$LONG" ] && ticks=1200 || ticks=108000
limit=$((ticks / 60 + 60 * SLOW / 10))

# join FILE PROGRAM ARGUMENTS…: writes the script of a joiner to FILE. The addresses of the host's interfaces are known,
# its port is not.
join() {
  name=$1
  shift
  cat >"$name" <<END2
until grep -q '^key: ' host.out; do sleep 0.05; done
timeout $limit $* --join "10.9.${name#joiner.}.1:\$(sed -n 's/^listening: .*://p' host.out)" \
  --headless --no-watch --hash >$name.out 2>$name.err
echo \$? >$name.status
END2
}

has_same_end() { # has_same_end MACHINE: compares the end of a machine with the host's
  [ "$(cat "$1.status")" = 0 ] || fail "$1: exit status $(cat "$1.status"): $(tail -n 4 "$1.err" "$1.out")"
  ! grep '^desync' "$1.out" || fail "$1: $(grep '^desync' "$1.out")"
  [ "$(tail -n 1 "$1.out")" = "$(tail -n 1 host.out)" ] ||
    fail "$1: $(tail -n 1 "$1.out"), the host: $(tail -n 1 host.out)"
}

# plays GAME TITLE MACHINES: the second joiner has two players.
plays() {
  skip_without ip
  unshare -rn ip link add va type veth peer name vb 2>/dev/null ||
    skip "network namespaces with virtual interfaces are not permitted"
  mkdir -p "$1" && cd "$1" || exit 1
  export XDG_DATA_HOME="$tmp/$1/data"
  for machine in 1 2 3; do
    luajit "$root/tests/scenarios/lib/random_input.lua" "keys.$machine" "$ticks" "$machine" "$2" || fail "no key presses"
  done
  case $3 in 2) players=2 ;; *) players=4 ;; esac
  echo "timeout $limit $release play $1 --host --port 0 --players $players --ticks $ticks --replay keys.1 \
    --headless --no-watch --hash >host.out 2>host.err
    echo \$? >host.status" >host
  join joiner.1 "$checked" play "$1" --replay keys.2 --net-sim 80ms,40ms,0%
  join joiner.2 "$release" play "$1" --replay keys.3 --net-sim 40ms,20ms,0% --local 2
  : >host.out
  rm -f ./*.status
  loss=5
  unshare -rn nft add table ip t 2>/dev/null || loss=0
  unshare -rn sh "$root/tests/scenarios/lib/namespaces.sh" $(($3 - 1)) "$loss" >namespaces.log 2>&1 ||
    fail "$(cat namespaces.log)"
  case $(tail -n 1 host.out) in "tick $ticks hash "*) ;; *) fail "the host: $(tail -n 4 host.out host.err)" ;; esac
  for machine in host joiner.1 joiner.2; do
    [ ! -e "$machine.status" ] || has_same_end "$machine"
  done
  [ "$loss" != 0 ] || skip "played without loss: nft is missing or not permitted"
}

# The games wait for their ticks most of the time, so they run in parallel.
play_all() {
  for game in "pong Rally 2" "tron Trace 2" "bounty_hunter Bounty@Hunter 3" "asteroids Rockfall 3"; do
    # shellcheck disable=SC2086
    set -- $game
    it "the machines of a match of $1 agree over real interfaces with loss and latency" \
      plays "$1" "$(echo "$2" | tr @ ' ')" "$3" &
  done
  wait
}
play_all
