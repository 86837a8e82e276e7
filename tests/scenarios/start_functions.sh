# Structural changes in a scene and in `start` take effect immediately, and a `start` that fails has no effect. Cases
# from Denys Kryvytskyi, "How to implement Entity-Component-System in your game engine", section Scene.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
rm -rf yard
mkdir -p yard/scenes yard/systems yard/behaviours
cat >yard/game.lua <<'END'
return {
  scene = "yard",
  start = function()
    local crate = world.spawn("crate", { name = { value = "first" } })
    print("game", world.count("crate"), world.find("first") == crate, crate:has("load"))
  end,
}
END
echo 'return { load = { kg = 1 }, crane = {}, noted = {} }' >yard/components.lua
cat >yard/assemblages.lua <<'END'
return {
  crate = { components = { transform = {}, load = {} } },
  crane = { components = { crane = {}, lifts = {} } },
}
END
cat >yard/scenes/yard.lua <<'END'
return {
  entities = {
    { assemblage = "crate", name = "anvil", components = { load = { kg = 9 } } },
    { assemblage = "crate" },
    { assemblage = "crane" },
  },
  start = function()
    print("scene", world.count("crate"), world.find("anvil").load.kg, world.find("first"))
    world.find("anvil"):destroy()
    print("without", world.count("crate"), world.find("anvil"))
    local light = world.spawn("crate", { load = { kg = 0.5 } })
    print("with", world.count("crate"), light.load.kg, #world.sql("SELECT * FROM load"))
  end,
}
END
cat >yard/systems/crates.lua <<'END'
return {
  query = { "load" },
  start = function()
    local before = world.count("crate")
    local crate = world.spawn("crate", { load = { kg = 3 } })
    print("system", world.count("crate") - before, crate.load.kg)
    crate:destroy()
    print("system", world.count("crate") - before, select(2, pcall(function() return crate.load.kg end)))
  end,
  update = function(q) end,
}
END
cat >yard/behaviours/lifts.lua <<'END'
return {
  create = function(self)
    local crate = world.spawn("crate", { name = { value = "lifted" } })
    print("behaviour", world.find("lifted") == crate, crate:has("load"))
  end,
}
END

# printed "LINES": fails unless the game printed exactly these lines.
printed() {
  [ "$(cat "$tmp/out")" = "$1" ] || fail "$(diff "$tmp/out" - <<END
$1
END
cat "$tmp/err")"
}

scene_start() {
  run_for 20 "$release" run yard --headless --ticks 3
  exits 0
  grep '^scene\|^with' "$tmp/out" >"$tmp/lines"
  mv "$tmp/lines" "$tmp/out"
  printed "$(printf 'scene\t2\t9\tnil\nwithout\t1\tnil\nwith\t2\t0.5\t2')"
}
it "a scene's start function sees the scene's entities, and its changes take effect immediately" scene_start

all_starts() {
  run_for 20 "$release" run yard --headless --ticks 3
  exits 0 out "$(printf 'game\t1\ttrue\ttrue')" "$(printf 'system\t1\t3')"
  says out "is dead: destroyed at tick 0 by system crates" "$(printf 'behaviour\ttrue\ttrue')"
}
it "structural changes in start and create functions take effect immediately" all_starts

# failing_scene_start OPTION: a scene's start fails after it has spawned entities. The previous world is restored before
# the other systems of the tick run.
failing_scene_start() {
  rm -rf torn
  cp -r yard torn
  rm torn/systems/* torn/behaviours/*
  sed -i 's/, lifts = {}//' torn/assemblages.lua
  cat >torn/scenes/second.lua <<'END'
return {
  entities = { { assemblage = "crane" }, { assemblage = "crane" }, { assemblage = "crane" } },
  start = function()
    world.spawn("crane")
    world.random()
    error("the second scene is torn at " .. world.count("crane"))
  end,
}
END
  cat >torn/systems/goes_on.lua <<'END'
return {
  phase = "post_update",
  update = function()
    if world.tick == 3 then world.scene("second") end
    print(world.tick, world.count("crate"), world.count("crane"))
  end,
}
END
  run_for 20 "$release" run torn --headless --ticks 6 --hash every=1 "$@"
  exits 1 err "scenes/second.lua:6: the second scene is torn at 4"
  for tick in 3 4 5; do says out "$(printf '%s\t2\t1' "$tick")"; done
}
it "if a scene's start function fails, the previous scene stays open" failing_scene_start --no-watch
it "if a scene's start function fails, the previous scene stays open, even with --watch" failing_scene_start --watch

failing_start() {
  rm -rf half
  cp -r torn half
  rm half/scenes/second.lua
  sed -i 's/if world.tick == 3.*//' half/systems/goes_on.lua
  cat >half/systems/a_fails.lua <<'END'
return {
  phase = "pre_update",
  start = function()
    for e in world.each("load") do e:destroy() end
    world.spawn_many("crane", 5)
    world.emit("shoal.none_such")
  end,
}
END
  run_for 20 "$release" run half --headless --ticks 2 --hash every=1 "$@"
  exits 1 err "systems/a_fails.lua:6: world.emit: unknown event shoal.none_such"
  for tick in 0 1; do says out "$(printf '%s\t2\t1' "$tick")"; done
  grep '^tick' "$tmp/out" >"$tmp/hashes.$1"
}
it "a system's start function has no effect if it fails" failing_start --no-watch
it "a system's start function has no effect if it fails, even with --watch" failing_start --watch
one_hash() { cmp "$tmp/hashes.--watch" "$tmp/hashes.--no-watch" || fail "$(cat "$tmp"/hashes.*)"; }
it "a failing start function of a system gives the same hashes with and without --watch" one_hash

