# The game Rectangle Eater: editing assets/traits.json during play changes every rectangle in the next tick; an invalid
# trait is rejected and changes nothing.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

# play_with_traits TRAIT EDITED: plays and chooses TRAIT each time. At tick 1400, in the second course, traits.json is
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
    if world.tick == 1400 then
      ffi.C.system "cp edited.json game/assets/traits.json"
      reload()
    elseif world.tick % 100 == 99 then
      local min, max, count = 1000, -1000, 0
      for e in world.each("food") do
        min, max, count = math.min(min, e.food.decay), math.max(max, e.food.decay), count + 1
      end
      print(world.tick, world.single.match.course, count > 5, min, max)
    end
  end,
}
LUA
  run_for 100 "$release" run game --headless --trust --no-watch --ticks 1500 --seed 1
}
slow='{ "name": "shrink slowly", "worth": 2, "components": { "food": { "decay": 3 } } }'
fast='{ "name": "shrink fast", "worth": 2, "components": { "food": { "decay": 12 } } }'

edited_traits() {
  play_with_traits "$slow" "$fast"
  exits 0
  says out "799	1	true	7	7"
  says out "1399	2	true	3	3"
  says out "1499	2	true	12	12"
}
it "saving traits.json during play changes all rectangles, including existing ones" edited_traits

unknown_component() {
  play_with_traits "$slow" '{ "name": "fly", "worth": 2, "components": { "flee": {} } }'
  says err "did you mean flees?"
  says out "1499	2	true	3	3"
}
it "a trait with an unknown component is named in the error, and rectangles stay unchanged" unknown_component
