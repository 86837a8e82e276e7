// Platform with a window: SDL2, an OpenGL 3.3 core context, keyboard, mouse, and up to INPUT_PADS game controllers.
#include "base/array.h"
#include "base/assert.h"
#include "platform/driver_cache.h"
#include "process/threads.h"

#include "platform/letterbox.h"
#include "platform/message_box.h"
#include "platform/platform_internal.h"
#include "platform/scancodes.h"
#include "platform/sdl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct pad_t {
  SDL_GameController *controller; // open controller; NULL if the slot is free
  // Model of the slot's most recent controller. A controller of this model is assigned to this slot again when it is
  // reconnected.
  SDL_JoystickGUID model;
  SDL_JoystickID id;
  float raw[INPUT_PAD_AXES];
} pad_t;

typedef struct platform_sdl_t {
  platform_o base;
  SDL_Window *window;
  SDL_GLContext context;
  SDL_Cursor *cursor; // the game's pointer image; NULL: the system's pointer
  pad_t pads[INPUT_PADS];
  SDL_JoystickGUID unknown_model; // most recent joystick without a mapping
  // `presented`: true once the first frame is visible; `pads_open`: true once controllers are initialized.
  bool presented, pads_open;
  char *mappings;       // mappings to add once controllers are initialized; NULL: no mappings
  int mouse_x, mouse_y; // pointer position in window units
  bool has_mouse, is_mouse_relative;
  ARRAY(SDL_Event) events; // embedded only: forwarded events that are not yet processed
  SDL_Rect viewport;       // embedded only: the game's area in window units; empty means the whole window
  allocator_t allocator;
} platform_sdl_t;

// --- game controllers

static int32_t find_pad(const platform_sdl_t *s, SDL_JoystickID id) {
  for (int32_t i = 0; i < INPUT_PADS; ++i)
    if (s->pads[i].controller && s->pads[i].id == id)
      return i;
  return -1;
}

static input_pad_kind_t get_pad_kind(SDL_GameController *controller) {
  switch (sdl()->GameControllerGetType(controller)) {
  case SDL_CONTROLLER_TYPE_XBOX360:
  case SDL_CONTROLLER_TYPE_XBOXONE: return INPUT_PAD_XBOX;
  case SDL_CONTROLLER_TYPE_PS3:
  case SDL_CONTROLLER_TYPE_PS4:
  case SDL_CONTROLLER_TYPE_PS5: return INPUT_PAD_PLAYSTATION;
  case SDL_CONTROLLER_TYPE_NINTENDO_SWITCH_PRO:
  case SDL_CONTROLLER_TYPE_NINTENDO_SWITCH_JOYCON_LEFT:
  case SDL_CONTROLLER_TYPE_NINTENDO_SWITCH_JOYCON_RIGHT:
  case SDL_CONTROLLER_TYPE_NINTENDO_SWITCH_JOYCON_PAIR: return INPUT_PAD_NINTENDO;
  default: return INPUT_PAD_OTHER;
  }
}

// Returns a free slot for a pad, or -1 if all slots are in use. Prefers the slot in which this model was connected
// before, then the first slot that was never used, then the first free slot.
static int32_t choose_slot(const platform_sdl_t *platform, SDL_JoystickGUID model) {
  static const SDL_JoystickGUID NO_MODEL;
  int32_t unused_slot = -1, free_slot = -1;
  for (int32_t i = INPUT_PADS - 1; i >= 0; --i) {
    if (platform->pads[i].controller)
      continue;
    free_slot = i;
    unused_slot = memcmp(&platform->pads[i].model, &NO_MODEL, sizeof NO_MODEL) == 0 ? i : unused_slot;
  }
  for (int32_t i = 0; i < INPUT_PADS; ++i)
    if (!platform->pads[i].controller && memcmp(&platform->pads[i].model, &model, sizeof model) == 0 &&
        memcmp(&model, &NO_MODEL, sizeof model) != 0)
      return i;
  return unused_slot >= 0 ? unused_slot : free_slot;
}

static void add_pad(platform_sdl_t *platform, int device) {
  if (find_pad(platform, sdl()->JoystickGetDeviceInstanceID(device)) >= 0)
    return;
  SDL_JoystickGUID model = sdl()->JoystickGetDeviceGUID(device);
  int32_t i = choose_slot(platform, model);
  if (i < 0) {
    log_warn(platform->base.log, "platform: too many game controllers (at most %d): ignoring the new controller",
             INPUT_PADS);
    return;
  }
  SDL_GameController *controller = sdl()->GameControllerOpen(device);
  if (!controller) {
    log_warn(platform->base.log, "platform: cannot open a game controller: %s", sdl()->GetError());
    return;
  }
  SDL_JoystickID id = sdl()->JoystickInstanceID(sdl()->GameControllerGetJoystick(controller));
  platform->pads[i] = (pad_t){.controller = controller, .model = model, .id = id};
  latch_pad_connection(&platform->base.latch, i, true, get_pad_kind(controller));
  const char *name = sdl()->GameControllerName(controller);
  log_info(platform->base.log, "platform: pad %d connected: %s", i + 1, name ? name : "game controller");
}

