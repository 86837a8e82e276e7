// Fills a card from a report and the source around it, and draws it.
#include "overlay/error_card.h"

#include "base/assert.h"
#include "base/files.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------------------- content

// Cuts `text` at `bytes` without leaving half a UTF-8 character.
static void cut_between_characters(char *text, size_t bytes) {
  if (strlen(text) <= bytes)
    return;
  while (bytes > 0 && ((unsigned char)text[bytes] & 0xC0) == 0x80)
    bytes--;
  text[bytes] = 0;
}

static void copy_cut(char *out, size_t out_bytes, const char *text) {
  size_t length = strlen(text), room = out_bytes - 1;
  memcpy(out, text, length < room ? length : room);
  out[length < room ? length : room] = 0;
  if (length > room) { // the last byte may be the middle of a character
    size_t at = room;
    while (at > 0 && ((unsigned char)text[at] & 0xC0) == 0x80)
      at--;
    out[at] = 0;
  }
}

// One source line from `from` to `end` as it is shown: a tab goes on to the next even column.
static void copy_source(char *out, size_t out_bytes, const char *from, const char *end) {
  size_t n = 0;
  for (; from < end && n + 3 < out_bytes; ++from) {
    if (*from == '\t') {
      out[n++] = ' ';
      if (n % 2)
        out[n++] = ' ';
    } else if (*from != '\r') {
      out[n++] = *from;
    }
  }
  out[n] = 0;
  if (from < end) { // cut: perhaps inside a character
    size_t at = n;
    while (at > 0 && ((unsigned char)out[at - 1] & 0xC0) == 0x80)
      at--;
    if (at > 0 && (unsigned char)out[at - 1] >= 0xC0)
      out[at - 1] = 0;
  }
}

// A script may make an error of its own, and say any file: what lies outside the game's folder is not shown.
static bool leads_out(const char *file) {
  return file[0] == '/' || strstr(file, "..") != NULL;
}

static char *read_source(allocator_t *a, const char *file, const char *game_folder, const char *engine_folder,
                         size_t *bytes) {
  char path[PATH_MAX];
  const char *folders[] = {game_folder, engine_folder};
  for (size_t i = 0; i < 2; ++i) {
    path_join(path, sizeof path, folders[i], file);
    char *text = file_exists(path) ? file_read(a, path, bytes, NULL) : NULL;
    if (text)
      return text;
  }
  // Engine files are named from the folder above ("shoal/world.lua").
  if (strncmp(file, "shoal/", 6) != 0)
    return NULL;
  path_join(path, sizeof path, engine_folder, file + 6);
  return file_exists(path) ? file_read(a, path, bytes, NULL) : NULL;
}

static void add_source(error_card_t *c, const script_report_t *report, const char *game_folder,
                       const char *engine_folder) {
  allocator_t memory = {0};
  size_t bytes = 0;
  if (!report->file[0] || report->line <= 0 || leads_out(report->file))
    return;
  char *text = read_source(&memory, report->file, game_folder, engine_folder, &bytes);
  if (!text)
    return;
  const char *at = text, *end = text + bytes;
  for (int number = 1; at < end && number <= report->line + ERROR_CARD_SOURCE_AROUND; ++number) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    const char *line_end = newline ? newline : end;
    if (number >= report->line - ERROR_CARD_SOURCE_AROUND) {
      error_card_line_t *line = &c->lines[c->line_count++];
      *line = (error_card_line_t){.number = number, .failing = number == report->line};
      copy_source(line->text, sizeof line->text, at, line_end);
    }
    at = newline ? newline + 1 : end;
  }
  file_free(&memory, text, bytes);
}

void error_card_line(const script_report_t *report, char *out, size_t out_bytes) {
  shoal_assert(out_bytes > 0, "no room for a line");
  if (report->file[0] && report->line > 0)
    snprintf(out, out_bytes, "%s:%d: %s", report->file, report->line, report->message);
  else if (report->file[0])
    snprintf(out, out_bytes, "%s: %s", report->file, report->message);
  else
    snprintf(out, out_bytes, "%s", report->message);
}

static void set_title(error_card_t *c, error_card_kind_t kind, const char *piece) {
  const char *what = piece[0] ? piece : "the game";
  const char *words = kind == ERROR_CARD_START     ? "The game cannot start"
                      : kind == ERROR_CARD_RELOAD  ? "Change refused, the old code runs on"
                      : kind == ERROR_CARD_RESTART ? "Restart refused, the game runs on"
                                                   : "Stopped by an error";
  snprintf(c->title, sizeof c->title, "%s: %s", words, what);
}

