-- FFI declarations (bindings/abi.h as a string) and the addresses passed from C.
local _, native = ...
local ffi = require("ffi")

ffi.cdef(native.abi)

---@param type_name string a C type: "world_o *"
---@param address integer the object's address, passed from C
---@return any a pointer with the C type `type_name`
local function pointer(type_name, address)
  return ffi.cast(type_name, ffi.cast("uintptr_t", address))
end

-- Structs of abi.h that Lua reads in place, under their C names. Only the members that Lua uses are listed. Arrays
-- start at 0.

---@class C.world_o: ffi.cdata*
---@class C.strings_o: ffi.cdata*
---@class C.random_t: ffi.cdata*
---@class C.draw_o: ffi.cdata*
---@class C.audio_o: ffi.cdata*
---@class C.vm_o: ffi.cdata*
---@class C.schedule_o: ffi.cdata*

---@class C.error_info_t: ffi.cdata*
---@field text ffi.cdata* char[1024]: the message

---@class C.entities_t: ffi.cdata* arrays by entity index
---@field generation integer[]
---@field alive integer[] 1 if the entity is alive, otherwise 0
---@field alive_count integer number of living entities, including entities whose spawn is queued
---@field used integer indices 1 to used - 1 are allocated
---@field assemblage integer[] string id of the assemblage's name, 0 if none
---@field state integer[] string id of the state's name, 0 if none
---@field died_tick integer[][] sparse array (ecs/sparse_array.h): tick in which the index's last entity was destroyed
---@field died_by integer[][] sparse array: name of the destroying system, as a string id; 0: no system
---@field marks integer[] MARK_ flags of ecs/entity.h

---@class C.manager_o: ffi.cdata* the rows of a component
---@field owner integer[] entity ids by row
---@field data ffi.cdata*[] by column: address of the values
---@field count integer number of rows
---@field id integer
---@field instance integer[] string id of the instance's name, by row; 0 if unnamed

---@class C.query_o: ffi.cdata*
---@field count integer number of matching rows
---@field entities integer[] ids of the matching entities, one per row
---@field entity_view C.column_view_t

---@class C.column_view_t: ffi.cdata*
---@field data ffi.cdata*
---@field rows integer[] row map: component row by query row; NULL if both rows are equal
---@field count integer number of query rows; 0 while the query is closed
---@field marks ffi.cdata* uint8_t *: 1 for each written row; NULL if writes are not tracked

---@class C.columns_t: ffi.cdata*
---@field column_count integer
---@field data ffi.cdata*[] first the columns, then the change marks of each column if changes are tracked
---@field stored_count integer length of `data`: column_count, or twice that if changes are tracked

---@class C.field_t: ffi.cdata*
---@field name ffi.cdata* char[48]
---@field type integer value of field_type_t
---@field flags integer bits FIELD_… of schema/schema.h: 1 hidden, 2 read-only, 32 to 128 cascades
---@field choices ffi.cdata* names of the choices: `choice_count` consecutive C strings
---@field choice_count integer

---@class C.schema_t: ffi.cdata*
---@field name ffi.cdata* char[64]
---@field kind integer
---@field field_count integer
---@field fields C.field_t[]
---@field origin ffi.cdata* "C", "plugin NAME" or a location in a script

---@class C.event_o: ffi.cdata*
---@field id integer

