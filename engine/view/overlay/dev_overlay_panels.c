// Time bar, list of keys, console, palette, and the badge shown while the overlay is closed.
#include "overlay/dev_overlay_internal.h"

#include "base/assert.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define BAR 44.0f
#define ROW 21.0f
#define LINE_SHOWN_S 8.0 // seconds for which output stays visible while the console is not focused

// --- time bar

static const char *describe_state(const dev_overlay_view_t *v, gui_look_t *look) {
  *look = v->held ? BRUSH_ACCENT : BRUSH_GOOD;
  return !v->world    ? "cannot start"
         : v->held    ? "paused"
         : v->replays ? "replay"
         : v->paused  ? "paused by the game"
                      : "running";
}

static float draw_run_state(gui_t *b, const dev_overlay_view_t *v, float x, float y) {
  gui_look_t look;
  const char *state = describe_state(v, &look);
  float width = gui_text_width(b, look, state) + 20;
  gui_fill_rect(b, (gui_rect_t){x, y - 12, width, 24}, look, 0.18f);
  gui_draw_text(b, x + 10, y, look, state, 0);
  return width;
}

// Draws a button's symbol as shapes, because fonts may lack the characters. `sign`: -2 for 60 ticks back, -1 for one
// tick back, 0 for pause, 1 for resume, 2 for one tick forward.
static void draw_symbol(gui_t *b, gui_rect_t r, int sign) {
  float u = b->unit, x = (r.x + r.width / 2) * u, y = (r.y + r.height / 2) * u, s = 5 * u;
  float way = sign < 0 ? -1 : 1;
  draw_set_colour(b->draw, 0.95f, 0.96f, 0.98f, 1);
  if (sign == 0) {
    draw_rect(b->draw, x - s, y - s, 0.7f * s, 2 * s, true, 0);
    draw_rect(b->draw, x + 0.3f * s, y - s, 0.7f * s, 2 * s, true, 0);
    return;
  }
  for (int i = 0; i < (sign == -2 ? 2 : 1); ++i) {
    float at = x - (float)(sign == -2 ? 4 - 8 * i : 0) * u;
    const float corners[6] = {at - way * 0.8f * s, y - s, at + way * 0.8f * s, y, at - way * 0.8f * s, y + s};
    draw_polygon(b->draw, corners, 3, true, 0);
  }
  if (sign == 2 || sign == -1)
    draw_rect(b->draw, x + way * s - 0.8f * u, y - s, 1.6f * u, 2 * s, true, 0);
}

static float draw_buttons(dev_overlay_o *d, gui_t *b, const dev_overlay_view_t *v, float x, float y) {
  static const char *const requests[] = {
      "{\"do\":\"time\",\"action\":\"step\",\"ticks\":-60}", "{\"do\":\"time\",\"action\":\"step\",\"ticks\":-1}",
      "{\"do\":\"time\",\"action\":\"toggle\"}", "{\"do\":\"time\",\"action\":\"step\",\"ticks\":1}"};
  const int signs[] = {-2, -1, v->held ? 1 : 0, 2};
  for (int i = 0; i < 4; ++i) {
    gui_rect_t r = {x + 34 * (float)i, y - 12, 30, 24};
    if (gui_button(b, r, "", false))
      dev_overlay_request(d, "%s", requests[i]);
    draw_symbol(b, r, signs[i]);
  }
  return 4 * 34;
}

