// Reads .grass files. The range of every number is checked, so that no file can create a meadow of a million blades.
#include "grass_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void grass_set_defaults(grass_kind_t *out) {
  static const grass_kind_t MEADOW = {.blades = 1.6f,
                                      .height = {18, 42},
                                      .width = {2.2f, 4.2f},
                                      .wind = {0.55f, 210, 1.1f},
                                      .shine = 0.5f,
                                      .flowers = 0.02f,
                                      .root = {18, 46, 34},
                                      .tips = {{126, 178, 74}, {164, 204, 92}, {92, 150, 70}},
                                      .petals = {{250, 246, 230}, {246, 200, 92}},
                                      .tip_count = 3,
                                      .petal_count = 2};
  *out = MEADOW;
}

// Reads the next word of the line. Stores "" at the end of the line.
static void read_next_word(const char **at, const char *end, char *out, size_t bytes) {
  const char *from = *at;
  while (from < end && (*from == ' ' || *from == '\t' || *from == '\r'))
    ++from;
  const char *to = from;
  while (to < end && *to != ' ' && *to != '\t' && *to != '\r')
    ++to;
  size_t length = (size_t)(to - from) < bytes ? (size_t)(to - from) : bytes - 1;
  memcpy(out, from, length);
  out[length] = '\0';
  *at = to;
}

static bool read_colour(const char *word, uint8_t out[3]) {
  if (word[0] != '#' || strlen(word) != 7 || strspn(word + 1, "0123456789abcdefABCDEF") != 6)
    return false;
  unsigned long rgb = strtoul(word + 1, NULL, 16);
  for (int i = 0; i < 3; ++i)
    out[i] = (uint8_t)(rgb >> (16 - 8 * i) & 255u);
  return true;
}

typedef struct line_t {
  const char *at, *end;
  char name[32], *words;
  size_t words_bytes;
} line_t;

static bool set_error(line_t *l, const char *what) {
  snprintf(l->words, l->words_bytes, "%s %s", l->name, what);
  return false;
}

static bool read_numbers(line_t *l, float *out, int count, float min, float max) {
  char word[32], what[96];
  for (int i = 0; i < count; ++i) {
    char *end;
    read_next_word(&l->at, l->end, word, sizeof word);
    float value = strtof(word, &end);
    if (!word[0] || *end || !isfinite(value) || value < min || value > max) {
      snprintf(what, sizeof what, "must have %d number%s from %g to %g, got “%.20s”", count, count == 1 ? "" : "s",
               (double)min, (double)max, word);
      return set_error(l, what);
    }
    out[i] = value;
  }
  return true;
}

static bool read_colours(line_t *l, uint8_t (*out)[3], uint32_t *count) {
  char word[32], what[80];
  *count = 0;
  for (read_next_word(&l->at, l->end, word, sizeof word); word[0]; read_next_word(&l->at, l->end, word, sizeof word)) {
    if (*count == GRASS_MAX_COLOURS)
      return set_error(l, "has too many colours (at most 8)");
    if (strcmp(word, "#") == 0) { // the rest of the line is a comment
      l->at = l->end;
      break;
    }
    if (!read_colour(word, out[(*count)++])) {
      snprintf(what, sizeof what, "must have colours such as #8fc04a, got “%.20s”", word);
      return set_error(l, what);
    }
  }
  return *count > 0 || set_error(l, "must have a colour such as #8fc04a");
}

static bool read_root(line_t *l, uint8_t out[3]) {
  char word[32];
  read_next_word(&l->at, l->end, word, sizeof word);
  return read_colour(word, out) || set_error(l, "must be a colour such as #16321f");
}

static bool read_line(grass_kind_t *g, line_t *l) {
  if (strcmp(l->name, "blades") == 0)
    return read_numbers(l, &g->blades, 1, 0, 8);
  if (strcmp(l->name, "height") == 0)
    return read_numbers(l, g->height, 2, 1, 400);
  if (strcmp(l->name, "width") == 0)
    return read_numbers(l, g->width, 2, 0.2f, 60);
  if (strcmp(l->name, "root") == 0)
    return read_root(l, g->root);
  if (strcmp(l->name, "tips") == 0)
    return read_colours(l, g->tips, &g->tip_count);
  if (strcmp(l->name, "flowers") == 0)
    return read_numbers(l, &g->flowers, 1, 0, 1) && (g->flowers == 0.0f || read_colours(l, g->petals, &g->petal_count));
  if (strcmp(l->name, "wind") == 0)
    return read_numbers(l, g->wind, 1, 0, 2) && read_numbers(l, g->wind + 1, 1, 10, 5000) &&
           read_numbers(l, g->wind + 2, 1, 0, 20);
  if (strcmp(l->name, "shine") == 0)
    return read_numbers(l, &g->shine, 1, 0, 4);
  return set_error(l, "is unknown: expected blades, height, width, root, tips, flowers, wind or shine");
}

bool grass_read(grass_kind_t *out, const char *text, size_t size, uint32_t *line, char *words, size_t words_bytes) {
  const char *at = text, *end = text + size;
  grass_set_defaults(out);
  for (*line = 1; at < end; ++*line) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    char more[32];
    stop = stop ? stop : end;
    line_t l = {.at = at, .end = stop, .words = words, .words_bytes = words_bytes};
    read_next_word(&l.at, l.end, l.name, sizeof l.name);
    if (l.name[0] && l.name[0] != '#' && !read_line(out, &l))
      return false;
    read_next_word(&l.at, l.end, more, sizeof more);
    if (l.name[0] && l.name[0] != '#' && more[0] && strcmp(more, "#") != 0)
      return set_error(&l, "has too many values: remove the values at the end of the line");
    at = stop + 1;
  }
  *line = 0;
  return true;
}