# Two guards are spawned in one tick. The create function of the first guard destroys the second guard before its create
# function has run; the first guard is destroyed at the end of the run.
destroyed_before_create() {
  rm -rf guards
  mkdir -p guards/behaviours
  echo 'return { start = function() world.spawn("guard") world.spawn("guard") end }' >guards/game.lua
  echo 'return { guard = { components = { guard = {} } } }' >guards/assemblages.lua
  cat >guards/behaviours/guard.lua <<'END'
return {
  create = function(self)
    print("create", self.entity)
    for e in world.each("guard") do
      if e ~= self.entity then e:destroy() end
    end
    print("left", world.count("guard"))
  end,
  destroy = function(self) print("destroy", self.entity) end,
}
END
  run_for 20 "$release" run guards --headless --ticks 4
  exits 0
  printed "$(printf 'create\tentity(1:0 guard)\nleft\t1\ndestroy\tentity(1:0 guard)')"
}
it "if an entity is destroyed before its behaviour's create function has run, neither create nor destroy is called" destroyed_before_create

# The second of three calls to create fails. After the fix, create must not run again for the first entity.
created_once() {
  rm -rf told
  mkdir -p told/behaviours told/systems
  echo 'return { start = function() for i = 1, 3 do world.spawn("guard", { post = { n = i } }) end end }' >told/game.lua
  echo 'return { post = { n = 0 }, guest = {} }' >told/components.lua
  echo 'return { guard = { components = { post = {}, guard = {} } } }' >told/assemblages.lua
  cat >told/behaviours/guard.lua <<'END'
return { create = function(self)
  if self.entity.post.n == 2 then error("no second post") end
  world.spawn(nil, { guest = {} })
end }
END
  cat >told/systems/reloads.lua <<'END'
return { every = 20, update = function() print("guests", world.count("guest")) reload() end }
END
  launch "$release" run told --headless --ticks 100000000 --no-watch
  expect_log "no second post"
  sed -i 's/== 2/== 9/' told/behaviours/guard.lua
  wait_for 20 log_has "$(printf 'guests\t3')" || { stop_program; fail "$(tail -n 5 "$log")"; }
  stop_program
}
it "after a failing create function is fixed, it is not called again for entities for which it has succeeded" created_once

# Replays a recording, and rewinds with a history.
replays_scene() {
  rm -rf lived
  cp -r yard lived
  allow_kept_locals lived
  cat >lived/systems/z.lua <<'END'
local gone = false
return { phase = "post_update", update = function()
  if world.tick == 5 then world.scene("yard") end
  if world.tick == 9 and not gone then gone = true world.restore(3) end
end }
END
  run_for 20 "$release" run lived --headless --ticks 20 --history 16 --hash every=1 --record lived.replay
  exits 0
  grep '^tick' "$tmp/out" >"$tmp/hashes"
  run_for 20 "$release" run lived --headless --replay lived.replay --hash every=1
  exits 0
  [ "$(grep -c '^tick' "$tmp/out")" -ge 15 ] || fail "$(cat "$tmp/out" "$tmp/err")"
  [ "$(grep '^tick' "$tmp/out" | sort -u)" = "$(sort -u "$tmp/hashes")" ] || fail "$(diff "$tmp/out" "$tmp/hashes")"
}
it "opening a scene gives the same hashes in a replay and after a rewind" replays_scene