---@class C.vm_context_t: ffi.cdata* the running script code; read by C when it stops the VM
---@field piece integer number of the running piece (a system's body, a handler, …), from 1; 0: no piece is running
---@field watcher integer number of the watcher whose `enter`, `leave` or `changed` calls are running; 0: no watcher
---@field entity integer id of the entity that a loop is processing; 0: no loop is running

---@class C.handles_t: ffi.cdata*
---@field ids integer[] ids whose handles are in the handle table, indexed by entity index; 0: no handle
---@field capacity integer number of elements of `ids` and of the handle table

---@class C.player_status_t: ffi.cdata*
---@field ping_ms integer
---@field connected integer 1: the player's machine is connected

---@class C.player_info_t: ffi.cdata*
---@field name ffi.cdata* char[28]
---@field colour integer 0xRRGGBB; 0: the default

---@class C.input_state_t: ffi.cdata*
---@field player_infos C.player_info_t[] by player, from 0: name and colour
---@field mouse_x number in logical pixels of the game
---@field mouse_y number
---@field mouse_dx number movement since the previous sample, in logical pixels of the game
---@field mouse_dy number
---@field motion_x integer[] by player, from 0: mouse movement since the previous sample, in 1/64 of a logical pixel
---@field motion_y integer[]
---@field window { width: integer, fullscreen: integer }
---@field pad_connected integer[] by pad, from 0: 1 if the gamepad is connected
---@field pad_kinds integer[] by pad, from 0: value of input_pad_kind_t
---@field used integer most recently used device: 0 for keyboard and mouse, otherwise the number of a pad, from 1
---@field scale integer value of letterbox_mode_t
---@field tearing integer 1: vertical synchronization is off

---@class C.session_t: ffi.cdata*

---@class C.timeline_info_t: ffi.cdata* the ticks in the history; both ends of a range are 0 if it is empty
---@field first_tick number
---@field last_tick number
---@field abandoned_first_tick number first tick of the timeline that was abandoned most recently
---@field abandoned_last_tick number
---@field replaying boolean true while recorded input is replayed

---@class C.script_requests_t: ffi.cdata* requests of scripts, executed at the end of the tick
---@field quit integer 1: quit, -1: cancel a request to quit
---@field pause integer 1: pause, -1: resume, 0: no request
---@field fullscreen integer 1: full screen, -1: windowed, 0: no request
---@field restart boolean
---@field reload boolean
---@field game ffi.cdata* char[512]: folder of the game to open
---@field save_count integer
---@field saves { drop: boolean, name: string }[] saves to write or delete, in the order of the calls; 0-based
---@field load string save to load after the saves above have been written or deleted; "" for no save
---@field restore boolean true: restore the world of `restore_tick`
---@field restore_tick number
---@field restore_replay boolean true: replay the recorded input of the ticks after `restore_tick`
---@field scale integer value of letterbox_mode_t + 1; 0: unchanged
---@field vsync integer vertical synchronization; 1: enable, -1: disable, 0: no request
---@field begin_match boolean
---@field leave_match integer number of the player that leaves the match; 0: no player
---@field move_count integer
---@field moves { player: integer, room: ffi.cdata*|string }[] players who move to another room; 0-based
---@field options_of integer bit mask of players: opens the options on their machines, in a match
---@field players_of integer bit mask of players: shows the list of players on their machines, in the lobby
---@field quit_of integer bit mask of players: asks them on their machines whether to leave the match
---@field has_pointer boolean true if `pointer` is set
---@field pointer { hidden: boolean, confined: boolean, relative: boolean, image: ffi.cdata*|string }
---@field rumbles boolean[] by pad, from 0: true if `rumble` is set
---@field rumble number[][] by pad, from 0: { strength, duration in seconds }

---@class C.script_match_menu_t: ffi.cdata* the menu of a match
---@field page integer value of match_menu_page_t: 0 closed, 1 main, 2 options, 3 question, 4 chat
---@field is_host boolean true if this machine is the host of the match
---@field is_world boolean true if this machine is in a room of a served world
---@field leaves boolean true: this machine leaves the match; set by the menu
---@field addresses ffi.cdata* char[144]: addresses for joining, separated by commas; set if `is_host`
---@field has_chat_key boolean true if the chat's key is not used by an action of the game
---@field line ffi.cdata* char[201]: line to send; "" if there is no line to send
---@field chat_fault integer result of sending a line, match_chat_result_t: 0 sent, 1 too long, 2 invalid, 3 too fast
---@field boxes C.script_match_box_t[] boxes, indexed by match_box_t: 0 question, 1 panel
---@field chat C.script_match_chat_line_t[] the lines to show; the newest line is last
---@field box_changes integer increases whenever `boxes` or `chat` changes
---@field pressed integer[] numbers of the pressed buttons, from 1, indexed by match_box_t; 0: no button

---@class C.script_match_chat_line_t: ffi.cdata*
---@field text ffi.cdata* char[240]: "NAME: TEXT"; "": unused
---@field colour integer colour of the speaker, 0xRRGGBB

---@class C.script_match_box_t: ffi.cdata* a box with text and buttons; its strings are char arrays
---@field title ffi.cdata* title of the box; "": the box is hidden
---@field lines ffi.cdata*[]
---@field hint ffi.cdata*
---@field buttons ffi.cdata*[]
---@field keys ffi.cdata*[] for each button: key with the same effect, "F7"
---@field pads ffi.cdata*[] for each button: pad buttons with the same effect, "Back + Y"
---@field is_failure boolean true if the box shows an error

---@class engine.abi
---@field ffi ffilib
---@field C table<string, fun(...): any> the functions of abi.h
---@field world C.world_o
---@field entities C.entities_t
---@field strings C.strings_o
---@field random C.random_t
---@field input C.input_state_t input of this tick
---@field input_before C.input_state_t input of the previous tick
---@field player_status C.player_status_t[] PLAYER_MAX elements, 0-based
---@field player_colours integer[] PLAYER_MAX elements, 0-based: 0xRRGGBB
---@field draw C.draw_o
---@field audio C.audio_o
---@field requests C.script_requests_t
---@field match_menu? C.script_match_menu_t set if this VM runs the match menu instead of the game
---@field session? C.session_t nil if no history is kept
---@field vm C.vm_o
---@field current C.vm_context_t
---@field error C.error_info_t
---@field element string[] C type of a column's element, indexed by field_type_t (from 1)
---@field type_names string[] names of field types, indexed by field_type_t
---@field type_ids table<string, integer> field_type_t by name; vec2, vec3, vec4 and quat have higher numbers
---@field NO_ROW integer
local M = { ffi = ffi, C = ffi.C, pointer = pointer }

M.world = pointer("world_o *", native.world)
M.entities = ffi.C.world_entities(M.world)
M.strings = ffi.C.world_strings(M.world)
M.random = ffi.C.world_random(M.world)
M.input = pointer("const input_state_t *", native.input)
M.input_before = pointer("const input_state_t *", native.input_before)
M.player_status = pointer("const player_status_t *", native.player_status)
M.player_colours = pointer("const uint32_t *", native.player_colours)
M.draw = pointer("draw_o *", native.draw)
M.audio = pointer("audio_o *", native.audio)
M.requests = pointer("script_requests_t *", native.requests)
M.match_menu = native.match_menu and pointer("script_match_menu_t *", native.match_menu) or nil
M.session = native.session and pointer("session_t *", native.session) or nil
M.vm = pointer("vm_o *", native.vm)
M.BUDGET_SYSTEM, M.BUDGET_START = 0, 1 -- budget kinds, for vm_restart_budget
M.current = pointer("vm_context_t *", native.context)
-- One buffer is enough, because each error is read before the next call into C can overwrite it.
M.error = ffi.new("error_info_t") --[[@as C.error_info_t]]

---@return string message of the most recent C call that failed
function M.get_error_text()
  return ffi.string(M.error.text)
end

-- C type of a column's element, by field_type_t. Entity ids are below 2^30, so they are read as int32_t: LuaJIT would
-- convert uint32_t to doubles.
M.element = {
  "float", "double", "int8_t", "int16_t", "int32_t", "uint8_t", "uint16_t", "uint32_t", "uint8_t", "int32_t",
  "uint32_t",
  "uint8_t", "uint32_t", "float",
}
-- Names of the field types, in the order of field_type_t.
M.type_names = {
  "f32", "f64", "i8", "i16", "i32", "u8", "u16", "u32", "bool", "entity", "string", "enum", "asset", "mat4",
}
M.type_ids = {}
for id, name in ipairs(M.type_names) do
  M.type_ids[name] = id
end
-- Field types that are stored as several columns.
for i, name in ipairs { "vec2", "vec3", "vec4", "quat" } do
  M.type_ids[name] = #M.type_names + i
end
M.NO_ROW = 0xffffffff

return M
