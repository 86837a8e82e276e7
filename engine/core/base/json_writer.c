// Writes JSON directly: query results have thousands of values, and building a tree only to free it again would be
// slow.
#include "base/json_writer.h"

#include "base/assert.h"
#include "base/number_text.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void json_writer_init(json_writer_t *writer, allocator_t *a) {
  shoal_assert(a, "a must not be NULL");
  *writer = (json_writer_t){.allocator = a};
}

void json_writer_fini(json_writer_t *writer) {
  array_free(writer->allocator, &writer->text);
}

void json_writer_clear(json_writer_t *writer) {
  writer->text.count = 0;
  if (writer->text.items)
    writer->text.items[0] = '\0';
}

const char *json_writer_text(const json_writer_t *writer) {
  return writer->text.items ? writer->text.items : "";
}

char *json_writer_detach_text(json_writer_t *writer) {
  array_push(writer->allocator, &writer->text, '\0');
  char *text = alloc_resize(writer->allocator, writer->text.items, writer->text.capacity, writer->text.count);
  json_writer_init(writer, writer->allocator);
  return text;
}

void json_write_bytes(json_writer_t *writer, const char *bytes, size_t count) {
  if (count == 0)
    return;
  array_reserve(writer->allocator, &writer->text, writer->text.count + (uint32_t)count + 1);
  memcpy(writer->text.items + writer->text.count, bytes, count);
  writer->text.count += (uint32_t)count;
  writer->text.items[writer->text.count] = '\0';
}

void json_write_text(json_writer_t *writer, const char *text) {
  json_write_bytes(writer, text, strlen(text));
}

// Appends a comma, unless the next value or key is the first in the text, an array or an object, or the value of a key.
static void append_comma(json_writer_t *writer) {
  char last = writer->text.count > 0 ? writer->text.items[writer->text.count - 1] : '[';
  if (last != '[' && last != '{' && last != ':')
    json_write_bytes(writer, ",", 1);
}

void json_write_begin(json_writer_t *writer, char bracket) {
  shoal_assert(bracket == '{' || bracket == '[', "'%c' is not an opening bracket", bracket);
  append_comma(writer);
  json_write_bytes(writer, &bracket, 1);
}

void json_write_end(json_writer_t *writer, char bracket) {
  shoal_assert(writer->text.count > 0 && (bracket == '}' || bracket == ']'),
               "'%c' is not a closing bracket, or no bracket is open", bracket);
  json_write_bytes(writer, &bracket, 1);
}

static void append_escaped(json_writer_t *writer, char c) {
  static const char codes[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
  char escaped[8];
  const char *escape = c ? strchr(codes, c) : NULL;
  if (escape)
    snprintf(escaped, sizeof escaped, "\\%c", letters[escape - codes]);
  else
    snprintf(escaped, sizeof escaped, "\\u%04X", (unsigned)c);
  json_write_text(writer, escaped);
}

bool json_write_quoted(json_writer_t *writer, const char *text, size_t bytes) {
  bool is_utf8 = true;
  json_write_bytes(writer, "\"", 1);
  for (size_t i = 0, count; i < bytes; i += count) {
    size_t plain_end = i;
    while (plain_end < bytes && text[plain_end] >= ' ' && text[plain_end] <= '~' && text[plain_end] != '"' &&
           text[plain_end] != '\\')
      plain_end++;
    json_write_bytes(writer, text + i, plain_end - i);
    i = plain_end;
    if (i == bytes)
      break;
    count = utf8_character_length_n(text + i, bytes - i);
    if (count > 1 || text[i] == 0x7f)
      json_write_bytes(writer, text + i, count);
    else if (count == 1)
      append_escaped(writer, text[i]);
    else
      json_write_text(writer, "\\ufffd");
    is_utf8 &= count > 0;
    count += count == 0;
  }
  json_write_bytes(writer, "\"", 1);
  return is_utf8;
}

void json_write_string_n(json_writer_t *writer, const char *text, size_t bytes) {
  append_comma(writer);
  json_write_quoted(writer, text, bytes);
}

void json_write_string(json_writer_t *writer, const char *text) {
  if (text)
    json_write_string_n(writer, text, strlen(text));
  else
    json_write_null(writer);
}

void json_write_key(json_writer_t *writer, const char *key) {
  json_write_string(writer, key);
  json_write_bytes(writer, ":", 1);
}

static void append_number(json_writer_t *writer, double number, bool is_float) {
  char digits[NUMBER_TEXT_BYTES];
  append_comma(writer);
  if (isfinite(number))
    json_write_bytes(writer, digits, number_to_text(number, is_float, digits));
  else
    json_write_text(writer, "null");
}

void json_write_number(json_writer_t *writer, double number) {
  append_number(writer, number, false);
}

void json_write_float(json_writer_t *writer, float number) {
  append_number(writer, (double)number, true);
}

void json_write_floats(json_writer_t *writer, const float *numbers, size_t count) {
  json_write_begin(writer, '[');
  for (size_t i = 0; i < count; ++i)
    json_write_float(writer, numbers[i]);
  json_write_end(writer, ']');
}

void json_write_integer(json_writer_t *writer, long long number) {
  char digits[32];
  append_comma(writer);
  snprintf(digits, sizeof digits, "%lld", number);
  json_write_text(writer, digits);
}

void json_write_bool(json_writer_t *writer, bool value) {
  append_comma(writer);
  json_write_text(writer, value ? "true" : "false");
}

void json_write_null(json_writer_t *writer) {
  append_comma(writer);
  json_write_text(writer, "null");
}

void json_write_raw(json_writer_t *writer, const char *json, size_t bytes) {
  shoal_assert(bytes > 0, "JSON value must not be empty");
  append_comma(writer);
  json_write_bytes(writer, json, bytes);
}

void json_write_pair(json_writer_t *writer, const char *key, const char *text) {
  json_write_key(writer, key);
  json_write_string(writer, text);
}

void json_write_integer_pair(json_writer_t *writer, const char *key, long long number) {
  json_write_key(writer, key);
  json_write_integer(writer, number);
}

void json_write_bool_pair(json_writer_t *writer, const char *key, bool value) {
  json_write_key(writer, key);
  json_write_bool(writer, value);
}
