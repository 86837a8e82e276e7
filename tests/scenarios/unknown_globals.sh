# Globals that do not exist, in files of a game, in required files and in add-ons, and how `require` finds modules.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

game() { # game FILE…: creates a game; the text of each file is the argument after its name
  rm -rf game
  mkdir -p game/systems game/lib
  echo 'return { title = "Game" }' >game/game.lua
  while [ $# -gt 0 ]; do
    mkdir -p "game/$(dirname "$1")"
    printf '%s\n' "$2" >"game/$1"
    shift 2
  done
}
play() { run_for 20 "$release" run game --headless --ticks 2; }

error_in_system() { # error_in_system CODE LINE TEXT: code in a system is an error when the game is loaded
  game systems/a.lua "$1"
  play
  exits 1 err "systems/a.lua:$2:" "$3"
  ! grep -q started out || fail "the game started: $(cat out)"
}
it "a misspelled name in a condition of a system is an error that suggests the nearest local" \
  error_in_system 'return { start = function() local player = {}
  print("started")
  if plyaer then print(player) end
end }' 3 'unknown global plyaer: did you mean player?'
it "a misspelled global in a system is an error, even in code that never runs" \
  error_in_system 'return { start = function() print("started") end, on = { resumed = function()
  wrold.spawn("thing")
end } }' 2 'unknown global wrold: did you mean world?'
it "a misspelled global is an error inside a condition that tests a different global" \
  error_in_system 'return { start = function() print("started")
  if jit then wrold.spawn("thing") end
end }' 2 'unknown global wrold'
it "reading a standard library that is unavailable in a system is an error that suggests a replacement" \
  error_in_system 'return { start = function() print("started")
  local now = os.time()
end }' 2 'unknown global os: use world.time, world.tick or dt for the time'
it "an unknown member of _G is an error" \
  error_in_system 'return { start = function() print("started")
  if _G.wrold then return end
end }' 2 'unknown global wrold'
misspelled_component() {
  game components.lua 'return { shield = { hp = 1 } }' systems/a.lua 'return { start = function() print(shild) end }'
  play
  exits 1 err "systems/a.lua:1: unknown global shild: did you mean shield? Name components by a string, \"shield\""
}
it "a name similar to a component is an error that names the component" misspelled_component

prints() { # prints TEXT FILE TEXT…: the game prints a line, without warnings
  expected=$1
  shift
  game "$@"
  play
  exits 0 out "$expected"
  ! grep -q "^warn" err || fail "$(cat err)"
}
it "a system may test globals that Shoal does not provide" \
  prints "nil	false	nil" systems/a.lua 'return { start = function()
  local version = jit and jit.version
  local has_love = type(love) == "table"
  if has_love then love.graphics.print("x") end
  if type(setfenv) == "function" then setfenv(1, {}) end
  if not package then print(version, has_love, _G.module or nil) return end
  package.loaded.x = 1
end }'
it "a required file may test and read globals that Shoal does not provide" \
  prints "nil	1	3	nil" lib/x.lua 'local setfenv, os = setfenv, os
local unpack_all = lua_5_2_unpack or table.unpack
local function uses_files() return io.open("x") end
if ngx then return ngx.var end
return { setfenv, count = unpack_all({ 1 }), select("#", unpack_all({ 1, 2, 3 })), uses_files = uses_files, os = os }' \
    systems/a.lua 'local x = require "lib.x"
return { start = function() print(x[1], x.count, x[2], x.os) end }'
it 'the first operand of `or` may be a missing global' \
  prints "same" lib/x.lua 'local y = print
local x = setfenv or y
return x == y and "same"' systems/a.lua 'return { start = function() print(require("lib.x")) end }'
it "a library may look up and test globals by computed names" \
  prints "math.rep" lib/x.lua 'local names, G = {}, (_G or _ENV)
for _, library in ipairs { "debug", "io", "math", "os", "string" } do
  for name in pairs(type(G[library]) == "table" and G[library] or {}) do names[name] = library end
end
return names' systems/a.lua 'local names = require "lib.x"
return { start = function() print(names.sin .. "." .. "rep") end }'
it "rawget finds the functions in _G and in libraries" \
  prints "true	true	nil" systems/a.lua 'return { start = function()
  print(rawget(_G, "pairs") == pairs, rawget(string, "rep") == string.rep, rawget(_G, "love"))
end }'
it "in a required file that tests missing globals, rawget finds the functions in _G" \
  prints "true	nil	nil" lib/x.lua 'if love then error("love") end
return { rawget(_G, "pairs") == pairs, rawget(_G, "love"), _G.love }' \
    systems/a.lua 'local x = require "lib.x"
return { start = function() print(x[1], x[2], x[3]) end }'
it "a class library may test class_commons and assign common" \
  prints "loaded" lib/x.lua 'if class_commons ~= false and not common then
  common = {}
  function common.class() return {} end
