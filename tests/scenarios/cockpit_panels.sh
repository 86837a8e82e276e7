# Panels and commands that games and plugins add to the cockpit: contents, recorded user actions, and isolation of
# failing panels.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
rm -rf stall faulty named
mkdir -p stall
echo 'return { title = "stall", plugins = { "physics" }, start = function()
  for _ = 1, 3 do world.spawn("fruit") end
end }' >stall/game.lua
cat >stall/components.lua <<'END2'
local t = shoal.types
return { fruit = { price = t.f32(5, { min = 1, max = 50 }) }, stall = t.single { open = t.i32(1) } }
END2
echo 'return { fruit = { components = { fruit = {}, transform = {} } },
  ball = { components = { transform = {}, rigid_body = { vy = 30 }, collider = {} } } }' >stall/assemblages.lua
cat >stall/cockpit.lua <<'END2'
shoal.cockpit { title = "Fruit", sql = "SELECT entity, price FROM fruit" }
shoal.cockpit { title = "Stall", draw = function(panel, e)
  local first, sum = nil, 0
  for x in world.each("fruit") do first, sum = first or x, sum + x.fruit.price end
  panel:label("What is sold")
  panel:value("fruit", world.count("fruit"))
  panel:slider("price", first, "fruit.price")
  panel:slider("open", "stall.open", { 0, 9 })
  panel:slider("all", 3, { 0, 20 }, function(price)
    for x in world.each("fruit") do x.fruit.price = price end
  end)
  panel:button("One more", function() world.spawn("fruit") end)
  panel:plot("sum", sum)
  if e then panel:button("Eat it", function() e:destroy() end) end
end }
shoal.cockpit { command = "Market day", help = "ten more", run = function()
  for _ = 1, 10 do world.spawn("fruit", { fruit = { price = world.random() * 40 } }) end
end }
END2
cp -r stall faulty
cp -r stall named
echo 'shoal.cockpit { command = "math", run = function() world.single.stall.open = 9 end }' >>named/cockpit.lua
cat >>faulty/cockpit.lua <<'END2'
shoal.cockpit { title = "Fails", draw = function(panel, e)
  panel:value("size", e.fruit.price) end }
shoal.cockpit { title = "Writes", draw = function()
  for x in world.each("fruit") do x.fruit.price = 20 end
end }
shoal.cockpit { title = "Spawns", draw = function(panel)
  world.spawn("fruit") end }
shoal.cockpit { title = "Endless", draw = function()
  while true do end end }
shoal.cockpit { title = "Twice", draw = function(panel)
  for _ = 1, 2 do panel:button("Buy", function() end) end
end }
shoal.cockpit { title = "Texts", draw = function(panel) panel:plot("n", "many") end }
shoal.cockpit { title = "Where", draw = function(panel) panel:slider("n", "friut.price") end }
shoal.cockpit { title = "What", draw = function(panel) panel:buton("n") end }
shoal.cockpit { title = "Wrong", sql = "SELECT pirce FROM fruit" }
END2

start_game() { launch_cockpit "$release" run "$@" --headless; } # start_game GAME [OPTIONS]: sets $port
recorded() {
  start_game stall --no-watch --record stall.replay
  check_cockpit panels
  wait_for 20 has_exited "$program" || fail "the game does not exit"
  stop_program
  run_for 20 "$release" run stall --headless --replay stall.replay
  exits 0
}
it "panel buttons and sliders change the game, and a replay of the recording gives the same hashes" recorded

check_game() { # check_game CHECK GAME [OPTIONS]
  check=$1
  shift
  start_game "$@" --no-watch
  check_cockpit "$check" "$1"
  stop_program
}
it "a panel that fails, writes or never returns shows an error with file and line, and the remaining panels are drawn" \
  check_game bad_panels faulty
it "all panels of a game with 10,000 entities together take at most 0.3 ms per tick" check_game panels_cost stall
it "the console tries commands before Lua and SQL, and suggests the nearest name" check_game console_commands \
  named
