# Levels edited in the cockpit: maps of Tiled and scenes in Lua, written to the game's files while it runs. The first
# tests use the protocol (lib/cockpit_levels.lua), the last ones the page in a headless Chromium (lib/browser.lua); those
# are skipped if Chromium is not installed. With PICTURES=FOLDER, the pictures of engine/docs/levels.md are kept there.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/lib/browser.sh"
cd "$tmp" || exit 1
export XDG_RUNTIME_DIR="$tmp/run"
rm -rf run
mkdir run

# A burrow: a map of 6 × 4 cells with a wall to the right of a mole, and a scene with two lamps.
make_burrow() {
  chmod -R u+w burrow 2>/dev/null
  rm -rf burrow
  mkdir -p burrow/assets burrow/scenes burrow/systems
  cp "$root/scripts/examples/levels/assets/island.png" burrow/assets/tiles.png
  cat >burrow/game.lua <<'END'
return { title = "burrow", scene = "night" }
END
  cat >burrow/components.lua <<'END'
return { lamp = { oil = 5 }, door = { key = "", open = false } }
END
  cat >burrow/assemblages.lua <<'END'
return {
  lamp = { components = { transform = { y = 40 }, shape = { radius = 6, colour = "#ffd070" }, lamp = {} } },
  door = { components = { transform = {}, shape = { kind = "rect", width = 16, height = 16 }, door = {} } },
}
END
  cat >burrow/scenes/night.lua <<'END'
-- The burrow at night.
local near = 20

return {
  entities = {
    { name = "burrow", components = { transform = {}, tilemap = { map = "burrow.tmj" } } },
    { assemblage = "lamp", name = "left", components = { transform = { x = 24 } } },
    { assemblage = "lamp", components = { transform = { x = near + 4, y = 8 }, lamp = { oil = 2 } } },
  },
}
END
  cat >burrow/assets/burrow.tmj <<'END'
{ "type": "map", "version": "1.10", "orientation": "orthogonal", "infinite": false, "width": 6, "height": 4,
  "tilewidth": 16, "tileheight": 16, "nextlayerid": 4, "nextobjectid": 3, "made by": [ "hand", { "x": null } ],
  "tilesets": [
    { "firstgid": 1, "name": "tiles", "image": "tiles.png", "tilewidth": 16, "tileheight": 16, "columns": 16,
      "tilecount": 160, "imagewidth": 256, "imageheight": 160,
      "tiles": [ { "id": 1, "properties": [ { "name": "solid", "type": "bool", "value": true } ] } ] } ],
  "layers": [
    { "id": 1, "name": "ground", "type": "tilelayer", "x": 0, "y": 0, "width": 6, "height": 4, "data": [
      1, 1, 1, 2, 1, 1,
      1, 1, 1, 2, 1, 1,
      1, 1, 1, 2, 1, 1,
      1, 1, 1, 2, 1, 1 ] },
    { "id": 2, "name": "roots", "type": "tilelayer", "x": 0, "y": 0, "width": 6, "height": 4, "encoding": "base64",
      "compression": "zlib", "data": "eJxjYKAtAAAAYAAB" },
    { "id": 3, "name": "things", "type": "objectgroup", "objects": [
      { "id": 1, "name": "gate", "type": "door", "x": 8, "y": 8, "point": true,
        "properties": [ { "name": "key", "type": "string", "value": "brass" } ] },
      { "id": 2, "name": "", "type": "lamp", "x": 72, "y": 40, "point": true } ] } ] }
END
}
start_game() { # start_game FOLDER: sets $port
  rm -rf run/shoal
  launch "$release" run "$1" --headless --no-watch --cockpit $((20000 + $$ % 12000))
  wait_for 20 has_port || fail "no cockpit: $(tail -n 5 "$log")"
  port=$(ls run/shoal)
}
check() { # check NAME: runs a check of lib/cockpit_levels.lua, with the client of lib/cockpit.lua
  make_burrow
  start_game burrow
  luajit "$root/tests/scenarios/lib/cockpit.lua" "$1" "$port" || {
    stop_program
    fail "$1: see above; the game's log: $(tail -n 5 "$log")"
  }
  wait_for 20 has_exited "$program" || fail "the game does not exit"
  stop_program
}
it "painted cells change a map's file by exactly these numbers, and collide, block rays and ways at once" check painting
it "cells of compressed layers and rectangles of flipped tiles are painted in the encoding of their layer" check packed_cells
it "objects of maps are placed, moved, changed and removed, and their entities follow" check objects
it "invalid edits of maps are reported with their number, and change nothing" check bad_edits
it "a map that changed since its diff was shown, or that is read-only, is not overwritten" check changed_files
it "entities of a scene in Lua are placed, moved, changed and removed with minimal diffs" check scenes
it "scenes that code makes are refused with their line, and a changed scene is not overwritten" check bad_scenes