static void remove_pad(platform_sdl_t *platform, SDL_JoystickID id) {
  int32_t i = find_pad(platform, id);
  if (i < 0)
    return;
  sdl()->GameControllerClose(platform->pads[i].controller);
  platform->pads[i] = (pad_t){.model = platform->pads[i].model};
  latch_pad_connection(&platform->base.latch, i, false, INPUT_PAD_OTHER);
  log_info(platform->base.log, "platform: pad %d disconnected", i + 1);
}

// Removes the dead zone from a deflection (0 to 1) and rescales the remaining range to 0 to 1.
static float remove_dead_zone(float length, float zone) {
  float rescaled = (length - zone) / (1.0f - zone);
  return rescaled < 0.0f ? 0.0f : rescaled > 1.0f ? 1.0f : rescaled;
}

// Stores a stick's position after applying a circular dead zone.
static void set_stick(float *out, float x, float y, float zone) {
  float length = sqrtf(x * x + y * y);
  float scale = length > 0.0f ? remove_dead_zone(length, zone) / length : 0.0f;
  out[0] = x * scale;
  out[1] = y * scale;
}

static void update_pad_axis(platform_sdl_t *platform, SDL_JoystickID id, int axis, int16_t value) {
  int32_t i = find_pad(platform, id);
  if (i < 0 || axis < 0 || axis >= INPUT_PAD_AXES)
    return;
  float *raw = platform->pads[i].raw, out[INPUT_PAD_AXES], zone = platform->base.dead_zone;
  raw[axis] = value < 0 ? (float)value / 32768.0f : (float)value / 32767.0f;
  set_stick(&out[SDL_CONTROLLER_AXIS_LEFTX], raw[SDL_CONTROLLER_AXIS_LEFTX], raw[SDL_CONTROLLER_AXIS_LEFTY], zone);
  set_stick(&out[SDL_CONTROLLER_AXIS_RIGHTX], raw[SDL_CONTROLLER_AXIS_RIGHTX], raw[SDL_CONTROLLER_AXIS_RIGHTY], zone);
  for (int32_t trigger = SDL_CONTROLLER_AXIS_TRIGGERLEFT; trigger <= SDL_CONTROLLER_AXIS_TRIGGERRIGHT; ++trigger)
    out[trigger] = remove_dead_zone(raw[trigger], zone * 0.25f); // triggers are less noisy than sticks
  latch_pad_axes(&platform->base.latch, i, out);
}

static void sdl_rumble(platform_o *p, int32_t pad, float strength, float seconds) {
  SDL_GameController *controller = ((platform_sdl_t *)p)->pads[pad].controller;
  uint16_t force = (uint16_t)(strength * 65535.0f);
  if (controller)
    sdl()->GameControllerRumble(controller, force, force, (uint32_t)(seconds * 1000.0f));
}

// Returns true if a line of gamecontrollerdb.txt is for a different system: "…,platform:Windows,".
static bool is_for_other_system(const char *line) {
  const char *platform = strstr(line, "platform:"), *own_platform = sdl()->GetPlatform();
  platform = platform ? platform + strlen("platform:") : NULL;
  return platform &&
         !(strncmp(platform, own_platform, strlen(own_platform)) == 0 && strchr(",\r", platform[strlen(own_platform)]));
}

static void add_mappings(platform_sdl_t *platform) {
  uint32_t added = 0, invalid = 0;
  char line[1024];
  for (const char *at = platform->mappings; at && *at;) {
    size_t length = strcspn(at, "\n");
    snprintf(line, sizeof line, "%.*s", (int)length, at);
    line[strcspn(line, "\r")] = '\0';
    if (line[0] && line[0] != '#' && !is_for_other_system(line)) {
      if (length < sizeof line && sdl()->GameControllerAddMapping(line) >= 0)
        added++;
      else
        invalid++;
    }
    at += length + (at[length] == '\n');
  }
  if (added > 0)
    log_debug(platform->base.log, "platform: added %u game controller mappings", added);
  if (invalid > 0)
    log_warn(platform->base.log, "gamecontrollerdb.txt: %u invalid lines: expected GUID,NAME,a:b0,…", invalid);
  free(platform->mappings);
  platform->mappings = NULL;
  // Adding mappings can turn devices into controllers, but SDL sends no event for these devices.
  for (int i = 0; i < sdl()->NumJoysticks(); ++i)
    if (sdl()->IsGameController(i))
      add_pad(platform, i);
}

static void sdl_set_pad_mappings(platform_o *p, const char *text) {
  platform_sdl_t *platform = (platform_sdl_t *)p;
  size_t bytes = strlen(text) + 1;
  free(platform->mappings);
  platform->mappings = malloc(bytes);
  if (!platform->mappings)
    return;
  memcpy(platform->mappings, text, bytes);
  if (sdl()->WasInit(SDL_INIT_GAMECONTROLLER))
    add_mappings(platform);
}

// Detects controllers. Called after the first frame, because detection would delay it. SDL reports each controller as
// an event.
static void init_pads(platform_sdl_t *s) {
  s->pads_open = true;
  if (sdl()->InitSubSystem(SDL_INIT_GAMECONTROLLER) != 0)
    log_warn(s->base.log, "platform: cannot initialize game controllers: %s", sdl()->GetError());
  else
    add_mappings(s);
}

// --- events

