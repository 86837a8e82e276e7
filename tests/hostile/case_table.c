// Parser for the tables of hostile cases.
#include "hostile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char OPEN[] = "«", CLOSE[] = "»", DOT[] = "·", NUMBER[] = "№", ARROW[] = " => ";

_Noreturn void hostile_die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  printf("not ok the test itself: ");
  vprintf(format, arguments);
  printf("\n");
  va_end(arguments);
  exit(2);
}

static char *copy_range(const char *from, const char *to) {
  size_t bytes = (size_t)(to - from);
  char *text = memcpy(malloc(bytes + 1), from, bytes);
  text[bytes] = '\0';
  return text;
}

// Appends the part with each № replaced by the number. Returns the number of bytes written.
static size_t append_part(char *out, const char *part, unsigned number) {
  size_t used = 0;
  for (const char *at; (at = strstr(part, NUMBER)) != NULL; part = at + strlen(NUMBER)) {
    memcpy(out + used, part, (size_t)(at - part));
    used += (size_t)(at - part);
    used += (size_t)sprintf(out + used, "%u", number);
  }
  memcpy(out + used, part, strlen(part));
  return used + strlen(part);
}

// Expands "N·PART·BETWEEN": "400·x·, " becomes "x, x, …", with x repeated 400 times.
static char *repeat(char *inside) {
  char *part = strstr(inside, DOT), *between = part ? strstr(part + strlen(DOT), DOT) : NULL;
  if (!part || !between)
    hostile_die("«%s» is no N·PART·BETWEEN", inside);
  *part = *between = '\0';
  part += strlen(DOT);
  between += strlen(DOT);
  unsigned count = (unsigned)strtoul(inside, NULL, 10);
  // № takes three bytes, a number at most ten
  char *out = malloc(count * (4 * strlen(part) + 4 * strlen(between) + 16) + 1);
  size_t used = 0;
  for (unsigned i = 0; i < count; ++i) {
    used += i ? append_part(out + used, between, i) : 0;
    used += append_part(out + used, part, i);
  }
  out[used] = '\0';
  return out;
}

// Expands all repetitions, the innermost first.
static char *expand_repetitions(char *text) {
  for (char *close; (close = strstr(text, CLOSE)) != NULL;) {
    char *open = NULL;
    for (char *at = text; (at = strstr(at, OPEN)) != NULL && at < close; at += strlen(OPEN))
      open = at;
    if (!open)
      hostile_die("%.60s: » without «", text);
    char *inside = copy_range(open + strlen(OPEN), close), *much = repeat(inside);
    char *whole = malloc((size_t)(open - text) + strlen(much) + strlen(close) + 1);
    memcpy(whole, text, (size_t)(open - text));
    strcpy(whole + (open - text), much);
    strcat(whole + (open - text), close + strlen(CLOSE));
    free(inside);
    free(much);
    free(text);
    text = whole;
  }
  return text;
}

static void read_line(hostile_table_t *t, const char *path, uint32_t number, char *line, bool all) {
  char *arrow = NULL;
  line[strcspn(line, "\n")] = '\0';
  bool is_long = strncmp(line, "long: ", 6) == 0;
  if (!line[0] || line[0] == '#' || (is_long && !all))
    return;
  line += is_long ? 6 : 0;
  for (char *at = line; (at = strstr(at, ARROW)) != NULL; at += strlen(ARROW))
    arrow = at;
  if (!arrow || t->count == HOSTILE_MAX_CASES)
    hostile_die("%s:%u: a case is RECIPE => WORDS, and %u are the most", path, number, HOSTILE_MAX_CASES);
  t->cases[t->count++] = (hostile_case_t){.line = number,
                                          .recipe = expand_repetitions(copy_range(line, arrow)),
                                          .words = expand_repetitions(strdup(arrow + strlen(ARROW)))};
}

void hostile_read_table(hostile_table_t *t, const char *path, bool all) {
  char *line = NULL;
  size_t room = 0;
  uint32_t number = 0;
  FILE *file = fopen(path, "r");
  if (!file)
    hostile_die("%s cannot be read", path);
  while (getline(&line, &room, file) >= 0)
    read_line(t, path, ++number, line, all);
  free(line);
  fclose(file);
}

void hostile_free_table(hostile_table_t *t) {
  for (uint32_t i = 0; i < t->count; ++i) {
    free(t->cases[i].recipe);
    free(t->cases[i].words);
  }
  t->count = 0;
}

char *hostile_quoted(const char *text) {
  char *out = malloc(4 * strlen(text) + 3), *at = out;
  *at++ = '"';
  for (; *text; ++text)
    if ((unsigned char)*text < 32 || *text == '"' || *text == '\\')
      at += sprintf(at, "\\%03u", (unsigned char)*text);
    else
      *at++ = *text;
  strcpy(at, "\"");
  return out;
}
