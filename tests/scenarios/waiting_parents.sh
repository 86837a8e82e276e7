# Transforms whose parent has no transform: a warning after a whole tick, and an error with --strict.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
warning='transform.parent: the parent of entity(2:0 "b") is entity(1:0 "chunk"), which has no transform: add transform'
warning="$warning = {} to the parent"

make_game() { # make_game CODE: in its start function, chunk has no transform, and b has the parent chunk
  rm -rf game
  mkdir -p game/systems
  cat >game/game.lua <<'END2'
return { title = "Waiting", start = function()
  local chunk = world.spawn(nil, { name = "chunk", score = {} })
  world.spawn(nil, { name = "b", transform = { parent = chunk } })
end }
END2
  echo 'return { score = { value = 0 } }' >game/components.lua
  echo "return { update = function() $1 end }" >game/systems/a.lua
}

warns_once() {
  make_game ""
  run_for 20 "$release" run game --headless --ticks 20
  exits 0 err "warn: $warning (reported once)"
  [ "$(grep -c '^warn' err)" = 1 ] || fail "expected one warning: $(cat err)"
}
it "a transform whose parent has no transform for a whole tick is reported once" warns_once

fails_strictly() {
  make_game ""
  run_for 20 "$release" run game --headless --ticks 20 --strict
  exits 1 err "error in $warning"
}
it "a transform whose parent has no transform ends a run with --strict" fails_strictly

no_warning() { # no_warning CODE
  make_game "$1"
  run_for 20 "$release" run game --headless --ticks 20 --strict
  exits 0
  expect_one_line err # the title and the seed
}
it "a parent that gets its transform in the first tick is not reported" \
  no_warning 'if world.tick == 1 then world.find("chunk"):add "transform" end'
it "a parent that is destroyed in the first tick is not reported" \
  no_warning 'if world.tick == 1 then world.find("chunk"):destroy() end'
it "a disabled parent with a transform is not reported" \
  no_warning 'local chunk = world.find("chunk")
    if world.tick == 1 then chunk:add "transform" elseif world.tick == 3 then chunk:disable() end'
