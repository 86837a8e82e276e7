// Reads a Lua chunk's dump into arrays of functions and constants.
#include "luajit/dump_reader.h"

#include "base/assert.h"
#include "base/varint.h"

#include <string.h>

#define FLAG_STRIPPED 0x02u
#define FLAG_WIDE_FRAMES 0x08u
#define KGC_CHILD 0u
#define KGC_TABLE 1u
#define KGC_COMPLEX 4u
#define KGC_STRING 5u
#define KTAB_INTEGER 3u
#define KTAB_NUMBER 4u
#define KTAB_STRING 5u

typedef struct reader_t {
  const uint8_t *at, *end;
  bool malformed;
  allocator_t *memory;
  dump_t *out;
  ARRAY(uint32_t) orphans; // functions whose parent has not been read yet
} reader_t;

static const uint8_t *read_bytes(reader_t *reader, size_t count) {
  const uint8_t *start = reader->at;
  if ((size_t)(reader->end - reader->at) < count) {
    reader->malformed = true;
    reader->at = reader->end;
    return NULL;
  }
  reader->at += count;
  return start;
}

static uint32_t read_byte(reader_t *reader) {
  const uint8_t *byte = read_bytes(reader, 1);
  return byte ? *byte : 0;
}

static uint32_t read_number(reader_t *reader) {
  uint64_t value;
  size_t length = varint_read(reader->at, (size_t)(reader->end - reader->at), &value);
  reader->malformed |= length == 0;
  reader->at = length > 0 ? reader->at + length : reader->end;
  return (uint32_t)value;
}

// Reads a key or value of a constant table. Returns the text of a string, or NULL if it is not a string.
static const uint8_t *read_table_value(reader_t *reader, uint32_t *size) {
  uint32_t type = read_number(reader);
  *size = 0;
  if (type >= KTAB_STRING) {
    *size = type - KTAB_STRING;
    return read_bytes(reader, *size);
  }
  if (type == KTAB_INTEGER || type == KTAB_NUMBER)
    read_number(reader);
  if (type == KTAB_NUMBER)
    read_number(reader);
  return NULL;
}

static void read_table(reader_t *reader, dump_constant_t *out) {
  uint32_t ignored;
  const uint8_t *start = reader->at;
  uint64_t list_count = read_number(reader), pair_count = read_number(reader);
  for (uint64_t i = 0; i < list_count + 2 * pair_count && !reader->malformed; ++i)
    read_table_value(reader, &ignored);
  *out = (dump_constant_t){.kind = DUMP_TABLE, .bytes = start, .size = (uint32_t)(reader->at - start)};
}

// Reads a constant that is a nested function. Functions are written in the order of their operands, constants in the
// opposite order, so the function is the last in `orphans`.
static void read_child(reader_t *reader, dump_constant_t *out) {
  reader->malformed |= reader->orphans.count == 0;
  if (!reader->malformed)
    *out = (dump_constant_t){.kind = DUMP_FUNCTION, .function = reader->orphans.items[--reader->orphans.count]};
}

static dump_constant_t read_constant(reader_t *reader) {
  dump_constant_t out = {.kind = DUMP_OTHER};
  uint32_t type = read_number(reader);
  if (type >= KGC_STRING) {
    out = (dump_constant_t){
        .kind = DUMP_STRING, .bytes = read_bytes(reader, type - KGC_STRING), .size = type - KGC_STRING};
  } else if (type == KGC_TABLE) {
    read_table(reader, &out);
  } else if (type == KGC_CHILD) {
    read_child(reader, &out);
  } else {
    for (uint32_t i = 0; i < (type == KGC_COMPLEX ? 4u : 2u); ++i)
      read_number(reader);
  }
  return out;
}

static void skip_numbers(reader_t *reader, uint32_t count) {
  for (uint32_t i = 0; i < count && !reader->malformed; ++i) {
    // true if this is the low half of a double, followed by its high half
    bool is_wide = reader->at < reader->end && (*reader->at & 1u);
    while ((read_byte(reader) & 0x80) && !reader->malformed) {
    }
    if (is_wide)
      read_number(reader);
  }
}

static uint32_t line_width(const dump_function_t *function) {
  return function->line_count < 256 ? 1 : function->line_count < 65536 ? 2 : 4;
}

