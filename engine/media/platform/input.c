// Names of keys, buttons and axes, and lookup of their values in a sample.
#include "platform/input.h"

#include "base/assert.h"
#include "base/nearest_name.h"
#include "platform/input_names.h"
#include "platform/sdl.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

_Static_assert(INPUT_KEYS == SDL_NUM_SCANCODES, "one key per scancode");
_Static_assert(INPUT_PAD_AXES == SDL_CONTROLLER_AXIS_MAX, "one axis per SDL axis");
_Static_assert((int)INPUT_PAD_BUTTONS >= (int)SDL_CONTROLLER_BUTTON_MAX, "one button per SDL button");

typedef struct input_alias_t {
  const char *alias;
  const char *name;
} input_alias_t;

// Short names that are accepted in addition to SDL's names.
static const input_alias_t KEY_NAMES[] = {
    {"enter", "return"},      {"esc", "escape"},       {"shift", "left shift"},  {"ctrl", "left ctrl"},
    {"control", "left ctrl"}, {"alt", "left alt"},     {"lshift", "left shift"}, {"rshift", "right shift"},
    {"lctrl", "left ctrl"},   {"rctrl", "right ctrl"}, {"lalt", "left alt"},     {"ralt", "right alt"},
    {"del", "delete"},        {"pgup", "pageup"},      {"pgdn", "pagedown"},     {"ins", "insert"},
};

static const input_alias_t PAD_NAMES[] = {
    {"up", "dpup"},         {"down", "dpdown"},      {"left", "dpleft"},    {"right", "dpright"},
    {"l1", "leftshoulder"}, {"r1", "rightshoulder"}, {"l2", "lefttrigger"}, {"r2", "righttrigger"},
    {"lb", "leftshoulder"}, {"rb", "rightshoulder"}, {"lt", "lefttrigger"}, {"rt", "righttrigger"},
    {"select", "back"},     {"l3", "leftstick"},     {"r3", "rightstick"},
};

static const char *resolve_alias(const input_alias_t *aliases, size_t count, const char *name) {
  for (size_t i = 0; i < count; ++i)
    if (strcasecmp(aliases[i].alias, name) == 0)
      return aliases[i].name;
  return name;
}

static bool parse_key(const char *name, input_binding_t *out) {
  int32_t code = input_find_key(resolve_alias(KEY_NAMES, sizeof KEY_NAMES / sizeof *KEY_NAMES, name));
  *out = (input_binding_t){.device = INPUT_KEY, .code = code, .pad = -1};
  return code >= 0;
}

static const char *const MOUSE_NAMES[INPUT_MOUSE_BUTTONS] = {NULL, "left", "middle", "right", "x1", "x2"};

static bool parse_mouse(const char *name, input_binding_t *out) {
  for (int32_t i = 1; i < INPUT_MOUSE_BUTTONS; ++i) {
    if (strcasecmp(MOUSE_NAMES[i], name) == 0) {
      *out = (input_binding_t){.device = INPUT_MOUSE_BUTTON, .code = i, .pad = -1};
      return true;
    }
  }
  return false;
}

static bool parse_wheel(const char *name, input_binding_t *out) {
  *out = (input_binding_t){.device = INPUT_WHEEL, .pad = -1};
  if (strcasecmp(name, "up") == 0)
    out->sign = 1.0f;
  else if (strcasecmp(name, "down") == 0)
    out->sign = -1.0f;
  return out->sign != 0.0f;
}

static bool parse_pad(const char *text, input_binding_t *out) {
  char alias[64];
  size_t length = strlen(text);
  if (length == 0 || length >= sizeof alias)
    return false;
  memcpy(alias, text, length + 1);
  float sign = alias[length - 1] == '-' ? -1.0f : alias[length - 1] == '+' ? 1.0f : 0.0f;
  if (sign != 0.0f)
    alias[length - 1] = '\0';
  const char *name = resolve_alias(PAD_NAMES, sizeof PAD_NAMES / sizeof *PAD_NAMES, alias);
  int32_t axis = input_find_axis(name);
  if (axis >= 0) {
    *out = (input_binding_t){.device = INPUT_PAD_AXIS, .code = axis, .pad = -1, .sign = sign};
    return true;
  }
  int32_t button = input_find_button(name);
  *out = (input_binding_t){.device = INPUT_PAD_BUTTON, .code = button, .pad = -1};
  return button >= 0 && sign == 0.0f;
}

