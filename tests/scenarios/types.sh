# Type definitions for editors: shoal.lua lists exactly the names that scripts can use, the definitions of built-in
# components and shipped plugins match the declarations, and definitions refer only to declared types and parameters.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
types=$root/scripts/types/shoal.lua built=$root/scripts/types/builtin.lua
mkdir -p bare
echo 'return { title = "bare" }' >bare/game.lua

# names TABLE: prints the names that the engine lists when a script reads a missing name.
names() {
  run_for 20 "$release" run bare --headless --ticks 1 --exec "return $1.no_such_name"
  sed -n 's/.*available: //p' "$tmp/err" | tr -d ',' | tr ' ' '\n' | grep -v '^$'
}

table_is_complete() {
  names "$1" >listed
  [ -s listed ] || fail "no names of $1: $(cat "$tmp/err")"
  while read -r name; do
    grep -qE "^(function $1\.$name\(|$1\.$name = |---@field $name[? ])" "$types" || fail "$1.$name is not in shoal.lua"
  done <listed
  sed -n "s/^function $1\.\([a-z_]*\)(.*/\1/p" "$types" >declared
  while read -r name; do
    grep -qx "$name" listed || fail "$1.$name is only in shoal.lua"
  done <declared
}
for table in world draw audio input log json assets shoal shoal.types; do
  it "the type definitions of $table are complete" table_is_complete "$table"
done

math_is_complete() {
  names shoal.math >listed
  [ "$(wc -l <listed)" -gt 5 ] || fail "no functions found: $(cat "$tmp/out" "$tmp/err")"
  while read -r name; do
    grep -q "^---@field $name fun(" "$types" || fail "shoal.math.$name is not in shoal.lua"
  done <listed
}
it "the type definitions of shoal.math are complete" math_is_complete

methods_are_complete() {
  sed -n '/^#define ENTITY_METHODS/,/[^\\]$/p' "$root/engine/ecs/schema/schema_build.c" | grep -o '"[^"]*"' | tr -d '"' |
    tr ' ' '\n' | grep . >listed
  [ "$(wc -l <listed)" -gt 10 ] || fail "no methods found"
  while read -r name; do
    grep -qE "^function Entity:$name\(|^---@field $name .*fun\(self" "$types" "$built" || fail "e:$name() is not in shoal.lua"
  done <listed
}
it "the type definitions of entity methods are complete" methods_are_complete

# world.each returns an iterator and the number of its loop.
each_is_complete() {
  run_for 20 "$release" run bare --headless --ticks 1 --exec 'return select("#", world.each("transform"))'
  values=$(grep -xE '[0-9]+' "$tmp/out")
  declared=$(sed '/^function world\.each(/q' "$types" | tac | sed -n '2,/^$/p' | grep -c '^---@return ')
  [ "$values" = "$declared" ] || fail "$declared values are declared, but '$values' are returned: $(cat "$tmp/out" "$tmp/err")"
}
it "the type definition of world.each declares each return value" each_is_complete

# builtin.lua adds the components to the class shoal.Entity.
declared_once() {
  cat "$root"/scripts/types/*.lua | sed -n 's/^---@class \([A-Za-z0-9_.]*\).*/\1/p' | sort | uniq -d >twice
  ! grep -vx shoal.Entity twice || fail "classes that are declared twice: $(cat twice)"
}
it "the type definitions declare each class once" declared_once

valid_lua() { luajit -bl "$types" >/dev/null; }
it "the type definitions are valid Lua" valid_lua

