// Reads the dump of a Lua chunk into arrays of functions and constants.
#include "luajit/dump_reader.h"

#include "base/assert.h"
#include "base/varint.h"

#include <string.h>

#define FLAG_STRIPPED 0x02u
#define FLAG_WIDE_FRAMES 0x08u
#define KGC_CHILD 0u
#define KGC_TABLE 1u
#define KGC_COMPLEX 4u
#define KGC_TEXT 5u
#define KTAB_INTEGER 3u
#define KTAB_NUMBER 4u
#define KTAB_TEXT 5u

typedef struct reader_t {
  const uint8_t *at, *end;
  bool malformed;
  allocator_t *memory;
  dump_t *out;
  ARRAY(uint32_t) orphans; // functions whose parent has not been read yet
} reader_t;

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

static uint32_t read_byte(reader_t *r) {
  const uint8_t *at = read_bytes(r, 1);
  return at ? *at : 0;
}

static uint32_t read_number(reader_t *r) {
  uint64_t v;
  size_t used = varint_read(r->at, (size_t)(r->end - r->at), &v);
  r->malformed |= used == 0;
  r->at = used > 0 ? r->at + used : r->end;
  return (uint32_t)v;
}

// Reads a key or a value of a constant table. Returns its text, or NULL if it is not a string.
static const uint8_t *read_table_value(reader_t *r, uint32_t *size) {
  uint32_t type = read_number(r);
  *size = 0;
  if (type >= KTAB_TEXT) {
    *size = type - KTAB_TEXT;
    return read_bytes(r, *size);
  }
  if (type == KTAB_INTEGER || type == KTAB_NUMBER)
    read_number(r);
  if (type == KTAB_NUMBER)
    read_number(r);
  return NULL;
}

static void read_table(reader_t *r, dump_constant_t *out) {
  uint32_t ignored;
  const uint8_t *from = r->at;
  uint64_t list = read_number(r), pairs = read_number(r);
  for (uint64_t i = 0; i < list + 2 * pairs && !r->malformed; ++i)
    read_table_value(r, &ignored);
  *out = (dump_constant_t){.kind = DUMP_TABLE, .bytes = from, .size = (uint32_t)(r->at - from)};
}

// Nested functions are written in the order of their operands, so the first one read is the last one of the list.
static void read_child(reader_t *r, dump_constant_t *out) {
  r->malformed |= r->orphans.count == 0;
  if (!r->malformed)
    *out = (dump_constant_t){.kind = DUMP_FUNCTION, .function = r->orphans.items[--r->orphans.count]};
}

static dump_constant_t read_constant(reader_t *r) {
  dump_constant_t out = {.kind = DUMP_OTHER};
  uint32_t type = read_number(r);
  if (type >= KGC_TEXT) {
    out = (dump_constant_t){.kind = DUMP_STRING, .bytes = read_bytes(r, type - KGC_TEXT), .size = type - KGC_TEXT};
  } else if (type == KGC_TABLE) {
    read_table(r, &out);
  } else if (type == KGC_CHILD) {
    read_child(r, &out);
  } else {
    for (uint32_t i = 0; i < (type == KGC_COMPLEX ? 4u : 2u); ++i)
      read_number(r);
  }
  return out;
}

static void skip_numbers(reader_t *r, uint32_t count) {
  for (uint32_t i = 0; i < count && !r->malformed; ++i) {
    bool is_wide = r->at < r->end && (*r->at & 1u); // the low half of a number; the high half follows
    while ((read_byte(r) & 0x80) && !r->malformed) {
    }
    if (is_wide)
      read_number(r);
  }
}

static uint32_t line_width(const dump_function_t *f) {
  return f->line_count < 256 ? 1 : f->line_count < 65536 ? 2 : 4;
}

