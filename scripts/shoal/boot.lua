-- The entry point of the engine's Lua code. C runs this file in a new VM, passes `native` (bindings/bindings.c),
-- and calls the functions of the returned table by name. The engine's files load each other with `need`; game files can
-- use only what load/sandbox.lua provides.

---@alias engine.Spawned string|table<string, shoal.Entity> entities by name, or a message
---@alias engine.FormerName { message: string, line: integer, place: string } place: path of the name in the scene

---@class engine.GameDefaults
---@field title string
---@field width integer
---@field height integer
---@field tick_rate integer ticks per second
---@field history integer size limit of the history in megabytes
---@field dead_zone number dead zone of gamepad sticks, 0 to 0.9

---@class engine.LobbySettings
---@field title string the game's title
---@field min_players integer
---@field max_players integer
---@field name_characters integer maximum length of a player's name
---@field addresses string
---@field has_menu boolean
---@field key string

---@class engine.Native functions and addresses passed by C (bindings/bindings.c)
---@field share_handles fun(handles: table) the table in which C stores handles
---@field grow_handles fun(capacity: integer)
---@field set_handle_metatable fun(metatable: table)
---@field handle_list fun(address: integer, count: integer): shoal.Entity[]
---@field fill_handles fun(list: table, address: integer, count: integer)
---@field sparse_list fun(address: integer, count: integer): table?
---@field source fun(name: string): string?, string? text; nil, message
---@field sources fun(folder: string): string[]
---@field addon_folder fun(path: string): string?, boolean? absolute folder; true if it has an addon.lua
---@field add_addon fun(name: string, folder: string): boolean?, string? true; nil, message
---@field compile fun(name: string): function?, string? chunk; nil, message
---@field rewrite fun(prototype: any, before: integer[], after: integer[]): boolean luajit/bytecode.h
---@field writes fun(f: function): { upvalue: integer, line: integer, name: string, stores: boolean }[]?
---@field read_file fun(path: string): string?, string?
---@field list_files fun(folder: string, suffix: string): string[]?, string?
---@field is_folder fun(path: string): boolean
---@field similar fun(name: string, names: string[]): string? the most similar name; nil if none is similar
---@field log fun(level: string, line: string)
---@field is_new_notice fun(subject: string, text: string): boolean
---@field print fun(line: string)
---@field asset_exists fun(name: string): boolean
---@field is_paused fun(): boolean
---@field preload fun(name: string, is_first: boolean)
---@field preloaded fun(simulating: boolean): integer, integer number of loaded assets, number of requested assets
---@field game_files fun(): string[]
---@field saves fun(): string?
---@field rename_player fun(player: integer, name: string): string
---@field choose_next_colour fun(player: integer)
---@field find_matches fun(): string?, string?
---@field hash_game fun(folder: string, engine: string): string?
---@field save_exists fun(name: string): boolean, string?
---@field missing_asset fun(name: string, location: string, sound?: boolean): string?
---@field text_size fun(text: string, size: number, font: string, wrap: number, ...: any): number, number
---@field secret fun(): string
---@field weak_keys userdata value of __mode that makes a table's keys weak (base/weak_table.lua)
---@field weak_values userdata
---@field sql fun(query: string, may_write: boolean, values: any[], count: integer): table[]?, any
---@field watch fun(query: string): boolean, string?
---@field open_plugins fun(names: string[]): { plugins: engine.Plugin[], missing: string[] }
---@field plugin_panel fun(plugin: integer, panel: integer, entity: integer, press?: string): engine.Widget[]?, string?
---@field scene_write fun(address: integer, count: integer): string?, string?
---@field scene_check fun(text: string, ignored: string): boolean?, string|engine.FormerName[], integer?, string?
---@field scene_read fun(text: string, ignored: string, ...: boolean): shoal.Entity[]?, engine.Spawned, any, string?
---@field scene_read_file fun(name: string, ignored: string): shoal.Entity[]?, engine.Spawned, any, string?
---@field fill_tilemaps fun()
---@field scene_keep fun(name: string, text: string): boolean?, string?
---@field scene_add_unsaved fun(name: string)
---@field scene_fetch fun(name: string): string?, string?
---@field world integer address, for base/abi.lua, like the fields from `input` to `place`
---@field input integer
---@field input_before integer
---@field player_status integer
---@field player_colours integer
---@field draw integer
---@field audio integer
---@field requests integer
---@field plugins integer
---@field match_menu? integer set if this VM runs the match menu instead of the game
---@field session? integer
---@field vm integer
---@field place integer
---@field abi string declarations for ffi.cdef
---@field game_defaults engine.GameDefaults
---@field game_folder string
---@field engine_folder string
---@field message string the error to show in the start menu; "" if no error occurred
---@field lobby? engine.LobbySettings set if the game is the lobby of a match
---@field trust boolean the game may use `native = true`
---@field is_menu boolean the game is the start menu
---@field is_packaged boolean the game runs from a package
---@field is_shared boolean the game's code comes from other machines of a match
---@field is_silent boolean another VM has already logged the messages of the files being loaded
---@field check_tables boolean changes of frozen tables are reported (base/hidden_state.lua)
---@field no_jit boolean LuaJIT's compiler stays disabled
---@field strict boolean NaN and out-of-range numbers are errors instead of warnings (math/number.lua)
---@field metadata boolean metadata components are loaded into the world (--metadata)
local native = ...

local modules = {}
local function need(name)
  if modules[name] == nil then
    modules[name] = assert(native.compile("[shoal]/" .. name .. ".lua"))(need, native) or true
  end
  return modules[name]
end

-- Code that runs once is not worth compiling; compilation is enabled after the game is declared (engine.lua).
require("jit").off()
-- The limits are far above LuaJIT's defaults, because games with hundreds of systems need space for all their machine
-- code. maxsnap equals maxrecord, so that no trace can exceed maxsnap: if one did at a call into C, LuaJIT (at least up
-- to 2022) would abort the compilation on the caller's stack and terminate the process. Loops that are too large for
-- the assembler are aborted safely.
require("jit").opt.start("maxtrace=20000", "maxrecord=16000", "maxirconst=2000", "maxside=500", "maxsnap=16000",
  "sizemcode=256", "maxmcode=65536", "loopunroll=20")

return need("engine")
