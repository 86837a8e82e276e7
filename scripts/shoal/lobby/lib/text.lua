-- Checks, shows and shortens text that players type.
local M = {
  MAX_BYTES = 200, -- size limit of a chat line in bytes
  LINES = 11,      -- number of chat lines
}

-- Returns true if the text is UTF-8 without control characters.
local function is_printable(text)
  if not utf8.len(text) then return false end
  for _, code in utf8.codes(text) do
    if code < 0x20 or code >= 0x7f and code < 0xa0 then return false end
  end
  return true
end

-- Returns the string key of the reason why a line cannot be sent; nil if it can be sent.
---@param text string
---@return string?
function M.find_fault(text)
  if #text > M.MAX_BYTES then return "chat_too_long" end
  if not is_printable(text) then return "chat_invalid" end
end

-- Returns a name as the text of a label. A name that begins with "@" gets a space in front, because a label would take
-- it for a reference to a string.
---@param text string
---@return string
function M.show(text) return text:sub(1, 1) == "@" and " " .. text or text end

-- Returns the text, shortened with "…" to this number of characters.
---@param text string
---@param characters integer
---@return string
function M.shorten(text, characters)
  if utf8.len(text) <= characters then return text end
  return text:sub(1, utf8.offset(text, characters) - 1) .. "…"
end

return M
