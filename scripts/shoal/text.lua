-- The world's string table seen from Lua: text ↔ id, with caches that follow its sweeps.
local need = ...
local abi = need("abi")
local ffi, C, strings = abi.ffi, abi.C, abi.strings

local M = {}
local text_by_id, id_by_text = { [0] = "" }, { [""] = 0 }
local epoch = C.strings_epoch(strings)
local listeners = {}

-- Called before any Lua of a tick runs: a sweep, or a snapshot that was restored, may have given ids to other texts.
function M.refresh()
  local now = C.strings_epoch(strings)
  if now ~= epoch then
    epoch = now
    text_by_id, id_by_text = { [0] = "" }, { [""] = 0 }
    for i = 1, #listeners do
      listeners[i]()
    end
  end
end

-- For who keeps ids, or whatever else of the world a snapshot brings back.
function M.on_change(listener)
  listeners[#listeners + 1] = listener
end

function M.text(id)
  local text = text_by_id[id]
  if text then
    return text
  end
  text = ffi.string(C.strings_text(strings, id), C.strings_length(strings, id))
  text_by_id[id] = text
  return text
end

function M.intern(text)
  local id = id_by_text[text]
  if id then
    return id
  end
  id = C.strings_intern_n(strings, text, #text)
  id_by_text[text] = id
  return id
end

-- For names that outlive every column: components' instances, states, systems.
function M.keep(text)
  local id = M.intern(text)
  C.strings_keep(strings, id)
  return id
end

return M