bool input_parse(const char *text, input_binding_t *out) {
  shoal_assert(text && out, "text and out must not be NULL");
  *out = (input_binding_t){.pad = -1};
  const char *colon = strchr(text, ':');
  if (!colon || colon[1] == '\0')
    return false;
  size_t length = (size_t)(colon - text);
  const char *name = colon + 1;
  input_binding_t binding = {.pad = -1};
  int32_t number = -1;
  if (length > 0 && colon[-1] >= '1' && colon[-1] < '1' + INPUT_PADS) {
    number = colon[-1] - '1';
    --length;
  }
  bool found = false;
  if (length == 3 && strncasecmp(text, "key", 3) == 0)
    found = parse_key(name, &binding);
  else if (length == 5 && strncasecmp(text, "mouse", 5) == 0)
    found = parse_mouse(name, &binding);
  else if (length == 5 && strncasecmp(text, "wheel", 5) == 0)
    found = parse_wheel(name, &binding);
  else if (length == 3 && strncasecmp(text, "pad", 3) == 0)
    found = parse_pad(name, &binding);
  binding.pad = number;
  shoal_assert(!found || (binding.device != INPUT_NONE && binding.code >= 0 && binding.code < INPUT_KEYS),
               "%s: code %d of device %d is out of range", text, binding.code, (int)binding.device);
  if (found)
    *out = binding;
  return found;
}

// --- suggestions

static void suggest_binding(nearest_name_t *nearest, const char *device, const char *name) {
  char text[NEAREST_NAME_MAX_BYTES];
  int length = snprintf(text, sizeof text, "%s:%s", device, name ? name : "");
  for (int i = 0; i < length && i < NEAREST_NAME_MAX_BYTES; ++i)
    text[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i];
  if (name && name[0] && length < NEAREST_NAME_MAX_BYTES)
    nearest_name_offer(nearest, text);
}

static void suggest_bindings(nearest_name_t *nearest) {
  for (size_t i = 0; i < sizeof KEY_NAMES / sizeof *KEY_NAMES; ++i)
    suggest_binding(nearest, "key", KEY_NAMES[i].alias);
  for (int i = 0; i < INPUT_KEYS; ++i)
    suggest_binding(nearest, "key", input_key_name(i));
  for (int i = 0; i < SDL_CONTROLLER_BUTTON_MAX; ++i)
    suggest_binding(nearest, "pad", input_button_name(i));
  for (int i = 0; i < INPUT_PAD_AXES; ++i)
    suggest_binding(nearest, "pad", input_axis_name(i));
  for (size_t i = 0; i < sizeof PAD_NAMES / sizeof *PAD_NAMES; ++i)
    suggest_binding(nearest, "pad", PAD_NAMES[i].alias);
  for (int i = 1; i < INPUT_MOUSE_BUTTONS; ++i)
    suggest_binding(nearest, "mouse", MOUSE_NAMES[i]);
  suggest_binding(nearest, "wheel", "up");
  suggest_binding(nearest, "wheel", "down");
}

bool input_suggest_binding(const char *text, char *out, uint32_t out_bytes) {
  static const char *const DEVICES[] = {"key", "mouse", "pad", "wheel"};
  char full_name[NEAREST_NAME_MAX_BYTES];
  input_binding_t binding;
  nearest_name_t nearest;
  snprintf(full_name, sizeof full_name, "%s", text);
  for (size_t i = 0; i < sizeof DEVICES / sizeof *DEVICES && !strchr(text, ':'); ++i) {
    snprintf(out, out_bytes, "%s:%s", DEVICES[i], text);
    if (input_parse(out, &binding))
      return true;
    snprintf(full_name, sizeof full_name, "key:%.32s", text);
  }
  nearest_name_init(&nearest, full_name);
  suggest_bindings(&nearest);
  snprintf(out, out_bytes, "%s", nearest.best);
  return text[0] && nearest.best[0];
}

// --- labels

static void convert_to_lower_case(char *text) {
  for (; *text; ++text)
    *text = *text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text;
}

static const char *axis_sign(const input_binding_t *binding) {
  return binding->sign == 0.0f ? "" : binding->sign < 0.0f ? "-" : "+";
}

