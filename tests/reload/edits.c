// The edit functions and their table.
#include "edits.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HUGE_BYTES (3u << 20)

static uint32_t random_below(random_t *r, uint32_t n) {
  return n ? random_u32(r) % n : 0;
}

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

// --- choosing a file

static bool pick_file(const folder_t *f, random_t *r, const char *prefix, const char *suffix, char *path) {
  uint32_t first = random_below(r, f->count);
  for (uint32_t i = 0; i < f->count; ++i) {
    const char *name = f->files[(first + i) % f->count].path;
    bool asset = strncmp(name, "assets/", 7) == 0;
    if (strncmp(name, prefix, strlen(prefix)) != 0 || !ends_with(name, suffix) || (asset && !prefix[0]))
      continue;
    snprintf(path, 1024, "%s", name);
    return true;
  }
  return false;
}

// A text that is being edited, with spare capacity at its end.
typedef struct text_t {
  char *bytes;
  size_t size, room;
} text_t;

static bool open_text(const folder_t *f, random_t *r, const char *prefix, char *path, text_t *t) {
  if (!pick_file(f, r, prefix, ".lua", path))
    return false;
  size_t size = 0;
  char *bytes = folder_read(f, path, &size);
  if (!bytes)
    return false;
  *t = (text_t){.bytes = realloc(bytes, size + HUGE_BYTES), .size = size, .room = size + HUGE_BYTES};
  if (!t->bytes)
    abort();
  return true;
}

static bool close_text(const folder_t *f, const char *path, text_t *t) {
  folder_write(f, path, t->bytes, t->size);
  free(t->bytes);
  return true;
}

static void splice(text_t *t, size_t at, size_t gone, const char *with, size_t bytes) {
  if (t->size - gone + bytes > t->room)
    return;
  memmove(t->bytes + at + bytes, t->bytes + at + gone, t->size - at - gone);
  memcpy(t->bytes + at, with, bytes);
  t->size += bytes - gone;
}

static size_t line_start(const text_t *t, size_t at) {
  while (at > 0 && t->bytes[at - 1] != '\n')
    at--;
  return at;
}

static size_t line_end(const text_t *t, size_t at) {
  while (at < t->size && t->bytes[at] != '\n')
    at++;
  return at < t->size ? at + 1 : at;
}

typedef struct span_t {
  size_t from, to;
} span_t;

static span_t random_line(const text_t *t, random_t *r) {
  size_t at = random_below(r, (uint32_t)t->size);
  return (span_t){line_start(t, at), line_end(t, at)};
}

// Finds the first word at or after a random position, continuing at the start of the text. `starts` accepts the first
// character of a word, `goes_on` its other characters. Returns false if the text contains no such word.
static bool random_word(const text_t *t, random_t *r, int (*starts)(int), int (*goes_on)(int), span_t *out) {
  size_t first = random_below(r, (uint32_t)t->size);
  for (size_t i = 0; i < t->size; ++i) {
    size_t at = (first + i) % t->size;
    bool inside = at > 0 && (isalnum((unsigned char)t->bytes[at - 1]) || t->bytes[at - 1] == '_');
    if (inside || !starts((unsigned char)t->bytes[at]))
      continue;
    out->from = out->to = at;
    while (out->to < t->size && goes_on((unsigned char)t->bytes[out->to]))
      out->to++;
    return true;
  }
  return false;
}

static int is_word(int c) {
  return isalnum(c) || c == '_';
}

static int is_number(int c) {
  return isdigit(c) || c == '.';
}

// --- letters and lines

#define TEXT_EDIT(name, prefix)                                                                                        \
  static void name##_in(text_t *t, random_t *r);                                                                       \
  static bool name(folder_t *f, random_t *r, char *path) {                                                             \
    text_t t;                                                                                                          \
    if (!open_text(f, r, prefix, path, &t))                                                                            \
      return false;                                                                                                    \
    if (t.size > 0)                                                                                                    \
      name##_in(&t, r);                                                                                                \
    return close_text(f, path, &t);                                                                                    \
  }                                                                                                                    \
  static void name##_in(text_t *t, random_t *r)

TEXT_EDIT(cut_letters, "") {
  size_t at = random_below(r, (uint32_t)t->size), count = 1 + random_below(r, 20);
  splice(t, at, at + count > t->size ? t->size - at : count, "", 0);
}

