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

// Copies the next word of the line to `out`, truncated to fit, and advances `cursor`. Stores "" at the end of the line.
static void read_next_word(const char **cursor, const char *end, char *out, size_t bytes) {
  const char *begin = *cursor;
  while (begin < end && (*begin == ' ' || *begin == '\t' || *begin == '\r'))
    ++begin;
  const char *stop = begin;
  while (stop < end && *stop != ' ' && *stop != '\t' && *stop != '\r')
    ++stop;
  size_t length = (size_t)(stop - begin) < bytes ? (size_t)(stop - begin) : bytes - 1;
  memcpy(out, begin, length);
  out[length] = '\0';
  *cursor = stop;
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
  char name[32], *message;
  size_t message_bytes;
} line_t;

static bool set_error(line_t *line, const char *problem) {
  snprintf(line->message, line->message_bytes, "%s %s", line->name, problem);
  return false;
}

static bool read_numbers(line_t *line, float *out, int count, float min, float max) {
  char word[32], problem[96];
  for (int i = 0; i < count; ++i) {
    char *end;
    read_next_word(&line->at, line->end, word, sizeof word);
    float value = strtof(word, &end);
    if (!word[0] || *end || !isfinite(value) || value < min || value > max) {
      snprintf(problem, sizeof problem, "must have %d number%s from %g to %g, got “%.20s”", count,
               count == 1 ? "" : "s", (double)min, (double)max, word);
      return set_error(line, problem);
    }
    out[i] = value;
  }
  return true;
}

static bool read_colours(line_t *line, uint8_t (*out)[3], uint32_t *count) {
  char word[32], problem[80];
  *count = 0;
  for (read_next_word(&line->at, line->end, word, sizeof word); word[0];
       read_next_word(&line->at, line->end, word, sizeof word)) {
    if (*count == GRASS_MAX_COLOURS)
      return set_error(line, "has too many colours (at most 8)");
    if (strcmp(word, "#") == 0) { // the rest of the line is a comment
      line->at = line->end;
      break;
    }
    if (!read_colour(word, out[(*count)++])) {
      snprintf(problem, sizeof problem, "must have colours such as #8fc04a, got “%.20s”", word);
      return set_error(line, problem);
    }
  }
  return *count > 0 || set_error(line, "must have a colour such as #8fc04a");
}

static bool read_root(line_t *line, uint8_t out[3]) {
  char word[32];
  read_next_word(&line->at, line->end, word, sizeof word);
  return read_colour(word, out) || set_error(line, "must be a colour such as #16321f");
}

static bool read_line(grass_kind_t *kind, line_t *line) {
  if (strcmp(line->name, "blades") == 0)
    return read_numbers(line, &kind->blades, 1, 0, 8);
  if (strcmp(line->name, "height") == 0)
    return read_numbers(line, kind->height, 2, 1, 400);
  if (strcmp(line->name, "width") == 0)
    return read_numbers(line, kind->width, 2, 0.2f, 60);
  if (strcmp(line->name, "root") == 0)
    return read_root(line, kind->root);
  if (strcmp(line->name, "tips") == 0)
    return read_colours(line, kind->tips, &kind->tip_count);
  if (strcmp(line->name, "flowers") == 0)
    return read_numbers(line, &kind->flowers, 1, 0, 1) &&
           (kind->flowers == 0.0f || read_colours(line, kind->petals, &kind->petal_count));
  if (strcmp(line->name, "wind") == 0)
    return read_numbers(line, kind->wind, 1, 0, 2) && read_numbers(line, kind->wind + 1, 1, 10, 5000) &&
           read_numbers(line, kind->wind + 2, 1, 0, 20);
  if (strcmp(line->name, "shine") == 0)
    return read_numbers(line, &kind->shine, 1, 0, 4);
  return set_error(line, "is unknown: expected blades, height, width, root, tips, flowers, wind or shine");
}

bool grass_read(grass_kind_t *out, const char *text, size_t size, uint32_t *line, char *message, size_t message_bytes) {
  const char *cursor = text, *end = text + size;
  grass_set_defaults(out);
  for (*line = 1; cursor < end; ++*line) {
    const char *stop = memchr(cursor, '\n', (size_t)(end - cursor));
    char extra[32];
    stop = stop ? stop : end;
    line_t parser = {.at = cursor, .end = stop, .message = message, .message_bytes = message_bytes};
    read_next_word(&parser.at, parser.end, parser.name, sizeof parser.name);
    if (parser.name[0] && parser.name[0] != '#' && !read_line(out, &parser))
      return false;
    read_next_word(&parser.at, parser.end, extra, sizeof extra);
    if (parser.name[0] && parser.name[0] != '#' && extra[0] && strcmp(extra, "#") != 0)
      return set_error(&parser, "has too many values: remove the values at the end of the line");
    cursor = stop + 1;
  }
  *line = 0;
  return true;
}