static SDL_Rect game_area(const platform_sdl_t *s) {
  SDL_Rect view = s->viewport;
  if (view.w == 0)
    sdl()->GetWindowSize(s->window, &view.w, &view.h);
  return view;
}

// Converts the mouse position to logical pixels. Like the renderer, uses physical pixels, which may differ from window
// units.
static void update_mouse_position(platform_sdl_t *platform) {
  SDL_Rect view = game_area(platform);
  platform_area_t area = platform_area(&platform->base);
  if (!platform->has_mouse || view.w <= 0 || view.h <= 0)
    return;
  letterbox_t box = platform_place_screen(&platform->base);
  input_state_t *tools = &platform->base.tool_latch.current, *game = &platform->base.latch.current;
  letterbox_to_logical(&box, (float)(platform->mouse_x - view.x) * (float)area.width / (float)view.w,
                       (float)(platform->mouse_y - view.y) * (float)area.height / (float)view.h, &tools->mouse_x,
                       &tools->mouse_y);
  if (platform->base.captured & PLATFORM_CAPTURE_MOUSE)
    return;
  game->mouse_x = tools->mouse_x;
  game->mouse_y = tools->mouse_y;
}

// Adds a movement, in window units. Ignores movements over a window without the focus.
static void add_mouse_motion(platform_sdl_t *s, int dx, int dy) {
  SDL_Rect view = game_area(s);
  platform_area_t area = platform_area(&s->base);
  if (view.w <= 0 || view.h <= 0 || s->base.latch.current.window.unfocused)
    return;
  letterbox_t box = platform_place_screen(&s->base);
  latch_mouse_motion(s->base.captured & PLATFORM_CAPTURE_MOUSE ? &s->base.tool_latch : &s->base.latch,
                     (float)dx * (float)area.width / (float)view.w / box.scale_x,
                     (float)dy * (float)area.height / (float)view.h / box.scale_y);
}

// Movements are differences of positions, because SDL's relative movements continue when the mouse leaves the window.
// While the mouse is relative, SDL's position changes, but the pointer stays in place.
static void handle_mouse_position(platform_sdl_t *s, int x, int y) {
  if (s->is_mouse_relative)
    return;
  if (s->has_mouse)
    add_mouse_motion(s, x - s->mouse_x, y - s->mouse_y);
  s->mouse_x = x;
  s->mouse_y = y;
  s->has_mouse = true;
  update_mouse_position(s);
}

static void handle_mouse_motion(platform_sdl_t *s, const SDL_MouseMotionEvent *e) {
  if (s->is_mouse_relative)
    add_mouse_motion(s, e->xrel, e->yrel);
  handle_mouse_position(s, e->x, e->y);
}

static int32_t convert_mouse_button(uint8_t sdl_button) {
  // SDL's button numbers equal the numbers in input.h: 1 left, 2 middle, 3 right, 4 and 5 side.
  return sdl_button <= SDL_BUTTON_X2 ? (int32_t)sdl_button : 0;
}

enum { NONE = 0, CTRL = KMOD_CTRL, ALT = KMOD_ALT };

static const struct {
  int32_t scancode, modifier;
} HOST_KEY_CODES[] = {
#define KEY_ROW(action, name, scancode, modifier, help) {scancode, modifier},
    HOST_KEYS(KEY_ROW)
#undef KEY_ROW
};

// Counts a press of a host key. Returns true if the key is a host key.
static bool count_host_key(const SDL_Keysym *key, platform_events_t *out) {
  for (int i = 0; i < HOST_KEY_COUNT; ++i)
    if ((int32_t)key->scancode == HOST_KEY_CODES[i].scancode &&
        (HOST_KEY_CODES[i].modifier == NONE || key->mod & HOST_KEY_CODES[i].modifier)) {
      out->keys[i]++;
      return true;
    }
  return false;
}

static void read_refresh_rate(platform_sdl_t *platform) {
  SDL_DisplayMode mode = {0};
  sdl()->GetDesktopDisplayMode(sdl()->GetWindowDisplayIndex(platform->window), &mode);
  platform->base.refresh_hz = mode.refresh_rate;
}

static void handle_window_event(platform_sdl_t *platform, const SDL_WindowEvent *e, platform_events_t *out) {
  if (e->event == SDL_WINDOWEVENT_SIZE_CHANGED)
    out->resized = true;
  else if (e->event == SDL_WINDOWEVENT_DISPLAY_CHANGED)
    read_refresh_rate(platform);
}

static void paste_clipboard(latch_t *l) {
  char *text = sdl()->GetClipboardText();
  if (text)
    latch_text(l, text);
  sdl()->free(text);
}

void platform_list_locales(char *out, size_t out_bytes) {
  SDL_Locale *locales = sdl()->GetPreferredLocales();
  size_t used = 0;
  out[0] = '\0';
  for (const SDL_Locale *locale = locales; locale && locale->language; ++locale) {
    int added = snprintf(out + used, out_bytes - used, "%s%s%s%s", used ? "," : "", locale->language,
                         locale->country ? "_" : "", locale->country ? locale->country : "");
    if (added < 0 || used + (size_t)added >= out_bytes)
      break;
    used += (size_t)added;
  }
  out[used] = '\0';
  sdl()->free(locales);
}

static void sdl_set_clipboard(const char *text) {
  sdl()->SetClipboardText(text); // if this fails, the clipboard keeps its old contents
}

