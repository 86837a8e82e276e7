// Writes JSON by hand: rows of a question are thousands of values, and a tree of them would be freed right away.
#include "base/json_text.h"

#include "base/assert.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void json_text_init(json_text_t *t, allocator_t *a) {
  shoal_assert(a, "a text needs an allocator");
  *t = (json_text_t){.allocator = a};
}

void json_text_fini(json_text_t *t) {
  array_free(t->allocator, &t->text);
}

void json_text_clear(json_text_t *t) {
  t->text.count = 0;
}

void json_text_put(json_text_t *t, const char *bytes, size_t count) {
  array_reserve(t->allocator, &t->text, t->text.count + (uint32_t)count);
  memcpy(t->text.items + t->text.count, bytes, count);
  t->text.count += (uint32_t)count;
}

static void put_words(json_text_t *t, const char *words) {
  json_text_put(t, words, strlen(words));
}

// A comma, unless the value is the first of its list or stands behind its key.
static void separate(json_text_t *t) {
  char last = t->text.count > 0 ? t->text.items[t->text.count - 1] : '[';
  if (last != '[' && last != '{' && last != ':')
    json_text_put(t, ",", 1);
}

void json_text_begin(json_text_t *t, char bracket) {
  shoal_assert(bracket == '{' || bracket == '[', "'%c' opens nothing", bracket);
  separate(t);
  json_text_put(t, &bracket, 1);
}

void json_text_end(json_text_t *t, char bracket) {
  shoal_assert(t->text.count > 0 && (bracket == '}' || bracket == ']'), "'%c' closes nothing", bracket);
  json_text_put(t, &bracket, 1);
}

static void put_escaped(json_text_t *t, unsigned char c) {
  char escaped[8];
  snprintf(escaped, sizeof escaped, c == '"' || c == '\\' ? "\\%c" : "\\u%04x", c);
  put_words(t, escaped);
}

void json_text_string_n(json_text_t *t, const char *text, size_t bytes) {
  const unsigned char *at = (const unsigned char *)text;
  separate(t);
  json_text_put(t, "\"", 1);
  for (size_t i = 0; i < bytes;) {
    size_t plain = i;
    while (plain < bytes && at[plain] >= 0x20 && at[plain] < 0x7f && at[plain] != '"' && at[plain] != '\\')
      plain++;
    json_text_put(t, text + i, plain - i);
    i = plain;
    if (i == bytes)
      break;
    size_t count = utf8_length_n(text + i, bytes - i);
    if (count > 1)
      json_text_put(t, text + i, count);
    else if (count == 1)
      put_escaped(t, at[i]);
    else
      put_words(t, "\\ufffd"); // bytes that are no text
    i += count ? count : 1;
  }
  json_text_put(t, "\"", 1);
}

void json_text_string(json_text_t *t, const char *text) {
  if (text)
    json_text_string_n(t, text, strlen(text));
  else
    json_text_null(t);
}

void json_text_key(json_text_t *t, const char *key) {
  json_text_string(t, key);
  json_text_put(t, ":", 1);
}

void json_text_number(json_text_t *t, double number) {
  char digits[40];
  if (!isfinite(number)) {
    json_text_null(t);
    return;
  }
  separate(t);
  snprintf(digits, sizeof digits, "%.15g", number);
  if (strtod(digits, NULL) != number)
    snprintf(digits, sizeof digits, "%.17g", number);
  put_words(t, digits);
}

void json_text_float(json_text_t *t, float number) {
  char digits[40];
  if (!isfinite(number)) {
    json_text_null(t);
    return;
  }
  separate(t);
  for (int places = 6; places <= 9; ++places) {
    snprintf(digits, sizeof digits, "%.*g", places, (double)number);
    if (strtof(digits, NULL) == number)
      break;
  }
  put_words(t, digits);
}

void json_text_integer(json_text_t *t, long long number) {
  char digits[32];
  separate(t);
  snprintf(digits, sizeof digits, "%lld", number);
  put_words(t, digits);
}

void json_text_bool(json_text_t *t, bool truth) {
  separate(t);
  put_words(t, truth ? "true" : "false");
}

void json_text_null(json_text_t *t) {
  separate(t);
  put_words(t, "null");
}

void json_text_raw(json_text_t *t, const char *json, size_t bytes) {
  shoal_assert(bytes > 0, "no value is JSON of no length");
  separate(t);
  json_text_put(t, json, bytes);
}

void json_text_pair(json_text_t *t, const char *key, const char *text) {
  json_text_key(t, key);
  json_text_string(t, text);
}

void json_text_pair_integer(json_text_t *t, const char *key, long long number) {
  json_text_key(t, key);
  json_text_integer(t, number);
}

void json_text_pair_bool(json_text_t *t, const char *key, bool truth) {
  json_text_key(t, key);
  json_text_bool(t, truth);
}
