# Input components, which are written by the player, an AI or the network (an idea of Klutzershy): the example feeders
# with generated key presses.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
ticks=600
luajit "$root/tests/scenarios/lib/random_input.lua" keys "$ticks" 3 "Feeders: boats" || exit 1

# copy_example NAME: copies the example to NAME, with a system that prints the input and the position of every boat
copy_example() {
  rm -rf "$1"
  cp -r "$root/scripts/examples/feeders" "$1"
  cat >"$1/systems/says.lua" <<'LUA'
return { phase = "post_update", query = { "boat", "intent", "transform" }, update = function(q)
  for i = 1, q.count do
    print(string.format("%s %d %.9g %.9g %.9g %.9g", q.entity[i]:state(), world.tick, q.intent.turn[i],
      q.intent.thrust[i], q.transform.x[i], q.transform.y[i]))
  end
end }
LUA
}

all_sources() {
  copy_example all
  run_for 60 "$release" run all --headless --no-watch --replay keys --record all.replay
  exits 0
  for feeder in player machine network; do # each boat must have moved and turned in both directions
    awk -v feeder="$feeder" '$1 == feeder { left += $3 < 0; right += $3 > 0; go += $4 > 0.3 }
      END { exit !(left > 9 && right > 9 && go > 9) }' out || fail "$feeder: $(grep "^$feeder" out | tail -n 4)"
  done
}
it "the player, an AI and the network can all write an input component" all_sources

# Records the input of the player's boat and sends it to a different boat as packets.
same_path() {
  copy_example played
  rm played/systems/pass.lua # prevents boats from swapping their feeders
  run_for 60 "$release" run played --headless --no-watch --replay keys --record played.replay
  exits 0
  grep '^player ' out | cut -d' ' -f2- >track
  [ "$(cut -d' ' -f2,3 track | sort -u | wc -l)" -ge 4 ] || fail "the player's input hardly changes: $(tail -n 2 track)"
  rm -rf sent
  cp -r played sent
  awk '{ tick = tick $1 ", "; turn = turn $2 ", "; thrust = thrust $3 ", " }
    END { printf "return { length = 100000, tick = { %s }, turn = { %s }, thrust = { %s } }\n", tick, turn, thrust }' \
    track >sent/recorded.lua
  sed -i 's/{ "player", "machine", "network" }/{ "network", "machine", "player" }/' sent/game.lua
  run_for 60 "$release" run sent --headless --no-watch --ticks "$ticks" --seed 3
  exits 0
  grep '^network ' out | cut -d' ' -f2- >sent_track
  [ -s sent_track ] && cmp -s track sent_track || fail "the paths differ: $(diff track sent_track | head -n 4)"
}
it "key presses sent as network packets steer a boat along the same path as the keys" same_path
