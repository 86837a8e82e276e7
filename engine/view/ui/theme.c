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

void theme_init(ui_theme_t *t, allocator_t *a) {
  *t = (ui_theme_t){.allocator = a, .palette = PALETTE};
}

static void drop_resolved_styles(ui_theme_t *t) {
  t->resolved_count = 0;
}

void theme_fini(ui_theme_t *t) {
  t->styles = alloc_resize(t->allocator, t->styles, t->style_capacity * sizeof *t->styles, 0);
  t->resolved = alloc_resize(t->allocator, t->resolved, t->resolved_capacity * sizeof *t->resolved, 0);
}

// --- setting keys

static void set_look_key(ui_look_t *l, ui_key_t key, const float numbers[4], const char *text) {
  float *const COLOURS[] = {l->text, l->fill, l->line, l->accent};
  float *const NUMBERS[] = {&l->size, &l->radius, &l->border, &l->padding, &l->glow, &l->align};
  if (key <= UI_KEY_ACCENT)
    memcpy(COLOURS[key], numbers, 4 * sizeof *numbers);
  else if (key <= UI_KEY_ALIGN)
    *NUMBERS[key - UI_KEY_SIZE] = numbers[0];
  else if (key == UI_KEY_FONT)
    snprintf(l->font, sizeof l->font, "%s", text);
  else if (key == UI_KEY_IMAGE)
    snprintf(l->image, sizeof l->image, "%s", text);
}

static void set_palette_key(ui_palette_t *p, ui_key_t key, const float numbers[4], const char *text) {
  switch (key) {
  case UI_KEY_DIM: memcpy(p->dim, numbers, sizeof p->dim); break;
  case UI_KEY_DANGER: memcpy(p->danger, numbers, sizeof p->danger); break;
  case UI_KEY_GAP: p->gap = numbers[0]; break;
  case UI_KEY_MOTION: p->motion = numbers[0]; break;
  case UI_KEY_SOUND_FOCUS: snprintf(p->focus, sizeof p->focus, "%s", text); break;
  case UI_KEY_SOUND_PRESS: snprintf(p->press, sizeof p->press, "%s", text); break;
  case UI_KEY_SOUND_CHANGE: snprintf(p->change, sizeof p->change, "%s", text); break;
  default: set_look_key(&p->look, key, numbers, text); break;
  }
}

static ui_style_t *find_style(ui_theme_t *t, const char *name) {
  for (uint32_t i = 0; i < t->style_count; ++i)
    if (strcmp(t->styles[i].name, name) == 0)
      return &t->styles[i];
  return NULL;
}

static ui_style_t *add_style(ui_theme_t *t, const char *name) {
  if (t->style_count == t->style_capacity)
    t->styles = array_grow(t->allocator, t->styles, &t->style_capacity, t->style_count + 1, sizeof *t->styles);
  ui_style_t *s = &t->styles[t->style_count++];
  memset(s, 0, sizeof *s);
  snprintf(s->name, sizeof s->name, "%s", name);
  return s;
}

void theme_set_key(ui_theme_t *t, const char *style, ui_look_state_t state, ui_key_t key, const float numbers[4],
                   const char *text) {
  shoal_assert(state < UI_STATES && key < UI_KEYS, "%s: key %d or state %d is out of range", style, (int)key,
               (int)state);
  drop_resolved_styles(t);
  if (style[0] == '\0') {
    set_palette_key(&t->palette, key, numbers, text);
    return;
  }
  ui_style_t *s = find_style(t, style);
  s = s ? s : add_style(t, style);
  s->set_keys[state] |= 1u << key;
  set_look_key(&s->looks[state], key, numbers, text);
}

// --- looks derived from the palette

static void set_colour(float out[4], const float from[4], float alpha) {
  memcpy(out, from, 3 * sizeof *out);
  out[3] = alpha;
}

static void mix_colours(float out[4], const float a[4], const float b[4], float t) {
  for (int i = 0; i < 4; ++i)
    out[i] = a[i] + (b[i] - a[i]) * t;
}

