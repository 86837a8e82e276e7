# tests/component_hashes/compare finds the components in which two builds differ, and the tick.
# needs: release release/component_hashes
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
export TICKS=30

other_tree() {
  rm -rf other && mkdir -p other/scripts/games
  ln -s "$root/build" other/build
  cp -r "$root/scripts/games/pong" other/scripts/games/pong
}
compares() {
  status=0
  "$root/tests/component_hashes/compare" "$root" "$tmp/other" pong >out 2>&1 || status=$?
}

equal() {
  other_tree
  compares
  exits 0
  grep -Eqx 'pong: 30 ticks, [0-9]+ components, 0 differ' out || fail "$(cat out)"
}
it "a tree and its copy have equal components" equal

different() {
  other_tree
  echo 'return { after = "shoal.transform", update = function() if world.tick == 20 then world.spawn(nil, { name = "x" }) end end }' \
    >other/scripts/games/pong/systems/odd.lua
  compares
  exits 1
  says out "  name differs from tick "
  says out '> entity '
}
it "a difference is reported with its component, tick and rows" different
