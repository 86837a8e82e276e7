// A scanner of Lua's words, which finds where the start of a counting loop begins and ends, and its step.
#include "luajit/loop_starts.h"

#include "base/array.h"

#include <ctype.h>
#include <lauxlib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct scan_t {
  const char *text;
  size_t size, at, end; // the word is [at, end)
} scan_t;

typedef struct mark_t {
  size_t at; // goes in before this character
  bool closes, counts;
} mark_t;

typedef enum part_t { START, LIMIT, STEP } part_t;

// A loop whose "do" has not come.
typedef struct start_t {
  uint32_t mark; // the one that opens the start or the step
  int depth;
  part_t part;
  bool marked;
} start_t;

typedef struct mend_t {
  scan_t scan;
  allocator_t memory;
  ARRAY(mark_t) marks; // in the order of their places
  ARRAY(start_t) starts;
  int depth; // of brackets and blocks
  uint32_t counting;
} mend_t;

static char peek(const scan_t *s, size_t at) {
  return at < s->size ? s->text[at] : '\0';
}

static bool is_letter(char c) {
  return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

// How many '=' stand between the brackets of [[ or [==[; -1 for anything else.
static int level_of(const scan_t *s, size_t at) {
  size_t end = at + 1;
  while (peek(s, end) == '=')
    ++end;
  return peek(s, at) == '[' && peek(s, end) == '[' ? (int)(end - at - 1) : -1;
}

static size_t end_of_long(const scan_t *s, size_t at, int level) {
  for (at += (size_t)level + 2; at < s->size; ++at) {
    size_t end = at + 1;
    while (s->text[at] == ']' && peek(s, end) == '=')
      ++end;
    if (s->text[at] == ']' && peek(s, end) == ']' && end - at - 1 == (size_t)level)
      return end + 1;
  }
  return s->size;
}

static size_t end_of_quoted(const scan_t *s, size_t at) {
  char quote = s->text[at];
  for (++at; at < s->size && s->text[at] != quote && s->text[at] != '\n'; ++at)
    at += s->text[at] == '\\';
  return at < s->size ? at + 1 : s->size;
}

static size_t end_of_line(const scan_t *s, size_t at) {
  const char *end = memchr(s->text + at, '\n', s->size - at);
  return end ? (size_t)(end - s->text) : s->size;
}

static size_t skip_comment(const scan_t *s, size_t at) {
  int level = level_of(s, at + 2);
  return level >= 0 ? end_of_long(s, at + 2, level) : end_of_line(s, at);
}

// The sign of an exponent belongs to its number.
static size_t end_of_number(const scan_t *s, size_t at) {
  for (char before = '\0'; at < s->size; before = s->text[at++])
    if (!is_letter(s->text[at]) && s->text[at] != '.' &&
        !((s->text[at] == '-' || s->text[at] == '+') && strchr("eEpP", before) && before))
      break;
  return at;
}

// False at the end of the text.
static bool next(scan_t *s) {
  size_t at = s->end;
  while (at < s->size && (isspace((unsigned char)s->text[at]) || (s->text[at] == '-' && peek(s, at + 1) == '-')))
    at = s->text[at] == '-' ? skip_comment(s, at) : at + 1;
  s->at = at;
  if (at >= s->size)
    return false;
  char c = s->text[at];
  if (c == '"' || c == '\'')
    s->end = end_of_quoted(s, at);
  else if (level_of(s, at) >= 0)
    s->end = end_of_long(s, at, level_of(s, at));
  else if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)peek(s, at + 1))))
    s->end = end_of_number(s, at);
  else
    for (s->end = at + 1; is_letter(c) && s->end < s->size && is_letter(s->text[s->end]);)
      ++s->end;
  return true;
}

static bool is(const scan_t *s, const char *word) {
  return strlen(word) == s->end - s->at && memcmp(s->text + s->at, word, s->end - s->at) == 0;
}

static bool is_one_of(const scan_t *s, const char *const *words) {
  while (*words && !is(s, *words))
    ++words;
  return *words;
}

// False unless a loop's "for", its name and "=" come next; then the word is the "=".
static bool begins_loop(scan_t *s) {
  if (!is(s, "for"))
    return false;
  scan_t name = *s, equals;
  if (!next(&name) || !is_letter(name.text[name.at]))
    return false;
  equals = name;
  if (!next(&equals) || !is(&equals, "="))
    return false;
  *s = equals;
  return true;
}

// Of a number's letters one has to be other than 0 in a step.
static bool is_number(const scan_t *s, part_t part) {
  bool starts = isdigit((unsigned char)s->text[s->at]), more = part == START;
  for (size_t i = s->at; i < s->end; ++i)
    more |= s->text[i] >= '1' && s->text[i] <= '9';
  return starts && more;
}

// A number by itself, which nearly all loops have, is left as it is: a step with its sign, too.
static bool is_plain(const mend_t *m, part_t part) {
  scan_t first = m->scan, second;
  if (!next(&first))
    return true;
  if (part == STEP && is(&first, "-") && !next(&first))
    return true;
  second = first;
  return is_number(&first, part) && next(&second) && is(&second, part == START ? "," : "do");
}

