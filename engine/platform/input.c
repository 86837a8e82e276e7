// Names of keys, buttons and axes, and their values out of a sample.
#include "platform/input.h"

#include "base/assert.h"
#include "base/similar.h"

#include <SDL2/SDL_gamecontroller.h>
#include <SDL2/SDL_keyboard.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

_Static_assert(INPUT_KEYS == SDL_NUM_SCANCODES, "one key per scancode");
_Static_assert(INPUT_PAD_AXES == SDL_CONTROLLER_AXIS_MAX, "one axis per SDL axis");
_Static_assert((int)INPUT_PAD_BUTTONS >= (int)SDL_CONTROLLER_BUTTON_MAX, "one button per SDL button");

typedef struct input_word_t {
  const char *word;
  const char *meaning;
} input_word_t;

// What people write where SDL has a longer word.
static const input_word_t KEY_WORDS[] = {
    {"enter", "return"},      {"esc", "escape"},       {"shift", "left shift"},  {"ctrl", "left ctrl"},
    {"control", "left ctrl"}, {"alt", "left alt"},     {"lshift", "left shift"}, {"rshift", "right shift"},
    {"lctrl", "left ctrl"},   {"rctrl", "right ctrl"}, {"lalt", "left alt"},     {"ralt", "right alt"},
    {"del", "delete"},        {"pgup", "pageup"},      {"pgdn", "pagedown"},     {"ins", "insert"},
};

static const input_word_t PAD_WORDS[] = {
    {"up", "dpup"},         {"down", "dpdown"},      {"left", "dpleft"},    {"right", "dpright"},
    {"l1", "leftshoulder"}, {"r1", "rightshoulder"}, {"l2", "lefttrigger"}, {"r2", "righttrigger"},
    {"lb", "leftshoulder"}, {"rb", "rightshoulder"}, {"lt", "lefttrigger"}, {"rt", "righttrigger"},
    {"select", "back"},     {"l3", "leftstick"},     {"r3", "rightstick"},
};

static const char *translate(const input_word_t *words, size_t count, const char *name) {
  for (size_t i = 0; i < count; ++i)
    if (strcasecmp(words[i].word, name) == 0)
      return words[i].meaning;
  return name;
}