end
return "loaded"' systems/a.lua 'return { start = function() print(require("lib.x")) end }'

assignment() {
  game systems/a.lua 'return { start = function() _G.love = {} end }' lib/x.lua 'if love then return 1 end
rawset(_G, "love", {})'
  play
  says err "cannot assign the global love"
  echo 'return { start = function() require("lib.x") end }' >game/systems/a.lua
  play
  says err "rawset: this table belongs to the engine and is read-only"
}
it "globals cannot be assigned through _G" assignment

similar_name() {
  game lib/x.lua 'local ok = 1
if wrold then ok = 2 end
return ok' systems/a.lua 'return { start = function() print(require("lib.x")) end }'
  play
  exits 0 err "warn: lib/x.lua:2: unknown global wrold is nil: did you mean world?"
}
it "a condition that tests a misspelled name in a required file causes a warning" similar_name

whole_values() { # whole_values NAME: a library may use an optional global of any name as a whole value or condition
  game lib/x.lua "local name, shared = ..., $1
local kept = $1
if $1 then return error(\"tested\") end
local both, list = $1 and $1.class, { $1, field = $1 }
if not (type($1) == \"table\" and $1.class) then name = name .. \"!\" end
while $1 do error(\"loop\") end
local function get() local value = $1 return value end
return { name, shared = shared or kept, get = get, both = both, list = list }" systems/a.lua 'local x = require "lib.x"
return { start = function() print(x[1], x.shared, x.get(), x.both, next(x.list)) end }'
  play
  exits 0 out "lib.x!	nil	nil	nil	nil"
  ! grep -q "^error" err || fail "$(cat err)"
}
for name in common testing wrold jit io string_buffer players_list; do
  it "a required file may use the unknown global $name as a whole value and condition" whole_values $name
done

dead_code() {
  game lib/x.lua 'local function unused()
  return frobnicate(1) + frobnicate(2)
end
return { 7, unused }' systems/a.lua 'return { start = function() print(require("lib.x")[1]) end }'
  play
  exits 0 out "7"
  says err "warn: lib/x.lua:2: unknown global frobnicate (raises an error when the line runs)"
  [ "$(grep -c frobnicate err)" = 1 ] || fail "$(cat err)"
}
it "an unknown global in a function of a required file that never runs causes one warning" dead_code

missing_value() {
  game lib/x.lua 'local os = os
return { now = function() return os.time() end, call = function() return loadfile("x") end }' \
    systems/a.lua 'return { start = function() print(require("lib.x").now()) end }'
  play
  says err "use world.time, world.tick or dt for the time"
  echo 'return { start = function() print(require("lib.x").call()) end }' >game/systems/a.lua
  play
  says err "use require \"folder.file\" to load a module"
}
it "indexing or calling a missing global in a required file is an error that suggests a replacement" missing_value

add_on() {
  game game.lua 'return { title = "Game", addons = { "menu" } }' \
    addons/menu/addon.lua 'return { name = "menu", version = "1.0.0" }' \
    addons/menu/systems/a.lua 'return { start = function() print("started") end, on = { resumed = function()
  if jit then jit.off() end
  wrold.spawn("thing")
end } }'
  play
  exits 0 out "started"
  says err "warn: addons/menu/systems/a.lua:3: unknown global wrold (raises an error when the line runs)"
}
it "an unknown global in an add-on causes a warning" add_on

# --- require

it "a required file receives its module name as its only argument" \
  prints "7	lib.whole	1" lib/part.lua 'return { n = 7 }' lib/whole.lua 'local here = (...):match("^(.-)[^.]*$")
return { part = require(here .. "part"), name = ..., count = select("#", ...) }' \
    systems/a.lua 'local arguments = select("#", ...)
return { start = function()
  local whole = require("lib.whole")
  print(whole.part.n, whole.name, whole.count)
  assert(arguments == 0)
end }'
it "a slash in the name of a module counts as a dot" \
  prints "5	true" lib/words/init.lua 'return { n = 5 }' systems/a.lua 'local words = require("lib/words")
return { start = function() print(words.n, require "lib.words" == words) end }'
it "a folder with init.lua is a module and can require its files by the folder's name" \
  prints "5	lib.set" lib/set/init.lua 'return { part = require(... .. ".part"), name = ... }' \
    lib/set/part.lua 'return 5' systems/a.lua 'local set = require "lib.set"
return { start = function() print(set.part, set.name) end }'
it "require prefers a file to a folder of the same name" \
  prints "file" lib/set.lua 'return "file"' lib/set/init.lua 'return "folder"' \
    systems/a.lua 'return { start = function() print(require "lib.set") end }'
it "require returns Lua's libraries" \
  prints "true	true	true	true	true" systems/a.lua 'return { start = function()
  print(require "string" == string, require "table" == table, require "math" == math, require "bit" == bit,
    require "coroutine" == coroutine)
end }'
hidden_file() {
  game string.lua 'return 1' systems/a.lua 'return { start = function() print(require "string" == string) end }'
  play
  exits 0 out "true"
  says err "warn: string.lua:1: the file is not loaded: require \"string\" returns Lua's library: rename the file"
}
it "a file with the name of a Lua library is not loaded and causes a warning" hidden_file