# Compares the definitions of shipped plugins with the declarations in their libraries.
plugin_types() {
  for folder in "$root"/engine/plugins/*/; do
    name=$(basename "$folder")
    [ -e "${release%/bin/shoal}/plugins/$name.so" ] && continue
    echo "# not compared: $name was not built, because its package is missing (./shoal deps)"
    return 0
  done
  names=$(ls "${release%/bin/shoal}/plugins" | sed -n 's/\(.*\)\.so$/"\1", /p' | tr -d '\n')
  mkdir -p all
  echo "return { title = \"all\", plugins = { $names } }" >all/game.lua
  run_for 20 "$release" run all --headless --ticks 0 --types plugins.lua
  [ "$status" = 0 ] || fail "$(cat "$tmp/err")"
  cmp -s plugins.lua "$root/scripts/types/plugins.lua" ||
    fail "scripts/types/plugins.lua is outdated: write it with --types from a game with the plugins $names: $(diff plugins.lua "$root/scripts/types/plugins.lua" | head -n 5)"
}
it "the type definitions of shipped plugins are up to date" plugin_types

# Compares the definitions of Shoal's components with their declarations in C.
builtin_types() {
  run_for 20 "$release" play --headless --ticks 0 --types builtin.lua
  [ "$status" = 0 ] || fail "$(cat "$tmp/err")"
  cmp -s builtin.lua "$root/scripts/types/builtin.lua" ||
    fail "scripts/types/builtin.lua is outdated: run ./shoal play --headless --ticks 0 --types scripts/types/builtin.lua: $(diff builtin.lua "$root/scripts/types/builtin.lua" | head -n 5)"
}
it "the type definitions of built-in components are up to date" builtin_types

# Checks definitions as an editor does. Debian does not package the language server, so these tests always use Shoal's
# own checker, which checks types and parameters, but not games.
write_types() { # write_types GAME: writes the game's definitions to $tmp/NAME.lua, as ./shoal types does
  set -- "$1" "$(basename "$1")"
  run_for 60 "$release" run "$root/$1" --headless --no-watch --ticks 0 --types "$tmp/$2.lua"
  exits 0
}
check_types() {
  luajit "$root/tests/scenarios/lib/definitions.lua" "$@" >"$tmp/said" || fail "$(head -n 5 "$tmp/said")"
}
it "the type definitions refer only to declared types and existing parameters" \
  check_types "$types" "$built" "$root/scripts/types/plugins.lua"
check_game_types() {
  write_types "$1"
  check_types "$types" "$built" "$tmp/$(basename "$1").lua"
}
for game in scripts/games/lantern scripts/games/rpg_battle scripts/examples/first_game/6 scripts/examples/states; do
  it "the type definitions of $(basename "$game") are valid" check_game_types "$game"
done
reports() { # reports "MESSAGE" "DEFINITIONS": Shoal's checker must report this problem in the definitions
  printf '%s\n' "$2" >"$tmp/wrong.lua"
  ! luajit "$root/tests/scenarios/lib/definitions.lua" "$types" "$built" "$tmp/wrong.lua" >"$tmp/said" || fail "the error was not reported"
  says said "wrong.lua:$1"
}
it "an undeclared type in a definition is reported" reports "2: unknown type shoal.Entitty" "---@class shoal.Entity
---@field friend shoal.Entitty"
it "an unknown parameter in a definition is reported" reports "1: the function has no parameter speeed" "---@param speeed number
function world.run_fast(speed) end"
it "a field that is declared twice in a definition is reported" reports "3: the field hp is already declared in line 2" "---@class shoal.Health
---@field hp number
---@field hp integer"
it "an incomplete type in a definition is reported" reports "1: expected “,” before “b: number }”" "---@alias shoal.Pair { a: number b: number }"

# If the language server is installed, it checks a new game and an example.
server_check() { # server_check GAME
  skip_without lua-language-server "Debian has no package of it"
  rm -rf "$tmp/edited"
  cp -r "$root/$1" "$tmp/edited"
  mkdir -p "$tmp/edited/.shoal" "$tmp/logs"
  run_for 60 "$release" run "$tmp/edited" --headless --no-watch --ticks 0 --types "$tmp/edited/.shoal/types.lua"
  exits 0
  echo "{ \"runtime.version\": \"LuaJIT\", \"workspace.library\": [\"$root/scripts/types\", \".shoal\"] }" >"$tmp/edited/.luarc.json"
  run_for 300 lua-language-server --check="$tmp/edited" --checklevel=Warning --configpath="$tmp/edited/.luarc.json" \
    --logpath="$tmp/logs"
  exits 0 out "no problems found"
}
for game in scripts/templates/topdown scripts/examples/first_game/6; do
  it "the language server reports no problems in $(basename "$game")" server_check "$game"
done
