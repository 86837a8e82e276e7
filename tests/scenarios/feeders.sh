# An input component and who feeds it: the example feeders, with keys from a made-up recording.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
ticks=600
luajit "$root/tests/scenarios/lib/keys.lua" keys "$ticks" 3 "Feeders: boats" || exit 1

# boats NAME: a copy of the example that says what every boat is asked to do, and where it is
boats() {
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

fed() {
  boats all
  run_for 60 "$release" run all --headless --no-watch --replay keys --record all.replay
  exits 0
  for feeder in player machine network; do # each has gone, stood still, and turned both ways
    awk -v of="$feeder" '$1 == of { left += $3 < 0; right += $3 > 0; go += $4 > 0.3 }
      END { exit !(left > 9 && right > 9 && go > 9) }' out || fail "$feeder: $(grep "^$feeder" out | tail -n 4)"
  done
}
it "an input component is fed by the player, a machine and the network (Klutzershy, input components)" fed

# What keys have asked of a boat, sent as packets, takes another boat the same way.
alike() {
  boats played
  rm played/systems/pass.lua # each keeps its feeder
  run_for 60 "$release" run played --headless --no-watch --replay keys --record played.replay
  exits 0
  grep '^player ' out | cut -d' ' -f2- >track
  [ "$(cut -d' ' -f2,3 track | sort -u | wc -l)" -ge 4 ] || fail "the player does little: $(tail -n 2 track)"
  rm -rf sent
  cp -r played sent
  awk '{ tick = tick $1 ", "; turn = turn $2 ", "; thrust = thrust $3 ", " }
    END { printf "return { length = 100000, tick = { %s }, turn = { %s }, thrust = { %s } }\n", tick, turn, thrust }' \
    track >sent/recorded.lua
  sed -i 's/{ "player", "machine", "network" }/{ "network", "machine", "player" }/' sent/game.lua
  run_for 60 "$release" run sent --headless --no-watch --ticks "$ticks" --seed 3
  exits 0
  grep '^network ' out | cut -d' ' -f2- >sent_track
  [ -s sent_track ] && cmp -s track sent_track || fail "another way: $(diff track sent_track | head -n 4)"
}
it "what steers a boat does not know who feeds it: keys sent as packets are the same way" alike
