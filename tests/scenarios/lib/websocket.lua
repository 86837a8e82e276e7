-- A WebSocket client for tests, using LuaJIT's FFI: local sockets, complete text messages, and raw bytes for
-- malformed requests. Every wait has a timeout.
--   local websocket = dofile("tests/scenarios/lib/websocket.lua")
--   local c = websocket.open(port, path)       -- nil and the first line of the response if refused
--   c:send(text)  c:receive(seconds)           -- nil on timeout
local ffi = require "ffi"
local bit = require "bit"

ffi.cdef [[
int socket(int, int, int);
int connect(int, const void *, unsigned);
int close(int);
long send(int, const void *, size_t, int);
long recv(int, void *, size_t, int);
struct pollfd { int fd; short events, revents; };
int poll(struct pollfd *, unsigned long, int);
struct sockaddr_here { unsigned short family; unsigned char port[2], address[4], rest[8]; };
]]

local C = ffi.C
local NOSIGNAL, IN = 0x4000, 1
local M = { SECONDS = 60 * (tonumber(os.getenv "SLOW") or 100) / 100 } -- default timeout; for SLOW see tests/run
local socket = {}
socket.__index = socket

---@return table? a socket connected to a local port; nil if the connection is refused
function M.connect(port)
  local fd = C.socket(2, 1, 0)
  local there = ffi.new("struct sockaddr_here", { 2, { math.floor(port / 256), port % 256 }, { 127, 0, 0, 1 } })
  if C.connect(fd, there, ffi.sizeof(there)) ~= 0 then
    C.close(fd)
    return nil, "refused"
  end
  return setmetatable({ fd = fd, buffer = "", bytes = ffi.new "char[65536]" }, socket)
end

function socket:close()
  if self.fd then
    C.close(self.fd)
  end
  self.fd = nil
end

---@return boolean true if all bytes were sent
function socket:write(text)
  local at = 0
  while at < #text do
    local sent = C.send(self.fd, ffi.cast("const char *", text) + at, #text - at, NOSIGNAL)
    if sent <= 0 then
      return false
    end
    at = at + tonumber(sent)
  end
  return true
end

-- Reads more bytes into the buffer. Returns false on timeout or if the peer closed the connection (self.over).
function socket:fill(seconds)
  local looks = ffi.new("struct pollfd[1]", { { self.fd, IN, 0 } })
  if C.poll(looks, 1, math.floor((seconds or M.SECONDS) * 1000)) <= 0 then
    return false
  end
  local count = tonumber(C.recv(self.fd, self.bytes, 65536, 0))
  if count <= 0 then
    self.over = true
    return false
  end
  self.buffer = self.buffer .. ffi.string(self.bytes, count)
  return true
end

function socket:need(count, seconds)
  while #self.buffer < count do
    if not self:fill(seconds) then
      return false
    end
  end
  return true
end

-- Reads the response to an HTTP request until the peer closes the connection or `until_text` has been received.
function socket:read(until_text, seconds)
  while not (until_text and self.buffer:find(until_text, 1, true)) and self:fill(seconds) do
  end
  return self.buffer
end

---@param headers string? additional lines, each with its line end
function M.request(port, path, headers, host)
  return ("GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n"):format(path, host or ("127.0.0.1:" .. port), headers or "")
end

M.UPGRADE = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
  .. "Sec-WebSocket-Version: 13\r\n"

---@return table? a socket after the WebSocket handshake; nil if the server refuses it
function M.open(port, path, headers)
  local s, why = M.connect(port)
  if not s then
    return nil, why
  end
  s:write(M.request(port, path, M.UPGRADE .. (headers or "")))
  s:read "\r\n\r\n"
  local first = s.buffer:match "^[^\r]*" or ""
  if not first:find "^HTTP/1.1 101" then
    s:close()
    return nil, first
  end
  s.head = s.buffer:match "^.-\r\n\r\n"
  s.buffer = s.buffer:sub(#s.head + 1)
  return s
end

local function encode_big_endian(number, bytes)
  local out = {}
  for i = bytes, 1, -1 do
    out[i] = string.char(number % 256)
    number = math.floor(number / 256)
  end
  return table.concat(out)
end

-- Returns a frame as clients send it, with mask 0, which leaves the text unchanged.
function M.frame(text, opcode, length)
  length = length or #text
  local head = string.char(0x80 + (opcode or 1))
  if length < 126 then
    head = head .. string.char(0x80 + length)
  elseif length < 65536 then
    head = head .. string.char(0x80 + 126) .. encode_big_endian(length, 2)
  else
    head = head .. string.char(0x80 + 127) .. encode_big_endian(length, 8)
  end
  return head .. "\0\0\0\0" .. text
end

function socket:send(text)
  return self:write(M.frame(text))
end

-- Returns the next message and its opcode (8: closed), or nil on timeout.
function socket:receive(seconds)
  local whole = ""
  while true do
    if not self:need(2, seconds) then
      return nil
    end
    local first, length, from = self.buffer:byte(1), bit.band(self.buffer:byte(2), 127), 3
    local more = length == 126 and 2 or length == 127 and 8 or 0
    if not self:need(2 + more, seconds) then
      return nil
    end
    if more > 0 then
      length = 0
      for i = 3, 2 + more do
        length = length * 256 + self.buffer:byte(i)
      end
      from = 3 + more
    end
    if not self:need(from - 1 + length, seconds) then
      return nil
    end
    whole = whole .. self.buffer:sub(from, from - 1 + length)
    self.buffer = self.buffer:sub(from + length)
    if first >= 0x80 then
      return whole, bit.band(first, 15)
    end
  end
end

return M
