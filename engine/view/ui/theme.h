// Appearance of widgets. A palette determines the looks of all kinds of widgets in all states; named styles override
// parts of them. scripts/shoal/kit/ui.lua passes the contents of a game's theme.lua to theme_set_key.
#ifndef SHOAL_UI_THEME_H
#define SHOAL_UI_THEME_H

#include "base/alloc.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum ui_look_state_t { UI_NORMAL, UI_HOVER, UI_FOCUS, UI_PRESSED, UI_DISABLED, UI_STATES } ui_look_state_t;

// Colours have straight alpha, components 0 to 1. Lengths are logical pixels.
typedef struct ui_look_t {
  float text[4], fill[4], line[4], accent[4];
  float size, radius, border, padding, glow, align; // `align`: text alignment; 0: left, 1: centre, 2: right
  char font[64], image[96];
} ui_look_t;

// Keys of a palette or style. A style accepts the keys up to UI_KEY_IMAGE. Mirrored in scripts/shoal/kit/ui.lua.
typedef enum ui_key_t {
  UI_KEY_TEXT,
  UI_KEY_FILL,
  UI_KEY_LINE,
  UI_KEY_ACCENT,
  UI_KEY_SIZE,
  UI_KEY_RADIUS,
  UI_KEY_BORDER,
  UI_KEY_PADDING,
  UI_KEY_GLOW,
  UI_KEY_ALIGN,
  UI_KEY_FONT,
  UI_KEY_IMAGE,
  UI_KEY_DIM,
  UI_KEY_DANGER,
  UI_KEY_GAP,
  UI_KEY_MOTION,
  UI_KEY_SOUND_FOCUS,
  UI_KEY_SOUND_PRESS,
  UI_KEY_SOUND_CHANGE,
  UI_KEYS
} ui_key_t;

typedef struct ui_palette_t {
  ui_look_t look;
  float dim[4], danger[4], gap, motion;  // `motion`: duration of highlight transitions, in seconds
  char focus[64], press[64], change[64]; // names of sounds; "" for silence
} ui_palette_t;

// Overrides of a style: bit `key` of `set_keys[state]` is set if the style sets that key.
typedef struct ui_style_t {
  char name[48];
  uint32_t set_keys[UI_STATES];
  ui_look_t looks[UI_STATES];
} ui_style_t;

// The looks of a kind of widget with a style, for each state.
typedef struct ui_resolved_t {
  uint32_t kind;
  char style[48];
  ui_look_t looks[UI_STATES];
} ui_resolved_t;

typedef struct ui_theme_t {
  allocator_t *allocator;
  float text_scale; // factor for the text sizes of all looks
  ui_palette_t palette;
  ui_style_t *styles;
  uint32_t style_count, style_capacity;
  ui_resolved_t *resolved;
  uint32_t resolved_count, resolved_capacity;
} ui_theme_t;

void theme_init(ui_theme_t *theme, allocator_t *allocator);
void theme_fini(ui_theme_t *theme);
// Sets a key. `style`: the name of a widget kind or of a style; "" for the palette. `numbers`: the components of a
// colour, or a number in numbers[0]. `text`: the value of a key for a font, image or sound.
void theme_set_key(ui_theme_t *theme, const char *style, ui_look_state_t state, ui_key_t key, const float numbers[4],
                   const char *text);
// Sets the factor for all text sizes. Returns true if it has changed; indices of styles are then invalid.
bool theme_set_text_scale(ui_theme_t *theme, float scale);
// Resolves a style for a kind of widget. Returns its index, valid until the next theme_set_key, or -1 if the style is
// unknown.
int32_t theme_resolve_style(ui_theme_t *theme, uint32_t kind, const char *style);
// Returns the look of a resolved style in a state. Valid until the next theme_set_key.
const ui_look_t *theme_get_look(const ui_theme_t *theme, int32_t index, ui_look_state_t state);

#endif
