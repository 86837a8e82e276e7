# Levels edited in the cockpit: maps of Tiled and scenes in Lua, written to the game's files while it runs. The first
# tests use the protocol (lib/cockpit_levels.lua), the last tests use the page in a headless Chromium (lib/browser.lua)
# and are skipped if Chromium is not installed. PICTURES=FOLDER keeps the pictures of engine/docs/levels.md there.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/lib/browser.sh"
cd "$tmp" || exit 1

# A burrow: a map of 6 × 4 cells with a wall in the fourth column, and a scene with two lamps.
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
start_game() { launch_cockpit "$release" run "$1" --headless --no-watch; } # start_game FOLDER: sets $port
check() { # check NAME: runs a check of lib/cockpit_levels.lua, with the client of lib/cockpit.lua
  make_burrow
  start_game burrow
  check_cockpit "$1"
  wait_for 20 has_exited "$program" || fail "the game does not exit"
  stop_program
}
it "painted cells change only their numbers in the map's file, and affect collisions, rays and paths immediately" \
  check painting
it "painted cells of compressed layers and painted rectangles of flipped tiles keep the encoding of their layer" check \
  packed_cells
it "a cell painted outside the chunks of an infinite map adds a chunk in the encoding of the layer" check infinite_maps
it "map objects can be placed, moved, changed and removed, and their entities are updated" check objects
it "invalid edits of maps are reported with their index and change nothing" check bad_edits
it "a map that changed since its diff was shown, or that is read-only, is not overwritten" check changed_files
it "entities of a scene in Lua can be placed, moved, changed and removed with minimal diffs" check scenes
it "edits of computed scenes are refused with their line, and a scene that has changed is not overwritten" check \
  bad_scenes

# page FILE STEPS…: opens the level editor of the game in the folder `played` with this file, and performs the steps.
page() {
  skip_without "${browser:-chromium}"
  start_game played
  file=$1
  shift
  browse "document.body.dataset.ready != null" "size=1500x860" "$levels" "$(opened)" "$(open_level "$file")" \
    "$(opened "$file")" "$@"
}
levels="do:[...document.querySelectorAll('#tabs button')].find((x) => x.textContent == 'Levels').click()"
opened() { echo "import('./levels.js').then((x) => !!x.current()?.file.endsWith('${1-}'))"; }
open_level() { echo "do:{ const x = document.querySelector('[aria-label=level]'); x.value = '$1'; x.onchange(); }"; }
tool() { echo "do:document.querySelector('[data-tool=$1]').click()"; }
layer() { echo "do:[...document.querySelectorAll('.layer-name')].find((x) => x.textContent.startsWith('$1')).click()"; }
tile() { echo "do:{ const x = document.querySelector('[aria-label=\"tile number\"]'); x.value = $1; x.onchange(); }"; }
thing() { echo "do:[...document.querySelectorAll('.thing-row')][$1].click()"; }
drag() { # drag X1 Y1 X2 Y2: drags from the first to the second point of the level
  echo "drag:import('./levels.js').then((x) => [x.pagePoint($1, $2), x.pagePoint($3, $4)].flat().map(Math.round).join())"
}
enter() { # enter LABEL VALUE: enters a value into the form
  echo "do:{ const x = document.querySelector('.level-side [aria-label=\"$1\"]'); x.value = '$2'; x.onchange(); }"
}
holds() { echo "document.querySelector('.level-side [aria-label=\"$1\"]')?.value == '$2'"; }
shows() { echo \
  "document.querySelector('.levels .diffs')?.textContent.includes('$1') && !document.querySelector('.levels .write-change').disabled"; }
hides() { echo "!document.querySelector('.levels .diffs').textContent.includes('$1')"; }
write="do:document.querySelector('.levels .write-change').click()"
written() { echo \
  "document.querySelectorAll('.levels .written-row').length == $1 && document.querySelector('.levels .diffs .empty') != null"; }

# A level is painted, objects and entities are placed, moved and changed on the page, and one change is undone. The
# changed files are compared with lib/level.diff.
level() {
  make_burrow
  rm -rf played before
  cp -r burrow played
  cp -r burrow before
  page assets/burrow.tmj \
    "$(layer ground)" "$(tile 20)" "$(drag 8 8 40 8)" "$(shows '20, 20, 20, 2, 1, 1')" \
    "$(tool rect)" "$(tile 3)" "$(drag 8 40 24 56)" "$(shows '3, 3, 1, 2, 1, 1')" \
    "$(tool erase)" "$(drag 88 8 88 8)" "$(shows '20, 20, 20, 2, 1, 0')" "key=Ctrl+z" "$(shows '20, 20, 20, 2, 1, 1')" \
    "$(layer things)" "$(thing 0)" "$(drag 8 8 24 24)" "$(holds 'object x' 24)" "$(enter 'property key' iron)" \
    "$(shows '"iron"')" "$(tool place)" "do:document.querySelector('.level-side [data-name=door]').click()" \
    "$(drag 80 32 96 56)" "$(holds 'object width' 16)" "$(enter 'object name' back)" "$(shows '"back"')" "$write" \
    "$(written 1)" \
    "sh=cp played/assets/burrow.tmj kept.tmj" "$(tool brush)" "$(tile 5)" "$(drag 8 24 24 24)" \
    "$(shows '5, 5, 1, 2, 1, 1')" \
    "$write" "$(written 2)" "do:document.querySelector('.levels .written-row button').click()" \
    "document.querySelector('.levels .written-row .badge').textContent == 'undone'" \
    "sh=cmp kept.tmj played/assets/burrow.tmj" \
    "import('./levels.js').then((x) => x.current().cellAt(0, 0, 1) == 1)" \
    "$(open_level scenes/night.lua)" "$(opened night.lua)" "$(tool select)" "$(thing 1)" "$(drag 24 40 40 24)" \
    "$(holds 'entity x' 40)" \
    "$(thing 2)" "document.querySelector('[aria-label=\"transform.x\"]').disabled" "$(enter lamp.oil 4)" \
    "$(shows 'oil = 4')" \
    "do:document.querySelector('[aria-label=\"component of the value\"]').focus()" type=door key=Enter \
    "do:{ const x = document.querySelector('[aria-label=\"field to set\"]'); x.value = 'key'; x.onchange(); }" \
    "$(enter door.key tin)" "$(shows 'key = "tin"')" \
    "do:document.querySelector('[aria-label=\"remove door.key\"]').click()" \
    "$(hides 'tin')" \
    "$(tool place)" "do:document.querySelector('.level-side [data-name=lamp]').click()" "$(drag 80 16 80 16)" \
    "$(holds 'entity x' 80)" "$(enter 'entity name' right)" "$(shows '"right"')" "$write" "$(written 3)"
  (LC_ALL=C diff -ruN before played || true) | sed '/^diff /d; /^[-+][-+][-+] /s/\t.*//' >level.diff
  cmp -s "$root/tests/scenarios/lib/level.diff" level.diff ||
    fail "unexpected diff: $(diff "$root/tests/scenarios/lib/level.diff" level.diff)"
  "$release" run played --headless --ticks 30 --strict >out 2>&1 || fail "the game does not run: $(cat out)"
}
it "a level can be painted and its objects and entities placed on the page with a minimal diff" level

