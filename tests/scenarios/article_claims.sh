# Sentences of the articles on which Shoal is based (engine/docs/sources.md) that no other suite shows in a game.
# Entities of every fourth game and example are copied as JSON; with --long, entities of every game and example.
# needs: release
. "$(dirname "$0")/../lib.sh"
game=$tmp/game

# new_game NAME: makes an empty game; the tests add its files.
new_game() {
  rm -rf "$game"
  mkdir -p "$game/systems" "$game/behaviours"
  echo "return { title = \"$1\" }" >"$game/game.lua"
}

# Denys: "I don't want this Behavior is being executed not in runtime (e.g. Editor logic, menu, etc.)."
behaviours_in_a_menu() {
  new_game Menu
  cat >"$game/components.lua" <<'END'
local t = shoal.types
return { mode = t.single { phase = t.enum { "menu", "playing" } } }
END
  cat >"$game/behaviours/guard.lua" <<'END'
return {
  when = { mode = { phase = "playing" } },
  fields = { steps = 0 },
  update = function(self) self.steps = self.steps + 1 end,
}
END
  cat >"$game/systems/play.lua" <<'END'
return {
  start = function() world.spawn(nil, { guard = {}, name = "guard" }) end,
  update = function()
    if world.tick == 10 then world.single.mode.phase = "playing" end
    if world.tick == 15 then world.single.mode.phase = "menu" end
    if world.tick == 20 then world.single.mode.phase = "playing" world.system("guard", false) end
    if world.tick == 25 then world.system("guard", true) end
  end,
}
END
  for expected in 10:0 12:1 18:5 24:5 30:9; do # pairs of a tick and the number of calls of update
    run_for 20 "$release" sql "$game" "SELECT 'calls ' || CAST(steps AS int) FROM guard" --ticks "${expected%:*}"
    exits 0 out "calls ${expected#*:}"
  done
  run_for 20 "$release" run "$game" --headless --ticks 17 --save "$tmp/menu.sqlite"
  exits 0
  run_for 20 "$release" sql "$game" "SELECT 'calls ' || CAST(steps AS int) FROM guard" --load "$tmp/menu.sqlite" --ticks 2
  exits 0 out "calls 5"
}
it 'a behaviour whose field `when` requires the phase playing is not updated in the phase menu' behaviours_in_a_menu

# T-machine: "Each System runs continuously (as though each System had its own private thread)".
make_threads() {
  new_game Threads
  echo 'return { heat = { value = 1, rate = 2 }, cold = { value = 1 }, spark = { from = 0 } }' >"$game/components.lua"
  echo 'return { stove = { components = { heat = {}, cold = {} } }, spark = { components = { spark = {} } } }' \
    >"$game/assemblages.lua"
  echo 'return { title = "Threads", start = function() world.spawn_many("stove", 50000) end }' >"$game/game.lua"
  echo 'return { query = { "heat" }, each = function(e, dt) e.heat.value = e.heat.value + e.heat.rate * dt end }' \
    >"$game/systems/heat.lua"
  echo 'return { query = { "cold" }, each = function(e) e.cold.value = e.cold.value * 0.5 + 1 end }' \
    >"$game/systems/cold.lua"
}
private_threads() {
  make_threads
  run_for 60 "$release" sql "$game" "SELECT 'together ' || count(*) FROM systems WHERE together = 1" --native now \
    --workers 2 --ticks 20
  exits 0 out "together 2"
  for workers in 1 2 8; do
    run_for 60 "$release" run "$game" --headless --native now --workers $workers --ticks 20 --hash
    exits 0
    grep hash "$tmp/out" >"$tmp/with_$workers"
    cmp -s "$tmp/with_1" "$tmp/with_$workers" || fail "$workers workers: $(cat "$tmp/out")"
  done
}
it "two systems run concurrently and give the same hashes with 1, 2 and 8 workers" private_threads

