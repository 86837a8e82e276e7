# The game Rectangle Eater: editing assets/traits.json during play changes every rectangle in the next tick, and an
# invalid trait is rejected and changes nothing. Components have the names of the game's article, and any entity can
# have them: playerControlled makes a rectangle an eater, and a rectangle without appearance is not drawn.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

# play_with_traits TRAIT EDITED: plays and chooses TRAIT each time. At tick 2000, in the second course, traits.json is
# replaced by EDITED.
play_with_traits() {
  rm -rf game
  cp -r "$root/scripts/games/rectangle_eater" game
  sed -i 's/title = /native = true, title = /' game/game.lua
  printf '[%s, %s, %s]' "$1" "$1" "$1" >game/assets/traits.json
  printf '[%s, %s, %s]' "$2" "$2" "$2" >edited.json
  cat >game/systems/saves.lua <<'LUA'
local ffi = require "ffi"
ffi.cdef "int system(const char *);"
return {
  phase = "post_update",
  update = function()
    if world.tick == 2000 then
      ffi.C.system "cp edited.json game/assets/traits.json"
      reload()
    elseif world.tick % 100 == 99 then
      local min, max, count = 1000, -1000, 0
      for e in world.each { "health", without = { "playerControlled" } } do
        min, max, count = math.min(min, e.health.decay), math.max(max, e.health.decay), count + 1
      end
      print(world.tick, world.single.match.course, count > 5, min, max)
    end
  end,
}
LUA
  run_for 100 "$release" run game --headless --trust --no-watch --ticks 2100 --seed 1
}
slow='{ "sentence": "They shrink slowly", "item": "shrink slowly", "worth": 2, "components": { "health": { "decay": 3 } } }'
fast='{ "sentence": "They shrink fast", "item": "shrink fast", "worth": 2, "components": { "health": { "decay": 12 } } }'

edited_traits() {
  play_with_traits "$slow" "$fast"
  exits 0 out "1299	1	true	10	10" "1999	2	true	3	3" "2099	2	true	12	12"
}
it "saving traits.json during play changes all rectangles, including existing rectangles" edited_traits

unknown_component() {
  play_with_traits "$slow" '{ "name": "fly", "worth": 2, "components": { "flee": {} } }'
  says err "did you mean flees?"
  says out "2099	2	true	3	3"
}
it "a trait with an unknown component is an error that suggests the nearest name, and rectangles stay unchanged" unknown_component

# play_stage TICKS LUA [OPTIONS]: plays from tick 2. At tick 10 the stage is empty; then LUA runs in each tick, with the
# functions put(x, y, size, components), which spawns a rectangle, and eater().
play_stage() {
  rm -rf game
  cp -r "$root/scripts/games/rectangle_eater" game
  cat >game/systems/stage.lua <<LUA
local function put(x, y, size, components)
  local all = { position = { x = x, y = y }, collision = { size = size } }
  all.appearance = { size = size, colors = { r = 255, g = 0, b = 255 } }
  for name, values in pairs(components or {}) do all[name] = values end
  return world.spawn("CollisionRect", all)
end
local function health(value) return { value = value, decay = 0 } end
local function count() return world.count("collision") end
return {
  before = { "userInput" },
  update = function()
    local tick, match = world.tick, world.single.match
    if tick == 2 then world.emit("play") end
    if tick == 10 then world.query({ "collision" }):destroy_all() end
    if tick < 10 then return end
    for e in world.each { "collision", without = { "name" } } do -- the rectangles that the game adds
      if e:assemblage() == "morsel" then e:destroy() end
    end
    $2
  end,
}
LUA
  last=$1
  shift 2
  run_for 60 "$release" run game --headless --no-watch --strict --seed 1 --ticks "$last" "$@"
}

article_names() {
  run_for 20 "$release" sql "$root/scripts/games/rectangle_eater" --ticks 1200 "SELECT group_concat(name) FROM (
    SELECT name FROM components WHERE name IN ('position', 'appearance', 'health', 'collision', 'playerControlled')
    ORDER BY name); SELECT group_concat(name) FROM (SELECT name FROM systems WHERE name IN ('userInput', 'collision',
      'decay', 'render') ORDER BY name); SELECT 'some decay ' || (count(*) > 10 AND count(DISTINCT health.entity) < count(*))
    FROM appearance JOIN position USING (entity) LEFT JOIN health USING (entity)"
  exits 0 out "appearance,collision,health,playerControlled,position"
  says out "collision,decay,render,userInput" "some decay 1"
}
it "components and systems of Rectangle Eater have the names of its article, and some rectangles have no health" article_names

any_rectangle_is_steered() {
  luajit "$root/tests/scenarios/lib/random_input.lua" keys 200 5 "Rectangle Eater" || fail "cannot generate key presses"
  play_stage 120 '
    if tick == 10 then
      put(300, 390, 30, { name = "plain", health = health(60) })
      put(900, 390, 30, { name = "eater", health = health(60), playerControlled = {} })
      put(600, 200, 5, { name = "bare" })
    elseif tick == 40 then
      world.find("plain"):add("playerControlled")
      world.find("bare"):add("playerControlled")
    elseif tick > 45 and tick < 110 then
      local a, b = world.find("plain"), world.find("eater")
      if a.intent.x ~= b.intent.x or a.intent.y ~= b.intent.y then print("not steered", tick) end
    elseif tick == 110 then
      world.find("plain"):remove("playerControlled")
    end
    if tick == 39 or tick == 109 or tick == 110 or tick == 119 then
      local a, b = world.find("plain").position, world.find("bare").position
      print("tick", tick, match.phase, a.x ~= 300 and math.abs(a.x - 300) + math.abs(a.y - 390) > 20, b.x ~= 600 or b.y ~= 200, a.x, a.y)
    end' --replay keys
  says out "tick	39	course	false	false" "tick	109	course	true	true"
  ! grep -q "not steered" "$tmp/out" || fail "$(cat "$tmp/out")"
  [ "$(grep -E '^tick	1(10|19)' "$tmp/out" | cut -f 6- | sort -u | wc -l)" = 1 ] || fail "still steered: $(cat "$tmp/out")"
}
it "the player steers each rectangle that has the component playerControlled" any_rectangle_is_steered

