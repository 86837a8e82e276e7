# Objects of Tiled's maps as entities: tiles of templates, inherited classes, flips, enums and unknown properties. Drawing
# of tiles that cover several cells, and of tile objects.
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
    local tiles = world.tiles(e.map_object.map)
    local tile, flip = tiles:object(e.map_object.id)
    print(e:name(), e.lever.mode, e.lever.power, e.lever.tint.g, e.sprite.flip, e.sprite.flip_y, e.transform.angle)
    print(e:name() .. " is tile", tile, flip, tiles:tileset(tile))
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

# map OBJECTS: writes a map with this text between the tags of its object layer, and runs the game
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
  says out "plain	low	7	0.40000000596046	false	false	0" "template	high	7"
  says out "x	low	7	0.40000000596046	true	false	0" "y	low	7	0.40000000596046	false	true	0"
  says out "turned	low	7	0.40000000596046	false	false	1.57" "plain is tile	2	0	t	1"
  says out "template is tile	2	0	t	1" "x is tile	2	1	t	1" "turned is tile	2	5	t	1"
  ! grep -q "^warn.*m.tmx" err || fail "$(cat err)"
}
it "tile objects inherit properties from their template and tile and mirror their sprite, and scripts can read their tile" tiles

properties() {
  map '<object id="1" name="a" type="switch"><point/><properties>
    <property name="mode" type="int" propertytype="Mode" value="1"/><property name="note" value="ask Bo"/>
    <property name="tint" type="color" value=""/></properties></object>
    <object id="2" name="b" type="switch"><point/><properties>
    <property name="mode" value="hgih"/><property name="loot" type="class" propertytype="Loot"><properties>
    <property name="gold" type="int" value="3"/></properties></property></properties></object>'
  says out "a	high	1	0.40000000596046" "b	low	1	0.40000000596046"
  says err 'm.tmx: object 1 "a": skipped note: unknown component “note”'
  says err 'm.tmx: object 2 "b": skipped lever.mode: mode must be one of low, high, got text "hgih": did you mean high?'
  says err 'm.tmx: object 2 "b": skipped loot: unknown component “loot”'
  [ "$(grep -c '^warn.*m.tmx' err)" = 3 ] || fail "expected 3 warnings: $(cat err)"
}
it "each invalid property of a map object causes one warning, and the object is spawned" properties

# colour_at X,Y: prints the colour of a pixel of drawn.png, such as #FF0000
colour_at() { convert drawn/drawn.png -crop "1x1+${1%,*}+${1#*,}" -depth 8 txt:- | grep -o '#[0-9A-F]\{6\}'; }
pixels_are() { # pixels_are "X,Y COLOUR"…
  for pixel; do
    [ "$(colour_at "${pixel% *}")" = "${pixel#* }" ] ||
      fail "pixel ${pixel% *} is $(colour_at "${pixel% *}"), not ${pixel#* }"
  done
}

# draw_map ATTRIBUTES CONTENT: draws a map of 6 × 3 cells, whose top left corner is at 20, 20. Tile 1 has 16 × 24 pixels,
# red above green; tile 2 has 16 × 16 pixels, blue.
draw_map() {
  mkdir -p drawn/assets
  convert -size 16x12 xc:red xc:lime -append drawn/assets/tall.png
  convert -size 16x16 xc:blue drawn/assets/blue.png
  cat >drawn/game.lua <<'END'
return { width = 200, height = 100, window = { filter = "pixels" }, start = function()
  world.spawn(nil, { transform = { x = 20, y = 20 }, tilemap = { map = "m.tmx" } })
  world.spawn(nil, { transform = { x = 100, y = 50 }, camera = { background = "#000000" } })
end }
END
  cat >drawn/assets/m.tmx <<END
<map orientation="orthogonal" width="6" height="3" tilewidth="16" tileheight="16" $1>
<tileset firstgid="1" name="tall" tilewidth="16" tileheight="24" tilecount="1" columns="1"><tileoffset x="0" y="2"/>
<image source="tall.png" width="16" height="24"/></tileset>
<tileset firstgid="2" name="blue" tilewidth="16" tileheight="16" tilecount="1" columns="1">
<image source="blue.png" width="16" height="16"/></tileset>$2</map>
END
  SDL_VIDEODRIVER=offscreen run_for 60 "$release" run drawn --no-watch --ticks 1 --screenshot drawn/drawn.png
  exits 0
}
cells() { printf '<layer name="a" width="6" height="3"><data encoding="csv">%s</data></layer>' "$1"; }

turned() { # the tile becomes 24 × 16 pixels, red left of green
  draw_map "" "$(cells 0,0,0,0,0,0,0,536870913,0,0,0,0,0,0,0,0,0,0)"
  pixels_are "37,45 #FF0000" "47,45 #FF0000" "49,45 #00FF00" "59,45 #00FF00" "61,45 #000000" "40,37 #000000"
}
it "a non-square tile swaps width and height when it is flipped diagonally" turned

overlapping() { # tile 1 extends beyond its cell; tile 2 belongs to a later tileset
  draw_map "" "$(cells 0,2,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0)"
  pixels_are "40,28 #0000FF" "40,32 #FF0000" "40,50 #00FF00"
  draw_map 'renderorder="right-up"' "$(cells 0,2,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0)"
  pixels_are "40,28 #0000FF" "40,34 #0000FF" "40,40 #FF0000"
  draw_map "" "$(cells 0,0,0,0,0,0,0,536870913,2,0,0,0,0,0,0,0,0,0)"
  pixels_are "50,45 #00FF00" "54,45 #0000FF"
  draw_map 'renderorder="left-down"' "$(cells 0,0,0,0,0,0,0,536870913,2,0,0,0,0,0,0,0,0,0)"
  pixels_are "50,45 #00FF00" "54,45 #00FF00" "62,45 #0000FF"
}
it "overlapping tiles are drawn in the map's render order" overlapping

offset() { # turned by 90° and twice as large, so the tile's offset by 2 px down becomes an offset by 4 px to the left
  draw_map "" '<objectgroup name="o"><object id="1" gid="1" x="0" y="0" width="32" height="48" rotation="90"/></objectgroup>'
  pixels_are "15,22 #000000" "17,22 #00FF00" "39,50 #00FF00" "41,22 #FF0000" "63,50 #FF0000" "65,22 #000000"
}
it "the offset of a tile is rotated and scaled with its object" offset