# T-machine 5: "when creating a new entity, just create a blank entity in the entity table first, and that fast atomic
# action reserves an entity_id".
reserved_ids() {
  make_threads
  cat >"$game/systems/heat.lua" <<'END'
return {
  query = { "heat" },
  update = function(q)
    local heat = q.heat
    for i = 1, q.count do
      heat.value[i] = heat.value[i] + 1
      if (i + world.tick) % 4999 == 0 then
        local spark = world.spawn("spark", { spark = { from = i } })
        heat.rate[i] = spark:alive() and 1 or 0
      end
    end
  end,
}
END
  for workers in 1 2 8; do
    run_for 60 "$release" sql "$game" "SELECT entity, \"from\" FROM spark ORDER BY entity" --native now,split \
      --workers $workers --ticks 20 --explain heat
    exits 0
    grep -v explain "$tmp/out" >"$tmp/with_$workers"
    [ "$(wc -l <"$tmp/with_$workers")" -gt 150 ] || fail "too few sparks: $(cat "$tmp/out")"
    cmp -s "$tmp/with_1" "$tmp/with_$workers" || fail "$workers workers: $(diff "$tmp/with_1" "$tmp/with_$workers" | head -n 3)"
  done
  grep -q 'explain: heat .* [1-9][0-9]* on several workers' "$tmp/out" "$tmp/err" || fail "$(cat "$tmp/out" "$tmp/err")"
}
it "entities spawned by a system on several threads have the same ids with 1, 2 and 8 workers" reserved_ids

# Entities-Parts: "if (entity.has(SpellsPart.class)) { entity.get(SpellsPart.class).castHeal(); }"
parts() {
  find_fighter='local e for each in world.each "unit" do if each:assemblage() == "melee" then e = each break end end '
  run_for 20 "$release" run "$root/scripts/games/rpg_battle" --headless --ticks 2 --save "$tmp/title.sqlite"
  exits 0
  run_for 20 "$release" run "$root/scripts/games/rpg_battle" --headless --load "$tmp/title.sqlite" --ticks 5 --strict \
    --exec "$find_fighter e.health.points = 10 return 'before ' .. tostring(e:has 'spells')" \
    --exec "$find_fighter e:add 'spells' if e:has 'spells' then e.spells:cast_heal(e) end" \
    --exec "$find_fighter e:remove 'shield'" --save "$tmp/parts.sqlite"
  exits 0 out "before false"
  run_for 20 "$release" sql "$tmp/parts.sqlite" \
    "SELECT 'health ' || CAST(points AS int) FROM health JOIN spells USING (entity) JOIN sword USING (entity)"
  exits 0 out "health 38"
  run_for 20 "$release" sql "$tmp/parts.sqlite" "SELECT count(*) || ' shields' FROM shield"
  exits 0 out "1 shields"
}
it "an RPG Battle fighter with the spells component can heal itself" parts

# Entities-Parts I: "Whomp! Target's health is …", with the values of the article: StatsPart(50, 0), StatsPart(100, 2),
# FlyingPart(20), SpellsPart(5). "the villager's health went below zero but wasn't removed from the game".
health_of() { # health_of SECONDS: prints the health of the monster and the villager after this time
  run_for 20 "$release" sql "$root/scripts/examples/parts" --ticks $(($1 * 60 + 4)) "SELECT 'health ' ||
    group_concat(health) FROM (SELECT CAST(health AS int) AS health FROM StatsPart JOIN name USING (entity) ORDER BY value)"
  exits 0
}
battle() {
  health_of 1
  says out "health 105,48"
  printf '%s\n' "I am alive!" "Goin up! Current height is 20" "Whomp! Target's health is 48" \
    "Healed myself! Now my health is 105" >"$tmp/lines"
  grep -e alive -e height -e Whomp -e Healed "$tmp/out" | cmp -s "$tmp/lines" - || fail "$(cat "$tmp/out")"
  health_of 2
  says out "health 110,46"
  health_of 26
  says out "health 230,-2"
}
it "the battle of the example “parts” reaches the health values in the article" battle

