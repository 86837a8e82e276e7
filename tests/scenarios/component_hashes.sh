# tests/component_hashes/compare reports each component that differs between two source trees, with the first tick.
# needs: release release/component_hashes
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
export TICKS=30

copy_tree() {
  rm -rf other && mkdir -p other/scripts/games
  ln -s "$root/build" other/build
  cp -r "$root/scripts/games/pong" other/scripts/games/pong
}
run_compare() {
  status=0
  "$root/tests/component_hashes/compare" "$root" "$tmp/other" pong >out 2>&1 || status=$?
}

equal() {
  copy_tree
  run_compare
  exits 0
  grep -Eqx 'pong: 30 ticks, [0-9]+ components, 0 differ' out || fail "$(cat out)"
}
it "a comparison of a source tree with its copy reports no differences" equal

different() {
  copy_tree
  echo 'return { after = "shoal.transform", update = function() if world.tick == 20 then world.spawn(nil, { name = "x" }) end end }' \
    >other/scripts/games/pong/systems/odd.lua
  run_compare
  exits 1 out "  name differs from tick " '> entity '
}
it "a difference between two source trees is reported with its component, tick and rows" different
