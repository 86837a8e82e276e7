# Name conflicts: games and plugins may declare components and events with names that Shoal uses. Shoal's own component
# or event is then named shoal.NAME and keeps working, and the log reports the conflict.
# needs: release
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
game=$here/games/name_conflicts
cd "$tmp" || exit 1

game_keeps_name() {
  run_for 30 "$release" run "$game" --headless --no-watch --ticks 60 --hash every=20 --check-rollback 7
  exits 0
  cat out err >all
  says all "the game declares its own component path: Shoal's path is named shoal.path in this game"
  says all "the game declares its own component saying: Shoal's saying is named shoal.saying in this game"
  says all "cells mine0.5, hp 10, goer at 10"
  says all "rang"
  says all "walker says Hello"
  says all "path_ended of 4 cells"
  ! grep -q "not its own" all || fail "the game's event handler got Shoal's event: $(cat all)"
}
it "a component declared by a game keeps its name, and Shoal's component of the same name is named shoal.NAME" game_keeps_name

both_in_sql() {
  run_for 30 "$release" sql "$game" --ticks 3 'SELECT cells FROM path; SELECT points FROM "shoal.path"'
  exits 0 out "mine0.5" "0,0 10,0"
}
it "SQL has separate tables for the game's component and for Shoal's component of the same name" both_in_sql

plugin_keeps_name() {
  rm -rf plugged
  mkdir -p plugged/plugins plugged/systems
  ${CC:-cc} -std=c11 -O2 -fPIC -shared -I"$root/engine/include" -o plugged/plugins/named.so "$here/plugins/named.c" ||
    fail "named.c does not compile"
  echo 'return { plugins = { "named" } }' >plugged/game.lua
  cat >plugged/systems/both.lua <<'END'
return {
  start = function()
    world.spawn(nil, { name = "own", list = {} })
    world.spawn(nil, { name = "menu", ["shoal.list"] = { items = "a\nb" } })
  end,
  update = function()
    if world.tick == 5 then
      log.info("length %d, height %d", world.find("own").list.length, world.find("menu").widget.at_height > 0 and 1 or 0)
    end
  end,
}
END
  run_for 30 "$release" run plugged --headless --no-watch --ticks 8
  exits 0
  cat out err >all
  says all "plugin named declares its own component list: Shoal's list is named shoal.list in this game"
  says all "length 8, height 1"
}
it "a component declared by a plugin keeps its name, and Shoal's component of the same name is named shoal.NAME" plugin_keeps_name

game_and_plugin() {
  printf 'return { list = { n = 1 } }\n' >plugged/components.lua
  run_for 30 "$release" run plugged --headless --no-watch --ticks 3
  exits 1 err "components.lua:1: the component list is already declared by the plugin named: choose a different name"
}
it "a component declared by both a game and its plugin is an error at the component's line in the game" game_and_plugin

core_component() {
  rm -rf firm
  mkdir -p firm
  echo 'return {}' >firm/game.lua
  printf 'return { sprite = { n = 1 } }\n' >firm/components.lua
  run_for 30 "$release" run firm --headless --no-watch --ticks 3
  exits 1 err "components.lua:1: the component sprite is already declared by Shoal: choose a different name"
}
it "a game component with the name of a core component of Shoal is an error" core_component
