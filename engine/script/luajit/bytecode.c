// Parses the dump of a function: its prototypes, their upvalues, and the instructions that write to outer variables.
// Also replaces instructions in memory, and sorts the table constants of a dump.
#include "luajit/bytecode.h"

#include "base/assert.h"
#include "base/varint.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 2000u      // maximum number of functions whose parent has not been read yet
#define UPVALUES_MAX 256u    // maximum number of upvalues of a function; LuaJIT's own limit is 60
#define PARENT_LOCAL 0x8000u // flag of an upvalue that is a local variable of the enclosing function
#define STRIPPED 0x02u       // flag in the header of a dump without debug information
#define KGC_CHILD 0u
#define KGC_TABLE 1u
#define KGC_COMPLEX 4u
#define KGC_TEXT 5u
#define KTAB_INTEGER 3u
#define KTAB_NUMBER 4u
#define KTAB_TEXT 5u

// Data of a function that is needed to analyse the parent.
typedef struct proto_t {
  uint16_t upvalues[UPVALUES_MAX];
  uint32_t upvalue_count;
  bytecode_write_t writes[BYTECODE_MAX_WRITES];
  uint32_t write_count;
} proto_t;

typedef struct reader_t {
  const uint8_t *at, *end;
  bool malformed;
  const bytecode_ops_t *ops;
  uint8_t *sorted; // copy of the dump, with sorted pairs in table constants; NULL: do not sort
  const uint8_t *begin;
  proto_t *stack; // stack of functions whose parent has not been read yet
  uint32_t depth, capacity;
} reader_t;

// --- parts

static uint32_t read_byte(reader_t *r) {
  if (r->at >= r->end) {
    r->malformed = true;
    return 0;
  }
  shoal_assert(r->at, "bytes must not be NULL");
  return *r->at++;
}

static const uint8_t *read_bytes(reader_t *r, size_t count) {
  const uint8_t *from = r->at;
  if ((size_t)(r->end - r->at) < count) {
    r->malformed = true;
    r->at = r->end;
    return NULL;
  }
  r->at += count;
  return from;
}

static uint32_t read_number(reader_t *r) { // ULEB128
  uint64_t v;
  size_t used = varint_read(r->at, (size_t)(r->end - r->at), &v);
  r->malformed |= used == 0;
  r->at = used > 0 ? r->at + used : r->end;
  return (uint32_t)v;
}

static void read_table_value(reader_t *r) {
  uint32_t type = read_number(r);
  if (type >= KTAB_TEXT) {
    read_bytes(r, type - KTAB_TEXT);
  } else if (type == KTAB_INTEGER || type == KTAB_NUMBER) {
    read_number(r);
    if (type == KTAB_NUMBER)
      read_number(r);
  }
}

typedef struct pair_t {
  const uint8_t *at;
  size_t size;
} pair_t;

// Compares the bytes of two pairs, which always differ because the keys of a table are distinct.
static int compare_pairs(const void *a, const void *b) {
  const pair_t *p = a, *q = b;
  int order = memcmp(p->at, q->at, p->size < q->size ? p->size : q->size);
  return order ? order : (p->size > q->size) - (p->size < q->size);
}

// Writes the sorted pairs to the copy. LuaJIT dumps pairs in hash table order, which depends on the VM's hash seed.
static void sort_pairs(const reader_t *r, pair_t *pairs, uint32_t count) {
  shoal_assert(count > 0, "count must not be 0");
  uint8_t *to = r->sorted + (pairs[0].at - r->begin);
  qsort(pairs, count, sizeof *pairs, compare_pairs);
  for (uint32_t i = 0; i < count; to += pairs[i++].size)
    memcpy(to, pairs[i].at, pairs[i].size);
}

static void read_pairs(reader_t *r, uint32_t count) {
  // A pair takes at least two bytes, so a count above the number of remaining bytes is invalid.
  pair_t *pairs = r->sorted && count > 0 && count <= (size_t)(r->end - r->at) ? malloc(count * sizeof *pairs) : NULL;
  for (uint32_t i = 0; i < count && !r->malformed; ++i) {
    const uint8_t *from = r->at;
    read_table_value(r);
    read_table_value(r);
    if (pairs)
      pairs[i] = (pair_t){from, (size_t)(r->at - from)};
  }
  if (pairs && !r->malformed)
    sort_pairs(r, pairs, count);
  free(pairs);
}

static void read_table(reader_t *r) {
  uint32_t list = read_number(r), pairs = read_number(r);
  for (uint32_t i = 0; i < list && !r->malformed; ++i)
    read_table_value(r);
  read_pairs(r, pairs);
}