# "we can create a nonflying monster by removing the line of code that attaches the flying part"
detached_parts() {
  run_for 20 "$release" run "$root/scripts/examples/parts" --headless --ticks 30 --save "$tmp/battle.sqlite"
  exits 0
  set -- "$release" run "$root/scripts/examples/parts" --headless --strict --load "$tmp/battle.sqlite" --ticks 70
  run_for 20 "$@" --exec 'world.find("monster"):remove("FlyingPart")' --exec 'world.find("monster"):remove("SpellsPart")'
  exits 0 out "Whomp! Target's health is 48"
  ! grep -E 'Goin up|Healed' "$tmp/out" || fail "a detached part is updated"
  run_for 20 "$@" --exec 'world.find("monster"):remove("MonsterControllerPart")'
  exits 0 out "Nooo I am dead!" "Goin up! Current height is 20"
  ! grep -E 'Whomp|Healed' "$tmp/out" || fail "a detached part is updated"
  run_for 20 "$@" --exec 'local m = world.find("monster") m:remove("StatsPart") m:add("StatsPart", { damage = 7 })'
  exits 0 out "Whomp! Target's health is 43" "Healed myself! Now my health is 55"
}
it "components of the monster can be removed and replaced during the battle of the example “parts”" detached_parts

# Tobias Stein: "This component states the remaining life-time of a Bounty object, when it's life-time is elapsed the
# bounty will fade away."
fading_bounties() {
  run_for 20 "$release" run "$root/scripts/games/bounty_hunter" --headless --ticks 200 --save "$tmp/bounties.sqlite"
  exits 0
  all='for e in world.each { "bounty", "lifetime", "sprite" } do'
  run_for 20 "$release" run "$root/scripts/games/bounty_hunter" --headless --strict --load "$tmp/bounties.sqlite" \
    --ticks 204 --exec "$all e.lifetime.seconds = 0.5 end" --save "$tmp/bounties.sqlite" --exec 'world.single.match.phase = "tally"'
  exits 0
  run_for 20 "$release" sql "$tmp/bounties.sqlite" "SELECT 'fading ' || (count(*) > 3) || ', wrong ' ||
    total(abs(seconds / 2 - tint_w) > 0.02 OR NOT visible) FROM bounty JOIN sprite USING (entity) JOIN lifetime USING (entity)"
  exits 0 out "fading 1, wrong 0.0"
  run_for 20 "$release" run "$root/scripts/games/bounty_hunter" --headless --strict --load "$tmp/bounties.sqlite" \
    --ticks 208 --exec "$all e:remove('lifetime') break end" --save "$tmp/kept.sqlite"
  exits 0
  run_for 20 "$release" sql "$tmp/kept.sqlite" "SELECT 'opaque ' || count(*) FROM bounty JOIN sprite USING (entity)
    LEFT JOIN lifetime USING (entity) WHERE lifetime.entity IS NULL AND tint_w = 1 AND NOT taken"
  exits 0 out "opaque 1"
}
it "a bounty in Bounty Hunter fades out at the end of its lifetime, if it has the component lifetime" fading_bounties

# West: "no data for what one cannot do". The description of a component lists its fields: "x:f32, y:f32".
small_components() {
  for name in rpg_battle bounty_hunter; do
    run_for 20 "$release" sql "$root/scripts/games/$name" "SELECT 'too many fields: ' || name FROM components
      WHERE origin LIKE '%.lua%' AND kind = 'component'
        AND length(description) - length(replace(description, ':', '')) > 8"
    exits 0
    ! grep 'too many fields: [a-z]' "$tmp/out" || fail "$(cat "$tmp/out")"
  done
}
it "the components of RPG Battle and Bounty Hunter have at most eight fields each" small_components