static void draw_scrub_bar(dev_overlay_o *d, gui_t *b, const dev_overlay_view_t *v, gui_rect_t r) {
  float u = b->unit, y = (r.y + r.height / 2) * u;
  double span = (double)(v->last - v->first);
  double part = span > 0 ? (double)(v->tick - v->first) / span : 1;
  float at = r.x + (float)part * r.width;
  gui_fill_rect(b, (gui_rect_t){r.x, r.y + r.height / 2 - 3, r.width, 6}, BRUSH_TEXT, 0.14f);
  if (!v->has_past) {
    gui_draw_text(b, r.x + 8, r.y - 1, BRUSH_DIM, "The history is disabled: pass --history MB", r.width);
    return;
  }
  gui_fill_rect(b, (gui_rect_t){r.x, r.y + r.height / 2 - 3, at - r.x, 6}, BRUSH_ACCENT, 0.75f);
  draw_set_colour(b->draw, 1, 0.80f, 0.45f, 1);
  draw_circle(b->draw, at * u, y, 6.5f * u, true, 0);
  if (gui_is_clicked(b, r)) {
    d->drag = DRAG_TIME;
    d->sought = UINT64_MAX;
  }
  if (d->drag != DRAG_TIME)
    return;
  float wanted = fminf(fmaxf((b->x - r.x) / r.width, 0), 1);
  uint64_t tick = v->first + (uint64_t)((double)wanted * span + 0.5);
  if (tick != d->sought && tick != v->tick)
    dev_overlay_request(d, "{\"do\":\"time\",\"action\":\"seek\",\"tick\":%llu}", (unsigned long long)tick);
  d->sought = tick;
}

void dev_overlay_draw_bar(dev_overlay_o *d, gui_t *b, const dev_overlay_view_t *v) {
  gui_rect_t bar = {8, 8, b->width - 16, BAR};
  char text[96];
  float y = 8 + BAR / 2, x = 18, right = b->width - 18;
  gui_draw_panel(b, bar);
  x += draw_run_state(b, v, x, y) + 10;
  x += draw_buttons(d, b, v, x, y) + 8;
  snprintf(text, sizeof text, "tick %llu", (unsigned long long)v->tick);
  gui_draw_text(b, x, y, BRUSH_MONO, text, 0);
  x += 118;
  gui_rect_t more = {right - 124, y - 12, 124, 24};
  if (gui_button(b, more, "Commands", d->palette)) {
    d->palette = true;
    d->chosen = 0;
    line_edit_set(&d->search, "");
  }
  right -= 136;
  snprintf(text, sizeof text, "%.0f frames/s, %.0f ticks/s%s", v->frames_s, v->ticks_s,
           fabs(v->speed - 1) < 1e-6 ? ""
           : v->speed < 1            ? ", slow"
                                     : ", fast");
  right -= gui_draw_text_right(b, right, y, BRUSH_DIM, text) + 14;
  if (v->has_past && v->tick_rate > 0) {
    snprintf(text, sizeof text, "%.1f s of history", (double)(v->tick - v->first) / v->tick_rate);
    right -= gui_draw_text_right(b, right, y, BRUSH_DIM, text) + 14;
  }
  draw_scrub_bar(d, b, v, (gui_rect_t){x, y - 12, fmaxf(right - x, 40), 24});
}

void dev_overlay_draw_badge(gui_t *b, const dev_overlay_view_t *v) {
  char text[96];
  snprintf(text, sizeof text, "paused at tick %llu", (unsigned long long)v->tick);
  float width = gui_text_width(b, BRUSH_ACCENT, text) + 24;
  gui_rect_t r = {b->width - width - 12, 12, width, 30};
  gui_draw_panel(b, r);
  gui_draw_text(b, r.x + 12, r.y + 15, BRUSH_ACCENT, text, 0);
}

// --- list of keys

static uint32_t count_keys(const dev_overlay_view_t *v) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < v->command_count; ++i)
    count += v->commands[i].key[0] || v->commands[i].window[0];
  return count;
}

