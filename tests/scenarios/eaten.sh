# Rectangle Eater: what is saved into assets/traits.json while it plays is what every rectangle is from the next tick
# on; a trait that names nothing is refused, and they stay what they were.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

# plate "TRAIT" "EDITED": in its second course, when the first trait has been chosen, the file is another one.
plate() {
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
      local least, most, count = 1000, -1000, 0
      for e in world.each("food") do
        least, most, count = math.min(least, e.food.decay), math.max(most, e.food.decay), count + 1
      end
      print(world.tick, world.single.match.course, count > 5, least, most)
    end
  end,
}
LUA
  run_for 100 "$release" run game --headless --trust --no-watch --ticks 1500 --seed 1
}
slow='{ "name": "shrink slowly", "worth": 2, "components": { "food": { "decay": 3 } } }'
fast='{ "name": "shrink fast", "worth": 2, "components": { "food": { "decay": 12 } } }'

saved() {
  plate "$slow" "$fast"
  exits 0
  says out "799	1	true	7	7"
  says out "1399	2	true	3	3"
  says out "1499	2	true	12	12"
}
it "a trait that is saved while it plays is what all rectangles are, those that are alive too" saved

refused() {
  plate "$slow" '{ "name": "fly", "worth": 2, "components": { "flys": {} } }'
  says err "did you mean flees?"
  says out "1499	2	true	3	3"
}
it "a trait with a component that is not there is refused by name, and rectangles stay what they were" refused
