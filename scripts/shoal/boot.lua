-- The Lua half of the engine. C loads this file into a fresh VM, hands over `native` (engine/script/native.c), and calls the functions
-- of the table returned here by name. Modules of the engine see each other through `need`; game files see only what sandbox.lua gives
-- them.
local native = ...

local loaded = {}
local function need(name)
  if loaded[name] == nil then
    loaded[name] = assert(native.compile("[shoal]/" .. name .. ".lua"))(need, native) or true
  end
  return loaded[name]
end

-- What runs once is not worth compiling: it is turned on when the game has been declared (engine.lua).
require("jit").off()
-- Games with hundreds of systems keep all their machine code.
require("jit").opt.start("maxtrace=20000", "maxrecord=16000", "maxirconst=2000", "maxside=500", "maxsnap=1000",
  "sizemcode=256", "maxmcode=65536", "loopunroll=20")

return need("engine")
