// The widgets of the card and the toasts. They are made anew, with their world, when what they say or the size of the
// screen changes; until then only the places of toasts follow their age.
#include "overlay/overlay.h"

#include "base/assert.h"
#include "base/hash.h"
#include "transform/transform.h"
#include "ui/ui.h"
#include "ui/widgets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CARD_SHARE 0.45f // of the height, at most
#define COMES_S 0.14f    // a toast

struct overlay_o {
  allocator_t memory;
  world_o *world; // NULL: nothing is shown
  ui_o *ui;
  input_state_t input; // zeros: no key is down
  uint64_t said;       // hash over what the widgets say
  shoal_entity card, words, toasts, rows[TOAST_MAX];
  float unit; // logical pixels of one pixel at 1280 × 720
};

overlay_o *overlay_create(void) {
  allocator_t memory = {0};
  overlay_o *o = alloc_resize(&memory, NULL, 0, sizeof *o);
  *o = (overlay_o){.memory = memory};
  return o;
}

static void drop_world(overlay_o *o) {
  if (!o->world)
    return;
  ui_destroy(o->ui);
  world_destroy_all(o->world);
  o->world = NULL;
}

void overlay_destroy(overlay_o *o) {
  if (!o)
    return;
  drop_world(o);
  allocator_t memory = o->memory;
  alloc_resize(&memory, o, sizeof *o, 0);
}

// --------------------------------------------------------------------------------------------------------------- theme

typedef struct paint_t {
  const char *style;
  ui_key_t key;
  float r, g, b, a;
} paint_t;

static const paint_t COLOURS[] = {
    {"card", UI_KEY_FILL, 0.055f, 0.065f, 0.09f, 0.96f},    {"card", UI_KEY_LINE, 0.96f, 0.33f, 0.35f, 0.38f},
    {"source", UI_KEY_FILL, 0.02f, 0.025f, 0.04f, 0.9f},    {"source", UI_KEY_LINE, 1, 1, 1, 0.05f},
    {"failing", UI_KEY_FILL, 0.93f, 0.26f, 0.29f, 0.22f},   {"failing", UI_KEY_LINE, 0, 0, 0, 0},
    {"bad", UI_KEY_FILL, 0.96f, 0.33f, 0.35f, 1},           {"bad", UI_KEY_LINE, 0, 0, 0, 0},
    {"good", UI_KEY_FILL, 0.31f, 0.85f, 0.52f, 1},          {"good", UI_KEY_LINE, 0, 0, 0, 0},
    {"note", UI_KEY_FILL, 0.45f, 0.66f, 0.95f, 1},          {"note", UI_KEY_LINE, 0, 0, 0, 0},
    {"toast", UI_KEY_FILL, 0.055f, 0.065f, 0.09f, 0.94f},   {"toast", UI_KEY_LINE, 1, 1, 1, 0.08f},
    {"headline", UI_KEY_TEXT, 1.0f, 0.52f, 0.50f, 1},       {"message", UI_KEY_TEXT, 0.93f, 0.94f, 0.96f, 1},
    {"place", UI_KEY_TEXT, 1.0f, 0.72f, 0.42f, 1},          {"about", UI_KEY_TEXT, 0.74f, 0.77f, 0.83f, 1},
    {"hint", UI_KEY_TEXT, 0.55f, 0.59f, 0.67f, 1},          {"line", UI_KEY_TEXT, 0.68f, 0.72f, 0.79f, 1},
    {"number", UI_KEY_TEXT, 0.42f, 0.46f, 0.54f, 1},        {"failing line", UI_KEY_TEXT, 1.0f, 0.95f, 0.93f, 1},
    {"failing number", UI_KEY_TEXT, 1.0f, 0.62f, 0.60f, 1},
};

typedef struct length_t {
  const char *style;
  ui_key_t key;
  float units;
} length_t;