static void read_function(reader_t *r, bool has_lines) {
  dump_function_t f = {0};
  uint32_t debug_size = 0;
  read_byte(r); // flags
  f.parameter_count = read_byte(r);
  f.slot_count = read_byte(r);
  f.upvalue_count = read_byte(r);
  f.constant_count = read_number(r);
  uint32_t numbers = read_number(r);
  f.instruction_count = read_number(r);
  if (has_lines && (debug_size = read_number(r)) > 0) {
    f.first_line = read_number(r);
    f.line_count = read_number(r);
  }
  f.code = read_bytes(r, 4 * (size_t)f.instruction_count);
  f.upvalues = read_bytes(r, 2 * (size_t)f.upvalue_count);
  f.constant = r->out->constants.count;
  for (uint32_t i = 0; i < f.constant_count && !r->malformed; ++i)
    array_push(r->memory, &r->out->constants, read_constant(r));
  skip_numbers(r, numbers);
  f.lines = read_bytes(r, debug_size);
  if (debug_size < (size_t)f.instruction_count * line_width(&f))
    f.lines = NULL;
  array_push(r->memory, &r->orphans, r->out->functions.count);
  array_push(r->memory, &r->out->functions, f);
}

static void read_functions(reader_t *r, bool has_lines) {
  for (uint32_t size; !r->malformed && (size = read_number(r)) > 0;) {
    const uint8_t *from = r->at, *end = r->end;
    if (!read_bytes(r, size))
      return;
    r->at = from;
    r->end = from + size;
    read_function(r, has_lines);
    r->malformed |= r->at != r->end;
    r->end = end;
  }
}

bool dump_read(dump_t *d, allocator_t *a, const uint8_t *bytes, size_t size) {
  shoal_assert(d && bytes, "d and bytes must not be NULL");
  *d = (dump_t){0};
  reader_t r = {.at = bytes, .end = bytes + size, .memory = a, .out = d};
  const uint8_t *head = read_bytes(&r, 4);
  bool is_dump = head && memcmp(head, "\033LJ\002", 4) == 0;
  if (is_dump) {
    uint32_t flags = read_number(&r);
    d->has_wide_frames = (flags & FLAG_WIDE_FRAMES) != 0;
    if (!(flags & FLAG_STRIPPED))
      read_bytes(&r, read_number(&r)); // chunk name
    read_functions(&r, !(flags & FLAG_STRIPPED));
  }
  bool is_complete = is_dump && !r.malformed && r.orphans.count == 1;
  array_free(a, &r.orphans);
  return is_complete;
}

void dump_fini(dump_t *d, allocator_t *a) {
  array_free(a, &d->functions);
  array_free(a, &d->constants);
}

const dump_constant_t *dump_find_constant(const dump_t *d, const dump_function_t *f, uint32_t operand) {
  return operand < f->constant_count ? &d->constants.items[f->constant + f->constant_count - 1 - operand] : NULL;
}

uint32_t dump_line(const dump_function_t *f, uint32_t i) {
  uint32_t width = line_width(f), line = 0;
  if (!f->lines || i >= f->instruction_count)
    return 0;
  for (uint32_t k = 0; k < width; ++k)
    line |= (uint32_t)f->lines[(size_t)i * width + k] << (8 * k);
  return f->first_line + line;
}

dump_table_t dump_table_begin(const dump_constant_t *table) {
  reader_t r = {.at = table->bytes, .end = table->bytes + table->size};
  dump_table_t t = {.list_left = read_number(&r), .pairs_left = read_number(&r)};
  t.at = r.at;
  t.end = r.end;
  return t;
}

bool dump_table_next(dump_table_t *t, dump_pair_t *out) {
  reader_t r = {.at = t->at, .end = t->end};
  *out = (dump_pair_t){0};
  if (t->list_left > 0) {
    t->list_left--;
  } else if (t->pairs_left > 0) {
    t->pairs_left--;
    out->key = read_table_value(&r, &out->key_size);
  } else {
    return false;
  }
  out->text = read_table_value(&r, &out->text_size);
  t->at = r.at;
  return !r.malformed;
}
