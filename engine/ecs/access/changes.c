// Writes changes as text. A line consists of a keyword and its values: numbers with all digits; strings preceded by a
// quote, with %XX for "%", spaces and control characters; "-" for NULL.
#include "access/changes.h"

#include "base/assert.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const changes_keywords[CHANGE_COUNT] = {"begin",      "end",     "text",     "term", "query", "spawn",
                                                    "spawn_with", "setting", "add_with", "kill", "add",   "remove",
                                                    "set",        "enter",   "emit",     "cell", "send",  "observe"};

static void append_bytes(access_o *a, const char *bytes, size_t count) {
  array_reserve(&a->memory, &a->changes, a->changes.count + (uint32_t)count + 1);
  memcpy(a->changes.items + a->changes.count, bytes, count);
  a->changes.count += (uint32_t)count;
  a->changes.items[a->changes.count] = '\0';
}

static void append_text(access_o *a, const char *text) {
  char escaped[4];
  append_bytes(a, text ? " \"" : " -", 2);
  for (; text && *text; ++text) {
    unsigned char c = (unsigned char)*text;
    bool plain = c > ' ' && c != '%' && c != 127;
    snprintf(escaped, sizeof escaped, plain ? "%c" : "%%%02X", c);
    append_bytes(a, escaped, plain ? 1 : 3);
  }
}

static void append_number(access_o *a, double number) {
  char text[40];
  append_bytes(a, text, (size_t)snprintf(text, sizeof text, " %.17g", number));
}

void changes_record(access_o *a, change_t kind, const char *types, ...) {
  va_list values;
  if (!a->records)
    return;
  shoal_assert(kind < CHANGE_COUNT, "change kind %d is out of range", (int)kind);
  append_bytes(a, changes_keywords[kind], strlen(changes_keywords[kind]));
  va_start(values, types);
  for (; *types; ++types)
    if (*types == 't')
      append_text(a, va_arg(values, const char *));
    else
      append_number(a, va_arg(values, double));
  va_end(values);
  append_bytes(a, "\n", 1);
}

void changes_record_settings(access_o *a, const shoal_field_value *settings, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const shoal_field_value *x = &settings[i];
    changes_record(a, CHANGE_SETTING, "ttttnt", x->child, x->component, x->instance, x->field, x->number, x->string);
  }
}

bool changes_has_content(const access_o *a) {
  return a->changes.count > 0 && strcmp(a->changes.items, "begin\n") != 0 &&
         strcmp(a->changes.items, "begin\nend\n") != 0;
}

void changes_clear(access_o *a) {
  a->changes.count = 0;
}