# If the file changes after the diff was shown, a click on Write keeps the draft and shows the new diff. The page's timers
# are cleared before, because the page would otherwise show the new diff itself within a second.
clear_timers="do:for (let id = setTimeout(() => {}); id > 0; --id) clearTimeout(id)"
level_conflict() {
  make_burrow
  rm -rf played
  cp -r burrow played
  page assets/burrow.tmj "$(layer ground)" "$(tile 20)" "$(drag 8 8 8 8)" "$(shows '20, 1, 1, 2')" "$clear_timers" \
    "sh=sed -i 's/1, 1, 1, 2, 1, 1 ] }/9, 9, 9, 9, 9, 9 ] }/' played/assets/burrow.tmj" "$write" \
    "document.querySelector('.levels .error').textContent == 'assets/burrow.tmj has changed since its diff was shown: check the new diff'" \
    "$(shows '9, 9, 9')" "$write" "$(written 1)" "sh=grep -q '20, 1, 1, 2' played/assets/burrow.tmj" \
    "sh=echo >>played/assets/burrow.tmj" "do:document.querySelector('.levels .written-row button').click()" \
    "document.querySelector('.levels .written-row .error').textContent.includes('assets/burrow.tmj has changed since it was written')" \
    "$(drag 24 24 200 24)" \
    "document.querySelector('#toast').textContent.includes('Cells outside the map were not painted')" \
    "$(shows '1, 20, 20, 20')" "do:document.querySelector('.levels .cancel-change').click()" "$(hides '20, 20')" \
    "import('./levels.js').then((x) => x.current().cellAt(0, 1, 1) == 1)"
  grep -q "9, 9, 9, 9, 9, 9" played/assets/burrow.tmj || fail \
    "the editor's change was lost: $(cat played/assets/burrow.tmj)"
}
it "the page shows a new diff if a map has changed, keeps the draft, and undoes only an unchanged file" level_conflict

# Pictures of engine/docs/levels.md, of the example `levels`.
pictures() {
  rm -rf played
  cp -r "$root/scripts/examples/levels" played
  page assets/island.tmj "$(layer paths)" "$(tool pick)" "$(drag 297 340 297 340)" \
    "$(tool rect)" "$(drag 296 360 312 392)" \
    "document.querySelector('.levels .file-diff') != null" shot=cockpit_levels_paint.jpg \
    "do:document.querySelector('.levels .cancel-change').click()" \
    "document.querySelector('.levels .diffs .empty') != null" \
    "$(layer objects)" "$(tool place)" "do:document.querySelector('.level-side [data-name=slime]').click()" \
    "$(drag 440 240 440 240)" "$(holds 'object x' 440)" "$(enter 'object name' guard)" "$(shows '"guard"')" \
    shot=levels_place.jpg "walk=.levels" "do:document.documentElement.dataset.theme = 'dark'" "size=1024x768" \
    shot=levels_dark.png \
    "size=1280x720" "$(tabs_in 1)" "$(open_kinds)" "$(tabs_in 1)" size=1024x768 "$(tabs_in 2)" \
    size=800x600 "$(tabs_in 2)" size=700x900 "$(tabs_in 2)"
  [ -z "${PICTURES-}" ] || cp cockpit_levels_*.jpg "$PICTURES"
}
open_kinds() { echo "do:[...document.querySelectorAll('#tabs button')].find((x) => x.textContent == 'Kinds').click()"; }
# tabs_in LINES: prints the condition that the tabs are in this number of lines, with at least 6 pixels between their
# texts
tabs_in() { echo "(() => {
  const range = document.createRange();
  const boxes = [...document.querySelectorAll('#tabs button')].map((x) => {
    range.selectNodeContents(x);
    return range.getBoundingClientRect();
  });
  return new Set(boxes.map((x) => x.top)).size == $1 && boxes.every((x, i) => x.right <= innerWidth &&
    (i == 0 || x.top != boxes[i - 1].top || x.left >= boxes[i - 1].right + 6));
})()"; }
it "every control of the level editor has a focus outline, and the tabs do not overlap at four window widths" pictures