static void sdl_set_text_input(platform_o *platform, bool enabled, int x, int y, int width, int height) {
  // SDL expects window units. The arguments are physical pixels.
  SDL_Rect view = game_area((const platform_sdl_t *)platform);
  platform_area_t area = platform_area(platform);
  SDL_Rect rect = {view.x, view.y, width, height};
  if (area.width > 0 && area.height > 0)
    rect = (SDL_Rect){.x = view.x + (x - area.x) * view.w / area.width,
                      .y = view.y + (y - area.y) * view.h / area.height,
                      .w = width * view.w / area.width,
                      .h = height * view.h / area.height};
  if (enabled)
    sdl()->SetTextInputRect(&rect);
  if (enabled == (sdl()->IsTextInputActive() == SDL_TRUE))
    return;
  if (enabled) {
    sdl()->StartTextInput();
    return;
  }
  sdl()->StopTextInput();
  latch_set_composing(&platform->latch, "");
}

// Called while SDL receives events, before it queues the event. SDL may receive letters together with the key. It
// queues these letters only if text input has begun by then.
static int watch_event(void *context, SDL_Event *e) {
  const platform_sdl_t *platform = context;
  if (e->type == SDL_KEYDOWN && e->key.repeat == 0 &&
      platform_begins_text(&platform->base, (int32_t)e->key.keysym.scancode))
    sdl()->StartTextInput();
  return 0;
}

static void handle_letters(platform_o *p, const char *text) {
  if (p->captured & PLATFORM_CAPTURE_TEXT)
    latch_text(&p->tool_latch, text);
  else if ((p->text_input_enabled || p->has_begun_text) && !p->skips_letter)
    latch_text(&p->latch, text);
  p->skips_letter = false;
}

// Passes a pressed key to the host, to a tool that captures the key, or to the game. A tool that captures any input
// also receives all keys that it does not capture, including modifiers.
static void handle_key_press(platform_sdl_t *platform, const SDL_KeyboardEvent *e, platform_events_t *out) {
  uint32_t captured = platform->base.captured;
  int32_t code = (int32_t)e->keysym.scancode;
  bool control = (e->keysym.mod & KMOD_CTRL) != 0,
       text_input = platform->base.text_input_enabled || captured & PLATFORM_CAPTURE_TEXT;
  bool captured_by_tools = captured & PLATFORM_CAPTURE_KEYS || (captured & PLATFORM_CAPTURE_SHORTCUTS && control);
  if (text_input && control && e->keysym.scancode == SDL_SCANCODE_V)
    paste_clipboard(captured & PLATFORM_CAPTURE_TEXT ? &platform->base.tool_latch : &platform->base.latch);
  platform_handle_text_key(&platform->base, code, e->repeat != 0);
  if (e->repeat != 0) {
    latch_repeat_key(&platform->base.tool_latch, code);
    return;
  }
  if (count_host_key(&e->keysym, out))
    return;
  if (captured)
    latch_key(&platform->base.tool_latch, code, true);
  if (!captured_by_tools)
    latch_key(&platform->base.latch, code, true);
}

static void handle_wheel(latch_t *l, const SDL_MouseWheelEvent *e) {
  latch_wheel(l, e->direction == SDL_MOUSEWHEEL_FLIPPED ? -e->preciseY : e->preciseY);
}

static void set_composing(platform_o *p, const char *text) {
  latch_set_composing(&p->latch, p->text_input_enabled && text ? text : "");
}

// Logs a joystick for which SDL has no mapping. Consecutive joysticks of the same model are logged once.
static void report_unknown_joystick(platform_sdl_t *platform, int device) {
  char guid[33];
  SDL_JoystickGUID model = sdl()->JoystickGetDeviceGUID(device);
  if (sdl()->IsGameController(device) || memcmp(&model, &platform->unknown_model, sizeof model) == 0)
    return;
  platform->unknown_model = model;
  sdl()->JoystickGetGUIDString(model, guid, sizeof guid);
  const char *name = sdl()->JoystickNameForIndex(device);
  log_info(platform->base.log,
           "platform: unknown joystick: %s (%s): to use it as a pad, add its line to assets/gamecontrollerdb.txt",
           name ? name : "no name", guid);
}