// The word before it is the one that is looked at.
static void open_part(mend_t *m, start_t *loop, part_t part) {
  scan_t first = m->scan;
  loop->part = part;
  loop->marked = !is_plain(m, part);
  loop->mark = m->marks.count;
  if (loop->marked && next(&first))
    array_push(&m->memory, &m->marks, ((mark_t){.at = first.at}));
}

static void open_loop(mend_t *m) {
  start_t loop = {.depth = m->depth};
  open_part(m, &loop, START);
  array_push(&m->memory, &m->starts, loop);
}

static void close_part(mend_t *m, start_t *loop) {
  if (!loop->marked)
    return;
  m->marks.items[loop->mark].counts = true;
  array_push(&m->memory, &m->marks, ((mark_t){.at = m->scan.at, .closes = true, .counts = true}));
  m->counting += 2;
  loop->marked = false;
}

// False for a word that ends no part of it.
static bool look_at_loop(mend_t *m, start_t *loop) {
  if (loop->part == START && is(&m->scan, ",")) {
    close_part(m, loop);
    loop->part = LIMIT;
  } else if (loop->part == LIMIT && is(&m->scan, ",")) {
    open_part(m, loop, STEP);
  } else if (is(&m->scan, "do")) {
    if (loop->part == STEP)
      close_part(m, loop);
    m->starts.count--;
    m->depth++;
  } else {
    return false;
  }
  return true;
}

static void look_at_word(mend_t *m) {
  static const char *const OPENS[] = {"(", "[", "{", "function", "do", "if", NULL};
  static const char *const CLOSES[] = {")", "]", "}", "end", NULL};
  start_t *last = m->starts.count > 0 ? &m->starts.items[m->starts.count - 1] : NULL;
  if (last && m->depth == last->depth && look_at_loop(m, last))
    return;
  if (begins_loop(&m->scan))
    open_loop(m);
  else
    m->depth += is_one_of(&m->scan, OPENS) - is_one_of(&m->scan, CLOSES);
  while (m->starts.count > 0 && m->depth < m->starts.items[m->starts.count - 1].depth)
    m->starts.count--; // this is no Lua
}

static char *write_out(const mend_t *m, size_t *out_size) {
  static const char OPENING[] = "0+(";
  char *out = malloc(m->scan.size + (size_t)m->counting * strlen(OPENING) + 1);
  size_t size = 0, taken = 0;
  for (uint32_t i = 0; out && i < m->marks.count; ++i) {
    const mark_t *mark = &m->marks.items[i];
    if (!mark->counts)
      continue;
    memcpy(out + size, m->scan.text + taken, mark->at - taken);
    size += mark->at - taken;
    taken = mark->at;
    const char *words = mark->closes ? ")" : OPENING;
    memcpy(out + size, words, strlen(words));
    size += strlen(words);
  }
  if (!out)
    return NULL;
  memcpy(out + size, m->scan.text + taken, m->scan.size - taken);
  *out_size = size + m->scan.size - taken;
  out[*out_size] = '\0';
  return out;
}

char *loop_starts_mend(const char *text, size_t size, size_t *out_size) {
  if (size == 0 || !memmem(text, size, "for", 3)) // most of what the engine's scripts write has no loop
    return NULL;
  mend_t m = {.scan = {.text = text, .size = size}};
  while (next(&m.scan))
    look_at_word(&m);
  char *out = m.counting > 0 ? write_out(&m, out_size) : NULL;
  array_free(&m.memory, &m.marks);
  array_free(&m.memory, &m.starts);
  return out;
}

int loop_starts_load(lua_State *L, const char *text, size_t size, const char *name) {
  size_t mended_size = 0;
  char *mended = loop_starts_mend(text, size, &mended_size);
  if (mended) {
    int status = luaL_loadbufferx(L, mended, mended_size, name, "t");
    free(mended);
    if (status == 0)
      return 0;
    lua_pop(L, 1);
  }
  return luaL_loadbufferx(L, text, size, name, "t");
}

// load(text, name, mode, environment), in front of LuaJIT's own, which is its upvalue: that one has whatever is no
// text, needs no mending, or cannot be loaded.
static int load_mended(lua_State *L) {
  size_t size = 0, mended_size = 0;
  int given = lua_gettop(L);
  const char *text = lua_type(L, 1) == LUA_TSTRING ? lua_tolstring(L, 1, &size) : NULL;
  const char *name = given > 1 && lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : text;
  const char *mode = given > 2 && lua_type(L, 3) == LUA_TSTRING ? lua_tostring(L, 3) : NULL;
  char *mended = text && size > 0 && text[0] != LUA_SIGNATURE[0] ? loop_starts_mend(text, size, &mended_size) : NULL;
  int status = mended ? luaL_loadbufferx(L, mended, mended_size, name, mode) : LUA_ERRSYNTAX;
  free(mended);
  if (status == 0 && given > 3) {
    lua_pushvalue(L, 4);
    lua_setfenv(L, -2);
  }
  if (status == 0)
    return 1;
  lua_settop(L, given);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, given, LUA_MULTRET);
  return lua_gettop(L);
}

void loop_starts_open(lua_State *L) {
  static const char *const NAMES[] = {"load", "loadstring"};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i) {
    lua_getglobal(L, NAMES[i]);
    lua_pushcclosure(L, load_mended, 1);
    lua_setglobal(L, NAMES[i]);
  }
}