TEXT_EDIT(cut_off, "") {
  t->size = random_below(r, (uint32_t)t->size);
}

TEXT_EDIT(type_letters, "") {
  char typed[12];
  size_t count = 1 + random_below(r, sizeof typed - 1);
  for (size_t i = 0; i < count; ++i)
    typed[i] = (char)(32 + random_below(r, 95));
  splice(t, random_below(r, (uint32_t)t->size), 0, typed, count);
}

TEXT_EDIT(cut_line, "") {
  span_t line = random_line(t, r);
  splice(t, line.from, line.to - line.from, "", 0);
}

TEXT_EDIT(copy_line, "") {
  char copy[4096];
  span_t line = random_line(t, r);
  size_t bytes = line.to - line.from < sizeof copy ? line.to - line.from : sizeof copy;
  memcpy(copy, t->bytes + line.from, bytes);
  span_t other = random_below(r, 2) ? line : random_line(t, r);
  splice(t, other.from, 0, copy, bytes);
}

TEXT_EDIT(comment_out, "") {
  splice(t, random_line(t, r).from, 0, "-- ", 3);
}

TEXT_EDIT(put_word, "") {
  static const char *const WORDS[] = {" end ",   " function ", " ( ",    " ) ",      " { ",     " } ",  " , ",
                                      " = ",     " nil ",      " then ", " return ", " local ", " do ", " \"",
                                      " [[ ",    " ]] ",       " # ",    " .. ",     " : ",     " -- ", " --[[ ",
                                      " until ", " not ",      " % ",    " break ",  "\t",      " ... "};
  const char *word = WORDS[random_below(r, sizeof WORDS / sizeof *WORDS)];
  splice(t, random_below(r, (uint32_t)t->size), 0, word, strlen(word));
}

TEXT_EDIT(swap_words, "") {
  span_t a, b;
  char word[64];
  if (!random_word(t, r, isalpha, is_word, &a) || !random_word(t, r, isalpha, is_word, &b))
    return;
  size_t bytes = b.to - b.from < sizeof word ? b.to - b.from : sizeof word;
  memcpy(word, t->bytes + b.from, bytes);
  splice(t, a.from, a.to - a.from, word, bytes);
}

TEXT_EDIT(misspell, "") {
  span_t word;
  if (!random_word(t, r, isalpha, is_word, &word))
    return;
  size_t at = word.from + random_below(r, (uint32_t)(word.to - word.from));
  t->bytes[at] = (char)('a' + random_below(r, 26));
}

TEXT_EDIT(other_number, "") {
  static const char *const NUMBERS[] = {"0",   "-1",    "1",   "2",  "3.5",  "1e308", "-0", "0/0",
                                        "1/0", "\"7\"", "nil", "{}", "true", "0.1",   "17"};
  span_t number;
  if (!random_word(t, r, isdigit, is_number, &number))
    return;
  const char *other = NUMBERS[random_below(r, sizeof NUMBERS / sizeof *NUMBERS)];
  splice(t, number.from, number.to - number.from, other, strlen(other));
}

TEXT_EDIT(junk, "") {
  char bytes[64];
  for (size_t i = 0; i < sizeof bytes; ++i)
    bytes[i] = (char)random_below(r, 256);
  splice(t, random_below(r, (uint32_t)t->size), 0, bytes, sizeof bytes);
}

TEXT_EDIT(flip_bits, "") {
  for (uint32_t i = 0; i < 8; ++i) {
    size_t at = random_below(r, (uint32_t)t->size);
    t->bytes[at] = (char)(t->bytes[at] ^ (1 << random_below(r, 8)));
  }
}

TEXT_EDIT(broken_utf8, "") {
  static const char *const BYTES[] = {"\xC3",    "\xE2\x82", "\xFF\xFE", "\xED\xA0\x80", "\xF8\x88\x80\x80\x80",
                                      "\xC0\x80"};
  const char *bytes = BYTES[random_below(r, sizeof BYTES / sizeof *BYTES)];
  splice(t, random_below(r, (uint32_t)t->size), 0, bytes, strlen(bytes));
}

TEXT_EDIT(zero_byte, "") {
  splice(t, random_below(r, (uint32_t)t->size), 0, "", 1);
}

