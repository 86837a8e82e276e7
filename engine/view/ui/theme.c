// The palette, the looks derived from it, and styles that override them.
#include "ui/theme.h"

#include "base/array.h"
#include "base/assert.h"
#include "ui/widgets.h"

#include <stdio.h>
#include <string.h>

static const ui_palette_t PALETTE = {
    .look = {.text = {0.89f, 0.93f, 0.98f, 1},
             .fill = {0.035f, 0.05f, 0.1f, 0.92f},
             .line = {0.17f, 0.24f, 0.38f, 1},
             .accent = {0.36f, 0.84f, 1, 1},
             .size = 22,
             .radius = 8,
             .border = 1.5f,
             .padding = 24},
    .dim = {0.52f, 0.59f, 0.70f, 1},
    .danger = {1, 0.37f, 0.43f, 1},
    .gap = 10,
    .motion = 0.12f,
    .focus = "sounds/ui_focus.wav",
    .press = "sounds/ui_press.wav",
    .change = "sounds/ui_change.wav",
};

void theme_init(ui_theme_t *theme, allocator_t *allocator) {
  *theme = (ui_theme_t){.allocator = allocator, .palette = PALETTE, .text_scale = 1};
}

static void drop_resolved_styles(ui_theme_t *theme) {
  theme->resolved_count = 0;
}

void theme_fini(ui_theme_t *theme) {
  theme->styles = alloc_resize(theme->allocator, theme->styles, theme->style_capacity * sizeof *theme->styles, 0);
  theme->resolved =
      alloc_resize(theme->allocator, theme->resolved, theme->resolved_capacity * sizeof *theme->resolved, 0);
}

// --- setting keys

static void set_look_key(ui_look_t *look, ui_key_t key, const float numbers[4], const char *text) {
  float *const COLOURS[] = {look->text, look->fill, look->line, look->accent};
  float *const NUMBERS[] = {&look->size, &look->radius, &look->border, &look->padding, &look->glow, &look->align};
  if (key <= UI_KEY_ACCENT)
    memcpy(COLOURS[key], numbers, 4 * sizeof *numbers);
  else if (key <= UI_KEY_ALIGN)
    *NUMBERS[key - UI_KEY_SIZE] = numbers[0];
  else if (key == UI_KEY_FONT)
    snprintf(look->font, sizeof look->font, "%s", text);
  else if (key == UI_KEY_IMAGE)
    snprintf(look->image, sizeof look->image, "%s", text);
}

static void set_palette_key(ui_palette_t *palette, ui_key_t key, const float numbers[4], const char *text) {
  switch (key) {
  case UI_KEY_DIM: memcpy(palette->dim, numbers, sizeof palette->dim); break;
  case UI_KEY_DANGER: memcpy(palette->danger, numbers, sizeof palette->danger); break;
  case UI_KEY_GAP: palette->gap = numbers[0]; break;
  case UI_KEY_MOTION: palette->motion = numbers[0]; break;
  case UI_KEY_SOUND_FOCUS: snprintf(palette->focus, sizeof palette->focus, "%s", text); break;
  case UI_KEY_SOUND_PRESS: snprintf(palette->press, sizeof palette->press, "%s", text); break;
  case UI_KEY_SOUND_CHANGE: snprintf(palette->change, sizeof palette->change, "%s", text); break;
  default: set_look_key(&palette->look, key, numbers, text); break;
  }
}

static ui_style_t *find_style(ui_theme_t *theme, const char *name) {
  for (uint32_t i = 0; i < theme->style_count; ++i)
    if (strcmp(theme->styles[i].name, name) == 0)
      return &theme->styles[i];
  return NULL;
}

static ui_style_t *add_style(ui_theme_t *theme, const char *name) {
  if (theme->style_count == theme->style_capacity)
    theme->styles = array_grow(theme->allocator, theme->styles, &theme->style_capacity, theme->style_count + 1,
                               sizeof *theme->styles);
  ui_style_t *override = &theme->styles[theme->style_count++];
  memset(override, 0, sizeof *override);
  snprintf(override->name, sizeof override->name, "%s", name);
  return override;
}

void theme_set_key(ui_theme_t *theme, const char *style, ui_look_state_t state, ui_key_t key, const float numbers[4],
                   const char *text) {
  shoal_assert(state < UI_STATES && key < UI_KEYS, "%s: key %d or state %d is out of range", style, (int)key,
               (int)state);
  drop_resolved_styles(theme);
  if (style[0] == '\0') {
    set_palette_key(&theme->palette, key, numbers, text);
    return;
  }
  ui_style_t *override = find_style(theme, style);
  override = override ? override : add_style(theme, style);
  override->set_keys[state] |= 1u << key;
  set_look_key(&override->looks[state], key, numbers, text);
}

