// Finds and rewrites the start and step expressions of counting loops.
#include "luajit/loop_starts.h"

#include "base/array.h"
#include "luajit/lua_tokens.h"

#include <lauxlib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct mark_t {
  size_t at; // offset of the character before which the mark is inserted
  bool closes, counts;
} mark_t;

typedef enum part_t { START, LIMIT, STEP } part_t;

// A loop whose "do" has not been read yet.
typedef struct start_t {
  uint32_t mark; // index of the mark that opens the start or the step
  int depth;
  part_t part;
  bool marked;
} start_t;

typedef struct rewrite_t {
  lua_reader_t reader;
  lua_token_t token; // current token; the reader is positioned after it
  allocator_t memory;
  ARRAY(mark_t) marks; // sorted by position
  ARRAY(start_t) starts;
  int depth; // nesting depth of brackets and blocks
  uint32_t counting;
} rewrite_t;

static bool token_is(const rewrite_t *m, const lua_token_t *x, const char *token) {
  return lua_token_is(m->reader.text, x, token);
}

// Advances to the "=" if the current token is the "for" of a counting loop, that is, if a name and "=" follow.
// Otherwise returns false and reads nothing.
static bool read_loop_start(rewrite_t *m) {
  if (!token_is(m, &m->token, "for"))
    return false;
  lua_reader_t ahead = m->reader;
  lua_token_t name = lua_reader_next(&ahead), equals = lua_reader_next(&ahead);
  if (name.kind != TOKEN_NAME || !token_is(m, &equals, "="))
    return false;
  m->reader = ahead;
  m->token = equals;
  return true;
}

// Returns true for a number literal; a step must also have a digit other than 0.
static bool is_number(const rewrite_t *m, const lua_token_t *x, part_t part) {
  bool more = part == START;
  for (uint32_t i = x->at; i < x->at + x->bytes; ++i)
    more |= m->reader.text[i] >= '1' && m->reader.text[i] <= '9';
  return x->kind == TOKEN_NUMBER && more;
}

// Returns true if the part is a plain number (a step may have a sign), as in nearly all loops. Such parts are left
// unchanged.
static bool is_plain_number(const rewrite_t *m, part_t part) {
  lua_reader_t ahead = m->reader;
  lua_token_t first = lua_reader_next(&ahead);
  if (part == STEP && token_is(m, &first, "-"))
    first = lua_reader_next(&ahead);
  lua_token_t second = lua_reader_next(&ahead);
  return first.kind == TOKEN_END || (is_number(m, &first, part) && token_is(m, &second, part == START ? "," : "do"));
}

// Begins a part, whose expression starts after the current token.
static void begin_part(rewrite_t *m, start_t *loop, part_t part) {
  lua_reader_t ahead = m->reader;
  loop->part = part;
  loop->marked = !is_plain_number(m, part);
  loop->mark = m->marks.count;
  if (loop->marked)
    array_push(&m->memory, &m->marks, ((mark_t){.at = lua_reader_next(&ahead).at}));
}

static void begin_loop(rewrite_t *m) {
  start_t loop = {.depth = m->depth};
  begin_part(m, &loop, START);
  array_push(&m->memory, &m->starts, loop);
}

static void end_part(rewrite_t *m, start_t *loop) {
  if (!loop->marked)
    return;
  m->marks.items[loop->mark].counts = true;
  array_push(&m->memory, &m->marks, ((mark_t){.at = m->token.at, .closes = true, .counts = true}));
  m->counting += 2;
  loop->marked = false;
}

// Handles a token at the nesting level of the loop's head. Returns false if the token does not end a part of the head.
static bool read_head_token(rewrite_t *m, start_t *loop) {
  if (loop->part == START && token_is(m, &m->token, ",")) {
    end_part(m, loop);
    loop->part = LIMIT;
  } else if (loop->part == LIMIT && token_is(m, &m->token, ",")) {
    begin_part(m, loop, STEP);
  } else if (token_is(m, &m->token, "do")) {
    if (loop->part == STEP)
      end_part(m, loop);
    m->starts.count--;
    m->depth++;
  } else {
    return false;
  }
  return true;
}

