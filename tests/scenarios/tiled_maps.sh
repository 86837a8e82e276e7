# Objects of Tiled's maps as entities: tiles of templates, inherited classes, flips, enums and unknown properties.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

mkdir -p game/assets game/systems
echo 'return { lever = { mode = shoal.types.enum { "low", "high" }, power = 1, tint = shoal.vec4(0.2, 0.4, 0.6, 1) } }' \
  >game/components.lua
echo 'return { switch = { components = { transform = {}, lever = {}, sprite = {} } } }' >game/assemblages.lua
cat >game/game.lua <<'END'
return { start = function() world.spawn(nil, { transform = {}, tilemap = { map = "m.tmx" } }) end }
END
cat >game/systems/show.lua <<'END'
return { query = { "lever", "sprite", "transform" }, each = function(e)
  if world.tick == 3 then
    print(e:name(), e.lever.mode, e.lever.power, e.lever.tint.g, e.sprite.flip, e.sprite.flip_y, e.transform.angle)
  end
end }
END
cat >game/assets/t.tsx <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<tileset version="1.10" name="t" tilewidth="16" tileheight="16" tilecount="2" columns="2">
 <image source="t.png" width="32" height="16"/>
 <tile id="1" type="switch"><properties>
  <property name="power" type="int" value="7"/><property name="solid" type="bool" value="true"/></properties></tile>
</tileset>
END
cat >game/assets/switch.tx <<'END'
<template><tileset firstgid="1" source="t.tsx"/>
 <object name="template" gid="2" width="16" height="16"><properties>
  <property name="mode" propertytype="Mode" value="high"/></properties></object></template>
END

# map OBJECTS: writes a map with this text between the tags of its object layer
map() {
  printf '%s\n' '<map version="1.10" orientation="orthogonal" width="2" height="1" tilewidth="16" tileheight="16">' \
    '<tileset firstgid="1" source="t.tsx"/><objectgroup id="1" name="o">' "$1" '</objectgroup></map>' >game/assets/m.tmx
  run_for 30 "$release" run game --headless --ticks 5
  exits 0
}

tiles() {
  map '<object id="1" name="plain" gid="2" width="16" height="16"/><object id="2" template="switch.tx"/>
    <object id="3" name="x" gid="2147483650" width="16" height="16"/>
    <object id="4" name="y" gid="1073741826" width="16" height="16"/>
    <object id="5" name="turned" gid="2684354562" width="16" height="16"/>'
  says out "plain	low	7	0.40000000596046	false	false	0"
  says out "template	high	7"
  says out "x	low	7	0.40000000596046	true	false	0"
  says out "y	low	7	0.40000000596046	false	true	0"
  says out "turned	low	7	0.40000000596046	false	false	1.57"
  ! grep -q "^warn.*m.tmx" err || fail "$(cat err)"
}
it "tile objects inherit from template and tile, and mirror their sprite" tiles

properties() {
  map '<object id="1" name="a" type="switch"><point/><properties>
    <property name="mode" type="int" propertytype="Mode" value="1"/><property name="note" value="ask Bo"/>
    <property name="tint" type="color" value=""/></properties></object>
    <object id="2" name="b" type="switch"><point/><properties>
    <property name="mode" value="hgih"/><property name="loot" type="class" propertytype="Loot"><properties>
    <property name="gold" type="int" value="3"/></properties></property></properties></object>'
  says out "a	high	1	0.40000000596046"
  says out "b	low	1	0.40000000596046"
  says err 'm.tmx: object 1 "a": skipped note: unknown component “note”'
  says err 'm.tmx: object 2 "b": skipped lever.mode: mode must be one of low, high, got text "hgih": did you mean high?'
  says err 'm.tmx: object 2 "b": skipped loot: unknown component “loot”'
  [ "$(grep -c '^warn.*m.tmx' err)" = 3 ] || fail "expected 3 warnings: $(cat err)"
}
it "invalid properties cost one warning each, and the object is spawned" properties