bool theme_set_text_scale(ui_theme_t *theme, float scale) {
  bool is_changed = theme->text_scale != scale;
  theme->text_scale = scale;
  if (is_changed)
    drop_resolved_styles(theme);
  return is_changed;
}

// --- looks derived from the palette

static void set_colour(float out[4], const float source[4], float alpha) {
  memcpy(out, source, 3 * sizeof *out);
  out[3] = alpha;
}

static void mix_colours(float out[4], const float a[4], const float b[4], float t) {
  for (int i = 0; i < 4; ++i)
    out[i] = a[i] + (b[i] - a[i]) * t;
}

static void set_looks(ui_look_t looks[UI_STATES], const ui_look_t *source) {
  for (int i = 0; i < UI_STATES; ++i)
    looks[i] = *source;
}

static float get_brightness(const float colour[4]) {
  return 0.2126f * colour[0] + 0.7152f * colour[1] + 0.0722f * colour[2];
}

// Derives the looks of controls, which are slightly lighter than their background, and highlighted while focused. The
// text of a focused control contrasts more: light text turns white, dark text black.
static void set_control_looks(const ui_palette_t *palette, ui_look_t looks[UI_STATES], float align) {
  ui_look_t look = palette->look;
  look.padding = palette->look.size * 0.7f;
  look.align = align;
  look.border = palette->look.border;
  mix_colours(look.fill, palette->look.fill, palette->look.line, 0.32f);
  look.fill[3] = palette->look.fill[3];
  set_colour(look.line, palette->look.line, palette->look.line[3] * 0.9f);
  set_looks(looks, &look);
  mix_colours(looks[UI_HOVER].fill, look.fill, palette->look.line, 0.45f);
  mix_colours(looks[UI_FOCUS].fill, look.fill, palette->look.accent, 0.16f);
  set_colour(looks[UI_FOCUS].line, palette->look.accent, 1);
  float strongest = get_brightness(palette->look.text) < get_brightness(palette->look.fill) ? 0.0f : 1.0f;
  mix_colours(looks[UI_FOCUS].text, palette->look.text, (const float[4]){strongest, strongest, strongest, 1}, 0.8f);
  looks[UI_FOCUS].glow = 1;
  mix_colours(looks[UI_PRESSED].fill, look.fill, palette->look.accent, 0.42f);
  set_colour(looks[UI_PRESSED].line, palette->look.accent, 1);
  looks[UI_PRESSED].glow = 1;
  set_colour(looks[UI_DISABLED].text, palette->dim, 0.55f);
  set_colour(looks[UI_DISABLED].fill, palette->look.fill, 0.4f);
  set_colour(looks[UI_DISABLED].line, palette->look.line, 0.4f);
  set_colour(looks[UI_DISABLED].accent, palette->dim, 0.5f);
}

static void set_kind_looks(const ui_palette_t *palette, uint32_t kind, ui_look_t looks[UI_STATES]) {
  ui_look_t look = palette->look;
  switch (kind) {
  case UI_PANEL:
  case UI_DIALOGUE:
    look.radius = palette->look.radius * 1.5f;
    set_looks(looks, &look);
    return;
  case UI_LABEL:
    look.fill[3] = look.line[3] = look.padding = 0;
    set_looks(looks, &look);
    return;
  case UI_BAR:
    look.size = palette->look.size * 0.8f;
    look.align = 1;
    look.padding = 4;
    set_looks(looks, &look);
    return;
  case UI_BUTTON: set_control_looks(palette, looks, 1); return;
  case UI_SLIDER:
  case UI_CHECKBOX: // less prominent than buttons, so that values stand out in long lists
    set_control_looks(palette, looks, 0);
    looks[UI_NORMAL].fill[3] *= 0.55f;
    looks[UI_NORMAL].line[3] *= 0.45f;
    return;
  default:
    set_control_looks(palette, looks, 0);
    looks[UI_FOCUS].glow = 0.5f;
    set_colour(looks[UI_NORMAL].fill, palette->look.fill, palette->look.fill[3] * 0.8f);
    mix_colours(looks[UI_FOCUS].fill, looks[UI_NORMAL].fill, palette->look.accent, 0.05f);
    looks[UI_HOVER].fill[3] = looks[UI_NORMAL].fill[3];
    return;
  }
}

