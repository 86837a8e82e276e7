# scripts/types/shoal.lua says everything that a game can see: no name of the running engine is missing in it, and it
# has none that the engine lacks.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
types=$root/scripts/types/shoal.lua built=$root/scripts/types/builtin.lua
mkdir -p bare
echo 'return { title = "bare" }' >bare/game.lua

# names TABLE: as the engine lists them when one is asked for that is not there
names() {
  run_for 20 "$release" run bare --headless --ticks 1 --exec "return $1.no_such_name"
  sed -n 's/.*available: //p' "$tmp/err" | tr -d ',' | tr ' ' '\n' | grep -v '^$'
}

complete() {
  names "$1" >listed
  [ -s listed ] || fail "no names of $1: $(cat "$tmp/err")"
  while read -r name; do
    grep -qE "^(function $1\.$name\(|$1\.$name = |---@field $name )" "$types" || fail "$1.$name is not in shoal.lua"
  done <listed
  sed -n "s/^function $1\.\([a-z_]*\)(.*/\1/p" "$types" >declared
  while read -r name; do
    grep -qx "$name" listed || fail "$1.$name is in shoal.lua only"
  done <declared
}
for table in world draw audio input log json assets shoal shoal.types; do
  it "the definitions of $table are complete" complete "$table"
done

functions() {
  names shoal.math >listed
  [ "$(wc -l <listed)" -gt 5 ] || fail "no functions found: $(cat "$tmp/out" "$tmp/err")"
  while read -r name; do
    grep -q "^---@field $name fun(" "$types" || fail "shoal.math.$name is not in shoal.lua"
  done <listed
}
it "the definitions of shoal.math are complete" functions

methods() {
  sed -n '/^#define ENTITY_METHODS/,/[^\\]$/p' "$root/engine/schema/schema_build.c" | grep -o '"[^"]*"' | tr -d '"' |
    tr ' ' '\n' | grep . >listed
  [ "$(wc -l <listed)" -gt 10 ] || fail "no methods found"
  while read -r name; do
    grep -qE "^function Entity:$name\(|^---@field $name .*fun\(self" "$types" "$built" || fail "e:$name() is not in shoal.lua"
  done <listed
}
it "the definitions of an entity's methods are complete" methods

is_lua() { luajit -bl "$types" >/dev/null; }
it "the definitions are Lua" is_lua

# The plugins that ship, as their libraries declare them.
shipped() {
  for folder in "$root"/engine/plugins/*/; do
    name=$(basename "$folder")
    [ -e "${release%/bin/shoal}/plugins/$name.so" ] && continue
    echo "# not compared: $name is not built here, for its package is missing (./shoal deps)"
    return 0
  done
  names=$(ls "${release%/bin/shoal}/plugins" | sed -n 's/\(.*\)\.so$/"\1", /p' | tr -d '\n')
  mkdir -p all
  echo "return { title = \"all\", plugins = { $names } }" >all/game.lua
  run_for 20 "$release" run all --headless --ticks 0 --types plugins.lua
  [ "$status" = 0 ] || fail "$(cat "$tmp/err")"
  cmp -s plugins.lua "$root/scripts/types/plugins.lua" ||
    fail "scripts/types/plugins.lua is old: write it with --types from a game with the plugins $names: $(diff plugins.lua "$root/scripts/types/plugins.lua" | head -n 5)"
}
it "the definitions of the plugins that ship are fresh" shipped

# Shoal's own components, as the lists of fields in C declare them.
built_in() {
  run_for 20 "$release" play --headless --ticks 0 --types builtin.lua
  [ "$status" = 0 ] || fail "$(cat "$tmp/err")"
  cmp -s builtin.lua "$root/scripts/types/builtin.lua" ||
    fail "scripts/types/builtin.lua is old: ./shoal play --headless --ticks 0 --types scripts/types/builtin.lua: $(diff builtin.lua "$root/scripts/types/builtin.lua" | head -n 5)"
}
it "the definitions of the built-in components are fresh" built_in

# Definitions as an editor reads them: the server is no package of Debian's, so where it is not there a reading of our
# own stands for it, which knows types and parameters, and no games.
writes() { # writes GAME: into $tmp/GAME.lua, as ./shoal types does
  set -- "$1" "$(basename "$1")"
  run_for 60 "$release" run "$root/$1" --headless --no-watch --ticks 0 --types "$tmp/$2.lua"
  exits 0
}
sound() {
  luajit "$root/tests/scenarios/lib/definitions.lua" "$@" >"$tmp/said" || fail "$(head -n 5 "$tmp/said")"
}
it "the definitions have no type that is nowhere declared, and no parameter that is not there" \
  sound "$types" "$built" "$root/scripts/types/plugins.lua"
of_a_game() {
  writes "$1"
  sound "$types" "$built" "$tmp/$(basename "$1").lua"
}
for game in scripts/games/lantern scripts/games/rpg_battle scripts/examples/first_game/6 scripts/examples/states; do
  it "the definitions of $(basename "$game") are sound" of_a_game "$game"
done
found() { # found "WORDS" "DEFINITIONS": the reading finds what the server would
  printf '%s\n' "$2" >"$tmp/wrong.lua"
  ! luajit "$root/tests/scenarios/lib/definitions.lua" "$types" "$built" "$tmp/wrong.lua" >"$tmp/said" || fail "nothing was found"
  says said "wrong.lua:$1"
}
it "a type that is not there is found" found "2: there is no type shoal.Entitty" "---@class shoal.Entity
---@field friend shoal.Entitty"
it "a parameter that is not there is found" found "1: the function has no parameter speeed" "---@param speeed number
function world.run_fast(speed) end"
it "a field that is there twice is found" found "3: the field hp is declared in line 2 already" "---@class shoal.Health
---@field hp number
---@field hp integer"
it "a type without an end is found" found "1: “,” is missing before “b: number }”" "---@alias shoal.Pair { a: number b: number }"

# What the server itself says of a game that ./shoal new makes, and of one that ships.
checked() { # checked GAME
  rm -rf "$tmp/edited"
  cp -r "$root/$1" "$tmp/edited"
  mkdir -p "$tmp/edited/.shoal" "$tmp/logs"
  run_for 60 "$release" run "$tmp/edited" --headless --no-watch --ticks 0 --types "$tmp/edited/.shoal/types.lua"
  exits 0
  echo "{ \"runtime.version\": \"LuaJIT\", \"workspace.library\": [\"$root/scripts/types\", \".shoal\"] }" >"$tmp/edited/.luarc.json"
  run_for 300 "$server" --check="$tmp/edited" --checklevel=Warning --configpath="$tmp/edited/.luarc.json" \
    --logpath="$tmp/logs"
  exits 0
  says out "no problems found"
}
server=$(command -v lua-language-server || true)
if [ -z "$server" ]; then
  echo "# not checked: lua-language-server is not installed, so no editor's own check of games was made"
else
  for game in scripts/templates/topdown scripts/examples/first_game/6; do
    it "the language server finds nothing wrong with $(basename "$game")" checked "$game"
  done
fi
