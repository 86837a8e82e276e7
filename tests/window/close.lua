-- luajit close.lua WINDOW: asks the window to close like a window manager's close button (xdotool in Debian 12 can
-- only destroy windows).
local ffi = require("ffi")
ffi.cdef [[
  typedef union {
    struct { int type; unsigned long serial; int send_event; void *display; unsigned long window, message_type;
      int format; long data[5]; } message;
    long pad[24];
  } event_t;
  void *XOpenDisplay(const char *name);
  unsigned long XInternAtom(void *display, const char *name, int only_if_exists);
  int XSendEvent(void *display, unsigned long window, int propagate, long mask, event_t *event);
  int XCloseDisplay(void *display);
]]
local CLIENT_MESSAGE = 33
local x11 = ffi.load("X11.so.6")
local display = x11.XOpenDisplay(nil)
assert(display ~= nil, "no display")
local window, event = tonumber(arg[1]), ffi.new("event_t")
local message = event.message
message.type, message.format, message.window = CLIENT_MESSAGE, 32, window
message.message_type = x11.XInternAtom(display, "WM_PROTOCOLS", 0)
message.data[0] = x11.XInternAtom(display, "WM_DELETE_WINDOW", 0)
assert(x11.XSendEvent(display, window, 0, 0, event) ~= 0, "the event was not sent")
x11.XCloseDisplay(display)
