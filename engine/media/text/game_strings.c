// Implements game strings: strings by language and key, and a cache of recently resolved references, both in hash
// tables.
#include "text/game_strings.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/hash.h"
#include "base/hash_table.h"
#include "base/log_once.h"
#include "base/nearest_name.h"

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LANGUAGES 64u
#define LANGUAGE_BYTES 32u
#define KEY_BYTES 200u
#define MAX_DEPTH 4 // maximum nesting of references in values
#define MAX_WARNINGS 256u

typedef struct phrase_t {
  uint64_t hash;
  uint32_t language;
  uint32_t key;                 // offset in `bytes`
  uint32_t forms[PLURAL_FORMS]; // offsets in `bytes`; 0 if missing
} phrase_t;

typedef struct resolved_t {
  char *reference, *text; // both strings, in a single allocation
  size_t bytes;
} resolved_t;

typedef ARRAY(char) text_buffer_t;

struct game_strings_o {
  allocator_t allocator;
  log_o *log;
  game_strings_language_t language;
  void *context;
  char languages[MAX_LANGUAGES][LANGUAGE_BYTES];
  uint32_t language_count, current_language;
  ARRAY(phrase_t) phrases;
  text_buffer_t bytes;         // strings of all phrases; starts with '\0', so that offset 0 means "missing"
  hash_table_t phrases_by_key; // index + 1 of each phrase, by key
  ARRAY(resolved_t) resolved;
  hash_table_t resolved_by_reference; // values are indices + 1
  size_t resolved_bytes;
  log_once_t logged;
  uint64_t content_hash; // hash of all strings added
};

// --- strings by key

static void add_bytes(game_strings_o *p, text_buffer_t *buffer, const void *bytes, size_t count) {
  if (count == 0)
    return; // both pointers may be NULL
  array_reserve(&p->allocator, buffer, buffer->count + (uint32_t)count);
  memcpy(buffer->items + buffer->count, bytes, count);
  buffer->count += (uint32_t)count;
}

static uint64_t hash_key(uint32_t language, const char *key, size_t bytes) {
  return hash_bytes(key, bytes, language);
}

static phrase_t *find_phrase(const game_strings_o *strings, uint32_t language, const char *key, size_t bytes) {
  uint64_t hash = hash_key(language, key, bytes);
  for (uint32_t cursor = 0, i; (i = hash_table_find_next(&strings->phrases_by_key, hash, &cursor)) != 0;) {
    phrase_t *phrase = &strings->phrases.items[i - 1];
    const char *stored_key = strings->bytes.items + phrase->key;
    if (phrase->hash == hash && phrase->language == language && strncmp(stored_key, key, bytes) == 0 &&
        stored_key[bytes] == '\0')
      return phrase;
  }
  return NULL;
}

static phrase_t *add_phrase(game_strings_o *p, uint32_t language, const char *key) {
  size_t bytes = strlen(key);
  phrase_t phrase = {.hash = hash_key(language, key, bytes), .language = language, .key = p->bytes.count};
  add_bytes(p, &p->bytes, key, bytes + 1);
  array_push(&p->allocator, &p->phrases, phrase);
  hash_table_insert(&p->phrases_by_key, &p->allocator, phrase.hash, p->phrases.count);
  return &p->phrases.items[p->phrases.count - 1];
}

// Returns the language's index, or language_count if the language is unknown.
static uint32_t find_language(const game_strings_o *p, const char *name) {
  uint32_t i = 0;
  while (i < p->language_count && strcmp(p->languages[i], name) != 0)
    ++i;
  return i;
}

static void clear_cache(game_strings_o *p) {
  for (uint32_t i = 0; i < p->resolved.count; ++i)
    alloc_resize(&p->allocator, p->resolved.items[i].reference, p->resolved.items[i].bytes, 0);
  array_free(&p->allocator, &p->resolved);
  hash_table_free(&p->resolved_by_reference, &p->allocator);
  p->resolved_bytes = 0;
}

void game_strings_add(game_strings_o *strings, const char *language, const char *key, plural_t form, const char *text) {
  uint32_t language_index = find_language(strings, language);
  if (form >= PLURAL_FORMS || (language_index == strings->language_count && language_index == MAX_LANGUAGES))
    return;
  if (language_index == strings->language_count)
    snprintf(strings->languages[strings->language_count++], LANGUAGE_BYTES, "%s", language);
  phrase_t *phrase = find_phrase(strings, language_index, key, strlen(key));
  phrase = phrase ? phrase : add_phrase(strings, language_index, key);
  phrase->forms[form] = strings->bytes.count;
  add_bytes(strings, &strings->bytes, text, strlen(text) + 1);
  strings->content_hash =
      hash_bytes(&form, sizeof form, hash_bytes(text, strlen(text), strings->content_hash ^ phrase->hash));
  clear_cache(strings);
}