static void set_looks(ui_look_t looks[UI_STATES], const ui_look_t *from) {
  for (int i = 0; i < UI_STATES; ++i)
    looks[i] = *from;
}

// Derives the looks of controls, which are slightly lighter than their background, and highlighted while focused.
static void set_control_looks(const ui_palette_t *p, ui_look_t looks[UI_STATES], float align) {
  ui_look_t l = p->look;
  l.padding = p->look.size * 0.7f;
  l.align = align;
  l.border = p->look.border;
  mix_colours(l.fill, p->look.fill, p->look.line, 0.32f);
  l.fill[3] = p->look.fill[3];
  set_colour(l.line, p->look.line, p->look.line[3] * 0.9f);
  set_looks(looks, &l);
  mix_colours(looks[UI_HOVER].fill, l.fill, p->look.line, 0.45f);
  mix_colours(looks[UI_FOCUS].fill, l.fill, p->look.accent, 0.16f);
  set_colour(looks[UI_FOCUS].line, p->look.accent, 1);
  mix_colours(looks[UI_FOCUS].text, p->look.text, (const float[4]){1, 1, 1, 1}, 0.8f);
  looks[UI_FOCUS].glow = 1;
  mix_colours(looks[UI_PRESSED].fill, l.fill, p->look.accent, 0.42f);
  set_colour(looks[UI_PRESSED].line, p->look.accent, 1);
  looks[UI_PRESSED].glow = 1;
  set_colour(looks[UI_DISABLED].text, p->dim, 0.55f);
  set_colour(looks[UI_DISABLED].fill, p->look.fill, 0.4f);
  set_colour(looks[UI_DISABLED].line, p->look.line, 0.4f);
  set_colour(looks[UI_DISABLED].accent, p->dim, 0.5f);
}

static void set_kind_looks(const ui_palette_t *p, uint32_t kind, ui_look_t looks[UI_STATES]) {
  ui_look_t l = p->look;
  switch (kind) {
  case UI_PANEL:
  case UI_DIALOGUE:
    l.radius = p->look.radius * 1.5f;
    set_looks(looks, &l);
    return;
  case UI_LABEL:
    l.fill[3] = l.line[3] = l.padding = 0;
    set_looks(looks, &l);
    return;
  case UI_BAR:
    l.size = p->look.size * 0.8f;
    l.align = 1;
    l.padding = 4;
    set_looks(looks, &l);
    return;
  case UI_BUTTON: set_control_looks(p, looks, 1); return;
  case UI_SLIDER:
  case UI_CHECKBOX: // less prominent than buttons, so that values stand out in long lists
    set_control_looks(p, looks, 0);
    looks[UI_NORMAL].fill[3] *= 0.55f;
    looks[UI_NORMAL].line[3] *= 0.45f;
    return;
  default:
    set_control_looks(p, looks, 0);
    looks[UI_FOCUS].glow = 0.5f;
    set_colour(looks[UI_NORMAL].fill, p->look.fill, p->look.fill[3] * 0.8f);
    mix_colours(looks[UI_FOCUS].fill, looks[UI_NORMAL].fill, p->look.accent, 0.05f);
    looks[UI_HOVER].fill[3] = looks[UI_NORMAL].fill[3];
    return;
  }
}