static void read_token(rewrite_t *m) {
  start_t *last = m->starts.count > 0 ? &m->starts.items[m->starts.count - 1] : NULL;
  if (last && m->depth == last->depth && read_head_token(m, last))
    return;
  if (read_loop_start(m))
    begin_loop(m);
  else
    m->depth += lua_token_nesting(m->reader.text, &m->token);
  while (m->starts.count > 0 && m->depth < m->starts.items[m->starts.count - 1].depth)
    m->starts.count--; // the text is not valid Lua
}

static char *write_patched_text(const rewrite_t *m, size_t *out_size) {
  static const char OPENING[] = "0+(";
  char *out = malloc(m->reader.bytes + (size_t)m->counting * strlen(OPENING) + 1);
  size_t size = 0, taken = 0;
  for (uint32_t i = 0; out && i < m->marks.count; ++i) {
    const mark_t *mark = &m->marks.items[i];
    if (!mark->counts)
      continue;
    memcpy(out + size, m->reader.text + taken, mark->at - taken);
    size += mark->at - taken;
    taken = mark->at;
    const char *words = mark->closes ? ")" : OPENING;
    memcpy(out + size, words, strlen(words));
    size += strlen(words);
  }
  if (!out)
    return NULL;
  memcpy(out + size, m->reader.text + taken, m->reader.bytes - taken);
  *out_size = size + m->reader.bytes - taken;
  out[*out_size] = '\0';
  return out;
}

char *loop_starts_rewrite(const char *text, size_t size, size_t *out_size) {
  // Fast path: most code that the engine's scripts generate contains no loop.
  if (size == 0 || !memmem(text, size, "for", 3))
    return NULL;
  rewrite_t m = {.reader = lua_reader_init(text, size)};
  while ((m.token = lua_reader_next(&m.reader)).kind != TOKEN_END)
    read_token(&m);
  char *out = m.counting > 0 ? write_patched_text(&m, out_size) : NULL;
  array_free(&m.memory, &m.marks);
  array_free(&m.memory, &m.starts);
  return out;
}

int loop_starts_load(lua_State *L, const char *text, size_t size, const char *name) {
  size_t rewritten_size = 0;
  char *rewritten = loop_starts_rewrite(text, size, &rewritten_size);
  if (rewritten) {
    int status = luaL_loadbufferx(L, rewritten, rewritten_size, name, "t");
    free(rewritten);
    if (status == 0)
      return 0;
    lua_pop(L, 1);
  }
  return luaL_loadbufferx(L, text, size, name, "t");
}

// Lua function load(text, name, mode, environment). Its upvalue, LuaJIT's original `load` or `loadstring`, handles
// arguments that are not strings, bytecode, text that needs no change, and text that fails to load.
static int load_rewritten(lua_State *L) {
  size_t size = 0, rewritten_size = 0;
  int argument_count = lua_gettop(L);
  const char *text = lua_type(L, 1) == LUA_TSTRING ? lua_tolstring(L, 1, &size) : NULL;
  const char *name = argument_count > 1 && lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : text;
  const char *mode = argument_count > 2 && lua_type(L, 3) == LUA_TSTRING ? lua_tostring(L, 3) : NULL;
  char *rewritten =
      text && size > 0 && text[0] != LUA_SIGNATURE[0] ? loop_starts_rewrite(text, size, &rewritten_size) : NULL;
  int status = rewritten ? luaL_loadbufferx(L, rewritten, rewritten_size, name, mode) : LUA_ERRSYNTAX;
  free(rewritten);
  if (status == 0 && argument_count > 3) {
    lua_pushvalue(L, 4);
    lua_setfenv(L, -2);
  }
  if (status == 0)
    return 1;
  lua_settop(L, argument_count);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, argument_count, LUA_MULTRET);
  return lua_gettop(L);
}

void loop_starts_install(lua_State *L) {
  static const char *const NAMES[] = {"load", "loadstring"};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i) {
    lua_getglobal(L, NAMES[i]);
    lua_pushcclosure(L, load_rewritten, 1);
    lua_setglobal(L, NAMES[i]);
  }
}