static void handle_event(platform_sdl_t *platform, const SDL_Event *e, platform_events_t *out) {
  latch_t *latch = &platform->base.latch, *tools = &platform->base.tool_latch;
  latch_t *mouse = platform->base.captured & PLATFORM_CAPTURE_MOUSE ? tools : latch;
  switch (e->type) {
  case SDL_QUIT:
    out->quit++;
    latch_close_window(latch);
    break;
  case SDL_WINDOWEVENT: handle_window_event(platform, &e->window, out); break;
  case SDL_KEYDOWN: handle_key_press(platform, &e->key, out); break;
  case SDL_KEYUP:
    if ((int32_t)e->key.keysym.scancode == platform->base.held_text_key)
      platform->base.held_text_key = 0;
    latch_key(latch, (int32_t)e->key.keysym.scancode, false);
    latch_key(tools, (int32_t)e->key.keysym.scancode, false);
    break;
  case SDL_TEXTINPUT: handle_letters(&platform->base, e->text.text); break;
  case SDL_TEXTEDITING: set_composing(&platform->base, e->edit.text); break;
  case SDL_TEXTEDITING_EXT:
    set_composing(&platform->base, e->editExt.text);
    sdl()->free(e->editExt.text);
    break;
  case SDL_MOUSEMOTION: handle_mouse_motion(platform, &e->motion); break;
  case SDL_MOUSEBUTTONDOWN:
  case SDL_MOUSEBUTTONUP:
    handle_mouse_position(platform, e->button.x, e->button.y);
    latch_mouse_button(mouse, convert_mouse_button(e->button.button), e->type == SDL_MOUSEBUTTONDOWN);
    if (e->type == SDL_MOUSEBUTTONUP) // releases the button in both latches: either may have received the press
      latch_mouse_button(mouse == latch ? tools : latch, convert_mouse_button(e->button.button), false);
    break;
  case SDL_MOUSEWHEEL: handle_wheel(mouse, &e->wheel); break;
  case SDL_JOYDEVICEADDED: report_unknown_joystick(platform, e->jdevice.which); break;
  case SDL_CONTROLLERDEVICEADDED: add_pad(platform, e->cdevice.which); break;
  case SDL_CONTROLLERDEVICEREMOVED: remove_pad(platform, e->cdevice.which); break;
  case SDL_CONTROLLERBUTTONDOWN:
  case SDL_CONTROLLERBUTTONUP:
    latch_pad_button(latch, find_pad(platform, e->cbutton.which), e->cbutton.button,
                     e->type == SDL_CONTROLLERBUTTONDOWN);
    break;
  case SDL_CONTROLLERAXISMOTION: update_pad_axis(platform, e->caxis.which, e->caxis.axis, e->caxis.value); break;
  default: break;
  }
}

static uint16_t clamp_extent(int n) {
  return (uint16_t)(n < 0 ? 0 : n > UINT16_MAX ? UINT16_MAX : n);
}

// Samples the window's state instead of handling its events, because some window managers send no event and other
// window managers send several events.
static void update_window_state(platform_sdl_t *platform) {
  SDL_Rect view = game_area(platform);
  uint32_t flags = sdl()->GetWindowFlags(platform->window);
  platform->base.latch.current.window = (input_window_t){
      .width = clamp_extent(view.w),
      .height = clamp_extent(view.h),
      .minimised = (flags & SDL_WINDOW_MINIMIZED) != 0,
      .unfocused = (flags & SDL_WINDOW_INPUT_FOCUS) == 0,
      .fullscreen = (flags & SDL_WINDOW_FULLSCREEN) != 0,
  };
  platform->base.latch.current.scale = (uint8_t)platform->base.window_settings.scale;
  platform->base.latch.current.tearing = platform->base.window_settings.tearing;
  update_mouse_position(platform); // the window may have moved under the mouse
}

static void sdl_pump(platform_o *p, platform_events_t *out) {
  platform_sdl_t *platform = (platform_sdl_t *)p;
  SDL_Event e;
  if (platform->presented && !platform->pads_open)
    init_pads(platform);
  while (sdl()->PollEvent(&e))
    handle_event(platform, &e, out);
  const uint8_t *down = sdl()->GetKeyboardState(NULL);
  for (int i = 0; i < HOST_KEY_COUNT; ++i)
    out->held[i] = down[HOST_KEY_CODES[i].scancode] != 0;
  update_window_state(platform);
  out->unfocused = p->latch.current.window.unfocused != 0;
  out->fullscreen = p->latch.current.window.fullscreen != 0;
}

// --- the window

static void sdl_set_title(platform_o *p, const char *title) {
  sdl()->SetWindowTitle(((platform_sdl_t *)p)->window, title);
}

// Returns a surface with enlarged pixels, or NULL if SDL has no memory. Divides the colours by alpha, because window
// systems expect alpha that is not premultiplied.
static SDL_Surface *create_surface(const uint8_t *rgba, int width, int height, int scale) {
  SDL_Surface *surface =
      sdl()->CreateRGBSurfaceWithFormat(0, width * scale, height * scale, 32, SDL_PIXELFORMAT_RGBA32);
  for (int y = 0; surface && y < height * scale; ++y)
    for (int x = 0; x < width * scale; ++x) {
      const uint8_t *source = rgba + ((size_t)(y / scale) * (size_t)width + (size_t)(x / scale)) * 4;
      uint8_t *target = (uint8_t *)surface->pixels + (size_t)y * (size_t)surface->pitch + (size_t)x * 4;
      for (int channel = 0; channel < 3; ++channel)
        target[channel] = (uint8_t)(source[3] ? source[channel] * 255 / source[3] : 0);
      target[3] = source[3];
    }
  return surface;
}

static void sdl_set_icon(platform_o *platform, const uint8_t *rgba, int width, int height) {
  SDL_Surface *surface = create_surface(rgba, width, height, 1);
  if (!surface)
    return;
  sdl()->SetWindowIcon(((platform_sdl_t *)platform)->window, surface);
  sdl()->FreeSurface(surface);
}

