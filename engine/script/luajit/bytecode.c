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
#define KGC_STRING 5u
#define KTAB_INTEGER 3u
#define KTAB_NUMBER 4u
#define KTAB_STRING 5u

// Data of a function that is needed to analyse the parent.
typedef struct proto_t {
  uint16_t upvalues[UPVALUES_MAX];
  uint32_t upvalue_count;
  bytecode_write_t writes[BYTECODE_MAX_WRITES];
  uint32_t write_count;
} proto_t;

typedef struct dump_parser_t {
  const uint8_t *at, *end;
  bool malformed;
  const bytecode_ops_t *ops;
  uint8_t *sorted; // copy of the dump, with sorted pairs in table constants; NULL: do not sort
  const uint8_t *begin;
  proto_t *stack; // stack of functions whose parent has not been read yet
  uint32_t depth, capacity;
} dump_parser_t;

// --- parts

static uint32_t read_byte(dump_parser_t *parser) {
  if (parser->at >= parser->end) {
    parser->malformed = true;
    return 0;
  }
  shoal_assert(parser->at, "the dump must not be NULL");
  return *parser->at++;
}

static const uint8_t *read_bytes(dump_parser_t *parser, size_t count) {
  const uint8_t *start = parser->at;
  if ((size_t)(parser->end - parser->at) < count) {
    parser->malformed = true;
    parser->at = parser->end;
    return NULL;
  }
  parser->at += count;
  return start;
}

static uint32_t read_number(dump_parser_t *r) { // reads a ULEB128 number
  uint64_t v;
  size_t used = varint_read(r->at, (size_t)(r->end - r->at), &v);
  r->malformed |= used == 0;
  r->at = used > 0 ? r->at + used : r->end;
  return (uint32_t)v;
}

static void read_table_value(dump_parser_t *parser) {
  uint32_t type = read_number(parser);
  if (type >= KTAB_STRING) {
    read_bytes(parser, type - KTAB_STRING);
  } else if (type == KTAB_INTEGER || type == KTAB_NUMBER) {
    read_number(parser);
    if (type == KTAB_NUMBER)
      read_number(parser);
  }
}

typedef struct table_pair_t {
  const uint8_t *at;
  size_t size;
} table_pair_t;

// Compares the bytes of two pairs, which always differ because the keys of a table are distinct.
static int compare_pairs(const void *a, const void *b) {
  const table_pair_t *a_pair = a, *b_pair = b;
  int order = memcmp(a_pair->at, b_pair->at, a_pair->size < b_pair->size ? a_pair->size : b_pair->size);
  return order ? order : (a_pair->size > b_pair->size) - (a_pair->size < b_pair->size);
}

// Writes the sorted pairs to the copy. LuaJIT dumps pairs in hash table order, which depends on the VM's hash seed.
static void sort_pairs(const dump_parser_t *parser, table_pair_t *pairs, uint32_t count) {
  shoal_assert(count > 0, "count must not be 0");
  uint8_t *target = parser->sorted + (pairs[0].at - parser->begin);
  qsort(pairs, count, sizeof *pairs, compare_pairs);
  for (uint32_t i = 0; i < count; target += pairs[i++].size)
    memcpy(target, pairs[i].at, pairs[i].size);
}

static void read_pairs(dump_parser_t *parser, uint32_t count) {
  // A pair takes at least two bytes, so a count above the number of remaining bytes is invalid.
  table_pair_t *pairs =
      parser->sorted && count > 0 && count <= (size_t)(parser->end - parser->at) ? malloc(count * sizeof *pairs) : NULL;
  for (uint32_t i = 0; i < count && !parser->malformed; ++i) {
    const uint8_t *start = parser->at;
    read_table_value(parser);
    read_table_value(parser);
    if (pairs)
      pairs[i] = (table_pair_t){start, (size_t)(parser->at - start)};
  }
  if (pairs && !parser->malformed)
    sort_pairs(parser, pairs, count);
  free(pairs);
}

static void read_table(dump_parser_t *parser) {
  uint32_t list_count = read_number(parser), pair_count = read_number(parser);
  for (uint32_t i = 0; i < list_count && !parser->malformed; ++i)
    read_table_value(parser);
  read_pairs(parser, pair_count);
}