# Ash: "the state machine adds and removes components; each system queries those of its state".
hunters_states() {
  run_for 20 "$release" run "$root/scripts/games/bounty_hunter" --headless --ticks 1380 --save "$tmp/hunters.sqlite"
  exits 0
  run_for 20 "$release" sql "$tmp/hunters.sqlite" "SELECT 'hunters ' || count(*) || ', wrong ' || total(
      (state = 'seeking') <> (seeks.entity IS NOT NULL) OR (state = 'chasing') <> (chases.entity IS NOT NULL)
      OR (state = 'returning') <> (returns.entity IS NOT NULL))
    FROM hunter JOIN entities USING (entity) LEFT JOIN seeks USING (entity) LEFT JOIN chases USING (entity)
      LEFT JOIN returns USING (entity)"
  exits 0 out "hunters 4, wrong 0.0"
}
it "a hunter in Bounty Hunter has only the state component of its current state" hunters_states

# Denys: Invaders with the component PowerUp and the system PowerupsSystem. The demo begins after 15 seconds;
# without its AI, the cannon does not fire.
powerups() {
  set -- "$release" run "$root/scripts/games/invaders" --headless --strict --save "$tmp/invaders.sqlite"
  run_for 20 "$@" --ticks 1040
  exits 0
  run_for 20 "$@" --load "$tmp/invaders.sqlite" --ticks 1080 \
    --exec 'world.single.match.demo = false' \
    --exec 'local at = world.find("cannon").transform world.spawn("rapid_powerup", { transform = { x = at.x, y = at.y } })'
  exits 0
  for expected in 1080:1 1640:0; do # pairs of a tick and the number of cannons with rapid fire
    run_for 20 "$@" --load "$tmp/invaders.sqlite" --ticks "${expected%:*}"
    exits 0
    run_for 20 "$release" sql "$tmp/invaders.sqlite" "SELECT 'rapid ' || count(*) || ', power-ups ' ||
      (SELECT count(*) FROM powerup JOIN entities USING (entity) WHERE assemblage = 'rapid_powerup') FROM rapid"
    exits 0 out "rapid ${expected#*:}, power-ups 0"
  done
}
it "the cannon in Invaders fires rapidly for nine seconds after it has caught a power-up" powerups

# Rectangle Eater: "The entities are just data […] I can print out an entity as JSON". The JSON must also spawn an equal
# entity.
entities_from_json() {
  for file in "$root"/scripts/games/hamlet/game.lua \
    $(every_nth 4 1 "$root"/scripts/games/*/game.lua "$root"/scripts/examples/*/game.lua); do
    run_for 60 "$release" run "${file%/game.lua}" --headless --no-watch --ticks 60 --save "$tmp/json.sqlite"
    exits 0
    run_for 60 "$release" run "${file%/game.lua}" --headless --no-watch --ticks 0 --load "$tmp/json.sqlite" \
      --exec "$(cat "$root/tests/scenarios/lib/json_round_trip.lua")"
    exits 0 out " entities, 0 differences"
  done
}
it "the entities of games and examples can be printed as JSON, and the JSON spawns equal entities" entities_from_json

# Rectangle Eater: "We can have any kind of data nesting we want".
nested_data() {
  new_game Nesting
  cat >"$game/components.lua" <<'END'
local t = shoal.types
return { appearance = { size = 10, colors = { r = 0, g = 0.5, layers = t.list(t.string, 4, { "ink" }) },
  corners = t.list(t.f32, 8) } }
END
  echo 'return { rectangle = { components = { appearance = { colors = { r = 1 }, corners = { 0, 0, 4, 0 } } } } }' \
    >"$game/assemblages.lua"
  cat >"$game/systems/paint.lua" <<'END'
return {
  start = function() world.spawn("rectangle", { name = "box", appearance = { colors = { g = 0.25 } } }) end,
  update = function()
    local appearance = world.find("box").appearance
    if world.tick == 5 then
      appearance.colors.r = appearance.colors.r / 2
      appearance.colors.layers:add("paper")
      appearance.corners:remove(1)
      appearance.corners[3] = 8
      print(world.find("box"):json())
    end
  end,
}
END
  run_for 20 "$release" run "$game" --headless --ticks 10
  exits 0 out '"colors":{"g":0.25,"layers":["ink","paper"],"r":0.5},"corners":[0,4,8],"size":10'
  run_for 60 "$release" sql "$root/scripts/games/rectangle_eater" --ticks 2540 \
    "SELECT 'traits ' || (SELECT count(*) FROM match, json_each(match.traits)) || ', offers ' ||
      (SELECT count(*) FROM match, json_each(match.offers)) || ', chain ' || typeof(chain_bites) FROM match"
  exits 0 out "traits 2, offers 3, chain integer"
}
it "components can contain nested tables and lists, and Rectangle Eater keeps its traits in a list" nested_data