const char *input_name(const input_binding_t *binding, char *out) {
  char number[2] = {binding->pad >= 0 && binding->pad < INPUT_PADS ? (char)('1' + binding->pad) : '\0', '\0'};
  const char *control = NULL, *device = "pad", *sign = "";
  switch (binding->device) {
  case INPUT_KEY:
    device = "key";
    control = binding->code >= 0 && binding->code < INPUT_KEYS ? input_key_name(binding->code) : NULL;
    break;
  case INPUT_MOUSE_BUTTON:
    device = "mouse";
    control = binding->code > 0 && binding->code < INPUT_MOUSE_BUTTONS ? MOUSE_NAMES[binding->code] : NULL;
    break;
  case INPUT_WHEEL:
    device = "wheel";
    control = binding->sign > 0.0f ? "up" : "down";
    break;
  case INPUT_PAD_BUTTON: control = input_button_name(binding->code); break;
  case INPUT_PAD_AXIS:
    control = input_axis_name(binding->code);
    sign = axis_sign(binding);
    break;
  case INPUT_NONE: break;
  }
  snprintf(out, INPUT_NAME_BYTES, "%s%s:%s%s", device, number, control ? control : "", sign);
  convert_to_lower_case(out);
  return out;
}

// Labels of buttons, indexed by input_pad_kind_t and SDL_GameControllerButton.
static const char *const BUTTON_LABELS[][SDL_CONTROLLER_BUTTON_MAX] = {
    [INPUT_PAD_OTHER] = {"A",           "B",    "X",  "Y",  "Back",     "Guide",      "Start",
                         "L3",          "R3",   "LB", "RB", "D-Pad Up", "D-Pad Down", "D-Pad Left",
                         "D-Pad Right", "Misc", "P1", "P2", "P3",       "P4",         "Touchpad"},
    [INPUT_PAD_XBOX] = {"A",           "B",     "X",  "Y",  "View",     "Xbox",       "Menu",
                        "LS",          "RS",    "LB", "RB", "D-Pad Up", "D-Pad Down", "D-Pad Left",
                        "D-Pad Right", "Share", "P1", "P2", "P3",       "P4",         "Touchpad"},
    [INPUT_PAD_PLAYSTATION] = {"Cross",       "Circle", "Square", "Triangle", "Share",    "PS",         "Options",
                               "L3",          "R3",     "L1",     "R1",       "D-Pad Up", "D-Pad Down", "D-Pad Left",
                               "D-Pad Right", "Mute",   "P1",     "P2",       "P3",       "P4",         "Touchpad"},
    [INPUT_PAD_NINTENDO] = {"A",           "B",           "X",  "Y",  "Minus",    "Home",       "Plus",
                            "Left Stick",  "Right Stick", "L",  "R",  "D-Pad Up", "D-Pad Down", "D-Pad Left",
                            "D-Pad Right", "Capture",     "P1", "P2", "P3",       "P4",         "Touchpad"},
};
static const char *const TRIGGER_LABELS[][2] = {[INPUT_PAD_OTHER] = {"LT", "RT"},
                                                [INPUT_PAD_XBOX] = {"LT", "RT"},
                                                [INPUT_PAD_PLAYSTATION] = {"L2", "R2"},
                                                [INPUT_PAD_NINTENDO] = {"ZL", "ZR"}};

static void format_axis_label(const input_binding_t *binding, input_pad_kind_t kind, char *out) {
  static const char *const DIRECTIONS[2][3] = {{" Left", "", " Right"}, {" Up", "", " Down"}};
  if (binding->code >= SDL_CONTROLLER_AXIS_TRIGGERLEFT) {
    snprintf(out, INPUT_NAME_BYTES, "%s", TRIGGER_LABELS[kind][binding->code - SDL_CONTROLLER_AXIS_TRIGGERLEFT]);
    return;
  }
  bool right = binding->code == SDL_CONTROLLER_AXIS_RIGHTX || binding->code == SDL_CONTROLLER_AXIS_RIGHTY;
  bool vertical = binding->code == SDL_CONTROLLER_AXIS_LEFTY || binding->code == SDL_CONTROLLER_AXIS_RIGHTY;
  const char *direction = DIRECTIONS[vertical][binding->sign < 0.0f ? 0 : binding->sign > 0.0f ? 2 : 1];
  snprintf(out, INPUT_NAME_BYTES, "%s Stick%s", right ? "Right" : "Left", direction);
}

