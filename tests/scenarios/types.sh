# scripts/types/shoal.lua says everything that a game can see: no name of the running engine is missing in it, and it
# has none that the engine lacks.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
types=$root/scripts/types/shoal.lua
mkdir -p bare
echo 'return { title = "bare" }' >bare/game.lua

# names TABLE: as the engine lists them when one is asked for that is not there
names() {
  run_for 20 "$release" run bare --headless --ticks 1 --exec "return $1.no_such_name"
  sed -n 's/.*there are //p' "$tmp/err" | tr -d ',' | tr ' ' '\n' | grep -v '^$'
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
  [ "$(wc -l <listed)" -gt 10 ] || fail "no functions found: $(cat "$tmp/out" "$tmp/err")"
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
    grep -qE "^function Entity:$name\(|^---@field $name .*fun\(self" "$types" || fail "e:$name() is not in shoal.lua"
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