// Draws the list of keys. Returns its right edge.
static float draw_keys(dev_overlay_o *d, gui_t *b, const dev_overlay_view_t *v, float y) {
  static const char *const mouse[][2] = {{"select; click again for the one below", "click"},
                                         {"add to selection", "Shift click"},
                                         {"move the selection", "drag it"},
                                         {"select all in a box", "drag"},
                                         {"all commands", "Ctrl+K"}};
  const uint32_t count = sizeof mouse / sizeof *mouse, rows = count + count_keys(v) + 2;
  gui_rect_t r = {8, y, 300, (float)rows * ROW + 14};
  gui_draw_panel(b, r);
  float at = y + 8 + ROW / 2;
  gui_draw_text(b, r.x + 12, at, BRUSH_TITLE, "Keys", 0);
  if (gui_button(b, (gui_rect_t){r.x + r.width - 66, at - 10, 56, 20}, "hide", false))
    d->help = false;
  for (uint32_t i = 0; i < count + v->command_count; ++i) {
    const dev_overlay_command_t *c = i < count ? NULL : &v->commands[i - count];
    if (c && !c->key[0] && !c->window[0])
      continue;
    at += ROW;
    float right = r.x + r.width - 10;
    const char *window = c ? c->window : mouse[i][1], *key = c ? c->key : "";
    right -= window[0] ? gui_draw_key_cap(b, right, at, window) + 5 : 0;
    right -= key[0] ? gui_draw_key_cap(b, right, at, key) + 5 : 0;
    gui_draw_text(b, r.x + 12, at, BRUSH_TEXT, c ? c->name : mouse[i][0], right - r.x - 18);
  }
  gui_draw_text(b, r.x + 12, at + ROW, BRUSH_DIM,
                v->held ? "The game is paused: all keys go to the overlay."
                        : "The game is running: keys without Ctrl go to the game.",
                r.width - 20);
  return r.x + r.width;
}

float dev_overlay_draw_keys(dev_overlay_o *d, gui_t *b, const dev_overlay_view_t *v) {
  return d->help ? draw_keys(d, b, v, 8 + BAR + 8) : 0;
}

// --- console

static void add_to_history(dev_overlay_o *d, const char *text) {
  shoal_assert(text[0], "the line must not be empty");
  memmove(d->history[1], d->history[0], sizeof d->history - sizeof d->history[0]);
  snprintf(d->history[0], sizeof d->history[0], "%s", text);
  d->history_count += d->history_count < DEV_OVERLAY_HISTORY;
  d->history_at = 0;
}

// Runs a line that the overlay itself handles: an overlay action, or `help`, which opens the palette with the text that
// follows. Returns false for any other line.
static bool run_overlay_line(dev_overlay_o *d, const dev_overlay_view_t *v) {
  const char *text = d->line.text;
  for (uint32_t i = 0; i < v->command_count; ++i)
    if (v->commands[i].is_overlay_action && strcasecmp(v->commands[i].name, text) == 0) {
      dev_overlay_run_command(d, &v->commands[i]);
      return true;
    }
  if (strncasecmp(text, "help", 4) != 0 || (text[4] != '\0' && text[4] != ' '))
    return false;
  dev_overlay_open_palette(d, text + 4 + strspn(text + 4, " "));
  return true;
}

static void run_console_line(dev_overlay_o *d, const dev_overlay_view_t *v) {
  char quoted[3 * LINE_EDIT_BYTES];
  if (d->line.text[0] == '\0') {
    d->console_focused = false;
    return;
  }
  dev_overlay_print(d, false, d->line.text);
  d->lines[(d->line_count - 1) % DEV_OVERLAY_LINES].look = BRUSH_MONO_DIM;
  d->lines[(d->line_count - 1) % DEV_OVERLAY_LINES].printed_s = v->now_s;
  add_to_history(d, d->line.text);
  if (!run_overlay_line(d, v))
    dev_overlay_request(d, "{\"do\":\"console\",\"text\":\"%s\"}",
                        dev_overlay_quote(d->line.text, quoted, sizeof quoted));
  line_edit_set(&d->line, "");
}

// Completes the line to the longest common prefix of all matching command names.
static void complete_command(dev_overlay_o *d, const dev_overlay_view_t *v) {
  size_t bytes = strlen(d->line.text), common = 0;
  const char *first = NULL;
  char text[LINE_EDIT_BYTES];
  for (uint32_t i = 0; i < v->command_count && bytes > 0; ++i) {
    const char *name = v->commands[i].name;
    size_t same = 0;
    if (strncasecmp(name, d->line.text, bytes) != 0)
      continue;
    while (first && same < common && first[same] == name[same])
      ++same;
    common = first ? same : strlen(name);
    first = first ? first : name;
  }
  if (!first || common <= bytes || common >= sizeof text)
    return;
  snprintf(text, sizeof text, "%.*s", (int)common, first);
  line_edit_set(&d->line, text);
}