add_on_module() {
  game game.lua 'return { title = "Game", addons = { "menu" },
  start = function() print(require("menu").part, require("menu.set").name) end }' \
    addons/menu/addon.lua 'return { name = "menu", version = "1.0.0" }' \
    addons/menu/init.lua 'return { part = require(... .. ".part") }' addons/menu/part.lua 'return 3' \
    addons/menu/set/init.lua 'return { name = ... }'
  play
  exits 0 out "3	menu.set"
}
it "an add-on's modules can require the add-on's files by the add-on's name" add_on_module

# --- the page about libraries

page_matches() {
  mkdir -p none
  (cd "$root" && luajit engine/docs/site/lua_libraries.lua "$tmp/none" 2>/dev/null) >page
  cmp page "$root/engine/docs/lua_libraries.md" || fail "see engine/docs/site/lua_libraries.lua"
}
it "lua_libraries.md matches the list of libraries that it is generated from" page_matches

tried_library() {
  mkdir -p sources/json.lua/test
  echo 'return { double = function(x) return 2 * x end, now = function() return os.time() end }' \
    >sources/json.lua/json.lua
  echo 1.5 >sources/json.lua/VERSION
  cat >sources/json.lua/test/test.lua <<'END'
local json = loadfile("../json.lua")()
describe("numbers", function()
  it("are doubled", function() assert.equal(4, json.double(2)) end)
  it("are counted", function() assert.is_number(json.now()) end)
  it("are wrong", function() assert.equal(5, json.double(2)) end)
end)
END
  (cd "$root" && luajit engine/docs/site/lua_libraries.lua "$tmp/sources" "$release" 2>"$tmp/log") >page
  says page "| json.lua 1.5 | yes | 1 of 2 |"
  says log "json.lua: numbers are counted: json.lua:1: attempt to index global 'os' (a nil value)"
}
it "the page about libraries states how many tests that pass in LuaJIT also pass in a game" tried_library

late_module() {
  game systm/late.lua 'return 5' system/stray.lua 'return 6' \
    systems/a.lua 'return { start = function() if world.tick < 0 then require("systm/late") end end }'
  play
  exits 0
  ! grep -q "systm" err || fail "$(cat err)"
  says err "warn: system/stray.lua:1: the folder system is not loaded: did you mean systems?"
}
it "a file that a script may require later causes no warning about unloaded files" late_module

# --- files that do not compile

invalid_files() {
  game systems/a.lua 'return { start = function() print("started") end }' lib/a.lua 'local a = {}
function a.f() end end
local b = 1
return a' lib/b.lua 'return {' lib/c.lua '}}}) local x end until = =' lib/d.lua 'for local function do (( end end end local'
  play
  exits 0 out started
  says err "warn: lib/a.lua:2: '<eof>' expected near 'end'"
  [ "$(grep -c '^warn: lib/[abcd].lua:' err)" = 4 ] || fail "expected 4 warnings, got: $(cat err)"
}
it "a file that does not compile and is never required causes one warning" invalid_files

# The first line of the token near a syntax error is shown, but at most 200 bytes of it.
long_tokens() {
  game systems/a.lua 'return { start = function() print("started") end }' lib/a.lua 'local a [[first line
second line
third line]]' lib/b.lua "local b '$(printf 'é%.0s' $(seq 300))'"
  play
  exits 0 out started
  says err "warn: lib/a.lua:3: unexpected symbol near '[[first line…'"
  ! grep -q "second line" err || fail "$(cat err)"
  says err "warn: lib/b.lua:1: unexpected symbol near ''ééé"
  [ "$(grep -c "é…'" err)" = 1 ] && [ "$(wc -c <err)" -lt 600 ] || fail "$(cat err)"
}
it "a syntax error shows the first line of a long string" long_tokens

mutated_files() { # mutated_files COUNT: random changes of valid files, in a folder that nothing requires
  for seed in 1 2; do
    game systems/a.lua 'return { start = function() print("started") end }'
    # shellcheck disable=SC2046
    luajit "$root/tests/scenarios/mutated_files.lua" $seed "$1" game/lib $(find "$root/scripts" -name '*.lua' | sort)
    play
    exits 0 out started
    ! grep -v '^warn: lib/m' err | grep 'attempt to\|error\|\[shoal\]' || fail "seed $seed: an internal error"
    grep -q '^warn: lib/m.*near' err || fail "no file was reported: $(head -n 3 err)"
  done
}
it "mutated files that are never required cause no error" \
  mutated_files "$(if [ -n "$LONG" ]; then echo 700; else echo 70; fi)"