TEXT_EDIT(conflict, "") {
  span_t line = random_line(t, r);
  splice(t, line.to, 0, "=======\n-- theirs\n>>>>>>> other\n", 32);
  splice(t, line.from, 0, "<<<<<<< HEAD\n", 13);
}

TEXT_EDIT(bytecode, "") {
  splice(t, 0, random_below(r, 2) ? t->size : 0, "\x1bLJ\x02\x0a", 5);
}

TEXT_EDIT(deep_nesting, "") {
  const char *bracket = random_below(r, 2) ? "(" : "{";
  for (int i = 0; i < 20000; ++i)
    t->bytes[t->size + (size_t)i] = *bracket;
  t->size += 20000;
}

TEXT_EDIT(huge, "") {
  static const char LINE[] =
      "-- a line of no interest, many times over, as after a bad merge or a log in the wrong window\n";
  (void)r;
  while (t->size + sizeof LINE < t->room)
    splice(t, t->size, 0, LINE, sizeof LINE - 1);
}

TEXT_EDIT(huge_line, "") {
  (void)r;
  splice(t, t->size, 0, "\nlocal x = \"", 12);
  while (t->size + 64 < t->room)
    splice(t, t->size, 0, "xxxxxxxxxxxxxxxx", 16);
}

TEXT_EDIT(empty, "") {
  (void)r;
  t->size = 0;
}

TEXT_EDIT(carriage_returns, "") {
  (void)r;
  for (size_t i = 0; i < t->size; ++i)
    if (t->bytes[i] == '\n' && t->size + 2 < t->room)
      splice(t, i++, 0, "\r", 1);
}

TEXT_EDIT(add_comment, "") {
  (void)r;
  splice(t, t->size, 0, "\n-- one more word\n", 18);
}

// --- declarations of a game

static void insert_after_return(text_t *t, const char *words) {
  for (size_t i = 0; i + 8 < t->size; ++i)
    if (memcmp(t->bytes + i, "return {", 8) == 0) {
      splice(t, i + 8, 0, words, strlen(words));
      return;
    }
}

TEXT_EDIT(odd_component, "components") {
  static const char *const PARTS[] = {" extra = { a = 1, b = shoal.types.string \"x\" },",
                                      " extra = {},",
                                      " extra = shoal.types.many { a = 1 },",
                                      " extra = shoal.types.single { a = shoal.types.i32(3) },",
                                      " transform = { x = 0 },",
                                      " extra = { destroy = 1 },",
                                      " extra = { a = {} },",
                                      " extra = { a = shoal.types.enum {} },",
                                      " extra = 5,",
                                      " extra = { a = 1, renamed_from = { a = \"b\" } },",
                                      " [1] = { a = 1 },",
                                      " extra = { [\"a b\"] = 1 },"};
  insert_after_return(t, PARTS[random_below(r, sizeof PARTS / sizeof *PARTS)]);
}

TEXT_EDIT(other_type, "components") {
  static const char *const TYPES[] = {"shoal.types.i32(1)",
                                      "shoal.types.u8(1)",
                                      "shoal.types.string \"a\"",
                                      "shoal.types.bool(true)",
                                      "shoal.types.entity",
                                      "shoal.types.f64(2)",
                                      "shoal.types.vec2(1, 2)",
                                      "shoal.types.enum { \"a\", \"b\" }",
                                      "shoal.types.i16(-3)",
                                      "{}",
                                      "false"};
  span_t number;
  if (!random_word(t, r, isdigit, is_number, &number))
    return;
  const char *other = TYPES[random_below(r, sizeof TYPES / sizeof *TYPES)];
  splice(t, number.from, number.to - number.from, other, strlen(other));
}

TEXT_EDIT(renamed_component, "components") {
  span_t word;
  if (random_word(t, r, isalpha, is_word, &word))
    splice(t, word.to, 0, "2", 1);
}

TEXT_EDIT(odd_assemblage, "assemblages") {
  static const char *const PARTS[] = {
      " extra = { is = \"extra\" },",
      " extra = { is = \"other\" }, other = { is = \"extra\" },",
      " extra = { is = \"nobody\" },",
      " extra = { components = { nobody = {} } },",
      " extra = { components = { transform = { x = \"left\" } } },",
      " extra = { components = { transform = { x = 3 } } },",
      " extra = { children = { one = { is = \"extra\" } } },",
      " extra = { states = { initial = \"gone\" } },",
      " extra = { components = { transform = {} }, states = { initial = \"a\", a = {}, b = {} } },",
      " extra = 1,"};
  insert_after_return(t, PARTS[random_below(r, sizeof PARTS / sizeof *PARTS)]);
}