static bool sdl_set_pointer_image(platform_o *p, const platform_pointer_image_t *image, error_info_t *error) {
  platform_sdl_t *platform = (platform_sdl_t *)p;
  SDL_Surface *surface = image ? create_surface(image->rgba, image->width, image->height, image->scale) : NULL;
  SDL_Cursor *cursor = surface ? sdl()->CreateColorCursor(surface, image->hot_x * image->scale + image->scale / 2,
                                                          image->hot_y * image->scale + image->scale / 2)
                               : NULL;
  sdl()->FreeSurface(surface);
  if (image && !cursor)
    return error_set(error, "the system cannot show this image as the pointer: %s", sdl()->GetError());
  sdl()->SetCursor(cursor ? cursor : sdl()->GetDefaultCursor());
  sdl()->FreeCursor(platform->cursor);
  platform->cursor = cursor;
  return true;
}

static void set_relative_mouse(platform_sdl_t *platform, bool enabled) {
  if (!enabled && platform->has_mouse) // without this, the pointer would appear where the relative movements ended
    sdl()->WarpMouseInWindow(platform->window, platform->mouse_x, platform->mouse_y);
  if (sdl()->SetRelativeMouseMode(enabled ? SDL_TRUE : SDL_FALSE) != 0) {
    log_warn(platform->base.log, "platform: this system cannot report relative movements of the mouse: %s",
             sdl()->GetError());
    return;
  }
  platform->is_mouse_relative = enabled;
}

static void sdl_set_pointer(platform_o *p, const platform_pointer_t *pointer) {
  platform_sdl_t *platform = (platform_sdl_t *)p;
  const platform_pointer_t *previous = &p->pointer;
  if (pointer->hidden != previous->hidden)
    sdl()->ShowCursor(pointer->hidden ? SDL_DISABLE : SDL_ENABLE);
  if (pointer->confined != previous->confined)
    sdl()->SetWindowMouseGrab(platform->window, pointer->confined ? SDL_TRUE : SDL_FALSE);
  if (pointer->relative != previous->relative)
    set_relative_mouse(platform, pointer->relative);
}

// Returns true if windows are rendered to memory. Such windows keep their size.
static bool is_offscreen(void) {
  return strcmp(sdl()->GetCurrentVideoDriver(), "offscreen") == 0;
}

static void sdl_set_fullscreen(platform_o *p, bool enabled) {
  platform_sdl_t *s = (platform_sdl_t *)p;
  if (!is_offscreen() && sdl()->SetWindowFullscreen(s->window, enabled ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0) != 0) {
    log_warn(p->log, "platform: cannot switch between window and fullscreen: %s", sdl()->GetError());
    return;
  }
  s->base.fullscreen = enabled;
}

static void set_vertical_sync(const platform_sdl_t *s, bool enabled) {
  if (sdl()->GL_SetSwapInterval(enabled ? 1 : 0) != 0)
    log_debug(s->base.log, "platform: cannot enable vertical sync: %s", sdl()->GetError());
}

static void sdl_set_window(platform_o *p, const platform_window_t *window_settings) {
  platform_sdl_t *platform = (platform_sdl_t *)p;
  const platform_window_t *previous = &p->window_settings;
  if (window_settings->fixed != previous->fixed)
    sdl()->SetWindowResizable(platform->window, window_settings->fixed ? SDL_FALSE : SDL_TRUE);
  if (window_settings->tearing != previous->tearing)
    set_vertical_sync(platform, !window_settings->tearing);
  if (window_settings->fullscreen != previous->fullscreen)
    sdl_set_fullscreen(p, window_settings->fullscreen);
  if (window_settings->width > 0 && window_settings->height > 0 &&
      (window_settings->width != previous->width || window_settings->height != previous->height))
    sdl()->SetWindowSize(platform->window, window_settings->width, window_settings->height);
}

static platform_area_t sdl_area(const platform_o *p) {
  platform_area_t area = {0};
  sdl()->GL_GetDrawableSize(((const platform_sdl_t *)p)->window, &area.width, &area.height);
  return area;
}

static void sdl_present(platform_o *p) {
  platform_sdl_t *s = (platform_sdl_t *)p;
  sdl()->GL_SwapWindow(s->window);
  s->presented = true;
}

static void close_pads(platform_sdl_t *s) {
  for (int32_t i = 0; i < INPUT_PADS; ++i)
    if (s->pads[i].controller)
      sdl()->GameControllerClose(s->pads[i].controller);
}

static void sdl_destroy(platform_o *p) {
  platform_sdl_t *platform = (platform_sdl_t *)p;
  sdl()->DelEventWatch(watch_event, platform);
  close_pads(platform);
  sdl()->FreeCursor(platform->cursor);
  if (platform->context)
    sdl()->GL_DeleteContext(platform->context);
  if (platform->window)
    sdl()->DestroyWindow(platform->window);
  sdl()->QuitSubSystem(SDL_INIT_VIDEO | (platform->pads_open ? SDL_INIT_GAMECONTROLLER : 0u));
  free(platform->mappings);
  free(platform);
}

static const platform_backend_t SDL_BACKEND = {
    .destroy = sdl_destroy,
    .pump_events = sdl_pump,
    .set_title = sdl_set_title,
    .set_icon = sdl_set_icon,
    .set_fullscreen = sdl_set_fullscreen,
    .set_window = sdl_set_window,
    .set_pointer = sdl_set_pointer,
    .set_pointer_image = sdl_set_pointer_image,
    .area = sdl_area,
    .present = sdl_present,
    .set_text_input = sdl_set_text_input,
    .set_clipboard = sdl_set_clipboard,
    .rumble = sdl_rumble,
    .set_pad_mappings = sdl_set_pad_mappings,
};