static void edit_console_line(dev_overlay_o *d, const dev_overlay_view_t *v) {
  const uint8_t *keys = v->input->pressed.keys;
  uint32_t at = d->history_at;
  shoal_assert(at <= d->history_count && d->history_count <= DEV_OVERLAY_HISTORY, "line %u is out of range (count %u)",
               at, d->history_count);
  line_edit_apply(&d->line, v->input);
  if (keys[KEY_UP] && at < d->history_count)
    ++at;
  if (keys[KEY_DOWN] && at > 0)
    --at;
  if (at != d->history_at)
    line_edit_set(&d->line, at > 0 ? d->history[at - 1] : "");
  d->history_at = at;
  if (keys[KEY_TAB])
    complete_command(d, v);
  if (keys[KEY_RETURN])
    run_console_line(d, v);
  if (keys[KEY_ESCAPE])
    d->console_focused = false;
}

static void draw_caret(gui_t *b, const line_edit_t *l, gui_look_t look, float x, float y) {
  char left[LINE_EDIT_BYTES];
  snprintf(left, sizeof left, "%.*s", (int)l->cursor, l->text);
  gui_fill_rect(b, (gui_rect_t){x + gui_text_width(b, look, left), y - 9, 2, 18}, BRUSH_ACCENT, 1);
}

static void draw_output(dev_overlay_o *d, gui_t *b, const dev_overlay_view_t *v, gui_rect_t line) {
  uint32_t shown = d->line_count < DEV_OVERLAY_LINES ? d->line_count : DEV_OVERLAY_LINES, from = d->line_count - shown;
  for (uint32_t i = from; i < d->line_count; ++i) {
    dev_overlay_line_t *x = &d->lines[i % DEV_OVERLAY_LINES];
    x->printed_s = x->printed_s > 0 ? x->printed_s : v->now_s;
  }
  while (from < d->line_count && !d->console_focused &&
         v->now_s - d->lines[from % DEV_OVERLAY_LINES].printed_s > LINE_SHOWN_S)
    ++from;
  float count = (float)(d->line_count - from);
  if (count < 1)
    return;
  gui_rect_t r = {line.x, line.y - 6 - count * ROW - 12, line.width, count * ROW + 12};
  gui_draw_panel(b, r);
  for (uint32_t i = from; i < d->line_count; ++i)
    gui_draw_text(b, r.x + 12, r.y + 6 + ROW * ((float)(i - from) + 0.5f), d->lines[i % DEV_OVERLAY_LINES].look,
                  d->lines[i % DEV_OVERLAY_LINES].text, r.width - 24);
}

void dev_overlay_draw_console(dev_overlay_o *d, gui_t *b, const dev_overlay_view_t *v) {
  gui_rect_t r = {316, b->height - 44, b->width - 632, 36};
  float y = r.y + r.height / 2;
  if (d->console_focused && !d->palette)
    edit_console_line(d, v);
  gui_draw_panel(b, r);
  if (b->pressed && !b->modal)
    d->console_focused = gui_is_over(b, r);
  if (d->console_focused)
    gui_draw_outline(b, r, BRUSH_ACCENT);
  gui_set_clip(b, (gui_rect_t){r.x + 4, r.y, r.width - 8, r.height});
  float over = fmaxf(gui_text_width(b, BRUSH_MONO, d->line.text) - r.width + 40, 0), x = r.x + 12 - over;
  if (d->line.text[0])
    gui_draw_text(b, x, y, BRUSH_MONO, d->line.text, 0);
  else if (!d->console_focused)
    gui_draw_text(b, x, y, BRUSH_DIM,
                  v->read_only ? "SQL; this cockpit is read-only" : "a command, Lua or SQL; help lists the commands",
                  0);
  if (d->console_focused)
    draw_caret(b, &d->line, BRUSH_MONO, x, y);
  gui_set_clip(b, (gui_rect_t){0, 0, 0, 0});
  if (!d->console_focused)
    gui_draw_key_cap(b, r.x + r.width - 10, y, "Ctrl+L");
  draw_output(d, b, v, r);
}

// --- palette

#define PALETTE_ROWS 14u