// --- warnings, logged once

static bool record_warning(game_strings_o *p, uint64_t hash) {
  return !log_is_muted(p->log) && log_once_add(&p->logged, &p->allocator, hash, MAX_WARNINGS);
}

static void warn_missing(game_strings_o *p, const char *key, size_t bytes, const char *value) {
  if (record_warning(p, hash_bytes(value, strlen(value), hash_bytes(key, bytes, 1))))
    log_warn(p->log, "strings/%s.lua: %.*s contains {%s}, but no value of that name was passed: pass { %s = … }",
             p->languages[p->current_language], (int)bytes, key, value, value);
}

// --- resolving references

typedef struct resolver_t {
  game_strings_o *strings;
  const char *key; // key of the innermost reference
  size_t key_bytes;
  json_t *values; // values of placeholders; may be NULL
  int depth;
  text_buffer_t *out;
} resolver_t;

static bool is_key(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

static bool is_name(char c) {
  return is_key(c) && c != '.' && c != '-';
}

static void append_resolved_line(game_strings_o *strings, const char *line, size_t bytes, int depth,
                                 text_buffer_t *out);

static void number_to_text(json_t *value, char *out, size_t bytes) {
  if (json_is_integer(value))
    snprintf(out, bytes, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
  else if (json_is_real(value))
    snprintf(out, bytes, "%.14g", json_real_value(value));
  else
    snprintf(out, bytes, "%s", json_is_string(value) ? json_string_value(value) : "");
}

static void append_value(const resolver_t *resolver, const char *name) {
  json_t *value = json_object_get(resolver->values, name);
  char number[64];
  if (json_is_string(value)) {
    append_resolved_line(resolver->strings, json_string_value(value), json_string_length(value), resolver->depth + 1,
                         resolver->out);
  } else if (json_is_number(value)) {
    number_to_text(value, number, sizeof number);
    add_bytes(resolver->strings, resolver->out, number, strlen(number));
  } else {
    warn_missing(resolver->strings, resolver->key, resolver->key_bytes, name);
    add_bytes(resolver->strings, resolver->out, "{", 1);
    add_bytes(resolver->strings, resolver->out, name, strlen(name));
    add_bytes(resolver->strings, resolver->out, "}", 1);
  }
}

// Returns the length of the placeholder "{name}" at `text`, or 0 if the brace is literal.
static size_t read_name(const char *text, char name[64]) {
  size_t bytes = 0;
  while (bytes < 63 && is_name(text[bytes + 1]))
    ++bytes;
  memcpy(name, text + 1, bytes);
  name[bytes] = '\0';
  return bytes > 0 && text[bytes + 1] == '}' ? bytes + 2 : 0;
}

static void append_text(const resolver_t *resolver, const char *text) {
  char name[64];
  for (size_t length; *text; text += length) {
    length = *text == '{' && text[1] != '{' ? read_name(text, name) : 0;
    if (length > 0) {
      append_value(resolver, name);
      continue;
    }
    length = text[0] == '{' && text[1] == '{' ? 2 : 1 + strcspn(text + 1, "{"); // "{{" stands for a literal brace
    add_bytes(resolver->strings, resolver->out, text, length == 2 && text[1] == '{' ? 1 : length);
  }
}

static const char *choose_form(const game_strings_o *p, const phrase_t *phrase, json_t *values) {
  char number[64];
  number_to_text(json_object_get(values, "n"), number, sizeof number);
  uint32_t form = phrase->forms[plural_choose(p->languages[phrase->language], number)];
  return p->bytes.items + (form ? form : phrase->forms[PLURAL_OTHER]);
}

// Resolves a line such as "@menu.lives {"n":3}" and appends its text. Returns true on success, or false if the line is
// not a reference, its key is unknown, its values are invalid, or it is nested too deeply.
static bool append_reference(game_strings_o *strings, const char *line, size_t bytes, int depth, text_buffer_t *out) {
  size_t key_end = 1;
  json_t *values = NULL;
  while (key_end < bytes && key_end < KEY_BYTES && is_key(line[key_end]))
    ++key_end;
  if (key_end == 1 || depth > MAX_DEPTH)
    return false;
  if (key_end < bytes) {
    if (line[key_end] != ' ' || line[key_end + 1] != '{')
      return false;
    values = json_loadb(line + key_end + 1, bytes - key_end - 1, 0, NULL);
  }
  const phrase_t *phrase = find_phrase(strings, strings->current_language, line + 1, key_end - 1);
  for (uint32_t i = 0; !phrase && i < strings->language_count; ++i)
    phrase = find_phrase(strings, i, line + 1, key_end - 1);
  bool ok = phrase && (values || key_end == bytes);
  if (ok) {
    resolver_t resolver = {
        .strings = strings, .key = line + 1, .key_bytes = key_end - 1, .values = values, .depth = depth, .out = out};
    append_text(&resolver, choose_form(strings, phrase, values));
  }
  json_decref(values);
  return ok;
}

static void warn_unknown(game_strings_o *strings, const char *line, size_t bytes) {
  char key[NEAREST_NAME_MAX_BYTES] = "", hint[NEAREST_NAME_MAX_BYTES + 32];
  nearest_name_t nearest;
  if (!record_warning(strings, hash_bytes(line, bytes, 2)))
    return;
  for (size_t i = 1; i < bytes && i < sizeof key && is_key(line[i]); ++i)
    key[i - 1] = line[i];
  key[sizeof key - 1] = '\0';
  nearest_name_init(&nearest, key);
  for (uint32_t i = 0; i < strings->phrases.count; ++i)
    if (strings->phrases.items[i].language == 0)
      nearest_name_offer(&nearest, strings->bytes.items + strings->phrases.items[i].key);
  log_warn(strings->log, "strings/%s.lua: no text for %.*s: showing the key itself%s", strings->languages[0],
           (int)(bytes < 200 ? bytes : 200), line, nearest_name_hint(&nearest, hint, sizeof hint));
}

static void append_resolved_line(game_strings_o *p, const char *line, size_t bytes, int depth, text_buffer_t *out) {
  if (bytes > 1 && line[0] == '@' && append_reference(p, line, bytes, depth, out))
    return;
  if (bytes > 1 && line[0] == '@' && is_key(line[1]))
    warn_unknown(p, line, bytes);
  add_bytes(p, out, line, bytes);
}

// --- cache of resolved strings

static void update_language(game_strings_o *strings) {
  const char *name = strings->language(strings->context);
  uint32_t language = strings->current_language < strings->language_count &&
                              strcmp(strings->languages[strings->current_language], name) == 0
                          ? strings->current_language
                          : find_language(strings, name);
  language = language < strings->language_count ? language : 0;
  if (language != strings->current_language)
    clear_cache(strings);
  strings->current_language = language;
}

static const char *resolve_text(game_strings_o *strings, uint64_t hash, const char *reference) {
  text_buffer_t out = {0};
  for (const char *line = reference;; ++line) {
    size_t bytes = strcspn(line, "\n");
    append_resolved_line(strings, line, bytes, 0, &out);
    line += bytes;
    add_bytes(strings, &out, line, 1); // the line end: '\n' or '\0'
    if (*line == '\0')
      break;
  }
  size_t reference_bytes = strlen(reference) + 1;
  resolved_t entry = {.bytes = reference_bytes + out.count};
  entry.reference = alloc_resize(&strings->allocator, NULL, 0, entry.bytes);
  entry.text = entry.reference + reference_bytes;
  memcpy(entry.reference, reference, reference_bytes);
  memcpy(entry.text, out.items, out.count);
  array_push(&strings->allocator, &strings->resolved, entry);
  hash_table_insert(&strings->resolved_by_reference, &strings->allocator, hash, strings->resolved.count);
  strings->resolved_bytes += entry.bytes;
  array_free(&strings->allocator, &out);
  return entry.text;
}

const char *game_strings_resolve(game_strings_o *strings, const char *text) {
  if (!strings || (text[0] != '@' && !strstr(text, "\n@")))
    return text;
  update_language(strings);
  if (strings->resolved_bytes > GAME_STRINGS_CACHE_BYTES)
    clear_cache(strings);
  uint64_t hash = hash_text(text);
  for (uint32_t cursor = 0, i; (i = hash_table_find_next(&strings->resolved_by_reference, hash, &cursor)) != 0;)
    if (strcmp(strings->resolved.items[i - 1].reference, text) == 0)
      return strings->resolved.items[i - 1].text;
  return resolve_text(strings, hash, text);
}

const char *game_strings_language(const game_strings_o *p) {
  const char *language = p && p->language ? p->language(p->context) : NULL;
  return language ? language : "";
}

uint64_t game_strings_version(game_strings_o *p) {
  if (!p)
    return 0;
  update_language(p);
  return p->content_hash + p->current_language;
}

// --- life cycle

game_strings_o *game_strings_create(log_o *log, game_strings_language_t language, void *context) {
  game_strings_o *p = alloc_object(sizeof *p);
  p->log = log;
  p->language = language;
  p->context = context;
  add_bytes(p, &p->bytes, "", 1);
  return p;
}

void game_strings_destroy(game_strings_o *strings) {
  if (!strings)
    return;
  clear_cache(strings);
  array_free(&strings->allocator, &strings->phrases);
  array_free(&strings->allocator, &strings->bytes);
  hash_table_free(&strings->phrases_by_key, &strings->allocator);
  array_free(&strings->allocator, &strings->logged);
  shoal_assert(strings->allocator.bytes == 0, "game strings leaked %zu bytes", strings->allocator.bytes);
  free(strings);
}