// Reads the constants and returns the number of functions among them.
static uint32_t read_constants(reader_t *r, uint32_t count) {
  uint32_t children = 0;
  for (uint32_t i = 0; i < count && !r->malformed; ++i) {
    uint32_t type = read_number(r);
    if (type >= KGC_TEXT)
      read_bytes(r, type - KGC_TEXT);
    else if (type == KGC_TABLE)
      read_table(r);
    else if (type != KGC_CHILD)
      for (uint32_t k = 0; k < (type == KGC_COMPLEX ? 4u : 2u); ++k)
        read_number(r);
    children += type == KGC_CHILD;
  }
  return children;
}

static void read_numbers(reader_t *r, uint32_t count) {
  for (uint32_t i = 0; i < count && !r->malformed; ++i) {
    // set if this is the low half of a number constant; then the high half follows
    uint32_t first = r->at < r->end ? *r->at & 1u : 0;
    uint32_t byte = read_byte(r);
    while ((byte & 0x80) && !r->malformed)
      byte = read_byte(r);
    if (first)
      read_number(r);
  }
}

// --- writes

typedef struct code_t {
  const uint8_t *instructions, *lines, *names, *end;
  uint32_t count, first_line, line_count;
} code_t;

static uint32_t read_line(const code_t *c, uint32_t i) {
  uint32_t width = c->line_count < 256 ? 1 : c->line_count < 65536 ? 2 : 4, line = 0;
  if (!c->lines)
    return 0;
  for (uint32_t k = 0; k < width; ++k)
    line |= (uint32_t)c->lines[(size_t)i * width + k] << (8 * k);
  return c->first_line + line;
}

static void copy_upvalue_name(const code_t *c, uint32_t upvalue, char *out) {
  const uint8_t *at = c->names;
  out[0] = '\0';
  for (uint32_t i = 0; at && at < c->end; ++i) {
    size_t length = strnlen((const char *)at, (size_t)(c->end - at));
    if (i == upvalue) {
      length = length < BYTECODE_NAME_MAX ? length : BYTECODE_NAME_MAX - 1;
      memcpy(out, at, length);
      out[length] = '\0';
      return;
    }
    at += length + 1;
  }
}

static void add_write(proto_t *p, const code_t *c, bytecode_write_kind_t kind, uint32_t upvalue, uint32_t i) {
  if (p->write_count == BYTECODE_MAX_WRITES)
    return;
  bytecode_write_t *w = &p->writes[p->write_count++];
  *w = (bytecode_write_t){.kind = kind, .upvalue = upvalue, .line = read_line(c, i)};
  copy_upvalue_name(c, upvalue, w->name);
}

static bool is_one_of(const uint8_t *ops, size_t count, uint8_t op) {
  return memchr(ops, op, count) != NULL;
}

// Finds the upvalue whose table a store writes to. The table was loaded before its key and value, which are in higher
// slots. Therefore the last preceding instruction that sets the table's slot or a lower slot is the one that loaded the
// table. Returns UINT32_MAX if the table is not an upvalue.
static uint32_t find_stored_upvalue(const reader_t *r, const code_t *c, uint32_t i) {
  uint32_t slot = c->instructions[4 * i + 3];
  while (i-- > 0) {
    const uint8_t *x = c->instructions + 4 * (size_t)i;
    if (x[1] > slot)
      continue;
    return x[0] == r->ops->get && x[1] == slot ? (uint32_t)(x[2] | x[3] << 8) : UINT32_MAX;
  }
  return UINT32_MAX;
}

static void collect_writes(const reader_t *r, const code_t *c, proto_t *p) {
  for (uint32_t i = 0; i < c->count; ++i) {
    const uint8_t *x = c->instructions + 4 * (size_t)i;
    if (is_one_of(r->ops->assign, sizeof r->ops->assign, x[0])) {
      add_write(p, c, BYTECODE_ASSIGNS, x[1], i);
    } else if (is_one_of(r->ops->store, sizeof r->ops->store, x[0])) {
      uint32_t upvalue = find_stored_upvalue(r, c, i);
      if (upvalue != UINT32_MAX)
        add_write(p, c, BYTECODE_STORES, upvalue, i);
    }
  }
}

// Adds the writes of a nested function that go to its parent's upvalues. Omits writes to the parent's own locals.
static void add_child_writes(proto_t *p, const proto_t *child) {
  for (uint32_t i = 0; i < child->write_count && p->write_count < BYTECODE_MAX_WRITES; ++i) {
    const bytecode_write_t *w = &child->writes[i];
    uint16_t from = w->upvalue < child->upvalue_count ? child->upvalues[w->upvalue] : PARENT_LOCAL;
    if (from & PARENT_LOCAL)
      continue;
    p->writes[p->write_count] = *w;
    p->writes[p->write_count++].upvalue = from;
  }
}