it "a read-only cockpit rejects panel buttons" check_game panels_read_only stall --cockpit-read-only
it "open panels are updated when cockpit.lua is saved, unless the file has an error" check_game panels_reload stall

# A plugin with two faulty panels: one writes to a column while it is drawn, the other spawns an entity.
mkdir -p stall/plugins
cat >scribble.c <<'END2'
#include <shoal/plugin.h>
#define INK_FIELDS(F) F(f32, drops, 4)
SHOAL_SINGLE(ink, INK_FIELDS)
static void draw(shoal_context *c, shoal_entity picked) {
  const ink_columns *ink = SHOAL_ROWS_COLUMNS(shoal_get_rows(shoal_get_world(c), &ink_component), ink);
  (void)picked;
  ink->drops[0] += 1;
  shoal_panel_value(c, "drops", "%g", ink->drops[0]);
}
static void spill(shoal_context *c, shoal_entity picked) {
  shoal_spawn_many(shoal_get_world(c), "", 1, NULL);
  shoal_panel_slider(c, "nothing", picked, NULL, 0, 0, 1);
}
SHOAL_PLUGIN(.name = "scribble", .version = 1, .components = SHOAL_COMPONENTS(ink),
             .panels = SHOAL_PANELS({.title = "Ink", .draw = draw}, {.title = "Spill", .draw = spill},
                                    {.title = "Drops", .sql = "SELECT drops FROM ink"}))
END2
plugin_panel() {
  ${CC:-cc} -std=c11 -shared -fPIC -I "$root/engine/include" -o stall/plugins/scribble.so scribble.c || fail scribble.c
  sed 's/"physics"/"physics", "scribble"/' stall/game.lua >game.lua~ && mv game.lua~ stall/game.lua
  start_game stall --no-watch
  check_cockpit panels_in_c
  stop_program
}
it "a write by a plugin's panel is undone, and an error is shown" plugin_panel

reports_error() { # reports_error LUA MESSAGE: a cockpit.lua with this line must be a load error with this message
  echo "$1" >stall/cockpit.lua
  run_for 20 "$release" run stall --headless --ticks 1
  exits 1 err "cockpit.lua:1: $2"
}
declaration_errors() {
  reports_error 'shoal.cockpit { titel = "A" }' "shoal.cockpit has no field titel (did you mean title?)"
  reports_error 'shoal.cockpit { title = 3 }' "shoal.cockpit: title must be a string, got 3"
  reports_error 'shoal.cockpit { title = "A" }' "the panel “A” must have either draw or sql, got neither"
  reports_error 'shoal.cockpit { title = "A", draw = 1 }' "shoal.cockpit: draw must be a function, got 1"
  reports_error 'shoal.cockpit { title = "A", sql = "DELETE FROM fruit" }' \
    "shoal.cockpit: sql must be a read-only query"
  reports_error 'shoal.cockpit { title = "Physics", sql = "SELECT 1" }' \
    "two panels are named “Physics”: rename one of them (the other is at plugin physics)"
  reports_error 'for _ = 1, 2 do shoal.cockpit { title = "A", sql = "SELECT 1" } end' \
    "two panels are named “A”: rename one of them (the other is at cockpit.lua:1)"
  reports_error 'for _ = 1, 2 do shoal.cockpit { command = "A", run = print } end' \
    "two commands are named “A”: rename one of them (the other is at cockpit.lua:1)"
  reports_error 'shoal.cockpit { command = "A" }' "the command “A” has no function: add run = function() … end"
  reports_error 'shoal.cockpit { command = "A", title = "B" }' "shoal.cockpit: title and command cannot be combined"
  reports_error 'shoal.cockpit("A")' "shoal.cockpit(name) can be called only between ticks"
}
it "duplicate titles, unknown fields and wrong types in cockpit.lua are reported with file and line" declaration_errors
