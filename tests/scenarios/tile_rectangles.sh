# Rectangles drawn on tiles in Tiled: the solid parts of their cells, for movers and rays.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
rm -rf game
mkdir -p game/assets game/systems
cat >game/game.lua <<'END2'
return { title = "Halves", start = function() world.spawn(nil, { transform = {}, tilemap = { map = "m.tmx" } }) end }
END2
cat >game/assemblages.lua <<'END2'
return { box = { components = { transform = {}, mover = {}, body = { kind = "box", width = 8, height = 8 }, push = {} } } }
END2
echo 'return { push = { x = 0, y = 0 } }' >game/components.lua
cat >game/systems/push.lua <<'END2'
return { query = { "mover", "push" }, each = function(e) e.mover.vx, e.mover.vy = e.push.x, e.push.y end }
END2

# tileset: five tiles of 16 × 16 px: the lower half, the left half, a bridge, a passable tile, a polygon with rectangles
cat >game/assets/t.tsx <<'END2'
<tileset name="t" tilewidth="16" tileheight="16" tilecount="5" columns="5"><image source="t.png" width="80" height="16"/>
 <tile id="0"><objectgroup><object id="1" x="0" y="8" width="16" height="8"/></objectgroup></tile>
 <tile id="1"><objectgroup><object id="1" x="0" y="0" width="8" height="16"/></objectgroup></tile>
 <tile id="2"><properties><property name="one_way" type="bool" value="true"/></properties>
  <objectgroup><object id="1" x="0" y="6" width="16" height="4"/></objectgroup></tile>
 <tile id="3"><properties><property name="solid" type="bool" value="false"/></properties>
  <objectgroup><object id="1" x="0" y="0" width="16" height="16"/></objectgroup></tile>
 <tile id="4"><objectgroup><object id="1" x="0" y="12"><polygon points="0,0 4,-4 8,0"/></object>
  <object id="2" x="0" y="0" width="2" height="16"/><object id="3" x="10" y="-4" width="20" height="12"/></objectgroup></tile>
</tileset>
END2
lower=1 lower_flipped=1073741825 lower_turned=536870913 left=2 left_mirrored=2147483650 bridge=3 passable=4 two=5

# play CELL CODE: puts the tile at column 2, row 2 of a map of 5 × 5 cells (x and y from 32 to 48 px), runs the code when
# the game starts, and prints the positions of the movers after a second.
play() {
  cat >game/assets/m.tmx <<END2
<map orientation="orthogonal" width="5" height="5" tilewidth="16" tileheight="16"><tileset firstgid="1" source="t.tsx"/>
<layer name="ground" width="5" height="5"><data encoding="csv">0,0,0,0,0,0,0,0,0,0,0,0,$1,0,0,0,0,0,0,0,0,0,0,0,0</data></layer></map>
END2
  echo "return { update = function() if world.tick == 1 then $2 elseif world.tick == 60 then
    for e in world.each \"mover\" do print((\"%.2f %.2f\"):format(e.transform.x, e.transform.y)) end end end }" \
    >game/systems/play.lua
  run_for 20 "$release" run game --headless --ticks 61
  exits 0
}
spawn() { # spawn X Y PUSH_X PUSH_Y: code that spawns a mover with this speed in pixels per second
  echo "world.spawn('box', { transform = { x = $1, y = $2 }, push = { x = $3, y = $4 } }) "
}
stops_at() { # stops_at CELL X Y PUSH_X PUSH_Y "X Y": the mover must stop there
  play "$1" "$(spawn "$2" "$3" "$4" "$5")"
  [ "$(cat out)" = "$6" ] || fail "expected $6, got $(cat out)"
}

it "a mover stands on the lower half of a cell" stops_at $lower 40 20 0 60 "40.00 36.00"
it "a mover passes over the lower half of a cell" stops_at $lower 10 35 60 0 "69.00 35.00"
it "a mover is stopped by the side of the lower half of a cell" stops_at $lower 10 42 60 0 "28.00 42.00"
it "a mover stands on a rectangle that is flipped vertically" stops_at $lower_flipped 40 10 0 60 "40.00 28.00"
it "a mover is stopped from below by a rectangle that is flipped vertically" \
  stops_at $lower_flipped 40 70 0 -60 "40.00 44.00"
it "a mover is stopped by a rectangle that is flipped diagonally" stops_at $lower_turned 10 40 60 0 "36.00 40.00"
it "a mover is stopped by the left half of a cell" stops_at $left 70 40 -60 0 "44.00 40.00"
it "a mover is stopped by a mirrored rectangle" stops_at $left_mirrored 10 40 60 0 "36.00 40.00"
it "a mover falls through the free right half of a cell" stops_at $left 44.5 10 0 60 "44.50 69.00"
it "a mover stands on the rectangle of a one-way tile" stops_at $bridge 40 20 0 60 "40.00 34.00"
it "a mover passes a one-way tile with a rectangle from below" stops_at $bridge 40 70 0 -60 "40.00 11.00"
it "rectangles of a tile with solid = false do not block" stops_at $passable 40 10 0 60 "40.00 69.00"
it "a rectangle that extends beyond its cell is clipped to the cell" stops_at $two 47 20 0 60 "47.00 28.00"
it "a mover falls between the rectangles of a tile" stops_at $two 38 20 0 60 "38.00 79.00"

rays() { # rays CELL X1 Y1 X2 Y2 "X Y NX NY"
  play "$1" "local e, x, y, nx, ny = world.ray($2, $3, $4, $5, nil, true)
    print(e and (\"%.2f %.2f %d %d\"):format(x, y, nx, ny))"
  [ "$(cat out)" = "$6" ] || fail "expected $6, got $(cat out)"
}
it "a ray hits the top of the lower half of a cell" rays $lower 40 10 40 70 "40.00 40.00 0 -1"
it "a ray passes over the lower half of a cell" rays $lower 10 36 70 36 nil
it "a ray that begins in the upper half of a cell hits its lower half" rays $lower 40 34 40 70 "40.00 40.00 0 -1"
it "a ray hits the side of a mirrored rectangle" rays $left_mirrored 10 40 70 40 "40.00 40.00 -1 0"

warns() {
  play $two ""
  says err 't.tsx: tileset 1 "t": skipped collision shapes of its tiles: a tile can have up to 16 rectangles'
  [ "$(grep -c '^warn' err)" = 1 ] || fail "expected one warning: $(cat err)"
}
it "a collision shape that is not a rectangle is reported once" warns