static bool parse_key(const char *name, input_binding_t *out) {
  SDL_Scancode code = SDL_GetScancodeFromName(translate(KEY_WORDS, sizeof KEY_WORDS / sizeof *KEY_WORDS, name));
  *out = (input_binding_t){.device = INPUT_KEY, .code = (int32_t)code, .pad = -1};
  return code != SDL_SCANCODE_UNKNOWN;
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

static bool parse_pad(const char *name, int32_t pad, input_binding_t *out) {
  char word[64];
  size_t length = strlen(name);
  if (length == 0 || length >= sizeof word)
    return false;
  memcpy(word, name, length + 1);
  float sign = word[length - 1] == '-' ? -1.0f : word[length - 1] == '+' ? 1.0f : 0.0f;
  if (sign != 0.0f)
    word[length - 1] = '\0';
  const char *meaning = translate(PAD_WORDS, sizeof PAD_WORDS / sizeof *PAD_WORDS, word);
  SDL_GameControllerAxis axis = SDL_GameControllerGetAxisFromString(meaning);
  if (axis != SDL_CONTROLLER_AXIS_INVALID) {
    *out = (input_binding_t){.device = INPUT_PAD_AXIS, .code = (int32_t)axis, .pad = pad, .sign = sign};
    return true;
  }
  SDL_GameControllerButton button = SDL_GameControllerGetButtonFromString(meaning);
  *out = (input_binding_t){.device = INPUT_PAD_BUTTON, .code = (int32_t)button, .pad = pad};
  return button != SDL_CONTROLLER_BUTTON_INVALID && sign == 0.0f;
}

bool input_parse(const char *text, input_binding_t *out) {
  shoal_assert(text && out, "a name, and where its binding goes");
  *out = (input_binding_t){.pad = -1};
  const char *colon = strchr(text, ':');
  if (!colon || colon[1] == '\0')
    return false;
  size_t length = (size_t)(colon - text);
  const char *name = colon + 1;
  input_binding_t binding = {.pad = -1};
  bool known = false;
  if (length == 3 && strncasecmp(text, "key", 3) == 0)
    known = parse_key(name, &binding);
  else if (length == 5 && strncasecmp(text, "mouse", 5) == 0)
    known = parse_mouse(name, &binding);
  else if (length == 5 && strncasecmp(text, "wheel", 5) == 0)
    known = parse_wheel(name, &binding);
  else if (length == 3 && strncasecmp(text, "pad", 3) == 0)
    known = parse_pad(name, -1, &binding);
  else if (length == 4 && strncasecmp(text, "pad", 3) == 0 && text[3] >= '1' && text[3] < '1' + INPUT_PADS)
    known = parse_pad(name, text[3] - '1', &binding);
  shoal_assert(!known || (binding.device != INPUT_NONE && binding.code >= 0 && binding.code < INPUT_KEYS),
               "%s is code %d of device %d", text, binding.code, (int)binding.device);
  if (known)
    *out = binding;
  return known;
}

// ------------------------------------------------------------------------------------------------ names that are meant

static void offer(similar_t *s, const char *device, const char *name) {
  char text[SIMILAR_MOST];
  int length = snprintf(text, sizeof text, "%s:%s", device, name ? name : "");
  for (int i = 0; i < length && i < SIMILAR_MOST; ++i)
    text[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i];
  if (name && name[0] && length < SIMILAR_MOST)
    similar_offer(s, text);
}

static void offer_all(similar_t *s) {
  for (size_t i = 0; i < sizeof KEY_WORDS / sizeof *KEY_WORDS; ++i)
    offer(s, "key", KEY_WORDS[i].word);
  for (int i = 0; i < INPUT_KEYS; ++i)
    offer(s, "key", SDL_GetScancodeName((SDL_Scancode)i));
  for (int i = 0; i < SDL_CONTROLLER_BUTTON_MAX; ++i)
    offer(s, "pad", SDL_GameControllerGetStringForButton((SDL_GameControllerButton)i));
  for (int i = 0; i < INPUT_PAD_AXES; ++i)
    offer(s, "pad", SDL_GameControllerGetStringForAxis((SDL_GameControllerAxis)i));
  for (size_t i = 0; i < sizeof PAD_WORDS / sizeof *PAD_WORDS; ++i)
    offer(s, "pad", PAD_WORDS[i].word);
  for (int i = 1; i < INPUT_MOUSE_BUTTONS; ++i)
    offer(s, "mouse", MOUSE_NAMES[i]);
  offer(s, "wheel", "up");
  offer(s, "wheel", "down");
}

bool input_similar(const char *text, char *out, uint32_t out_bytes) {
  static const char *const DEVICES[] = {"key", "mouse", "pad", "wheel"};
  char whole[SIMILAR_MOST];
  input_binding_t binding;
  similar_t s;
  snprintf(whole, sizeof whole, "%s", text);
  for (size_t i = 0; i < sizeof DEVICES / sizeof *DEVICES && !strchr(text, ':'); ++i) {
    snprintf(out, out_bytes, "%s:%s", DEVICES[i], text);
    if (input_parse(out, &binding))
      return true;
    snprintf(whole, sizeof whole, "key:%.32s", text);
  }
  similar_begin(&s, whole);
  offer_all(&s);
  snprintf(out, out_bytes, "%s", s.best);
  return text[0] && s.best[0];
}

// -------------------------------------------------------------------------------------------------------------- values

static float axis_value(const input_state_t *s, int32_t pad, const input_binding_t *b) {
  shoal_assert(pad >= 0 && pad < INPUT_PADS, "pad %d of %d", pad, INPUT_PADS);
  float value = s->pad_axes[pad][b->code];
  if (b->sign == 0.0f)
    return value;
  return value * b->sign > 0.0f ? value * b->sign : 0.0f;
}

// Of all pads, or of the one that the binding names: the one pushed furthest.
static float pad_value(const input_state_t *s, const input_binding_t *b) {
  shoal_assert(b->pad >= -1 && b->pad < INPUT_PADS, "pad %d of %d", b->pad, INPUT_PADS);
  float best = 0.0f;
  for (int32_t pad = 0; pad < INPUT_PADS; ++pad) {
    if (b->pad >= 0 && b->pad != pad)
      continue;
    float value = b->device == INPUT_PAD_AXIS ? axis_value(s, pad, b) : (s->pad_buttons[pad][b->code] ? 1.0f : 0.0f);
    if (fabsf(value) > fabsf(best))
      best = value;
  }
  return best;
}

float input_value(const input_state_t *s, const input_binding_t *b) {
  float wheel = s->wheel * b->sign;
  switch (b->device) {
  case INPUT_KEY: return b->code >= 0 && b->code < INPUT_KEYS && s->keys[b->code] ? 1.0f : 0.0f;
  case INPUT_MOUSE_BUTTON:
    return b->code >= 0 && b->code < INPUT_MOUSE_BUTTONS && s->mouse_buttons[b->code] ? 1.0f : 0.0f;
  case INPUT_PAD_BUTTON: return b->code >= 0 && b->code < INPUT_PAD_BUTTONS ? pad_value(s, b) : 0.0f;
  case INPUT_PAD_AXIS: return b->code >= 0 && b->code < INPUT_PAD_AXES ? pad_value(s, b) : 0.0f;
  case INPUT_WHEEL: return wheel > 1.0f ? 1.0f : wheel > 0.0f ? wheel : 0.0f;
  case INPUT_NONE: return 0.0f;
  }
  shoal_assert(false, "a binding of device %d", (int)b->device);
  return 0.0f;
}

static void clean(float *v) {
  *v = *v == *v ? *v : 0.0f;
}

void input_clean(input_state_t *s) {
  for (int pad = 0; pad < INPUT_PADS; ++pad)
    for (int axis = 0; axis < INPUT_PAD_AXES; ++axis)
      clean(&s->pad_axes[pad][axis]);
  clean(&s->mouse_x);
  clean(&s->mouse_y);
  clean(&s->wheel);
}