// --- functions

static proto_t *push_function(reader_t *r) {
  if (r->depth >= MAX_DEPTH) {
    r->malformed = true;
    return NULL;
  }
  if (r->depth == r->capacity) {
    r->capacity = r->capacity ? 2 * r->capacity : 4;
    r->stack = realloc(r->stack, r->capacity * sizeof *r->stack);
    if (!r->stack)
      abort();
  }
  proto_t *p = &r->stack[r->depth++];
  p->upvalue_count = p->write_count = 0;
  return p;
}

static void read_upvalues(reader_t *r, proto_t *p, uint32_t count) {
  const uint8_t *bytes = read_bytes(r, 2 * (size_t)count);
  p->upvalue_count = bytes && count <= UPVALUES_MAX ? count : 0;
  for (uint32_t i = 0; i < p->upvalue_count; ++i)
    p->upvalues[i] = (uint16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
}

// Reads one function; nested functions precede it.
static void read_function(reader_t *r, bool has_lines) {
  code_t c = {0};
  uint32_t debug_size = 0;
  read_bytes(r, 3); // flags, parameters, slots
  uint32_t upvalue_count = read_byte(r), gc_count = read_number(r), number_count = read_number(r);
  c.count = read_number(r);
  if (has_lines && (debug_size = read_number(r)) > 0) {
    c.first_line = read_number(r);
    c.line_count = read_number(r);
  }
  c.instructions = read_bytes(r, 4 * (size_t)c.count);
  proto_t function; // not on the stack yet: the children are popped before their parent is pushed
  function.write_count = 0;
  read_upvalues(r, &function, upvalue_count);
  uint32_t children = read_constants(r, gc_count);
  read_numbers(r, number_count);
  c.lines = read_bytes(r, debug_size);
  if (r->malformed || children > r->depth) {
    r->malformed = true;
    return;
  }
  size_t line_bytes = (size_t)c.count * (c.line_count < 256 ? 1 : c.line_count < 65536 ? 2 : 4);
  if (debug_size < line_bytes)
    c.lines = NULL;
  c.end = c.lines ? c.lines + debug_size : NULL;
  c.names = c.lines ? c.lines + line_bytes : NULL;
  if (r->ops)
    collect_writes(r, &c, &function);
  for (uint32_t i = 0; i < children; ++i)
    add_child_writes(&function, &r->stack[r->depth - children + i]);
  r->depth -= children;
  proto_t *p = push_function(r);
  if (p)
    *p = function;
}

// Reads all functions of a dump; afterwards only the outermost is on the stack. Returns false if the bytes cannot be
// parsed.
static bool read_dump(reader_t *r) {
  const uint8_t *head = read_bytes(r, 4);
  if (!head || memcmp(head, "\033LJ", 3) != 0)
    return false;
  uint32_t flags = read_number(r);
  if (!(flags & STRIPPED))
    read_bytes(r, read_number(r)); // chunk name
  for (uint32_t size; !r->malformed && (size = read_number(r)) > 0;) {
    const uint8_t *from = r->at, *end = r->end;
    if (!read_bytes(r, size))
      break;
    r->at = from;
    r->end = from + size;
    read_function(r, !(flags & STRIPPED));
    r->malformed |= r->at != r->end;
    r->end = end;
  }
  return !r->malformed && r->depth == 1;
}

int bytecode_list_writes(const bytecode_ops_t *ops, const uint8_t *bytes, size_t size, bytecode_write_t *out) {
  shoal_assert(ops && out, "ops and out must not be NULL");
  reader_t r = {.at = bytes, .end = bytes + size, .ops = ops};
  int count = -1;
  if (read_dump(&r)) {
    count = (int)r.stack[0].write_count;
    shoal_assert(count <= (int)BYTECODE_MAX_WRITES, "%d writes exceed BYTECODE_MAX_WRITES (%u)", count,
                 (unsigned)BYTECODE_MAX_WRITES);
    memcpy(out, r.stack[0].writes, (size_t)count * sizeof *out);
    for (int i = 0; i < count; ++i)
      out[i].upvalue++;
  }
  free(r.stack);
  return count;
}

bool bytecode_sort_tables(const uint8_t *bytes, size_t size, uint8_t *out) {
  shoal_assert(bytes && out && bytes != out, "bytes and out must be different buffers and not NULL");
  memcpy(out, bytes, size);
  reader_t r = {.at = bytes, .end = bytes + size, .begin = bytes, .sorted = out};
  bool ok = read_dump(&r);
  free(r.stack);
  return ok;
}

// --- dumps

static int append_bytes(lua_State *L, const void *bytes, size_t count, void *context) {
  bytecode_bytes_t *out = context;
  (void)L;
  if (out->count + count > out->capacity) {
    out->capacity = (out->count + count) * 2;
    out->items = realloc(out->items, out->capacity);
    if (!out->items)
      abort();
  }
  memcpy(out->items + out->count, bytes, count);
  out->count += count;
  return 0;
}

bool bytecode_dump(lua_State *L, bytecode_bytes_t *out) {
  shoal_assert(lua_isfunction(L, -1) && out, "the top of the stack must be a function, and out must not be NULL");
  out->count = 0;
  return !lua_iscfunction(L, -1) && lua_dump(L, append_bytes, out) == 0;
}

// Reads the opcodes of the first instructions of the function that `text` returns; the function must not contain nested
// functions.
static bool read_first_opcodes(lua_State *L, const char *text, bytecode_bytes_t *bytes, uint8_t *ops, uint32_t count) {
  bool ok = luaL_loadstring(L, text) == 0 && lua_pcall(L, 0, 1, 0) == 0 && bytecode_dump(L, bytes);
  lua_pop(L, 1);
  reader_t r = {.at = bytes->items, .end = bytes->items + bytes->count};
  const uint8_t *head = ok ? read_bytes(&r, 4) : NULL;
  if (!head || memcmp(head, "\033LJ", 3) != 0 || (read_number(&r) & STRIPPED))
    return false;
  read_bytes(&r, read_number(&r)); // chunk name
  read_number(&r);                 // function size
  read_bytes(&r, 4);               // flags, parameters, slots, upvalues
  read_number(&r);
  read_number(&r);
  uint32_t instructions = read_number(&r);
  if (read_number(&r) > 0) {
    read_number(&r);
    read_number(&r);
  }
  const uint8_t *at = read_bytes(&r, 4 * (size_t)count);
  for (uint32_t i = 0; at && i < count; ++i)
    ops[i] = at[4 * i];
  return at && instructions >= count;
}

bool bytecode_find_ops(lua_State *L, bytecode_ops_t *out) {
  static const char *const ASSIGN[] = {
      "local a return function(x) a = x end",
      "local a return function() a = 's' end",
      "local a return function() a = 1.5 end",
      "local a return function() a = nil end",
  };
  static const char *const STORE[] = {
      "local t return function(k, v) t[k] = v end",
      "local t return function(k, v) t.k = v end",
      "local t return function(k, v) t[1] = v end",
  };
  bytecode_bytes_t bytes = {0};
  bool ok = true;
  for (int i = 0; i < 4; ++i)
    ok = ok && read_first_opcodes(L, ASSIGN[i], &bytes, &out->assign[i], 1);
  for (int i = 0; i < 3; ++i) {
    uint8_t ops[2] = {0};
    ok = ok && read_first_opcodes(L, STORE[i], &bytes, ops, 2);
    out->get = ops[0];
    out->store[i] = ops[1];
  }
  free(bytes.items);
  return ok;
}

// --- changes

// A prototype's instructions follow its fields, whose size depends on LuaJIT's build (currently 104 bytes). The
// position is found by comparing all instructions, so a match is reliable.
#define MIN_HEAD 56u
#define MAX_HEAD 112u

static uint32_t read_number_at(lua_State *L, int table, uint32_t i) {
  lua_rawgeti(L, table, (int)i + 1);
  uint32_t n = (uint32_t)(int64_t)lua_tonumber(L, -1);
  lua_pop(L, 1);
  return n;
}

int bytecode_rewrite(lua_State *L) {
  luaL_checktype(L, 2, LUA_TTABLE);
  luaL_checktype(L, 3, LUA_TTABLE);
  const uint8_t *prototype = lua_topointer(L, 1);
  uint32_t count = (uint32_t)lua_objlen(L, 2), found = 0, head = MIN_HEAD;
  shoal_assert(lua_objlen(L, 3) == count, "instruction counts differ: %u and %zu", count, lua_objlen(L, 3));
  for (; prototype && count > 0 && head <= MAX_HEAD; head += 4) {
    const uint32_t *code = (const uint32_t *)(const void *)(prototype + head);
    for (found = 0; found < count && code[found] == read_number_at(L, 2, found);)
      found++;
    if (found == count)
      break;
  }
  for (uint32_t i = 0; found == count && i < count; ++i)
    ((uint32_t *)(uintptr_t)(prototype + head))[i] = read_number_at(L, 3, i);
  lua_pushboolean(L, count > 0 && found == count);
  return 1;
}