static const length_t LENGTHS[] = {
    {"", UI_KEY_SIZE, 16},
    {"", UI_KEY_RADIUS, 6},
    {"", UI_KEY_BORDER, 1.5f},
    {"", UI_KEY_PADDING, 0},
    {"card", UI_KEY_RADIUS, 12},
    {"card", UI_KEY_PADDING, 16},
    {"source", UI_KEY_PADDING, 8},
    {"failing", UI_KEY_RADIUS, 4},
    {"bad", UI_KEY_RADIUS, 2},
    {"good", UI_KEY_RADIUS, 2},
    {"note", UI_KEY_RADIUS, 2},
    {"toast", UI_KEY_PADDING, 10},
    {"headline", UI_KEY_SIZE, 21},
    {"message", UI_KEY_SIZE, 17},
    {"place", UI_KEY_SIZE, 15},
    {"about", UI_KEY_SIZE, 14},
    {"hint", UI_KEY_SIZE, 14},
    {"line", UI_KEY_SIZE, 15},
    {"number", UI_KEY_SIZE, 15},
    {"failing line", UI_KEY_SIZE, 15},
    {"failing number", UI_KEY_SIZE, 15},
};

static const char *const MONO[] = {"place", "line", "number", "failing line", "failing number"};

static void put_theme(overlay_o *o) {
  for (size_t i = 0; i < sizeof COLOURS / sizeof *COLOURS; ++i) {
    const float c[4] = {COLOURS[i].r, COLOURS[i].g, COLOURS[i].b, COLOURS[i].a};
    ui_theme_put(o->world, COLOURS[i].style, UI_NORMAL, COLOURS[i].key, c, "");
  }
  for (size_t i = 0; i < sizeof LENGTHS / sizeof *LENGTHS; ++i) {
    const float length[4] = {LENGTHS[i].units * o->unit};
    ui_theme_put(o->world, LENGTHS[i].style, UI_NORMAL, LENGTHS[i].key, length, "");
  }
  const float none[4] = {0};
  for (size_t i = 0; i < sizeof MONO / sizeof *MONO; ++i)
    ui_theme_put(o->world, MONO[i], UI_NORMAL, UI_KEY_FONT, none, "fonts/mono.ttf");
  ui_theme_put(o->world, "headline", UI_NORMAL, UI_KEY_FONT, none, "fonts/ui-bold.ttf");
}

// A world with transforms and widgets alone. They are the engine's own: it takes them.
static void make_world(overlay_o *o, const overlay_desc_t *desc, typesetter_o *type) {
  error_t error = {0};
  drop_world(o);
  o->world = world_create(&(world_desc_t){.seed = 1});
  bool fine = transform_declare(o->world, &error);
  o->ui = fine ? ui_create(&(ui_desc_t){o->world, &o->input, &o->input, NULL, type}, &error) : NULL;
  shoal_assert(o->ui, "the overlay's widgets: %s", error.text);
  ui_set_screen(o->ui, (int)desc->width, (int)desc->height);
  o->unit = fminf(desc->width / 1280.0f, desc->height / 720.0f);
  o->card = o->words = o->toasts = 0;
  memset(o->rows, 0, sizeof o->rows);
  put_theme(o);
}

// ------------------------------------------------------------------------------------------------------------- widgets

static void put(overlay_o *o, shoal_entity e, const char *component, uint32_t column, double value) {
  manager_o *m = world_find_manager(o->world, component);
  uint32_t row = manager_row(m, e);
  shoal_assert(row != ROW_NONE, "a widget of the overlay has no %s", component);
  columns_put(&m->columns, row, column, value);
}

static void say(overlay_o *o, shoal_entity e, const char *component, uint32_t column, const char *text) {
  put(o, e, component, column, strings_intern(world_strings(o->world), text));
}

static shoal_entity add(overlay_o *o, shoal_entity parent, const char *component) {
  error_t error = {0};
  const char *const parts[] = {"transform", "widget", component};
  shoal_entity e = world_spawn(o->world, 0, &error);
  for (size_t i = 0; i < sizeof parts / sizeof *parts && e; ++i)
    world_add(o->world, e, world_find_manager(o->world, parts[i])->id, 0, &error);
  shoal_assert(e, "the overlay has no room for a widget: %s", error.text);
  put(o, e, "transform", SHOAL_INDEX(transform, parent), (double)parent);
  put(o, e, "widget", SHOAL_INDEX(widget, margin), 0);
  return e;
}