static const char *key_label(int32_t code, bool layout) {
  const char *label = layout && sdl_is_loaded() ? sdl()->GetKeyName(sdl()->GetKeyFromScancode((SDL_Scancode)code)) : "";
  return label && label[0] ? label : input_key_name(code);
}

const char *input_label(const input_binding_t *binding, input_pad_kind_t kind, bool layout, char *out) {
  static const char *const MOUSE_LABELS[INPUT_MOUSE_BUTTONS] = {"",        "Left Click", "Middle Click", "Right Click",
                                                                "Mouse 4", "Mouse 5"};
  shoal_assert(kind <= INPUT_PAD_NINTENDO, "pad kind %d is out of range", (int)kind);
  out[0] = '\0';
  if (binding->device == INPUT_KEY && binding->code > 0 && binding->code < INPUT_KEYS)
    snprintf(out, INPUT_NAME_BYTES, "%s", key_label(binding->code, layout));
  else if (binding->device == INPUT_MOUSE_BUTTON && binding->code > 0 && binding->code < INPUT_MOUSE_BUTTONS)
    snprintf(out, INPUT_NAME_BYTES, "%s", MOUSE_LABELS[binding->code]);
  else if (binding->device == INPUT_WHEEL)
    snprintf(out, INPUT_NAME_BYTES, "Wheel %s", binding->sign > 0.0f ? "Up" : "Down");
  else if (binding->device == INPUT_PAD_BUTTON && binding->code >= 0 && binding->code < SDL_CONTROLLER_BUTTON_MAX)
    snprintf(out, INPUT_NAME_BYTES, "%s", BUTTON_LABELS[kind][binding->code]);
  else if (binding->device == INPUT_PAD_AXIS && binding->code >= 0 && binding->code < INPUT_PAD_AXES)
    format_axis_label(binding, kind, out);
  return out;
}

// --- values

static float axis_value(const input_state_t *state, int32_t pad, const input_binding_t *binding) {
  shoal_assert(pad >= 0 && pad < INPUT_PADS, "pad %d is out of range (count %d)", pad, INPUT_PADS);
  float value = state->pad_axes[pad][binding->code];
  if (binding->sign == 0.0f)
    return value;
  return value * binding->sign > 0.0f ? value * binding->sign : 0.0f;
}

// Returns the value of the binding on the pad with the largest deflection, or on the pad selected by the binding or the
// player.
static float pad_value(const input_state_t *state, const input_binding_t *binding, int32_t player) {
  shoal_assert(binding->pad >= -1 && binding->pad < INPUT_PADS, "pad %d is out of range (count %d)", binding->pad,
               INPUT_PADS);
  float best = 0.0f;
  for (int32_t pad = 0; pad < INPUT_PADS; ++pad) {
    if ((binding->pad >= 0 && binding->pad != pad) || (player >= 0 && player != pad))
      continue;
    float value = binding->device == INPUT_PAD_AXIS ? axis_value(state, pad, binding)
                                                    : (state->pad_buttons[pad][binding->code] ? 1.0f : 0.0f);
    if (fabsf(value) > fabsf(best))
      best = value;
  }
  return best;
}

static float get_notches(const input_state_t *state) {
  return state->has_notches ? (float)state->notches : state->wheel;
}

float input_value(const input_state_t *state, const input_binding_t *binding, int32_t player) {
  float wheel = get_notches(state) * binding->sign;
  if (binding->device == INPUT_PAD_BUTTON)
    return binding->code >= 0 && binding->code < INPUT_PAD_BUTTONS ? pad_value(state, binding, player) : 0.0f;
  if (binding->device == INPUT_PAD_AXIS)
    return binding->code >= 0 && binding->code < INPUT_PAD_AXES ? pad_value(state, binding, player) : 0.0f;
  if (player >= 0 && player != (binding->pad >= 0 ? binding->pad : 0))
    return 0.0f;
  switch (binding->device) {
  case INPUT_KEY: return binding->code >= 0 && binding->code < INPUT_KEYS && state->keys[binding->code] ? 1.0f : 0.0f;
  case INPUT_MOUSE_BUTTON:
    return binding->code >= 0 && binding->code < INPUT_MOUSE_BUTTONS && state->mouse_buttons[binding->code] ? 1.0f
                                                                                                            : 0.0f;
  case INPUT_WHEEL: return wheel > 1.0f ? 1.0f : wheel > 0.0f ? wheel : 0.0f;
  case INPUT_NONE: return 0.0f;
  case INPUT_PAD_BUTTON:
  case INPUT_PAD_AXIS: break;
  }
  shoal_assert(false, "unknown binding device %d", (int)binding->device);
  return 0.0f;
}

