-- Sends random datagrams to a UDP port of this machine, many of which begin like datagrams of a match:
-- luajit junk_datagrams.lua PORT COUNT
local ffi = require("ffi")
ffi.cdef [[
  typedef struct { uint16_t family, port; uint32_t address; char zero[8]; } address_t;
  int socket(int domain, int type, int protocol);
  long sendto(int socket, const void *bytes, size_t size, int flags, const void *to, uint32_t to_bytes);
]]
local port, count = tonumber(arg[1]), tonumber(arg[2])
local handle = ffi.C.socket(2, 2, 0)
assert(handle >= 0, "no socket")
local to = ffi.new("address_t", 2, bit.bor(bit.lshift(bit.band(port, 255), 8), bit.rshift(port, 8)), 0x0100007f)
local bytes = ffi.new("uint8_t[1400]")
local SIZES = { 1, 8, 88, 96, 338, 512, 1200, 1400 }
math.randomseed(1)
for _ = 1, count do
  local size = SIZES[math.random(#SIZES)]
  for k = 0, 15 do
    bytes[k] = math.random(0, 255)
  end
  if math.random(2) == 1 then
    bytes[0], bytes[1] = math.random(0xc1, 0xc6), 1
  end
  ffi.C.sendto(handle, bytes, size, 0, to, ffi.sizeof(to))
end