static shoal_entity add_panel(overlay_o *o, shoal_entity parent, const char *style, uint32_t layout, float gap) {
  shoal_entity e = add(o, parent, "panel");
  say(o, e, "panel", SHOAL_INDEX(panel, style), style);
  put(o, e, "panel", SHOAL_INDEX(panel, layout), layout);
  put(o, e, "panel", SHOAL_INDEX(panel, gap), (double)(gap * o->unit));
  return e;
}

static shoal_entity add_label(overlay_o *o, shoal_entity parent, const char *style, const char *text) {
  shoal_entity e = add(o, parent, "label");
  say(o, e, "label", SHOAL_INDEX(label, style), style);
  say(o, e, "label", SHOAL_INDEX(label, text), text);
  return e;
}

static void set_width(overlay_o *o, shoal_entity e, float width) {
  put(o, e, "widget", SHOAL_INDEX(widget, width), (double)width);
}

static void add_stripe(overlay_o *o, shoal_entity parent, const char *style) {
  set_width(o, add_panel(o, parent, style, LAYOUT_COLUMN, 0), 4 * o->unit);
}

// In one line, shortened where it is too long.
static shoal_entity add_line(overlay_o *o, shoal_entity parent, const char *style, const char *text, float width) {
  char words[1024];
  snprintf(words, sizeof words - 4, "%s", text);
  ui_shorten(o->ui, style, words, sizeof words, width, 0);
  return add_label(o, parent, style, words);
}

// Wrapped, and no higher than `most`, but for two lines; returns how high it is.
static float add_words(overlay_o *o, shoal_entity parent, const char *style, const char *text, float width,
                       float most) {
  char words[1100];
  float line, height, unused;
  snprintf(words, sizeof words, "%s", text);
  ui_label_size(o->ui, style, "X", 0, &unused, &line);
  ui_shorten(o->ui, style, words, sizeof words, width, fmaxf(most, 2 * line));
  shoal_entity e = add_label(o, parent, style, words);
  put(o, e, "label", SHOAL_INDEX(label, wrap), 1);
  set_width(o, e, width);
  ui_label_size(o->ui, style, words, width, &unused, &height);
  return height;
}

// ------------------------------------------------------------------------------------------------------------ the card

static void add_source(overlay_o *o, shoal_entity parent, const error_card_t *c, float width) {
  const float u = o->unit;
  shoal_entity box = add_panel(o, parent, "source", LAYOUT_COLUMN, 0);
  put(o, box, "widget", SHOAL_INDEX(widget, grow), 1);
  for (uint32_t i = 0; i < c->line_count; ++i) {
    const error_card_line_t *line = &c->lines[i];
    char number[16];
    snprintf(number, sizeof number, "%d", line->number);
    shoal_entity row = add_panel(o, box, line->failing ? "failing" : "plain", LAYOUT_ROW, 12);
    put(o, row, "panel", SHOAL_INDEX(panel, align), ALIGN_CENTRE);
    put(o, row, "panel", SHOAL_INDEX(panel, padding), 0);
    put(o, row, "widget", SHOAL_INDEX(widget, height), (double)(23 * u));
    shoal_entity at = add_label(o, row, line->failing ? "failing number" : "number", number);
    put(o, at, "label", SHOAL_INDEX(label, align), 3); // end
    set_width(o, at, 44 * u);
    add_line(o, row, line->failing ? "failing line" : "line", line->text, width - 84 * u);
  }
}

static float line_of(overlay_o *o, const char *style) {
  float width, height;
  ui_label_size(o->ui, style, "X", 0, &width, &height);
  return height;
}