# Klutzershy: "GhostBehaviour, that has a list of qualifiers for determining which entities an object can pass through".
ghosts() {
  new_game Ghosts
  cat >"$game/components.lua" <<'END'
local t = shoal.types
return { kind = { name = "" }, blocked = { by = t.list(t.string, 4) } }
END
  echo 'return { fields = { qualifiers = shoal.types.list(shoal.types.string, 4) } }' >"$game/behaviours/ghost.lua"
  cat >"$game/assemblages.lua" <<'END'
local body = { radius = 10 }
return {
  wall = { components = { transform = {}, body = body, kind = { name = "wall" } } },
  fence = { is = "wall", components = { kind = { name = "fence" } } },
  hero = { components = { transform = {}, body = body, kind = { name = "hero" }, sensor = {}, blocked = {} } },
}
END
  cat >"$game/systems/pass.lua" <<'END'
local function passes(e, other)
  for _, kind in ipairs(e:has("ghost") and e.ghost.qualifiers or {}) do
    if kind == other.kind.name then return true end
  end
end

return {
  phase = "post_update",
  after = { "shoal.collision" },
  start = function()
    for _, name in ipairs { "hero", "wall", "fence" } do world.spawn(name, { name = name, transform = { x = 5 } }) end
  end,
  on = { collision_began = function(ev)
    for i = 1, ev.count do
      for _, pair in ipairs { { ev.a[i], ev.b[i] }, { ev.b[i], ev.a[i] } } do
        local e, other = pair[1], pair[2]
        if e:has("blocked") and not passes(e, other) then e.blocked.by:add(other.kind.name) end
      end
    end
  end },
  update = function()
    local hero = world.find("hero")
    if world.tick == 5 then -- the power-up
      hero.blocked.by = {}
      hero:add("ghost", { qualifiers = { "wall" } })
      hero.transform.x = 500
    elseif world.tick == 10 then
      hero.transform.x = 5
    end
  end,
}
END
  for expected in 4:'"fence","wall"' 20:'"fence"'; do
    run_for 20 "$release" sql "$game" --ticks "${expected%%:*}" \
      "SELECT 'blocked by ' || json_group_array(value) FROM (SELECT value FROM blocked, json_each(blocked.by) ORDER BY 1)"
    exits 0 out "blocked by [${expected#*:}]"
  done
}
it "a ghost passes through entities of the kinds in its list of qualifiers" ghosts

# Denys: scenes. The demo of Lantern begins after 15 seconds and goes through all rooms.
rooms() {
  run_for 60 "$release" run "$root/scripts/games/lantern" --headless --strict --ticks 5360 --save "$tmp/lantern.sqlite"
  exits 0
  run_for 20 "$release" sql "$tmp/lantern.sqlite" "SELECT 'rooms ' || group_concat(scene) FROM (SELECT DISTINCT
    in_scene.name AS scene FROM in_scene JOIN room USING (entity) ORDER BY scene)"
  exits 0 out "rooms cistern,hall,ossuary,throne,yard"
}
it "each room of Lantern is a scene that stays open after the hero has left it" rooms

