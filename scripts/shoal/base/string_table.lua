-- The world's string table in Lua: string ↔ id, with caches that are invalidated when the table is swept.
local need = ...
local abi = need("base/abi")
local clear_table = require("table.clear")
local ffi, C, strings = abi.ffi, abi.C, abi.strings

---@class engine.text
local M = {}
local text_by_id, id_by_text = { [0] = "" }, { [""] = 0 }
local epoch = C.strings_epoch(strings)
local listeners = {}
-- The memory limit is checked after every CHECK_BYTES bytes of new strings; `new_bytes`: bytes since the last check.
local CHECK_BYTES, new_bytes = 2 ^ 20, 0
local NEW = 2 ^ 31 -- STRINGS_NEW in schema/strings.h

-- Discards the cached ids if a sweep of the string table or a restored snapshot may have reassigned them, and notifies
-- the listeners. Must be called when C calls into Lua, before a cached id is used.
function M.refresh()
  local current_epoch = C.strings_epoch(strings)
  if current_epoch ~= epoch then
    epoch = current_epoch
    -- Clearing keeps the tables' capacity: new tables would be rehashed repeatedly as strings are added.
    clear_table(text_by_id)
    clear_table(id_by_text)
    text_by_id[0], id_by_text[""] = "", 0
    for i = 1, #listeners do
      listeners[i]()
    end
  end
end

-- Registers a function that is called whenever string ids may have been reassigned. Used by modules that cache ids, or
-- state that restoring a snapshot changes.
---@param listener fun()
function M.add_change_listener(listener)
  listeners[#listeners + 1] = listener
end

---@param id integer
---@return string
function M.get_text(id)
  local text = text_by_id[id]
  if text then
    return text
  end
  text = ffi.string(C.strings_text(strings, id), C.strings_length(strings, id))
  text_by_id[id] = text
  return text
end

-- Interns a string. Caches its id only if the world already contained the string: most new strings, such as the texts
-- of labels that change in every tick, are written once, so caching their ids would cost more than it saves.
---@param text string
---@return integer id 0 for ""
function M.intern(text)
  local id = id_by_text[text]
  if id then
    return id
  end
  id = C.strings_intern_and_report(strings, text, #text)
  if id < NEW then
    id_by_text[text] = id
    return id
  end
  id = id - NEW
  new_bytes = new_bytes + #text + 32
  if new_bytes > CHECK_BYTES then
    new_bytes = 0
    C.vm_exceeds_memory_limit(abi.vm, true)
  end
  return id
end

-- Returns the id of an interned string. Returns 0 for a string that the world has not interned, and for "".
---@param text string
---@return integer id
function M.find(text)
  local id = id_by_text[text]
  if not id then
    id = text:find("\0", 1, true) and 0 or C.strings_find(strings, text)
    if id ~= 0 then
      id_by_text[text] = id
    end
  end
  return id
end

-- Interns a string permanently, for names that outlive every column: assemblages, states, systems.
---@param text string
---@return integer id
function M.intern_pinned(text)
  local id = M.intern(text)
  C.strings_pin(strings, id)
  return id
end

return M