static void read_function(reader_t *reader, bool has_lines) {
  dump_function_t function = {0};
  uint32_t debug_size = 0;
  read_byte(reader); // skips the flags
  function.parameter_count = read_byte(reader);
  function.slot_count = read_byte(reader);
  function.upvalue_count = read_byte(reader);
  function.constant_count = read_number(reader);
  uint32_t number_count = read_number(reader);
  function.instruction_count = read_number(reader);
  if (has_lines && (debug_size = read_number(reader)) > 0) {
    function.first_line = read_number(reader);
    function.line_count = read_number(reader);
  }
  function.code = read_bytes(reader, 4 * (size_t)function.instruction_count);
  function.upvalues = read_bytes(reader, 2 * (size_t)function.upvalue_count);
  function.constant = reader->out->constants.count;
  for (uint32_t i = 0; i < function.constant_count && !reader->malformed; ++i)
    array_push(reader->memory, &reader->out->constants, read_constant(reader));
  skip_numbers(reader, number_count);
  function.lines = read_bytes(reader, debug_size);
  if (debug_size < (size_t)function.instruction_count * line_width(&function))
    function.lines = NULL;
  array_push(reader->memory, &reader->orphans, reader->out->functions.count);
  array_push(reader->memory, &reader->out->functions, function);
}

static void read_functions(reader_t *reader, bool has_lines) {
  for (uint32_t size; !reader->malformed && (size = read_number(reader)) > 0;) {
    const uint8_t *start = reader->at, *end = reader->end;
    if (!read_bytes(reader, size))
      return;
    reader->at = start;
    reader->end = start + size;
    read_function(reader, has_lines);
    reader->malformed |= reader->at != reader->end;
    reader->end = end;
  }
}

bool dump_read(dump_t *dump, allocator_t *allocator, const uint8_t *bytes, size_t size) {
  shoal_assert(dump && bytes, "dump and bytes must not be NULL");
  *dump = (dump_t){0};
  reader_t reader = {.at = bytes, .end = bytes + size, .memory = allocator, .out = dump};
  const uint8_t *head = read_bytes(&reader, 4);
  bool is_dump = head && memcmp(head, "\033LJ\002", 4) == 0;
  if (is_dump) {
    uint32_t flags = read_number(&reader);
    dump->has_wide_frames = (flags & FLAG_WIDE_FRAMES) != 0;
    if (!(flags & FLAG_STRIPPED))
      read_bytes(&reader, read_number(&reader)); // skips the chunk name
    read_functions(&reader, !(flags & FLAG_STRIPPED));
  }
  bool is_complete = is_dump && !reader.malformed && reader.orphans.count == 1;
  array_free(allocator, &reader.orphans);
  return is_complete;
}

void dump_fini(dump_t *dump, allocator_t *allocator) {
  array_free(allocator, &dump->functions);
  array_free(allocator, &dump->constants);
}

const dump_constant_t *dump_find_constant(const dump_t *dump, const dump_function_t *function, uint32_t operand) {
  return operand < function->constant_count
             ? &dump->constants.items[function->constant + function->constant_count - 1 - operand]
             : NULL;
}

uint32_t dump_line(const dump_function_t *function, uint32_t instruction) {
  uint32_t width = line_width(function), line = 0;
  if (!function->lines || instruction >= function->instruction_count)
    return 0;
  for (uint32_t k = 0; k < width; ++k)
    line |= (uint32_t)function->lines[(size_t)instruction * width + k] << (8 * k);
  return function->first_line + line;
}

dump_table_t dump_table_begin(const dump_constant_t *table) {
  reader_t reader = {.at = table->bytes, .end = table->bytes + table->size};
  dump_table_t iterator = {.list_left = read_number(&reader), .pairs_left = read_number(&reader)};
  iterator.at = reader.at;
  iterator.end = reader.end;
  return iterator;
}

bool dump_table_next(dump_table_t *iterator, dump_pair_t *pair) {
  reader_t reader = {.at = iterator->at, .end = iterator->end};
  *pair = (dump_pair_t){0};
  if (iterator->list_left > 0) {
    iterator->list_left--;
  } else if (iterator->pairs_left > 0) {
    iterator->pairs_left--;
    pair->key = read_table_value(&reader, &pair->key_size);
  } else {
    return false;
  }
  pair->text = read_table_value(&reader, &pair->text_size);
  iterator->at = reader.at;
  return !reader.malformed;
}