// Message, place and further reports, one under the other; the message comes first when there is little room.
static void add_report(overlay_o *o, const error_card_t *c, float width, float most) {
  const float gap = 8 * o->unit, small = line_of(o, "about") + gap;
  float left = most - small * (float)(c->other_count < 3 ? c->other_count : 3) - (c->other_count ? small : 0);
  for (const char *at = c->about; *at; ++at)
    left -= *at == '\n' || at[1] == 0 ? small : 0;
  left -= c->place[0] ? line_of(o, "place") + gap : 0;
  add_words(o, o->words, "message", c->message, width, left);
  if (c->place[0])
    add_line(o, o->words, "place", c->place, width);
  if (c->about[0])
    add_words(o, o->words, "about", c->about, width, most / 3);
  if (c->total > 1) {
    char more[64];
    snprintf(more, sizeof more, "%u more:", c->total - 1);
    add_label(o, o->words, "hint", more);
  }
  for (uint32_t i = 0; i < c->other_count; ++i)
    add_line(o, o->words, "about", c->others[i], width);
}

static float get(const overlay_o *o, shoal_entity e, uint32_t column) {
  const manager_o *m = world_find_manager(o->world, "widget");
  return (float)columns_get(&m->columns, manager_row(m, e), column);
}

// Reports that find no room in `most` pixels of height are not shown. Places are known once it is laid out.
static void cut_report(overlay_o *o, float most) {
  shoal_entity lines[ERROR_CARD_MAX_REPORTS + 4];
  ui_lay_out(o->ui);
  uint32_t count = transform_children(o->world, o->words, lines, sizeof lines / sizeof *lines);
  float bottom = get(o, o->words, SHOAL_INDEX(widget, at_y)) + most;
  shoal_assert(count <= sizeof lines / sizeof *lines, "a card of %u lines", count);
  for (uint32_t i = 1; i < count; ++i) // the message stays
    if (get(o, lines[i], SHOAL_INDEX(widget, at_y)) + get(o, lines[i], SHOAL_INDEX(widget, at_height)) > bottom)
      put(o, lines[i], "widget", SHOAL_INDEX(widget, visible), 0);
}

static void add_card(overlay_o *o, const overlay_desc_t *desc) {
  const error_card_t *c = desc->card;
  const float u = o->unit, margin = 20 * u, width = desc->width - 2 * margin, most = CARD_SHARE * desc->height - margin;
  const float inner = width - (2 * 16 + 4 + 16) * u, gap = 12 * u;
  float body = most - 2 * 16 * u - line_of(o, "headline") - line_of(o, "hint") - 2 * gap;
  float words = c->line_count > 0 ? floorf(inner * 0.4f) : inner, least = 4 * 23 * u;
  o->card = add_panel(o, 0, "card", LAYOUT_ROW, 16);
  put(o, o->card, "widget", SHOAL_INDEX(widget, anchor), ANCHOR_BOTTOM);
  put(o, o->card, "widget", SHOAL_INDEX(widget, margin), (double)margin);
  put(o, o->card, "widget", SHOAL_INDEX(widget, layer), OVERLAY_LAYER);
  set_width(o, o->card, width);
  add_stripe(o, o->card, "bad");
  shoal_entity column = add_panel(o, o->card, "plain", LAYOUT_COLUMN, 12);
  put(o, column, "widget", SHOAL_INDEX(widget, grow), 1);
  add_line(o, column, "headline", c->title, inner);
  shoal_entity row = add_panel(o, column, "plain", LAYOUT_ROW, 24);
  put(o, row, "panel", SHOAL_INDEX(panel, align), ALIGN_START);
  put(o, row, "widget", SHOAL_INDEX(widget, grow), 1);
  o->words = add_panel(o, row, "plain", LAYOUT_COLUMN, 8);
  set_width(o, o->words, words);
  add_report(o, c, words, body);
  if (c->line_count > 0)
    add_source(o, row, c, inner - words - 24 * u);
  add_line(o, column, "hint", c->hint, inner);
  cut_report(o, fmaxf(body, least));
  ui_lay_out(o->ui);
  if (get(o, o->card, SHOAL_INDEX(widget, at_height)) > most)
    put(o, o->card, "widget", SHOAL_INDEX(widget, height), (double)most);
}

