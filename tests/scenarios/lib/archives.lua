-- luajit archives.lua FILE ENTRY…: writes a .tar or a .zip that ordinary programs refuse to make. Entries:
--
--   PATH=TEXT       a file
--   PATH/           a folder
--   PATH->TARGET    a symbolic link
--   PATH=>TARGET    a hard link (only .tar)
--   PATH|           a pipe (only .tar)
--   PATH=*BYTES     a file of this many bytes, all 0
--   PATH=!TEXT      a file whose checksum is wrong (only .zip)
local bit = require "bit"
local path = arg[1]

local function parse_entry(entry)
  local name, target = entry:match "^(.-)%->(.*)$"
  if name then return { name = name, kind = "symlink", target = target, text = "" } end
  name, target = entry:match "^(.-)=>(.*)$"
  if name then return { name = name, kind = "hardlink", target = target, text = "" } end
  if entry:find "/$" then return { name = entry, kind = "folder", text = "" } end
  if entry:find "|$" then return { name = entry:sub(1, -2), kind = "pipe", text = "" } end
  local text
  name, text = entry:match "^(.-)=(.*)$"
  local zeros, damaged = text:match "^%*(%d+)$", text:match "^!(.*)$"
  return { name = name, kind = "file", text = zeros and ("\0"):rep(tonumber(zeros)) or damaged or text,
    damaged = damaged ~= nil }
end

local TYPES = { file = "0", hardlink = "1", symlink = "2", folder = "5", pipe = "6" }

local function build_tar_header(e)
  local function pad_field(text, bytes) return text .. ("\0"):rep(bytes - #text) end
  local head = pad_field(e.name, 100) .. "0000644\0" .. "0000000\0" .. "0000000\0" .. ("%011o\0"):format(#e.text)
    .. "00000000000\0" .. "        " .. TYPES[e.kind] .. pad_field(e.target or "", 100) .. "ustar\00000"
  head = head .. ("\0"):rep(512 - #head)
  local sum = 0
  for i = 1, 512 do sum = sum + head:byte(i) end
  return head:sub(1, 148) .. ("%06o\0 "):format(sum) .. head:sub(157)
end

local function build_tar(entries)
  local out = {}
  for _, e in ipairs(entries) do
    out[#out + 1] = build_tar_header(e) .. e.text .. ("\0"):rep(-#e.text % 512)
  end
  return table.concat(out) .. ("\0"):rep(1024)
end

local function crc32(text)
  local crc = -1
  for i = 1, #text do
    crc = bit.bxor(crc, text:byte(i))
    for _ = 1, 8 do
      crc = bit.bxor(bit.rshift(crc, 1), bit.band(crc, 1) == 1 and 0xedb88320 or 0)
    end
  end
  return bit.bnot(crc)
end

local function encode(n, bytes)
  local out = ""
  for i = 0, bytes - 1 do out = out .. string.char(bit.band(bit.rshift(n, 8 * i), 255)) end
  return out
end

local function build_zip(entries)
  local out, index, at = {}, {}, 0
  for _, e in ipairs(entries) do
    local text = e.target or e.text
    local common = encode(20, 2) .. encode(0x800, 2) .. encode(0, 2) .. encode(0, 4)
      .. encode(e.damaged and 1 or crc32(text), 4) .. encode(#text, 4) .. encode(#text, 4) .. encode(#e.name, 2)
      .. encode(0, 2)
    local mode = e.kind == "symlink" and 0xa1ff or e.kind == "folder" and 0x41ed or 0x81a4
    index[#index + 1] = "PK\1\2" .. encode(0x0314, 2) .. common .. encode(0, 2) .. encode(0, 2) .. encode(0, 2)
      .. encode(0, 2) .. encode(mode, 2) .. encode(at, 4) .. e.name
    out[#out + 1] = "PK\3\4" .. common .. e.name .. text
    at = at + #out[#out]
  end
  local list = table.concat(index)
  return table.concat(out) .. list .. "PK\5\6" .. encode(0, 4) .. encode(#entries, 2) .. encode(#entries, 2)
    .. encode(#list, 4) .. encode(at, 4) .. encode(0, 2)
end

local entries = {}
for i = 2, #arg do entries[#entries + 1] = parse_entry(arg[i]) end
local file = assert(io.open(path, "wb"))
file:write(path:find "%.zip$" and build_zip(entries) or build_tar(entries))
file:close()