TEXT_EDIT(odd_system, "systems/") {
  static const char *const PARTS[] = {
      " after = { \"nobody\" },",
      " before = { \"nobody\" },",
      " priority = -1000,",
      " priority = 1e12,",
      " every = 3,",
      " every = 0.5,",
      " phase = \"render\",",
      " phase = \"never\",",
      " query = { \"nobody\" },",
      " enabled = false,",
      " start = function() error(\"in start\") end,",
      " reload = function() error(\"in reload\") end,",
      " reload = function() log.info(\"again\") end,",
      " stop = function() error(\"in stop\") end,",
      " update = function() error(\"in update\") end,",
      " update = function() error({}) end,",
      " update = function() local t = nil return t.x end,",
      " update = function() world.spawn(\"nobody\") end,",
      " update = function() reload() end,",
      " update = function() if world.tick % 7 == 3 then error(\"now and then\") end end,",
      " on = { nobody = function() end },",
      " [3] = 4,"};
  insert_after_return(t, PARTS[random_below(r, sizeof PARTS / sizeof *PARTS)]);
}

// Adds two systems, each of which is declared to run after the other.
static bool cyclic_order(folder_t *f, random_t *r, char *path) {
  static const char A[] = "return { after = { \"zz_b\" }, update = function() end }";
  static const char B[] = "return { after = { \"zz_a\" }, update = function() end }";
  (void)r;
  snprintf(path, 1024, "systems/zz_a.lua");
  folder_write(f, path, A, sizeof A - 1);
  folder_write(f, "systems/zz_b.lua", B, sizeof B - 1);
  return true;
}

static bool endless_system(folder_t *f, random_t *r, char *path) {
  static const char *const TEXTS[] = {
      "while true do end return {}",
      "local t = {} while true do t[#t + 1] = {} end",
      "return { update = function() while true do end end }",
      "return { update = function() while true do pcall(error) end end }",
      "return { update = function() return (\"a\"):rep(40):find((\"a?\"):rep(40) .. (\"a\"):rep(40)) end }",
      "return { update = function() local s = \"x\" while true do s = s .. s end end }",
      "local function f() return f() end return { update = f }",
      "local function f() return 1 + f() end return { update = f }",
      "return { update = function() for i = 1, 1e12 do world.emit(\"nobody\") end end }",
      "return { update = function() for i = 1, 1e12 do world.spawn() end end }"};
  const char *text = TEXTS[random_below(r, sizeof TEXTS / sizeof *TEXTS)];
  folder_write(f, "systems/zz_a.lua", text, strlen(text));
  snprintf(path, 1024, "systems/zz_a.lua (%s)", text);
  return true;
}

static bool new_system(folder_t *f, random_t *r, char *path) {
  static const char *const TEXTS[] = {
      "return { update = function() world.single.nobody.x = 1 end }",
      "return { query = { \"transform\" }, update = function(q) for i = 1, q.count do q.transform.x[i] = "
      "q.transform.x[i] end end }",
      "return { query = { \"transform\" }, precision = \"single\", each = function(e) "
      "e.transform.x = e.transform.x + 0 end }",
      "return { query = { \"transform\" }, each = function(e) e.transform.y = e.transform.y end }",
      "return { query = { \"transform\" }, update = function(q) q.transform.x[q.count + 1] = 0 end }",
      "local f = require(\"zz_a\") return f",
      "return {",
      "return setmetatable({}, { __index = function(t, k) error(k) end })",
      "return { update = function() for i = 1, 50 do world.spawn(nil, { transform = { x = i } }) end end }",
      "error(setmetatable({}, { __tostring = function() error(\"twice\") end }))"};
  const char *text = TEXTS[random_below(r, sizeof TEXTS / sizeof *TEXTS)];
  snprintf(path, 1024, "systems/zz_a.lua");
  folder_write(f, path, text, strlen(text));
  return true;
}

// --- files and folders

static bool delete_file(folder_t *f, random_t *r, char *path) {
  if (!pick_file(f, r, "", ".lua", path))
    return false;
  folder_remove(f, path);
  return true;
}

