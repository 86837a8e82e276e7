# LDtk projects in a game: array fields of entities become lists.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
rm -rf game
mkdir -p game/assets game/systems
cat >game/game.lua <<'END2'
return { title = "Beach", start = function()
  world.spawn(nil, { transform = {}, tilemap = { map = "world.ldtk" } })
end }
END2
cat >game/components.lua <<'END2'
local t = shoal.types
return { bag = {
  loot = t.list(t.i32, 3), moods = t.list(t.enum { "calm", "angry" }, 4), pals = t.list(t.entity, 4),
  names = t.list(t.string "", 4),
} }
END2
echo 'return { crab = { components = { transform = {}, bag = { loot = { 8 } } } } }' >game/assemblages.lua
cat >game/systems/show.lua <<'END2'
return { query = { "bag" }, each = function(e)
  local bag, loot = e.bag, {}
  for i = 1, #bag.loot do loot[i] = bag.loot[i] end
  print(e:name(), "loot " .. table.concat(loot, " "), bag.moods[1], bag.moods[2], bag.names[2],
    bag.pals[1] and bag.pals[1]:name(), bag.pals[2])
end }
END2
cat >game/assets/world.ldtk <<'END2'
{ "jsonVersion": "1.5.3", "defs": { "layers": [{ "uid": 1 }], "tilesets": [], "entities": [], "enums": [] },
  "levels": [{ "identifier": "One", "iid": "one", "pxWid": 32, "pxHei": 32, "layerInstances": [{
    "__identifier": "Things", "__type": "Entities", "layerDefUid": 1, "__gridSize": 16, "__cWid": 2, "__cHei": 2,
    "entityInstances": [
      { "__identifier": "crab", "iid": "x", "px": [8, 8], "width": 8, "height": 8, "__pivot": [0, 0],
        "fieldInstances": [
          { "__identifier": "name", "__type": "String", "__value": "ann" },
          { "__identifier": "loot", "__type": "Array<Int>", "__value": LOOT },
          { "__identifier": "moods", "__type": "Array<LocalEnum.Mood>", "__value": ["angry", "calm"] },
          { "__identifier": "names", "__type": "Array<String>", "__value": ["a", "b"] },
          { "__identifier": "pals", "__type": "Array<EntityRef>",
            "__value": [{ "entityIid": "y", "levelIid": "one" }, null] }
        ] },
      { "__identifier": "crab", "iid": "y", "px": [16, 8], "width": 8, "height": 8, "__pivot": [0, 0],
        "fieldInstances": [{ "__identifier": "name", "__type": "String", "__value": "bob" }] }
    ] }] }] }
END2
cp game/assets/world.ldtk project

fills_lists() {
  sed 's/LOOT/[1, null, 2]/' project >game/assets/world.ldtk
  run_for 20 "$release" run game --headless --ticks 1 --strict
  exits 0 out "$(printf 'ann\tloot 1 2\tangry\tcalm\tb\tbob\tnone')"
  says out "$(printf 'bob\tloot 8\t')" # the assemblage's list, because the map lacks the field
  ! grep -q '^warn' err || fail "$(cat err)"
}
it "LDtk arrays become lists of numbers, choices, strings and entities" fills_lists

cuts_lists() {
  sed 's/LOOT/[1, 2, 3, 4, 5]/' project >game/assets/world.ldtk
  run_for 20 "$release" run game --headless --ticks 1
  exits 0 out "$(printf 'ann\tloot 1 2 3\t')"
  says err "world.ldtk: property loot has 5 values, but bag.loot holds at most 3: the rest is dropped"
}
it "an LDtk array longer than its list is truncated with a warning" cuts_lists

refuses_arrays() {
  sed 's/"names", "__type"/"transform__x", "__type"/; s/LOOT/[]/' project >game/assets/world.ldtk
  run_for 20 "$release" run game --headless --ticks 1
  exits 0
  says out "$(printf 'ann\tloot 8\t')" # an empty array keeps the assemblage's list
  says err "skipped transform.x: x must be a number"
}
it "an LDtk array for a field that is not a list is reported" refuses_arrays