void error_card_add(error_card_t *c, error_card_kind_t kind, const script_report_t *report, const char *game_folder,
                    const char *engine_folder) {
  shoal_assert(kind != ERROR_CARD_NONE && report, "a card shows a report of some kind");
  if (c->kind == kind && kind == ERROR_CARD_RUN) {
    c->hidden = false;
    c->total++;
    if (c->other_count < ERROR_CARD_MAX_REPORTS - 1) {
      char line[1400], other[1520];
      error_card_line(report, line, sizeof line);
      snprintf(other, sizeof other, "%s   %s", report->piece, line);
      copy_cut(c->others[c->other_count], sizeof c->others[0], other);
      c->other_count++;
    }
    return;
  }
  *c = (error_card_t){.kind = kind, .total = 1};
  set_title(c, kind, report->piece);
  copy_cut(c->message, sizeof c->message, report->message);
  if (report->file[0] && report->line > 0)
    snprintf(c->place, sizeof c->place, "%s:%d", report->file, report->line);
  else
    snprintf(c->place, sizeof c->place, "%s", report->file);
  const char *then = kind == ERROR_CARD_START ? "the game starts then"
                     : kind == ERROR_CARD_RUN ? "it goes on then"
                                              : "it is taken then";
  snprintf(c->hint, sizeof c->hint, "Mend the file and save it: %s.   F8 hides this card.",
           kind == ERROR_CARD_RESTART ? "Ctrl+F5 tries again" : then);
  snprintf(c->about, sizeof c->about, "%s%s%s%s", report->entity[0] ? "At hand: " : "", report->entity,
           report->entity[0] && report->about[0] ? "\n" : "", report->about);
  add_source(c, report, game_folder, engine_folder);
}

void error_card_clear(error_card_t *c) {
  *c = (error_card_t){0};
}

// ------------------------------------------------------------------------------------------------------------- drawing

typedef struct pen_t {
  draw_o *draw;
  render_o *render;
  float unit; // logical pixels of one pixel at 1280 × 720
} pen_t;

static const char MONO[] = "fonts/mono.ttf";

// A text at the pen's units, cut at `max_height`; returns the height it takes.
static float write_text(const pen_t *p, const char *text, const char *font, float x, float y, float size, float wrap) {
  float width = 0, height = 0;
  draw_font(p->draw, font);
  draw_text(p->draw, text, x, y, size * p->unit, 0, wrap);
  render_text_size(p->render, &(text_style_t){.font = font, .size = size * p->unit, .wrap = wrap}, text, &width,
                   &height);
  return height;
}

// Shortens `text` with "…" until it fits.
static void fit_text(const pen_t *p, char *text, size_t text_bytes, const char *font, float size, float max_width) {
  float width = 0, height = 0;
  render_text_size(p->render, &(text_style_t){.font = font, .size = size * p->unit, .wrap = 0}, text, &width, &height);
  for (size_t length = strlen(text); width > max_width && length > 8;) {
    size_t guess = (size_t)((float)length * max_width / width); // close at once, then one by one
    length = guess < length - 1 ? guess : length - 1;
    cut_between_characters(text, length < text_bytes - 4 ? length : text_bytes - 4);
    length = strlen(text);
    memcpy(text + length, "…", sizeof "…");
    render_text_size(p->render, &(text_style_t){.font = font, .size = size * p->unit, .wrap = 0}, text, &width,
                     &height);
    if (width > max_width)
      text[length] = 0;
  }
}

// Shortens `text` until it fits into `max_height` when wrapped.
static float fit_wrapped(const pen_t *p, char *text, size_t text_bytes, float size, float wrap, float max_height) {
  float width = 0, height = 0;
  render_text_size(p->render, &(text_style_t){.font = "", .size = size * p->unit, .wrap = wrap}, text, &width, &height);
  for (size_t length = strlen(text); height > max_height && length > 16;) {
    length -= length / 8 + 1;
    cut_between_characters(text, length < text_bytes - 4 ? length : text_bytes - 4);
    length = strlen(text);
    memcpy(text + length, "…", sizeof "…");
    render_text_size(p->render, &(text_style_t){.font = "", .size = size * p->unit, .wrap = wrap}, text, &width,
                     &height);
    if (height > max_height)
      text[length] = 0;
  }
  return height;
}

#define LINE_HEIGHT 23.0f
#define SOURCE_SIZE 15.0f

static void draw_source(const pen_t *p, const error_card_t *c, float x, float y, float width) {
  float u = p->unit, step = LINE_HEIGHT * u;
  draw_colour(p->draw, 0.02f, 0.025f, 0.04f, 0.85f);
  draw_rect(p->draw, x, y, width, step * (float)c->line_count + 12 * u, true, 0);
  y += 6 * u;
  for (uint32_t i = 0; i < c->line_count; ++i, y += step) {
    const error_card_line_t *line = &c->lines[i];
    char number[16], text[sizeof line->text + 4];
    snprintf(number, sizeof number, "%4d", line->number);
    snprintf(text, sizeof text, "%s", line->text);
    fit_text(p, text, sizeof text, MONO, SOURCE_SIZE, width - 76 * u);
    if (line->failing) {
      draw_colour(p->draw, 0.93f, 0.26f, 0.29f, 0.24f);
      draw_rect(p->draw, x, y, width, step, true, 0);
      draw_colour(p->draw, 0.96f, 0.33f, 0.35f, 1);
      draw_rect(p->draw, x, y, 3 * u, step, true, 0);
    }
    if (line->failing)
      draw_colour(p->draw, 1.0f, 0.62f, 0.60f, 1);
    else
      draw_colour(p->draw, 0.42f, 0.46f, 0.54f, 1);
    write_text(p, number, MONO, x + 12 * u, y + 2 * u, SOURCE_SIZE, 0);
    if (line->failing)
      draw_colour(p->draw, 1.0f, 0.95f, 0.93f, 1);
    else
      draw_colour(p->draw, 0.68f, 0.72f, 0.79f, 1);
    write_text(p, text, MONO, x + 62 * u, y + 2 * u, SOURCE_SIZE, 0);
  }
}