static bool contains_word(const char *name, const char *word, size_t bytes) {
  for (; *name; ++name) {
    size_t i = 0;
    while (i < bytes && name[i] && (name[i] | 0x20) == (word[i] | 0x20))
      ++i;
    if (i == bytes)
      return true;
  }
  return bytes == 0;
}

// Returns true if the name contains all words, in any order.
static bool matches_words(const char *name, const char *words) {
  while (*words) {
    size_t bytes = strcspn(words, " ");
    if (!contains_word(name, words, bytes))
      return false;
    words += bytes + strspn(words + bytes, " ");
  }
  return true;
}

static uint32_t find_commands(const dev_overlay_view_t *v, const char *words, const dev_overlay_command_t **out,
                              uint32_t max) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < v->command_count && count < max; ++i)
    if (matches_words(v->commands[i].name, words))
      out[count++] = &v->commands[i];
  return count;
}

static void handle_palette_keys(dev_overlay_o *d, const dev_overlay_view_t *v, uint32_t count) {
  const uint8_t *keys = v->input->pressed.keys;
  if (line_edit_apply(&d->search, v->input))
    d->chosen = 0;
  d->chosen += keys[KEY_DOWN] && d->chosen + 1 < count;
  d->chosen -= keys[KEY_UP] && d->chosen > 0;
  if (keys[KEY_ESCAPE])
    d->palette = false;
}

static void draw_palette_row(dev_overlay_o *d, gui_t *b, const dev_overlay_command_t *c, gui_rect_t r, bool chosen) {
  float y = r.y + r.height / 2, right = r.x + r.width - 10;
  if (chosen || gui_is_over(b, r))
    gui_fill_rect(b, r, chosen ? BRUSH_ACCENT : BRUSH_TEXT, chosen ? 0.22f : 0.08f);
  right -= c->window[0] ? gui_draw_key_cap(b, right, y, c->window) + 5 : 0;
  right -= c->key[0] ? gui_draw_key_cap(b, right, y, c->key) + 5 : 0;
  float x = r.x + 12 + gui_draw_text(b, r.x + 12, y, chosen ? BRUSH_TITLE : BRUSH_TEXT, c->name, right - r.x - 20);
  if (c->help && c->help[0] && right - x > 60)
    gui_draw_text(b, x + 14, y, BRUSH_DIM, c->help, right - x - 20);
  if (gui_is_clicked(b, r))
    dev_overlay_run_command(d, c);
}

void dev_overlay_draw_palette(dev_overlay_o *d, gui_t *b, const dev_overlay_view_t *v) {
  const dev_overlay_command_t *found[512];
  uint32_t count = find_commands(v, d->search.text, found, 512);
  handle_palette_keys(d, v, count);
  count = find_commands(v, d->search.text, found, 512);
  d->chosen = count > 0 && d->chosen >= count ? count - 1 : d->chosen;
  uint32_t first = d->chosen >= PALETTE_ROWS ? d->chosen - PALETTE_ROWS + 1 : 0;
  uint32_t shown = count - first < PALETTE_ROWS ? count - first : PALETTE_ROWS;
  gui_rect_t r = {b->width / 2 - 280, 90, 560, 56 + 26 * (float)(shown > 0 ? shown : 1)};
  gui_draw_panel(b, r);
  float y = r.y + 24;
  if (d->search.text[0])
    gui_draw_text(b, r.x + 16, y, BRUSH_TEXT, d->search.text, r.width - 32);
  else
    gui_draw_text(b, r.x + 22, y, BRUSH_DIM, "search commands", 0);
  draw_caret(b, &d->search, BRUSH_TEXT, r.x + 16, y);
  if (count == 0)
    gui_draw_text(b, r.x + 16, y + 34, BRUSH_DIM, "no matching command", 0);
  for (uint32_t i = 0; i < shown; ++i)
    draw_palette_row(d, b, found[first + i], (gui_rect_t){r.x + 6, r.y + 46 + 26 * (float)i, r.width - 12, 25},
                     first + i == d->chosen);
  if (d->palette && count > 0 && v->input->pressed.keys[KEY_RETURN])
    dev_overlay_run_command(d, found[d->chosen]);
  else if (b->pressed && !gui_is_over(b, r))
    d->palette = false;
}