two_eaters() {
  play_stage 60 '
    if tick == 10 then
      put(300, 300, 30, { name = "a", health = health(60), playerControlled = {} })
      put(900, 300, 30, { name = "b", health = health(60), playerControlled = {} })
      put(300, 600, 30, { name = "bystander", health = health(60) })
    elseif tick == 14 then
      for _, x in ipairs { 300, 900 } do put(x, 300, 10, { name = "food", health = health(20) }) end
      put(300, 600, 10, { name = "untouched", health = health(20) })
    elseif tick == 20 then
      print("food", world.find("food"), "untouched", world.find("untouched") ~= nil, "points", match.points > 20,
        world.find("a").health.value > 60, world.find("b").health.value > 60)
    elseif tick == 30 then
      put(300, 300, 80, { name = "wall", health = health(120) })
    elseif tick == 32 then
      print("bitten", world.find("a").health.value < 50, world.find("b").health.value > 60)
      world.find("wall"):destroy()
    elseif tick == 40 then -- the smaller eater meets the larger one
      local a = world.find("a")
      a.mouth.grace, a.motion.vx, a.position.x, a.position.y = 0, 0, 900, 300
    elseif tick == 44 then
      print("eaters", world.count("playerControlled"), world.find("a"), match.phase)
      world.find("b").health.value = 0
    elseif tick == 50 then
      print("left", world.count("playerControlled"), match.phase)
    end'
  exits 0 out "food	nil	untouched	true	points	true	true	true" "bitten	true	true"
  says out "eaters	1	nil	course" "left	0	over"
}
it "two eaters eat and are bitten, the larger eater eats the smaller eater, and the game ends when no eater is left" \
  two_eaters

pixel_is() { # pixel_is X,Y COLOUR: fails unless this pixel of the picture has the colour
  { magick shot.png -crop "1x1+${1%,*}+${1#*,}" txt:- 2>/dev/null || convert shot.png -crop "1x1+${1%,*}+${1#*,}" txt:-; } |
    grep -qi "$2" || fail "the pixel at $1 is not $2"
}
without_appearance() {
  command -v convert >/dev/null || command -v magick >/dev/null || skip "ImageMagick is missing"
  play_stage 30 '
    if tick == 10 then
      put(300, 300, 20)
      put(500, 300, 20, { name = "removed" })
      put(700, 300, 20, { appearance = false, name = "never" })
      put(300, 500, 20, { collision = false })
      put(900, 500, 30, { name = "eater", health = health(60), playerControlled = {} })
    elseif tick == 20 then
      world.find("removed"):remove("appearance")
    end' --save stage.sqlite
  exits 0
  rm game/systems/stage.lua
  export SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy
  run_for 60 "$release" run game --no-watch --no-cockpit --history 0 --load stage.sqlite --ticks 31 --screenshot shot.png
  exits 0
  [ -e shot.png ] || skip "no screenshot: $(tail -n 1 "$tmp/err")"
  pixel_is 300,300 '#FF00FF'
  pixel_is 500,300 '#F7F2E8'
  pixel_is 700,300 '#F7F2E8'
  pixel_is 300,500 '#F9B[56]EE' # a rectangle without collision is transparent
}
it "a rectangle without appearance is not drawn, and a rectangle without collision is transparent" without_appearance

unseen() {
  play_stage 40 '
    if tick == 10 then
      put(900, 500, 30, { name = "eater", health = health(60), playerControlled = {} })
      put(900, 500, 12, { appearance = false, name = "unseen" })
    elseif tick == 20 then
      print("unseen", world.find("unseen"), match.points > 0)
    end'
  exits 0 out "unseen	nil	true"
}
it "an eater eats a rectangle without appearance" unseen

# The demo's player starves once: in the first course, its health is set to 20.
starves() {
  rm -rf game
  cp -r "$root/scripts/games/rectangle_eater" game
  sed -i 's/menu.demo_after then/0.2 then/' game/systems/flow.lua
  sed -i 's/^  popup = /  starving = t.single { ticks = t.i32(0), most = 0 },\n  popup = /' game/components.lua
  cat >game/systems/starves.lua <<'LUA'
return { phase = "post_update", when = { match = { phase = "course" } }, update = function()
  local starving, match = world.single.starving, world.single.match
  for e in world.each("playerControlled", "health") do
    if match.course == 1 and match.clock > 10 and starving.ticks == 0 then e.health.value, starving.ticks = 20, 1 end
    if starving.ticks > 0 then starving.ticks = starving.ticks + 1 end
    if starving.ticks > 1 then starving.most = math.max(starving.most, e.health.value) end
    if starving.ticks == 420 then print(starving.most > 25 and "recovered" or "alive") end
  end
end }
LUA
  for seed in 1 2 3; do
    run_for 60 "$release" run game --headless --no-watch --temporary-saves --ticks 1500 --seed $seed
    exits 0
    grep -q 'recovered\|alive' out || fail "seed $seed: starved within 7 s: $(cat out)"
    cat out >>starved
  done
  [ "$(grep -c recovered starved)" -ge 2 ] || fail "expected that two of three eaters recover: $(cat starved)"
}
it "a starving eater finds crumbs and recovers" starves