// Sets the looks of a built-in style. Returns false if there is no built-in style of this name.
static bool set_builtin_style(const ui_palette_t *p, const char *name, ui_look_t looks[UI_STATES]) {
  ui_look_t *end = looks + UI_STATES;
  if (strcmp(name, "title") == 0 || strcmp(name, "heading") == 0) {
    bool title = name[0] == 't';
    for (ui_look_t *l = looks; l < end; ++l) {
      l->size = p->look.size * (title ? 2.0f : 1.3f);
      l->align = title ? 1 : 0;
      snprintf(l->font, sizeof l->font, "fonts/ui-bold.ttf");
    }
  } else if (strcmp(name, "dim") == 0) {
    for (ui_look_t *l = looks; l < end; ++l) {
      memcpy(l->text, p->dim, sizeof l->text);
      l->size = p->look.size * 0.82f;
    }
  } else if (strcmp(name, "danger") == 0) {
    for (ui_look_t *l = looks; l < end; ++l)
      memcpy(l->accent, p->danger, sizeof l->accent);
    mix_colours(looks[UI_NORMAL].text, looks[UI_NORMAL].text, p->danger, 0.75f);
    mix_colours(looks[UI_HOVER].text, looks[UI_NORMAL].text, p->danger, 0.75f);
    memcpy(looks[UI_FOCUS].line, p->danger, sizeof p->danger);
    mix_colours(looks[UI_FOCUS].fill, looks[UI_NORMAL].fill, p->danger, 0.2f);
    memcpy(looks[UI_PRESSED].line, p->danger, sizeof p->danger);
    mix_colours(looks[UI_PRESSED].fill, looks[UI_NORMAL].fill, p->danger, 0.45f);
  } else if (strcmp(name, "plain") == 0) {
    for (ui_look_t *l = looks; l < end; ++l) {
      l->fill[3] = l->line[3] = l->border = 0;
      l->image[0] = '\0';
    }
    looks[UI_FOCUS].fill[3] = looks[UI_PRESSED].fill[3] = 0.25f;
  } else {
    return strcmp(name, "box") == 0;
  }
  return true;
}

// --- styles

static void copy_key(ui_look_t *to, const ui_look_t *from, ui_key_t key) {
  const float *const COLOURS[] = {from->text, from->fill, from->line, from->accent};
  const float NUMBERS[] = {from->size, from->radius, from->border, from->padding, from->glow, from->align};
  float number[4] = {key >= UI_KEY_SIZE && key <= UI_KEY_ALIGN ? NUMBERS[key - UI_KEY_SIZE] : 0};
  set_look_key(to, key, key <= UI_KEY_ACCENT ? COLOURS[key] : number, key == UI_KEY_FONT ? from->font : from->image);
}

// Applies the keys of a style. Keys set without a state apply to all states.
static void apply_style(const ui_style_t *s, ui_look_t looks[UI_STATES]) {
  shoal_assert(s->name[0], "a style must have a name");
  for (uint32_t key = 0; key <= UI_KEY_IMAGE; ++key)
    for (uint32_t state = 0; state < UI_STATES; ++state) {
      if (s->set_keys[UI_NORMAL] >> key & 1u)
        copy_key(&looks[state], &s->looks[UI_NORMAL], (ui_key_t)key);
      if (s->set_keys[state] >> key & 1u)
        copy_key(&looks[state], &s->looks[state], (ui_key_t)key);
    }
}

int32_t theme_resolve_style(ui_theme_t *t, uint32_t kind, const char *style) {
  for (uint32_t i = 0; i < t->resolved_count; ++i)
    if (t->resolved[i].kind == kind && strcmp(t->resolved[i].style, style) == 0)
      return (int32_t)i;
  ui_resolved_t r = {.kind = kind};
  snprintf(r.style, sizeof r.style, "%s", style);
  set_kind_looks(&t->palette, kind, r.looks);
  const ui_style_t *own = find_style(t, ui_kind_name((ui_kind_t)kind)), *named = find_style(t, style);
  if (own)
    apply_style(own, r.looks);
  bool found = style[0] == '\0' || set_builtin_style(&t->palette, style, r.looks);
  if (named && style[0])
    apply_style(named, r.looks);
  if (!found && !named)
    return -1;
  if (t->resolved_count == t->resolved_capacity)
    t->resolved = array_grow(t->allocator, t->resolved, &t->resolved_capacity, t->resolved_count + 1, sizeof r);
  t->resolved[t->resolved_count] = r;
  return (int32_t)t->resolved_count++;
}

const ui_look_t *theme_get_look(const ui_theme_t *t, int32_t number, ui_look_state_t state) {
  shoal_assert(state < UI_STATES && number >= 0 && (uint32_t)number < t->resolved_count,
               "style %d or state %d is out of range", number, (int)state);
  return &t->resolved[number].looks[state];
}
