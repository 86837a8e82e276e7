-- The libraries that lua_libraries.lua tries, and the text of its page. name: folder of the sources; title: shown on
-- the page; modules: those that the game requires; copy: folder or file of the library → its place in the game; tests:
-- patterns of the suite's files, of which those that match `helpers` are required by the others; note: what fails.
local function file(name)
  return { [name] = name }
end

return {
  { name = "30log", title = "30log", modules = { "30log" }, copy = file "30log.lua", tests = { "^specs/" },
    note = "keys: subclasses, mixins" },
  { name = "anim8", title = "anim8", modules = { "anim8" }, copy = file "anim8.lua", tests = { "^spec/" },
    helpers = "mocks", note = "drawing needs LÖVE: use [`animation`](sprites.md#clips)" },
  { name = "binser", title = "binser", modules = { "binser" }, copy = file "binser.lua", tests = { "^spec/" },
    note = "state: `register`; functions; `math.random`" },
  { name = "bump.lua", title = "bump", modules = { "bump" }, copy = file "bump.lua", tests = { "^spec/" },
    note = "keys: items must be numbers, strings or entities. Or use [`body`](moving.md)" },
  { name = "classic", title = "classic", modules = { "classic" }, copy = file "classic.lua", tests = {}, note = "–" },
  { name = "flux", title = "flux", modules = { "flux" }, copy = file "flux.lua", tests = {},
    note = "state, keys: use [`world.tween`](later.md)" },
  { name = "hump", title = "hump", modules = { "hump.class", "hump.vector", "hump.vector-light", "hump.signal",
    "hump.timer", "hump.camera", "hump.gamestate" }, copy = { ["."] = "hump", ["timer.lua"] = "timer.lua" },
    tests = { "^spec/" },
    note = "gamestate, camera: LÖVE; vector-light: an unknown global; timer, signal: keys" },
  { name = "i18n.lua", title = "i18n", modules = { "i18n" }, copy = file "i18n", tests = { "^spec/" },
    helpers = "spec/fix", note = "keys: use [`strings/`](languages.md)" },
  { name = "inspect.lua", title = "inspect", modules = { "inspect" }, copy = file "inspect.lua", tests = { "^spec/" },
    helpers = "unindent", note = "keys" },
  { name = "json.lua", title = "json.lua", modules = { "json" }, copy = file "json.lua", tests = { "^test/" },
    note = "–" },
  { name = "knife", title = "knife", modules = { "knife.base", "knife.behavior", "knife.bind", "knife.chain",
    "knife.convoke", "knife.event", "knife.memoize", "knife.serialize", "knife.system", "knife.timer" },
    copy = file "knife", tests = { "^spec/", "^knife/test" }, helpers = "knife/test",
    note = "state: `bind`, `memoize`, the default timers; keys: `serialize`" },
  { name = "luaunit", title = "luaunit", modules = { "luaunit" }, copy = file "luaunit.lua", tests = {},
    note = "`os`" },
  { name = "lume", title = "lume", modules = { "lume" }, copy = file "lume.lua", tests = { "^test/test" },
    note = "random, `lambda`, `time`, `trace`, `hotswap`" },
  { name = "middleclass", title = "middleclass", modules = { "middleclass" }, copy = file "middleclass.lua",
    tests = { "^spec/" }, helpers = "lua_5_", note = "keys: metamethods added after a subclass" },
  { name = "Penlight", title = "Penlight", modules = { "pl.List", "pl.Map", "pl.OrderedMap", "pl.Set", "pl.class",
    "pl.comprehension", "pl.data", "pl.func", "pl.lexer", "pl.luabalanced", "pl.operator", "pl.permute", "pl.pretty",
    "pl.seq", "pl.sip", "pl.stringx", "pl.tablex", "pl.template", "pl.text", "pl.types", "pl.url", "pl.utils",
    "pl.xml" }, copy = { ["lua/pl"] = "pl" }, tests = { "^tests/test%-sip", "^tests/test%-url" },
    note = "`package`, state" },
  { name = "serpent", title = "serpent", modules = { "serpent" }, copy = { ["src/serpent.lua"] = "serpent.lua" },
    tests = { "^t/test" }, note = "its suite needs `io`" },
  { name = "tiny-ecs", title = "tiny-ecs", modules = { "tiny" }, copy = file "tiny.lua", tests = { "^spec/" },
    note = "–" },
  { name = "tween.lua", title = "tween", modules = { "tween" }, copy = file "tween.lua", tests = { "^spec/" },
    note = "–" },
  page = [=[
# Using Lua libraries

Use Lua libraries in a game.

Copy a library in plain Lua into a folder of your game and load it as a module:

```lua game
-- libraries/lib/greeting.lua
return { hello = function(name) print("hello", name) end }
-- libraries/systems/greet.lua
local greeting = require "lib.greeting"
return { start = function() greeting.hello("Anna") end }
```

The file gets its module's name as `...`; `require "lib.set"` and `require "lib/set"` find `lib/set.lua` or
`lib/set/init.lua`. Unknown globals are nil as conditions (`if jit then`, `type(setfenv) == "function"`) and as whole
values (`local shared = common`). A library runs in the same [sandbox](language.md#what-lua-forbids) as your files.
These features fail:

- **keys**: `pairs` and `next` of a table whose keys are tables or functions
- **state**: writing to tables and locals of the library after loading. Create instances in the function that uses them,
  and store lasting state in components
- **random**, **`os`**: use `world.random`, `world.time`
- libraries for LÖVE or Lua 5.3, and C modules: use [plugins](plugins.md)

The column *tests* contains the number of tests that pass in a game, and the number of tests that pass in LuaJIT:

| library | loads | tests | what fails, and what to use |
|---|---|---|---|
ROWS
]=],
}
