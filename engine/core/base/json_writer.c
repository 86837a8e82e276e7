// Writes JSON directly: query results have thousands of values, and building a tree only to free it again would be
// slow.
#include "base/json_writer.h"

#include "base/assert.h"
#include "base/number_text.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void json_writer_init(json_writer_t *t, allocator_t *a) {
  shoal_assert(a, "allocator must not be NULL");
  *t = (json_writer_t){.allocator = a};
}

void json_writer_fini(json_writer_t *t) {
  array_free(t->allocator, &t->text);
}

void json_writer_clear(json_writer_t *t) {
  t->text.count = 0;
}

const char *json_writer_text(json_writer_t *t) {
  array_reserve(t->allocator, &t->text, t->text.count + 1);
  t->text.items[t->text.count] = '\0';
  return t->text.items;
}

char *json_writer_detach_text(json_writer_t *t) {
  array_push(t->allocator, &t->text, '\0');
  char *text = alloc_resize(t->allocator, t->text.items, t->text.capacity, t->text.count);
  json_writer_init(t, t->allocator);
  return text;
}

void json_write_bytes(json_writer_t *t, const char *bytes, size_t count) {
  if (count == 0)
    return;
  array_reserve(t->allocator, &t->text, t->text.count + (uint32_t)count);
  memcpy(t->text.items + t->text.count, bytes, count);
  t->text.count += (uint32_t)count;
}

void json_write_text(json_writer_t *t, const char *text) {
  json_write_bytes(t, text, strlen(text));
}

// Appends a comma, unless the next value or key is the first in the text, an array or an object, or the value of a key.
static void append_comma(json_writer_t *t) {
  char last = t->text.count > 0 ? t->text.items[t->text.count - 1] : '[';
  if (last != '[' && last != '{' && last != ':')
    json_write_bytes(t, ",", 1);
}

void json_write_begin(json_writer_t *t, char bracket) {
  shoal_assert(bracket == '{' || bracket == '[', "'%c' is not an opening bracket", bracket);
  append_comma(t);
  json_write_bytes(t, &bracket, 1);
}

void json_write_end(json_writer_t *t, char bracket) {
  shoal_assert(t->text.count > 0 && (bracket == '}' || bracket == ']'),
               "'%c' is not a closing bracket, or no bracket is open", bracket);
  json_write_bytes(t, &bracket, 1);
}

static void append_escaped(json_writer_t *t, char c) {
  static const char codes[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
  char escaped[8];
  const char *escape = c ? strchr(codes, c) : NULL;
  if (escape)
    snprintf(escaped, sizeof escaped, "\\%c", letters[escape - codes]);
  else
    snprintf(escaped, sizeof escaped, "\\u%04X", (unsigned)c);
  json_write_text(t, escaped);
}

bool json_write_quoted(json_writer_t *t, const char *text, size_t bytes) {
  bool is_utf8 = true;
  json_write_bytes(t, "\"", 1);
  for (size_t i = 0, count; i < bytes; i += count) {
    size_t plain = i;
    while (plain < bytes && text[plain] >= ' ' && text[plain] <= '~' && text[plain] != '"' && text[plain] != '\\')
      plain++;
    json_write_bytes(t, text + i, plain - i);
    i = plain;
    if (i == bytes)
      break;
    count = utf8_character_length_n(text + i, bytes - i);
    if (count > 1 || text[i] == 0x7f)
      json_write_bytes(t, text + i, count);
    else if (count == 1)
      append_escaped(t, text[i]);
    else
      json_write_text(t, "\\ufffd");
    is_utf8 &= count > 0;
    count += count == 0;
  }
  json_write_bytes(t, "\"", 1);
  return is_utf8;
}

void json_write_string_n(json_writer_t *t, const char *text, size_t bytes) {
  append_comma(t);
  json_write_quoted(t, text, bytes);
}

void json_write_string(json_writer_t *t, const char *text) {
  if (text)
    json_write_string_n(t, text, strlen(text));
  else
    json_write_null(t);
}

void json_write_key(json_writer_t *t, const char *key) {
  json_write_string(t, key);
  json_write_bytes(t, ":", 1);
}

static void append_number(json_writer_t *t, double number, bool is_float) {
  char digits[NUMBER_TEXT_BYTES];
  append_comma(t);
  if (isfinite(number))
    json_write_bytes(t, digits, number_to_text(number, is_float, digits));
  else
    json_write_text(t, "null");
}

void json_write_number(json_writer_t *t, double number) {
  append_number(t, number, false);
}

void json_write_float(json_writer_t *t, float number) {
  append_number(t, (double)number, true);
}

void json_write_floats(json_writer_t *t, const float *numbers, size_t count) {
  json_write_begin(t, '[');
  for (size_t i = 0; i < count; ++i)
    json_write_float(t, numbers[i]);
  json_write_end(t, ']');
}

void json_write_integer(json_writer_t *t, long long number) {
  char digits[32];
  append_comma(t);
  snprintf(digits, sizeof digits, "%lld", number);
  json_write_text(t, digits);
}

void json_write_bool(json_writer_t *t, bool value) {
  append_comma(t);
  json_write_text(t, value ? "true" : "false");
}

void json_write_null(json_writer_t *t) {
  append_comma(t);
  json_write_text(t, "null");
}

void json_write_raw(json_writer_t *t, const char *json, size_t bytes) {
  shoal_assert(bytes > 0, "JSON value must not be empty");
  append_comma(t);
  json_write_bytes(t, json, bytes);
}

void json_write_pair(json_writer_t *t, const char *key, const char *text) {
  json_write_key(t, key);
  json_write_string(t, text);
}

void json_write_integer_pair(json_writer_t *t, const char *key, long long number) {
  json_write_key(t, key);
  json_write_integer(t, number);
}

void json_write_bool_pair(json_writer_t *t, const char *key, bool value) {
  json_write_key(t, key);
  json_write_bool(t, value);
}