// Reads the constants and returns the number of functions among them.
static uint32_t read_constants(dump_parser_t *parser, uint32_t count) {
  uint32_t child_count = 0;
  for (uint32_t i = 0; i < count && !parser->malformed; ++i) {
    uint32_t type = read_number(parser);
    if (type >= KGC_STRING)
      read_bytes(parser, type - KGC_STRING);
    else if (type == KGC_TABLE)
      read_table(parser);
    else if (type != KGC_CHILD)
      for (uint32_t k = 0; k < (type == KGC_COMPLEX ? 4u : 2u); ++k)
        read_number(parser);
    child_count += type == KGC_CHILD;
  }
  return child_count;
}

static void read_numbers(dump_parser_t *parser, uint32_t count) {
  for (uint32_t i = 0; i < count && !parser->malformed; ++i) {
    // nonzero if this is the low half of a double, which is followed by the high half
    uint32_t is_wide = parser->at < parser->end ? *parser->at & 1u : 0;
    uint32_t byte = read_byte(parser);
    while ((byte & 0x80) && !parser->malformed)
      byte = read_byte(parser);
    if (is_wide)
      read_number(parser);
  }
}

// --- writes

typedef struct code_t {
  const uint8_t *instructions, *lines, *names, *end;
  uint32_t count, first_line, line_count;
} code_t;

static uint32_t read_line(const code_t *code, uint32_t i) {
  uint32_t width = code->line_count < 256 ? 1 : code->line_count < 65536 ? 2 : 4, line = 0;
  if (!code->lines)
    return 0;
  for (uint32_t k = 0; k < width; ++k)
    line |= (uint32_t)code->lines[(size_t)i * width + k] << (8 * k);
  return code->first_line + line;
}

static void copy_upvalue_name(const code_t *code, uint32_t upvalue, char *out) {
  const uint8_t *name = code->names;
  out[0] = '\0';
  for (uint32_t i = 0; name && name < code->end; ++i) {
    size_t length = strnlen((const char *)name, (size_t)(code->end - name));
    if (i == upvalue) {
      length = length < BYTECODE_NAME_MAX ? length : BYTECODE_NAME_MAX - 1;
      memcpy(out, name, length);
      out[length] = '\0';
      return;
    }
    name += length + 1;
  }
}

static void add_write(proto_t *proto, const code_t *code, bytecode_write_kind_t kind, uint32_t upvalue, uint32_t i) {
  if (proto->write_count == BYTECODE_MAX_WRITES)
    return;
  bytecode_write_t *write = &proto->writes[proto->write_count++];
  *write = (bytecode_write_t){.kind = kind, .upvalue = upvalue, .line = read_line(code, i)};
  copy_upvalue_name(code, upvalue, write->name);
}

static bool is_one_of(const uint8_t *ops, size_t count, uint8_t op) {
  return memchr(ops, op, count) != NULL;
}

// Finds the upvalue whose table a store writes to. The table was loaded before its key and value, which are in higher
// slots. Therefore the table was loaded by the last preceding instruction that sets the table's slot or a lower slot.
// Returns UINT32_MAX if the table is not an upvalue.
static uint32_t find_stored_upvalue(const dump_parser_t *parser, const code_t *code, uint32_t i) {
  uint32_t slot = code->instructions[4 * i + 3];
  while (i-- > 0) {
    const uint8_t *instruction = code->instructions + 4 * (size_t)i;
    if (instruction[1] > slot)
      continue;
    return instruction[0] == parser->ops->get && instruction[1] == slot
               ? (uint32_t)(instruction[2] | instruction[3] << 8)
               : UINT32_MAX;
  }
  return UINT32_MAX;
}

static void collect_writes(const dump_parser_t *parser, const code_t *code, proto_t *proto) {
  for (uint32_t i = 0; i < code->count; ++i) {
    const uint8_t *instruction = code->instructions + 4 * (size_t)i;
    if (is_one_of(parser->ops->assign, sizeof parser->ops->assign, instruction[0])) {
      add_write(proto, code, BYTECODE_ASSIGNS, instruction[1], i);
    } else if (is_one_of(parser->ops->store, sizeof parser->ops->store, instruction[0])) {
      uint32_t upvalue = find_stored_upvalue(parser, code, i);
      if (upvalue != UINT32_MAX)
        add_write(proto, code, BYTECODE_STORES, upvalue, i);
    }
  }
}