// Sets the looks of a built-in style. Returns true on success, or false if there is no built-in style with this name.
static bool set_builtin_style(const ui_palette_t *palette, const char *name, ui_look_t looks[UI_STATES]) {
  ui_look_t *end = looks + UI_STATES;
  if (strcmp(name, "title") == 0 || strcmp(name, "heading") == 0) {
    bool is_title = name[0] == 't';
    for (ui_look_t *look = looks; look < end; ++look) {
      look->size = palette->look.size * (is_title ? 2.0f : 1.3f);
      look->align = is_title ? 1 : 0;
      snprintf(look->font, sizeof look->font, "fonts/ui-bold.ttf");
    }
  } else if (strcmp(name, "dim") == 0) {
    for (ui_look_t *look = looks; look < end; ++look) {
      // the fill of these looks may be too close to the dim colour
      if (look != &looks[UI_FOCUS] && look != &looks[UI_PRESSED])
        memcpy(look->text, palette->dim, sizeof look->text);
      look->size = palette->look.size * 0.82f;
    }
  } else if (strcmp(name, "danger") == 0) {
    for (ui_look_t *look = looks; look < end; ++look)
      memcpy(look->accent, palette->danger, sizeof look->accent);
    mix_colours(looks[UI_NORMAL].text, looks[UI_NORMAL].text, palette->danger, 0.75f);
    mix_colours(looks[UI_HOVER].text, looks[UI_NORMAL].text, palette->danger, 0.75f);
    memcpy(looks[UI_FOCUS].line, palette->danger, sizeof palette->danger);
    mix_colours(looks[UI_FOCUS].fill, looks[UI_NORMAL].fill, palette->danger, 0.2f);
    memcpy(looks[UI_PRESSED].line, palette->danger, sizeof palette->danger);
    mix_colours(looks[UI_PRESSED].fill, looks[UI_NORMAL].fill, palette->danger, 0.45f);
  } else if (strcmp(name, "plain") == 0) {
    for (ui_look_t *look = looks; look < end; ++look) {
      look->fill[3] = look->line[3] = look->border = 0;
      look->image[0] = '\0';
    }
    looks[UI_FOCUS].fill[3] = looks[UI_PRESSED].fill[3] = 0.25f;
  } else {
    return strcmp(name, "box") == 0;
  }
  return true;
}

// --- styles

static void copy_key(ui_look_t *out, const ui_look_t *source, ui_key_t key) {
  const float *const COLOURS[] = {source->text, source->fill, source->line, source->accent};
  const float NUMBERS[] = {source->size, source->radius, source->border, source->padding, source->glow, source->align};
  float number[4] = {key >= UI_KEY_SIZE && key <= UI_KEY_ALIGN ? NUMBERS[key - UI_KEY_SIZE] : 0};
  set_look_key(out, key, key <= UI_KEY_ACCENT ? COLOURS[key] : number,
               key == UI_KEY_FONT ? source->font : source->image);
}

// Applies the keys of a style. Keys set without a state apply to all states.
static void apply_style(const ui_style_t *override, ui_look_t looks[UI_STATES]) {
  shoal_assert(override->name[0], "a style must have a name");
  for (uint32_t key = 0; key <= UI_KEY_IMAGE; ++key)
    for (uint32_t state = 0; state < UI_STATES; ++state) {
      if (override->set_keys[UI_NORMAL] >> key & 1u)
        copy_key(&looks[state], &override->looks[UI_NORMAL], (ui_key_t)key);
      if (override->set_keys[state] >> key & 1u)
        copy_key(&looks[state], &override->looks[state], (ui_key_t)key);
    }
}

int32_t theme_resolve_style(ui_theme_t *theme, uint32_t kind, const char *style) {
  for (uint32_t i = 0; i < theme->resolved_count; ++i)
    if (theme->resolved[i].kind == kind && strcmp(theme->resolved[i].style, style) == 0)
      return (int32_t)i;
  ui_resolved_t resolved = {.kind = kind};
  snprintf(resolved.style, sizeof resolved.style, "%s", style);
  set_kind_looks(&theme->palette, kind, resolved.looks);
  const ui_style_t *kind_override = find_style(theme, ui_kind_name((ui_kind_t)kind)),
                   *style_override = find_style(theme, style);
  if (kind_override)
    apply_style(kind_override, resolved.looks);
  bool found = style[0] == '\0' || set_builtin_style(&theme->palette, style, resolved.looks);
  if (style_override && style[0])
    apply_style(style_override, resolved.looks);
  if (!found && !style_override)
    return -1;
  for (int i = 0; i < UI_STATES; ++i)
    resolved.looks[i].size *= theme->text_scale;
  if (theme->resolved_count == theme->resolved_capacity)
    theme->resolved = array_grow(theme->allocator, theme->resolved, &theme->resolved_capacity,
                                 theme->resolved_count + 1, sizeof resolved);
  theme->resolved[theme->resolved_count] = resolved;
  return (int32_t)theme->resolved_count++;
}

const ui_look_t *theme_get_look(const ui_theme_t *theme, int32_t index, ui_look_state_t state) {
  shoal_assert(state < UI_STATES && index >= 0 && (uint32_t)index < theme->resolved_count,
               "style %d or state %d is out of range", index, (int)state);
  return &theme->resolved[index].looks[state];
}
