# world.import of a file that an earlier version of the game has exported: renamed, moved and split fields, and removed
# fields and components.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

write_version() { # write_version 'COMPONENTS' 'COMPONENTS OF THE HERO': components.lua and assemblages.lua
  echo 'local t = shoal.types' >game/components.lua
  echo "return { $1 }" >>game/components.lua
  echo "return { hero = { components = { $2 } } }" >game/assemblages.lua
}
exports() { # writes cast.json in the folder of saves
  rm -rf game data
  mkdir -p game
  echo 'return { title = "Versions", id = "import_versions" }' >game/game.lua
  write_version 'drive = { vx = 0, vy = 0, turn = 0, aim = t.vec2(0, 0), colour = { r = 0, g = 0 } },
    gun = t.many { heat = 0, shots = 0 }, stamina = { left = 0 }, gold = { amount = 0 }' \
    'drive = {}, gun = { left = {}, right = {} }'
  run_for 20 "$release" run game --headless --ticks 1 --exec 'world.spawn("hero", { stamina = { left = 4 },
    drive = { vx = 1, vy = 2, turn = 3, aim = { 5, 6 }, colour = { r = 7, g = 8 } },
    gun = { left = { heat = 9, shots = 10 }, right = { heat = 11 } } }) world.export("cast")'
  exits 0
  [ -s data/shoal/saves/import_versions/cast.json ] || fail "no file: $(find data)"
}
imports() { # imports 'EXPRESSIONS OF e': prints them for the imported entity
  run_for 20 "$release" run game --headless --ticks 1 --exec "local e = world.import('cast')[1] print($1)"
}

moved() {
  requires exports
  write_version 'drive = { turn = 0, colour = { g = 0 } },
    place = { x = 0, speed = { y = 0 }, renamed_from = { x = "drive.vx", ["speed.y"] = "drive.vy" } },
    target = { at = t.vec2(0, 0), red = 0, renamed_from = { at = "drive.aim", red = "drive.colour.r" } },
    gun = t.many { shots = 0 }, barrel = t.many { heat = 0, renamed_from = { heat = "gun.heat" } },
    vigour = { rest = 0, renamed_from = { "stamina", rest = "left" } }' \
    'drive = {}, place = {}, gun = { left = {}, right = {} }'
  imports 'e.place.x, e.place.speed.y, e.drive.turn, e.drive.colour.g, e.target.at.x, e.target.at.y, e.target.red,
    e.gun.left.shots, e.barrel.left.heat, e.barrel.right.heat, e.vigour.rest'
  exits 0 out "$(printf '1\t2\t3\t8\t5\t6\t7\t10\t9\t11\t4')"
  ! grep -q skipped err || fail "$(cat err)"
}
it "world.import converts fields that were moved, split or renamed" moved

removed() {
  requires exports
  write_version 'drive = { vx = 0 }, gun = t.many { heat = 0 }, stamina = false' 'drive = {}, gun = { left = {} }'
  imports 'e.drive.vx, e.gun.left.heat, e.gun.right.heat'
  exits 0 out "$(printf '1\t9\t11')"
  for field in vy turn aim colour; do
    grep -qE "warn: .*world.import: cast.json:[1-9][0-9]*: entity 1 .*drive has no field $field.*: skipped" err ||
      fail "$(cat err)"
  done
  grep -qE "world.import: cast.json:[1-9].*the component stamina was removed: skipped" err || fail "$(cat err)"
  [ "$(grep -c skipped err)" = 6 ] || fail "$(cat err)"
}
it "world.import skips removed fields and components with a warning that names the file and the line" removed

unknown() {
  requires exports
  write_version 'drive = { vx = 0 }' 'drive = {}'
  imports 'e.drive.vx'
  exits 1 err "unknown component"
}
it "world.import of an unknown component is an error" unknown
