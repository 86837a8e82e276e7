// Writes changes as text. A line consists of a keyword and its values: numbers with all digits; strings preceded by a
// quote, with %XX for "%", spaces and control characters; "-" for NULL.
#include "access/changes.h"

#include "base/assert.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const changes_keywords[CHANGE_COUNT] = {
    "begin", "end",    "text", "term",  "query", "spawn", "spawn_with", "setting", "add_with", "kill",
    "add",   "remove", "set",  "enter", "emit",  "cell",  "send",       "observe", "add_pair", "remove_pair"};

static void append_bytes(access_o *access, const char *bytes, size_t count) {
  array_reserve(&access->memory, &access->changes, access->changes.count + (uint32_t)count + 1);
  memcpy(access->changes.items + access->changes.count, bytes, count);
  access->changes.count += (uint32_t)count;
  access->changes.items[access->changes.count] = '\0';
}

static void append_text(access_o *access, const char *text) {
  char escaped[4];
  append_bytes(access, text ? " \"" : " -", 2);
  for (; text && *text; ++text) {
    unsigned char c = (unsigned char)*text;
    bool is_plain = c > ' ' && c != '%' && c != 127;
    snprintf(escaped, sizeof escaped, is_plain ? "%c" : "%%%02X", c);
    append_bytes(access, escaped, is_plain ? 1 : 3);
  }
}

static void append_number(access_o *access, double number) {
  char text[40];
  append_bytes(access, text, (size_t)snprintf(text, sizeof text, " %.17g", number));
}

void changes_append(access_o *access, change_t kind, const char *types, ...) {
  va_list values;
  shoal_assert(kind < CHANGE_COUNT, "change kind %d is out of range", (int)kind);
  append_bytes(access, changes_keywords[kind], strlen(changes_keywords[kind]));
  va_start(values, types);
  for (; *types; ++types)
    if (*types == 't')
      append_text(access, va_arg(values, const char *));
    else
      append_number(access, va_arg(values, double));
  va_end(values);
  append_bytes(access, "\n", 1);
}

void changes_record_settings(access_o *access, const shoal_field_value *settings, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const shoal_field_value *setting = &settings[i];
    changes_record(access, CHANGE_SETTING, "ttttnt", setting->child, setting->component, setting->instance,
                   setting->field, setting->number, setting->string);
  }
}

bool changes_has_content(const access_o *access) {
  return access->changes.count > 0 && strcmp(access->changes.items, "begin\n") != 0 &&
         strcmp(access->changes.items, "begin\nend\n") != 0;
}

void changes_clear(access_o *access) {
  access->changes.count = 0;
}