// ---------------------------------------------------------------------------------------------------------- the toasts

static void add_toasts(overlay_o *o, const overlay_desc_t *desc) {
  static const char *const STYLES[] = {
      [TOAST_NONE] = "note", [TOAST_GOOD] = "good", [TOAST_PLAIN] = "note", [TOAST_BAD] = "bad"};
  const float margin = 20 * o->unit;
  o->toasts = add_panel(o, 0, "plain", LAYOUT_COLUMN, 8);
  put(o, o->toasts, "panel", SHOAL_INDEX(panel, align), ALIGN_END);
  put(o, o->toasts, "widget", SHOAL_INDEX(widget, anchor), ANCHOR_BOTTOM_RIGHT);
  put(o, o->toasts, "widget", SHOAL_INDEX(widget, margin), (double)margin);
  put(o, o->toasts, "widget", SHOAL_INDEX(widget, layer), OVERLAY_LAYER + 1);
  for (uint32_t i = 0; i < desc->toasts->count; ++i) {
    const toast_t *toast = &desc->toasts->items[i];
    o->rows[i] = add_panel(o, o->toasts, "toast", LAYOUT_ROW, 12);
    add_stripe(o, o->rows[i], STYLES[toast->kind]);
    add_line(o, o->rows[i], "", toast->text, desc->width - 2 * margin - 40 * o->unit);
  }
}

static float ease(float t) {
  t = t > 0 ? (t < 1 ? t : 1) : 0;
  return t * t * (3 - 2 * t);
}

// They come from the right and leave to the right.
static void move_toasts(overlay_o *o, const overlay_desc_t *desc, float bottom) {
  put(o, o->toasts, "transform", SHOAL_INDEX(transform, y), (double)(bottom - desc->height));
  for (uint32_t i = 0; i < desc->toasts->count; ++i) {
    float age = desc->toasts->items[i].age_s, away = 1 - ease(age / COMES_S);
    away = fmaxf(away, ease((age - TOAST_S + TOAST_FADE_S) / TOAST_FADE_S));
    float far = get(o, o->rows[i], SHOAL_INDEX(widget, at_width)) + 24 * o->unit;
    put(o, o->rows[i], "transform", SHOAL_INDEX(transform, x), (double)(away * far));
  }
}

// ----------------------------------------------------------------------------------------------------------------- all

// The ages of toasts do not count: they only move them.
static uint64_t hash_said(const overlay_desc_t *desc, bool card, uint32_t version) {
  const float size[2] = {desc->width, desc->height};
  uint64_t h = hash_bytes(size, sizeof size, version);
  h = card ? hash_bytes(desc->card, sizeof *desc->card, h) : h;
  for (uint32_t i = 0; i < desc->toasts->count; ++i)
    h = hash_bytes(&desc->toasts->items[i].kind, sizeof desc->toasts->items[i].kind,
                   h ^ hash_text(desc->toasts->items[i].text));
  return h;
}

float overlay_draw(overlay_o *o, const overlay_desc_t *desc, draw_o *draw, typesetter_o *type) {
  bool card = desc->card->kind != ERROR_CARD_NONE && !desc->card->hidden;
  shoal_assert(desc->width > 0 && desc->height > 0, "a screen of %g × %g", (double)desc->width, (double)desc->height);
  if (!card && desc->toasts->count == 0) {
    drop_world(o);
    return desc->height;
  }
  uint64_t said = hash_said(desc, card, typesetter_version(type));
  if (!o->world || said != o->said) {
    make_world(o, desc, type);
    if (card)
      add_card(o, desc);
    if (desc->toasts->count > 0)
      add_toasts(o, desc);
    o->said = said;
  }
  ui_use_type(o->ui, type);
  ui_lay_out(o->ui);
  float top = card ? get(o, o->card, SHOAL_INDEX(widget, at_y)) : desc->height;
  if (desc->toasts->count > 0) {
    move_toasts(o, desc, top);
    ui_lay_out(o->ui);
  }
  ui_draw(o->ui, draw, NULL, desc->dt_s);
  return top;
}