# Entities-Parts: parts are reused in several games. A folder next to two games has a part that both use.
reused_parts() {
  mkdir -p "$tmp/parts/flying/behaviours" "$tmp/bird" "$tmp/kite"
  echo 'return { name = "flying", version = "1.0" }' >"$tmp/parts/flying/addon.lua"
  echo 'return { fields = { height = 0 }, update = function(self, dt) self.height = self.height + 60 * dt end }' \
    >"$tmp/parts/flying/behaviours/wings.lua"
  echo 'return { flier = { components = { wings = {} } } }' >"$tmp/parts/flying/assemblages.lua"
  echo 'return { addons = { "../parts/flying" }, start = function() world.spawn("flying.flier") end }' >"$tmp/bird/game.lua"
  echo 'return { addons = { { "../parts/flying", as = "air" } }, start = function() world.spawn("kite") end }' \
    >"$tmp/kite/game.lua"
  echo 'return { kite = { is = "air.flier", components = { ["air.wings"] = { height = 100 } } } }' >"$tmp/kite/assemblages.lua"
  run_for 20 "$release" sql "$tmp/bird" "SELECT 'height ' || CAST(height AS int) FROM \"flying.wings\"" --ticks 30
  exits 0 out "height 30"
  run_for 20 "$release" sql "$tmp/kite" "SELECT 'height ' || CAST(height AS int) FROM \"air.wings\"" --ticks 30
  exits 0 out "height 130"
}
it "two games can use the same add-on's behaviour, under the add-on's name or a different name" reused_parts

# Tobias Stein: "editor managing entities, components, systems".
editor() {
  new_game Editor
  rm -rf "$tmp/before"
  cp -r "$game" "$tmp/before"
  launch_cockpit "$release" run "$game" --headless --no-watch
  check_cockpit editor
  wait_for 20 has_exited "$program" || fail "the game does not exit"
  stop_program
  diff -r "$tmp/before" "$game" || fail "the undone changes left files"
}
it "the cockpit can create components, systems, assemblages and entities while the game runs" editor

# Lee on Ash: "an editor that lets you alter the state (configuration, level design, AI, etc.) while playing the game".
level_design() {
  new_game Ditch
  mkdir -p "$game/assets"
  cat >"$game/game.lua" <<'END'
return {
  title = "Ditch",
  start = function()
    world.spawn(nil, { name = "ditch", transform = {}, tilemap = { map = "ditch.tmj" } })
    world.spawn("cart", { transform = { x = 8, y = 8 } })
  end,
}
END
  echo 'return { speed = { x = 30 } }' >"$game/components.lua"
  cat >"$game/assemblages.lua" <<'END'
return {
  cart = { components = { transform = {}, speed = {}, body = { kind = "box", width = 8, height = 8 }, mover = {} } },
  post = { components = { transform = {} } },
}
END
  echo 'return { query = { "speed", "mover" }, each = function(e) e.mover.vx = e.speed.x end }' >"$game/systems/drive.lua"
  cat >"$game/assets/ditch.tmj" <<'END'
{ "type": "map", "orientation": "orthogonal", "width": 60, "height": 1, "tilewidth": 16, "tileheight": 16,
  "tilesets": [ { "firstgid": 1, "name": "t", "tilewidth": 16, "tileheight": 16, "tilecount": 1, "columns": 1,
      "tiles": [ { "id": 0, "properties": [ { "name": "solid", "type": "bool", "value": true } ] } ] } ],
  "layers": [
    { "type": "tilelayer", "name": "walls", "width": 60, "height": 1, "encoding": "base64", "compression": "zlib",
      "data": "eJxjYBhZAAAA8AAB" },
    { "type": "objectgroup", "name": "things", "objects": [] } ] }
END
  rm -rf "$tmp/before"
  cp -r "$game" "$tmp/before"
  launch_cockpit "$release" run "$game" --headless --no-watch
  check_cockpit level_design
  wait_for 20 has_exited "$program" || fail "the game does not exit"
  stop_program
  diff -r "$tmp/before" "$game" || fail "the undone changes left files"
}
it "the cockpit can change the map of a level while the game runs, and undo the changes" level_design