static bool delete_folder(folder_t *f, random_t *r, char *path) {
  if (!pick_file(f, r, "", ".lua", path) || !strchr(path, '/'))
    return false;
  *strrchr(path, '/') = '\0';
  folder_remove(f, path);
  return true;
}

static bool delete_everything(folder_t *f, random_t *r, char *path) {
  (void)r;
  snprintf(path, 1024, "(everything)");
  folder_remove(f, "");
  return true;
}

static bool replace_by_folder(folder_t *f, random_t *r, char *path) {
  char full[1024];
  if (!delete_file(f, r, path))
    return false;
  return mkdir(folder_path(f, path, full), 0755) == 0;
}

static bool replace_by_cyclic_link(folder_t *f, random_t *r, char *path) {
  char full[1024];
  if (!delete_file(f, r, path))
    return false;
  folder_path(f, path, full);
  return symlink(full, full) == 0;
}

static bool swap_files(folder_t *f, random_t *r, char *path) {
  char other[1024];
  size_t a = 0, b = 0;
  if (!pick_file(f, r, "", ".lua", path) || !pick_file(f, r, "", ".lua", other))
    return false;
  char *first = folder_read(f, path, &a), *second = folder_read(f, other, &b);
  if (first && second) {
    folder_write(f, path, second, b);
    folder_write(f, other, first, a);
  }
  free(first);
  free(second);
  return true;
}

static bool copy_file(folder_t *f, random_t *r, char *path) {
  size_t bytes = 0;
  if (!pick_file(f, r, "", ".lua", path))
    return false;
  char *text = folder_read(f, path, &bytes);
  if (!text)
    return false;
  strcpy(strrchr(path, '.'), "_copy.lua");
  folder_write(f, path, text, bytes);
  free(text);
  return true;
}

static bool add_declaration_folder(folder_t *f, random_t *r, char *path) {
  static const char TEXT[] = "return { zz_extra = { a = 1 } }";
  snprintf(path, 1024, "%s", random_below(r, 2) ? "components/zz.lua" : "events/zz.lua");
  folder_write(f, path, TEXT, sizeof TEXT - 1);
  return true;
}

static bool corrupt_asset(folder_t *f, random_t *r, char *path) {
  static const char *const KINDS[] = {".png", ".wav", ".ttf", ".ogg", ".jpg"};
  if (!pick_file(f, r, "assets/", KINDS[random_below(r, 5)], path))
    return false;
  size_t size = 0;
  char *bytes = folder_read(f, path, &size);
  if (!bytes)
    return false;
  for (uint32_t i = 0; size > 0 && i < 20; ++i)
    bytes[random_below(r, (uint32_t)size)] = (char)random_below(r, 256);
  folder_write(f, path, bytes, random_below(r, 3) ? size : random_below(r, (uint32_t)size));
  free(bytes);
  return true;
}

#define EDIT(name)                                                                                                     \
  { #name, name, false }
const edit_t EDITS[] = {EDIT(cut_letters),
                        EDIT(cut_off),
                        EDIT(type_letters),
                        EDIT(cut_line),
                        EDIT(copy_line),
                        EDIT(comment_out),
                        EDIT(put_word),
                        EDIT(swap_words),
                        EDIT(misspell),
                        EDIT(other_number),
                        EDIT(junk),
                        EDIT(flip_bits),
                        EDIT(broken_utf8),
                        EDIT(zero_byte),
                        EDIT(conflict),
                        EDIT(bytecode),
                        EDIT(deep_nesting),
                        EDIT(huge_line),
                        EDIT(empty),
                        EDIT(odd_component),
                        EDIT(other_type),
                        EDIT(renamed_component),
                        EDIT(odd_assemblage),
                        EDIT(odd_system),
                        EDIT(cyclic_order),
                        EDIT(new_system),
                        EDIT(delete_file),
                        EDIT(delete_folder),
                        EDIT(delete_everything),
                        EDIT(replace_by_folder),
                        EDIT(replace_by_cyclic_link),
                        EDIT(swap_files),
                        EDIT(copy_file),
                        EDIT(add_declaration_folder),
                        EDIT(corrupt_asset),
                        EDIT(endless_system),
                        {"huge", huge, true},
                        {"carriage_returns", carriage_returns, true},
                        {"add_comment", add_comment, true}};
const uint32_t EDIT_COUNT = sizeof EDITS / sizeof *EDITS;
