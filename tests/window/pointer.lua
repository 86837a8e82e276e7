-- luajit pointer.lua [PICTURE]: prints the position of the mouse, the size, the hot spot and the number of visible
-- pixels of the pointer, and its most frequent colour: "320 180 16 16 8 8 61 #ff0000". Writes the pointer as PAM to
-- PICTURE, because screenshots do not contain it.
local ffi = require("ffi")
ffi.cdef [[
  typedef struct {
    short x, y;
    unsigned short width, height, xhot, yhot;
    unsigned long serial, *pixels, atom;
    const char *name;
  } cursor_image_t;
  void *XOpenDisplay(const char *name);
  int XFixesQueryVersion(void *display, int *major, int *minor);
  cursor_image_t *XFixesGetCursorImage(void *display);
  int XCloseDisplay(void *display);
]]
local x11, fixes = ffi.load("X11.so.6"), ffi.load("Xfixes.so.3")
local display = x11.XOpenDisplay(nil)
assert(display ~= nil, "no display")
local version = ffi.new("int[2]")
assert(fixes.XFixesQueryVersion(display, version, version + 1) ~= 0, "no XFixes")
local cursor = fixes.XFixesGetCursorImage(display)
assert(cursor ~= nil, "no pointer")

local visible, counts, best = 0, { ["none"] = 0 }, "none"
local bytes = {}
for i = 0, cursor.width * cursor.height - 1 do
  local pixel = tonumber(cursor.pixels[i] % 2 ^ 32)
  local alpha = math.floor(pixel / 2 ^ 24)
  local red, green, blue = math.floor(pixel / 65536) % 256, math.floor(pixel / 256) % 256, pixel % 256
  bytes[#bytes + 1] = string.char(red, green, blue, alpha)
  if alpha > 0 then
    local colour = ("#%02x%02x%02x"):format(red, green, blue)
    visible, counts[colour] = visible + 1, (counts[colour] or 0) + 1
    best = counts[colour] > counts[best] and colour or best
  end
end
print(cursor.x, cursor.y, cursor.width, cursor.height, cursor.xhot, cursor.yhot, visible, best)
if arg[1] then
  local file = assert(io.open(arg[1], "wb"))
  file:write(("P7\nWIDTH %d\nHEIGHT %d\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"):format(cursor.width,
    cursor.height), table.concat(bytes))
  file:close()
end
x11.XCloseDisplay(display)