// --- new presses

#define PRESS_THRESHOLD 0.5f // axis value beyond which the axis counts as pressed

static bool find_new_press(const uint8_t *previous, const uint8_t *current, int32_t count, int32_t *code) {
  for (*code = 0; *code < count; ++*code)
    if (current[*code] && !previous[*code])
      return true;
  return false;
}

static bool find_new_deflection(const float *previous, const float *current, int32_t *code, float *sign) {
  for (*code = 0; *code < INPUT_PAD_AXES; ++*code) {
    *sign = current[*code] < 0.0f ? -1.0f : 1.0f;
    if (current[*code] * *sign <= PRESS_THRESHOLD || previous[*code] * *sign > PRESS_THRESHOLD)
      continue;
    *sign = *code >= SDL_CONTROLLER_AXIS_TRIGGERLEFT ? 0.0f : *sign; // triggers have no negative half
    return true;
  }
  return false;
}

bool input_find_pressed(const input_state_t *previous, const input_state_t *current, input_binding_t *out) {
  shoal_assert(previous && current && out, "previous, current and out must not be NULL");
  *out = (input_binding_t){.pad = -1};
  for (int32_t pad = 0; pad < INPUT_PADS; ++pad) {
    out->device = INPUT_PAD_BUTTON;
    if (find_new_press(previous->pad_buttons[pad], current->pad_buttons[pad], SDL_CONTROLLER_BUTTON_MAX, &out->code))
      return true;
    out->device = INPUT_PAD_AXIS;
    if (find_new_deflection(previous->pad_axes[pad], current->pad_axes[pad], &out->code, &out->sign))
      return true;
  }
  out->sign = 0.0f;
  out->device = INPUT_KEY;
  if (find_new_press(previous->keys, current->keys, INPUT_KEYS, &out->code))
    return input_key_name(out->code)[0] != '\0'; // a key without a name cannot be written to a file
  out->device = INPUT_MOUSE_BUTTON;
  if (find_new_press(previous->mouse_buttons, current->mouse_buttons, INPUT_MOUSE_BUTTONS, &out->code))
    return true;
  out->device = INPUT_WHEEL;
  out->code = 0;
  out->sign = get_notches(current) < 0.0f ? -1.0f : 1.0f;
  return get_notches(current) != 0.0f;
}

static void replace_nan(float *v) {
  *v = *v == *v ? *v : 0.0f;
}

void input_sanitize(input_state_t *state) {
  for (int pad = 0; pad < INPUT_PADS; ++pad)
    for (int axis = 0; axis < INPUT_PAD_AXES; ++axis)
      replace_nan(&state->pad_axes[pad][axis]);
  for (int pad = 0; pad < INPUT_PADS; ++pad)
    state->pad_kinds[pad] = state->pad_kinds[pad] <= INPUT_PAD_NINTENDO ? state->pad_kinds[pad] : INPUT_PAD_OTHER;
  state->used = state->used <= INPUT_PADS ? state->used : 0;
  replace_nan(&state->mouse_x);
  replace_nan(&state->mouse_y);
  replace_nan(&state->wheel);
  replace_nan(&state->mouse_dx);
  replace_nan(&state->mouse_dy);
}

_Static_assert(offsetof(player_input_t, motion_x) == sizeof(sampled_player_t),
               "a sampled player must contain all fields before the movement");

void input_get_players(const input_state_t *sample, player_inputs_t *out) {
  out->present = sample->players.present;
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    memcpy(&out->players[i], &sample->players.players[i], sizeof sample->players.players[i]);
    out->players[i].motion_x = sample->motion_x[i];
    out->players[i].motion_y = sample->motion_y[i];
  }
}

void input_set_players(input_state_t *sample, const player_inputs_t *inputs) {
  sample->players.present = inputs->present;
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    memcpy(&sample->players.players[i], &inputs->players[i], sizeof sample->players.players[i]);
    sample->motion_x[i] = inputs->players[i].motion_x;
    sample->motion_y[i] = inputs->players[i].motion_y;
  }
}
