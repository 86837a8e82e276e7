-- The FFI: engine/script/abi.h as text, and the addresses that C handed over.
local _, native = ...
local ffi = require("ffi")

ffi.cdef(native.abi)

local function pointer(type_name, address)
  return ffi.cast(type_name, ffi.cast("uintptr_t", address))
end

local M = { ffi = ffi, C = ffi.C, pointer = pointer }

M.world = pointer("world_o *", native.world)
M.entities = ffi.C.world_entities(M.world)
M.strings = ffi.C.world_strings(M.world)
M.random = ffi.C.world_random(M.world)
M.input = pointer("const input_state_t *", native.input)
M.input_before = pointer("const input_state_t *", native.input_before)
M.draw = pointer("draw_o *", native.draw)
M.audio = pointer("audio_o *", native.audio)
M.requests = pointer("script_requests_t *", native.requests)
M.past = pointer("const past_port_t *", native.past)
M.vm = pointer("vm_o *", native.vm)
M.place = pointer("vm_place_t *", native.place) -- what C has to know should this VM be stopped in the middle
M.error = ffi.new("error_t") -- one is enough: it is read before the next call

function M.error_text()
  return ffi.string(M.error.text)
end

-- The C type of a column's element, by field_type_t. Entities are below 2^31: signed, they need no way through floats.
M.element = {
  "float", "double", "int8_t", "int16_t", "int32_t", "uint8_t", "uint16_t", "uint32_t", "uint8_t", "int32_t", "uint32_t",
  "uint8_t", "uint32_t", "float",
}
-- Field types by name; the order is field_type_t's.
M.type_names = {
  "f32", "f64", "i8", "i16", "i32", "u8", "u16", "u32", "bool", "entity", "string", "enum", "asset", "mat4",
}
M.type_ids = {}
for id, name in ipairs(M.type_names) do
  M.type_ids[name] = id
end
M.kinds = { component = 0, many = 1, single = 2, event = 3 }
M.NO_ROW = 0xffffffff

return M