// Adds the writes of a nested function that go to its parent's upvalues. Omits writes to the parent's own locals.
static void add_child_writes(proto_t *proto, const proto_t *child) {
  for (uint32_t i = 0; i < child->write_count && proto->write_count < BYTECODE_MAX_WRITES; ++i) {
    const bytecode_write_t *write = &child->writes[i];
    uint16_t parent_upvalue = write->upvalue < child->upvalue_count ? child->upvalues[write->upvalue] : PARENT_LOCAL;
    if (parent_upvalue & PARENT_LOCAL)
      continue;
    proto->writes[proto->write_count] = *write;
    proto->writes[proto->write_count++].upvalue = parent_upvalue;
  }
}

// --- functions

static proto_t *push_function(dump_parser_t *parser) {
  if (parser->depth >= MAX_DEPTH) {
    parser->malformed = true;
    return NULL;
  }
  if (parser->depth == parser->capacity) {
    parser->capacity = parser->capacity ? 2 * parser->capacity : 4;
    parser->stack = realloc(parser->stack, parser->capacity * sizeof *parser->stack);
    if (!parser->stack)
      abort();
  }
  proto_t *proto = &parser->stack[parser->depth++];
  proto->upvalue_count = proto->write_count = 0;
  return proto;
}

static void read_upvalues(dump_parser_t *parser, proto_t *proto, uint32_t count) {
  const uint8_t *bytes = read_bytes(parser, 2 * (size_t)count);
  proto->upvalue_count = bytes && count <= UPVALUES_MAX ? count : 0;
  for (uint32_t i = 0; i < proto->upvalue_count; ++i)
    proto->upvalues[i] = (uint16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
}

// Reads one function; nested functions precede it.
static void read_function(dump_parser_t *parser, bool has_lines) {
  code_t code = {0};
  uint32_t debug_size = 0;
  read_bytes(parser, 3); // skips flags, parameters and slots
  uint32_t upvalue_count = read_byte(parser), gc_count = read_number(parser), number_count = read_number(parser);
  code.count = read_number(parser);
  if (has_lines && (debug_size = read_number(parser)) > 0) {
    code.first_line = read_number(parser);
    code.line_count = read_number(parser);
  }
  code.instructions = read_bytes(parser, 4 * (size_t)code.count);
  proto_t function; // not on the stack yet: the children are popped before their parent is pushed
  function.write_count = 0;
  read_upvalues(parser, &function, upvalue_count);
  uint32_t child_count = read_constants(parser, gc_count);
  read_numbers(parser, number_count);
  code.lines = read_bytes(parser, debug_size);
  if (parser->malformed || child_count > parser->depth) {
    parser->malformed = true;
    return;
  }
  size_t line_bytes = (size_t)code.count * (code.line_count < 256 ? 1 : code.line_count < 65536 ? 2 : 4);
  if (debug_size < line_bytes)
    code.lines = NULL;
  code.end = code.lines ? code.lines + debug_size : NULL;
  code.names = code.lines ? code.lines + line_bytes : NULL;
  if (parser->ops)
    collect_writes(parser, &code, &function);
  for (uint32_t i = 0; i < child_count; ++i)
    add_child_writes(&function, &parser->stack[parser->depth - child_count + i]);
  parser->depth -= child_count;
  proto_t *pushed = push_function(parser);
  if (pushed)
    *pushed = function;
}

// Reads all functions of a dump; afterwards only the outermost is on the stack. Returns true on success, or false if
// the bytes cannot be parsed.
static bool read_dump(dump_parser_t *parser) {
  const uint8_t *head = read_bytes(parser, 4);
  if (!head || memcmp(head, "\033LJ", 3) != 0)
    return false;
  uint32_t flags = read_number(parser);
  if (!(flags & STRIPPED))
    read_bytes(parser, read_number(parser)); // skips the chunk name
  for (uint32_t size; !parser->malformed && (size = read_number(parser)) > 0;) {
    const uint8_t *start = parser->at, *end = parser->end;
    if (!read_bytes(parser, size))
      break;
    parser->at = start;
    parser->end = start + size;
    read_function(parser, !(flags & STRIPPED));
    parser->malformed |= parser->at != parser->end;
    parser->end = end;
  }
  return !parser->malformed && parser->depth == 1;
}

int bytecode_list_writes(const bytecode_ops_t *ops, const uint8_t *bytes, size_t size, bytecode_write_t *out) {
  shoal_assert(ops && out, "ops and out must not be NULL");
  dump_parser_t parser = {.at = bytes, .end = bytes + size, .ops = ops};
  int count = -1;
  if (read_dump(&parser)) {
    count = (int)parser.stack[0].write_count;
    shoal_assert(count <= (int)BYTECODE_MAX_WRITES, "%d writes exceed BYTECODE_MAX_WRITES (%u)", count,
                 (unsigned)BYTECODE_MAX_WRITES);
    memcpy(out, parser.stack[0].writes, (size_t)count * sizeof *out);
    for (int i = 0; i < count; ++i)
      out[i].upvalue++;
  }
  free(parser.stack);
  return count;
}

bool bytecode_sort_tables(const uint8_t *bytes, size_t size, uint8_t *out) {
  shoal_assert(bytes && out && bytes != out, "bytes and out must be different buffers and not NULL");
  memcpy(out, bytes, size);
  dump_parser_t parser = {.at = bytes, .end = bytes + size, .begin = bytes, .sorted = out};
  bool ok = read_dump(&parser);
  free(parser.stack);
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
  dump_parser_t parser = {.at = bytes->items, .end = bytes->items + bytes->count};
  const uint8_t *head = ok ? read_bytes(&parser, 4) : NULL;
  if (!head || memcmp(head, "\033LJ", 3) != 0 || (read_number(&parser) & STRIPPED))
    return false;
  read_bytes(&parser, read_number(&parser)); // skips the chunk name
  read_number(&parser);                      // skips the function size
  read_bytes(&parser, 4);                    // skips flags, parameters, slots and upvalues
  read_number(&parser);
  read_number(&parser);
  uint32_t instructions = read_number(&parser);
  if (read_number(&parser) > 0) {
    read_number(&parser);
    read_number(&parser);
  }
  const uint8_t *code = read_bytes(&parser, 4 * (size_t)count);
  for (uint32_t i = 0; code && i < count; ++i)
    ops[i] = code[4 * i];
  return code && instructions >= count;
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
#define MIN_PROTOTYPE_BYTES 56u
#define MAX_PROTOTYPE_BYTES 112u

static uint32_t read_number_at(lua_State *L, int table, uint32_t i) {
  lua_rawgeti(L, table, (int)i + 1);
  uint32_t number = (uint32_t)(int64_t)lua_tonumber(L, -1);
  lua_pop(L, 1);
  return number;
}

int bytecode_rewrite(lua_State *L) {
  luaL_checktype(L, 2, LUA_TTABLE);
  luaL_checktype(L, 3, LUA_TTABLE);
  const uint8_t *prototype = lua_topointer(L, 1);
  uint32_t count = (uint32_t)lua_objlen(L, 2), matched = 0, offset = MIN_PROTOTYPE_BYTES;
  shoal_assert(lua_objlen(L, 3) == count, "instruction counts differ: %u and %zu", count, lua_objlen(L, 3));
  for (; prototype && count > 0 && offset <= MAX_PROTOTYPE_BYTES; offset += 4) {
    const uint32_t *code = (const uint32_t *)(const void *)(prototype + offset);
    for (matched = 0; matched < count && code[matched] == read_number_at(L, 2, matched);)
      matched++;
    if (matched == count)
      break;
  }
  for (uint32_t i = 0; matched == count && i < count; ++i)
    ((uint32_t *)(uintptr_t)(prototype + offset))[i] = read_number_at(L, 3, i);
  lua_pushboolean(L, count > 0 && matched == count);
  return 1;
}