// --- embedded window: its owner sets the title and size, and swaps buffers

// Reads the mode of the mouse, which the embedding program sets. When the mouse is no longer relative, the position of
// the next event is not a movement, because the pointer may be anywhere.
static void update_relative_mouse(platform_sdl_t *s) {
  bool is_relative = sdl()->GetRelativeMouseMode() == SDL_TRUE;
  s->has_mouse &= is_relative || !s->is_mouse_relative;
  s->is_mouse_relative = is_relative;
}

static void embedded_pump(platform_o *p, platform_events_t *out) {
  platform_sdl_t *s = (platform_sdl_t *)p;
  update_relative_mouse(s);
  for (uint32_t i = 0; i < s->events.count; ++i)
    handle_event(s, &s->events.items[i], out);
  s->events.count = 0;
  update_window_state(s);
}

static void embedded_queue_event(platform_o *p, const void *sdl_event) {
  platform_sdl_t *s = (platform_sdl_t *)p;
  const SDL_Event *e = sdl_event;
  // Drops extended events: their text belongs to the embedding program, and so does the handling of input methods.
  if (e->type != SDL_TEXTEDITING_EXT)
    array_push(&s->allocator, &s->events, *e);
}

static void embedded_set_viewport(platform_o *p, int x, int y, int width, int height) {
  ((platform_sdl_t *)p)->viewport = (SDL_Rect){x, y, width > 0 ? width : 1, height > 0 ? height : 1};
}

static platform_area_t embedded_area(const platform_o *p) {
  const platform_sdl_t *platform = (const platform_sdl_t *)p;
  SDL_Rect view = game_area(platform), window = {0}, pixels = {0};
  sdl()->GetWindowSize(platform->window, &window.w, &window.h);
  sdl()->GL_GetDrawableSize(platform->window, &pixels.w, &pixels.h);
  double sx = window.w > 0 ? (double)pixels.w / window.w : 1.0, sy = window.h > 0 ? (double)pixels.h / window.h : 1.0;
  return (platform_area_t){.x = (int)(view.x * sx),
                           .y = pixels.h - (int)((view.y + view.h) * sy),
                           .width = (int)(view.w * sx),
                           .height = (int)(view.h * sy)};
}

static void embedded_set_title(platform_o *p, const char *title) {
  (void)p, (void)title;
}

static void embedded_set_fullscreen(platform_o *p, bool enabled) {
  (void)p, (void)enabled;
}

static void embedded_present(platform_o *p) {
  (void)p;
}

static void embedded_destroy(platform_o *p) {
  platform_sdl_t *s = (platform_sdl_t *)p;
  close_pads(s);
  array_free(&s->allocator, &s->events);
  free(s->mappings);
  free(s);
}

static const platform_backend_t EMBEDDED_BACKEND = {
    .destroy = embedded_destroy,
    .pump_events = embedded_pump,
    .set_title = embedded_set_title,
    .set_fullscreen = embedded_set_fullscreen,
    .area = embedded_area,
    .present = embedded_present,
    .handle_event = embedded_queue_event,
    .set_viewport = embedded_set_viewport,
    .set_pad_mappings = sdl_set_pad_mappings,
};

static platform_o *embedded_create(const platform_desc_t *desc) {
  platform_sdl_t *platform = alloc_object(sizeof *platform);
  platform->base = (platform_o){.backend = &EMBEDDED_BACKEND,
                                .width = desc->width,
                                .height = desc->height,
                                .window_settings = desc->window_settings,
                                .log = desc->log};
  platform->window = desc->window;
  return &platform->base;
}

// --- life cycle

// Computes the window's initial size: the requested size or, if no size is requested, the logical size. A size that
// exceeds the usable area of the desktop is scaled down to 90 % of that area.
static void compute_initial_size(const platform_desc_t *desc, int *width, int *height) {
  SDL_Rect usable;
  *width = desc->window_settings.width > 0 ? desc->window_settings.width : desc->width;
  *height = desc->window_settings.height > 0 ? desc->window_settings.height : desc->height;
  if (is_offscreen() || sdl()->GetDisplayUsableBounds(0, &usable) != 0 || usable.w <= 0 || usable.h <= 0)
    return;
  if (*width <= usable.w && *height <= usable.h)
    return;
  letterbox_t box = letterbox_fit(*width, *height, 0, usable.w * 9 / 10, usable.h * 9 / 10, LETTERBOX_FIT);
  *width = box.width;
  *height = box.height;
}