// Further reports that find room, and the line above them; what is known of the entities.
static float lines_for_others(const error_card_t *c) {
  float lines = c->other_count ? (float)(c->other_count < 3 ? c->other_count : 3) + 1 : 0;
  for (const char *at = c->about; *at; ++at)
    lines += *at == '\n' || at[1] == 0;
  return lines;
}

// Message, place and further reports, one under the other; nothing goes below `bottom`.
static void draw_words(const pen_t *p, const error_card_t *c, float x, float y, float width, float bottom) {
  float u = p->unit;
  char text[sizeof c->message + 4];
  snprintf(text, sizeof text, "%s", c->message);
  float left = bottom - y - 32 * u - lines_for_others(c) * 21 * u, least = 2 * 23 * u; // the message comes first
  fit_wrapped(p, text, sizeof text, 17, width, left > least ? left : least);
  draw_colour(p->draw, 0.93f, 0.94f, 0.96f, 1);
  y += write_text(p, text, "", x, y, 17, width) + 10 * u;
  if (c->place[0]) {
    char place[sizeof c->place + 4];
    snprintf(place, sizeof place, "%s", c->place);
    fit_text(p, place, sizeof place, MONO, 15, width);
    draw_colour(p->draw, 1.0f, 0.72f, 0.42f, 1);
    y += write_text(p, place, MONO, x, y, 15, 0) + 10 * u;
  }
  if (c->about[0]) {
    char about[sizeof c->about + 4];
    snprintf(about, sizeof about, "%s", c->about);
    fit_wrapped(p, about, sizeof about, 14, width, bottom - y);
    draw_colour(p->draw, 0.74f, 0.77f, 0.83f, 1);
    y += write_text(p, about, "", x, y, 14, width) + 8 * u;
  }
  if (c->total > 1) {
    char more[64];
    snprintf(more, sizeof more, "%u more:", c->total - 1);
    draw_colour(p->draw, 0.60f, 0.64f, 0.71f, 1);
    y += write_text(p, more, "", x, y, 14, 0) + 4 * u;
  }
  for (uint32_t i = 0; i < c->other_count && y + 20 * u <= bottom; ++i) {
    char other[sizeof c->others[0] + 4];
    snprintf(other, sizeof other, "%s", c->others[i]);
    fit_text(p, other, sizeof other, "", 14, width);
    draw_colour(p->draw, 0.74f, 0.77f, 0.83f, 1);
    y += write_text(p, other, "", x, y, 14, 0) + 3 * u;
  }
}

float error_card_draw(const error_card_t *c, draw_o *d, render_o *r, float width, float height) {
  shoal_assert(width > 0 && height > 0, "a screen of %g × %g", (double)width, (double)height);
  if (c->kind == ERROR_CARD_NONE || c->hidden)
    return height;
  float u = width / 1280.0f < height / 720.0f ? width / 1280.0f : height / 720.0f;
  pen_t pen = {.draw = d, .render = r, .unit = u};
  float least = 5 + lines_for_others(c), lines = (float)c->line_count > least ? (float)c->line_count : least;
  float margin = 20 * u, most = 0.45f * height - margin, wanted = (106 + lines * LINE_HEIGHT) * u;
  float panel_height = wanted < most ? wanted : most, panel_width = width - 2 * margin;
  float x = margin, y = height - margin - panel_height;
  float inner = x + 30 * u, right = x + panel_width - 20 * u;
  draw_space(d, true);
  draw_blend(d, false);
  draw_layer(d, ERROR_CARD_LAYER);
  draw_colour(d, 0.055f, 0.065f, 0.09f, 0.93f);
  draw_rect(d, x, y, panel_width, panel_height, true, 0);
  draw_colour(d, 0.96f, 0.33f, 0.35f, 1);
  draw_rect(d, x, y, 6 * u, panel_height, true, 0);

  char title[sizeof c->title + 4];
  snprintf(title, sizeof title, "%s", c->title);
  fit_text(&pen, title, sizeof title, "", 21, right - inner);
  draw_colour(d, 1.0f, 0.52f, 0.50f, 1);
  write_text(&pen, title, "", inner, y + 16 * u, 21, 0);
  draw_colour(d, 0.50f, 0.54f, 0.61f, 1);
  float top = y + 54 * u, bottom = y + panel_height - 38 * u;
  write_text(&pen, c->hint, "", inner, bottom + 8 * u, 14, 0);
  bool has_source = c->line_count > 0;
  float column = has_source ? (right - inner) * 0.40f : right - inner;
  draw_words(&pen, c, inner, top, column - (has_source ? 24 * u : 0), bottom);
  if (has_source)
    draw_source(&pen, c, inner + column, top, right - inner - column);
  return y;
}