static bool open_window(platform_sdl_t *platform, const platform_desc_t *desc, error_info_t *error) {
  sdl()->GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
  sdl()->GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
  sdl()->GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
  sdl()->GL_SetAttribute(SDL_GL_DOUBLEBUFFER, 1);
  sdl()->GL_SetAttribute(SDL_GL_DEPTH_SIZE, 0);
  sdl()->GL_SetAttribute(SDL_GL_STENCIL_SIZE, 0);
  int width, height;
  compute_initial_size(desc, &width, &height);
  uint32_t flags = SDL_WINDOW_OPENGL | SDL_WINDOW_ALLOW_HIGHDPI;
  platform->base.fullscreen = desc->window_settings.fullscreen;
  flags |= desc->window_settings.fixed ? 0u : (uint32_t)SDL_WINDOW_RESIZABLE;
  flags |= platform->base.fullscreen && !is_offscreen() ? (uint32_t)SDL_WINDOW_FULLSCREEN_DESKTOP : 0u;
  platform->window =
      sdl()->CreateWindow(desc->title, SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, width, height, flags);
  if (!platform->window)
    return error_set(error, "cannot open a window: %s: use --headless to run without a window", sdl()->GetError());
  sdl()->SetWindowMinimumSize(platform->window, 160, 90);
  platform->context = sdl()->GL_CreateContext(platform->window);
  if (!platform->context)
    return error_set(error, "cannot create an OpenGL 3.3 context: %s: use --headless to run without a window",
                     sdl()->GetError());
  sdl()->GL_MakeCurrent(platform->window, platform->context);
  set_vertical_sync(platform, !desc->window_settings.tearing);
  read_refresh_rate(platform);
  return true;
}

static void set_hints(void) {
  sdl()->SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
  sdl()->SetHint(SDL_HINT_JOYSTICK_ALLOW_BACKGROUND_EVENTS, "0");
  sdl()->SetHint(SDL_HINT_IME_SUPPORT_EXTENDED_TEXT, "1"); // without it, text of more than 31 bytes arrives in parts
}

// Loads SDL, opens the display and loads its driver, on a separate thread. Returns `context` on success, otherwise
// NULL. Ignores errors, because they occur again in platform_create, which reports them.
static void *open_display(void *context) {
  error_info_t ignored = {0};
  if (!sdl_load(&ignored))
    return NULL;
  set_hints();
  if (sdl()->InitSubSystem(SDL_INIT_VIDEO) != 0)
    return NULL;
  sdl()->GL_LoadLibrary(NULL); // also loads the driver
  return context;
}

void platform_open_early(platform_preload_t *preload) {
  shoal_assert(!preload->running, "the display is already being opened");
  preload->running = sdl_can_open_display_on_any_thread() && thread_start(&preload->thread, open_display, preload);
}

// Releases the references taken by open_display. SDL counts references, and the window holds separate references.
static void release_early_display(bool opened) {
  if (!opened)
    return;
  sdl()->GL_UnloadLibrary();
  sdl()->QuitSubSystem(SDL_INIT_VIDEO);
}

// Returns true if a display exists or is not required, otherwise false with an error. The check is necessary because
// SDL renders to memory without an error if there is no display. Users would see nothing, and could not close the
// window.
static bool require_display(const platform_desc_t *desc, error_info_t *error) {
  if (sdl()->getenv("SDL_VIDEODRIVER") || !is_offscreen())
    return true;
  if (!desc->may_render_offscreen)
    return error_set(error, "cannot open a window: no display found (DISPLAY and WAYLAND_DISPLAY are not set): use "
                            "--headless to run without a window, start a desktop session, or set "
                            "SDL_VIDEODRIVER=offscreen to render to memory");
  log_warn(desc->log, "platform: no display found (DISPLAY, WAYLAND_DISPLAY): rendering offscreen");
  return true;
}

static platform_o *create_platform(const platform_desc_t *desc, error_info_t *error) {
  set_hints();
  if (!desc->window && driver_cache_check_space())
    log_info(desc->log, "platform: the disk is almost full: the graphics driver caches no shaders in this run");
  if (sdl()->InitSubSystem(SDL_INIT_VIDEO) != 0) {
    error_set(error, "cannot open a window: no display found (%s): use --headless to run without a window",
              sdl()->GetError());
    return NULL;
  }
  if (!require_display(desc, error)) {
    sdl()->QuitSubSystem(SDL_INIT_VIDEO);
    return NULL;
  }
  if (!desc->window)
    sdl()->StopTextInput(); // the game has not yet requested text input
  platform_sdl_t *platform = alloc_object(sizeof *platform);
  platform->base = (platform_o){.backend = &SDL_BACKEND,
                                .width = desc->width,
                                .height = desc->height,
                                .window_settings = desc->window_settings,
                                .log = desc->log};
  sdl()->AddEventWatch(watch_event, platform);
  if (!open_window(platform, desc, error)) {
    sdl_destroy(&platform->base);
    return NULL;
  }
  return &platform->base;
}

platform_o *platform_sdl_create(const platform_desc_t *desc, error_info_t *error) {
  void *opened = NULL;
  if (desc->preload && desc->preload->running)
    pthread_join(desc->preload->thread, &opened);
  error_info_t missing = {0};
  if (!sdl_load(&missing)) {
    error_set(error, "cannot open a window: %s: use --headless to run without a window", missing.text);
    return NULL;
  }
  if (desc->window)
    return embedded_create(desc);
  platform_o *platform = create_platform(desc, error);
  release_early_display(opened != NULL);
  return platform;
}

void platform_show_message(const char *title, const char *text) {
  error_info_t ignored = {0};
  shoal_assert(title && text, "title and text must not be NULL");
  if (!sdl_load(&ignored))
    return;
  if (sdl()->ShowSimpleMessageBox(SDL_MESSAGEBOX_ERROR, title, text, NULL) != 0)
    message_box_show(title, text);
}
