#include "host/history.h"

#include "base/array.h"
#include "base/assert.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <zstd.h>

#define LEVEL 3
#define KEYS_PER_WHOLE 16u
#define LOOK_TICKS 2u // after so many the best way to foretell a cell is looked for again
#define UNKNOWN 255u

typedef struct blob_t {
  uint8_t *bytes; // NULL for none
  uint32_t size, raw_size;
} blob_t;

// Nearly every state is kept as the difference from the three before it (fewer right behind a key). A key is kept as the difference
// from the key before it, or whole.
typedef enum form_t { DELTA, KEY, WHOLE } form_t;

typedef struct state_t {
  uint64_t tick;
  form_t form;
  uint32_t size; // of a difference before it is thinned out
  blob_t blob;
} state_t;

typedef ARRAY(uint8_t) bytes_t;

struct history_o {
  allocator_t *allocator;
  uint64_t budget;
  state_t *states; // a ring
  uint32_t first, count, capacity;
  uint32_t at;          // where the world is: 0 … count - 1
  snapshot_o *now;      // the state at `at`,
  snapshot_o *prev[2];  // and the two before it, as far back as to the last key
  snapshot_o *key;      // the last key; empty when the next one must be whole
  uint64_t group_bytes; // since the last whole one
  ZSTD_CCtx *packer;
  ZSTD_DCtx *unpacker;
  snapshot_o *next;          // room
  snapshot_o *base;          // the key that was gone from last, for the next step back is likely to begin there too
  uint64_t base_tick;        // of it
  snapshot_o *looked;        // what history_peek gave
  bytes_t raw, thin, packed; // room
  ARRAY(uint32_t) told;
  bytes_t ways; // by section × 16 + cell: the way that was best when it was looked for
  history_stats_t stats;
};

static state_t *state(history_o *h, uint32_t i) {
  return &h->states[(h->first + i) & (h->capacity - 1)];
}

// --- life

history_o *history_create(allocator_t *a, uint64_t budget_bytes) {
  history_o *h = alloc_resize(a, NULL, 0, sizeof *h);
  *h = (history_o){.allocator = a, .budget = budget_bytes};
  h->packer = ZSTD_createCCtx();
  h->unpacker = ZSTD_createDCtx();
  h->key = snapshot_create(a);
  h->base = snapshot_create(a);
  h->now = snapshot_create(a);
  h->prev[0] = snapshot_create(a);
  h->prev[1] = snapshot_create(a);
  h->next = snapshot_create(a);
  h->looked = snapshot_create(a);
  return h;
}

static void free_state(history_o *h, uint32_t i) {
  blob_t *b = &state(h, i)->blob;
  h->stats.bytes -= b->size + sizeof(state_t);
  alloc_resize(h->allocator, b->bytes, b->size, 0);
}

// The first one is always whole, since all others stand on those before. False when there is no second whole one.
static bool drop_first_group(history_o *h) {
  uint32_t next = 1;
  while (next < h->count && state(h, next)->form != WHOLE)
    next++;
  if (next >= h->count)
    return false;
  for (uint32_t i = 0; i < next; i++)
    free_state(h, i);
  h->first = (h->first + next) & (h->capacity - 1);
  h->count -= next;
  h->at -= next;
  return true;
}

void history_clear(history_o *h) {
  while (h->count > 0)
    free_state(h, --h->count);
  h->at = 0;
  snapshot_set_bytes(h->key, NULL, 0);
  snapshot_set_bytes(h->base, NULL, 0);
}

void history_destroy(history_o *h) {
  if (!h)
    return;
  history_clear(h);
  allocator_t *a = h->allocator;
  ZSTD_freeCCtx(h->packer);
  ZSTD_freeDCtx(h->unpacker);
  snapshot_release(h->key);
  snapshot_release(h->base);
  snapshot_release(h->now);
  snapshot_release(h->prev[0]);
  snapshot_release(h->prev[1]);
  snapshot_release(h->next);
  snapshot_release(h->looked);
  array_free(a, &h->raw);
  array_free(a, &h->thin);
  array_free(a, &h->packed);
  array_free(a, &h->told);
  array_free(a, &h->ways);
  alloc_resize(a, h->states, h->capacity * sizeof *h->states, 0);
  alloc_resize(a, h, sizeof *h, 0);
}

// --- packing

static blob_t pack(history_o *h, const void *raw, size_t raw_size) {
  size_t most = ZSTD_compressBound(raw_size);
  shoal_assert(most < UINT32_MAX, "a state of %zu bytes", raw_size);
  array_reserve(h->allocator, &h->packed, (uint32_t)most);
  size_t size = ZSTD_compressCCtx(h->packer, h->packed.items, most, raw, raw_size, LEVEL);
  blob_t b = {.size = (uint32_t)size, .raw_size = (uint32_t)raw_size};
  b.bytes = alloc_resize(h->allocator, NULL, 0, b.size);
  memcpy(b.bytes, h->packed.items, b.size);
  return b;
}

static bool unpack(history_o *h, const blob_t *b, void *out) {
  return ZSTD_decompressDCtx(h->unpacker, out, b->raw_size, b->bytes, b->size) == b->raw_size;
}

// --- thinning: a bit for each byte says whether it is zero; then come those that are not

static void thin_out(history_o *h) {
  uint32_t size = h->raw.count, mask_bytes = (size + 7) / 8, kept = mask_bytes;
  array_reserve(h->allocator, &h->raw, mask_bytes * 8);
  memset(h->raw.items + size, 0, mask_bytes * 8 - size);
  array_reserve(h->allocator, &h->thin, mask_bytes * 9);
  uint8_t *out = h->thin.items;
  for (uint32_t i = 0; i < mask_bytes; i++) {
    const uint8_t *in = h->raw.items + (size_t)i * 8;
    uint64_t eight;
    memcpy(&eight, in, sizeof eight);
    out[i] = 0;
    for (uint32_t k = 0; eight != 0 && k < 8; k++) {
      out[i] |= (uint8_t)((in[k] != 0) << k);
      out[kept] = in[k];
      kept += in[k] != 0;
    }
  }
  h->thin.count = kept;
}

// `size` bytes, of which the thin ones are in h->thin, into h->raw.
static void thicken(history_o *h, uint32_t size) {
  uint32_t mask_bytes = (size + 7) / 8, at = mask_bytes;
  h->raw.count = 0;
  array_reserve(h->allocator, &h->raw, mask_bytes * 8);
  memset(h->raw.items, 0, (size_t)mask_bytes * 8);
  for (uint32_t i = 0; i < mask_bytes; i++)
    for (uint32_t k = 0, mask = h->thin.items[i]; mask != 0; k++, mask >>= 1)
      if (mask & 1)
        h->raw.items[(size_t)i * 8 + k] = h->thin.items[at++];
  h->raw.count = size;
}

// --- differences. A state is foretold from the three before it, and what is kept is by how much that was wrong. Columns of words are
// foretold cell by cell (a matrix has sixteen, most have one), each in the way that costs least. What is left over are small
// numbers, whose bytes are put apart, all the lowest first: mostly zeros, side by side. One bit for eight bytes says where they are not.
//
// Raw, one is: the head of the state (header and table of sections) combined by XOR with the head before; a byte for each section
// that says how it is written; and for each that is not as before, its bytes: of words, the way of each cell and which of its
// bytes are not all zero, then those.

enum { SAME, WORDS, BYTES }; // sections

enum {           // cells
  STAYS,         // as it was
  GOES_ON,       // as it went from the state before that
  BENDS,         // as it went, with the change of its going
  GOES_ON_FLOAT, // the two again, for numbers with a fraction: near zero their bits do not go on evenly
  BENDS_FLOAT,
  FOLLOWS,           // what the section before this one was (a matrix of the last tick)
  OF_COLUMN = 16,    // + c: what column c of the same component is
  OF_CELL = 96,      // + c: what cell c of the same element is
  OF_NEGATIVE = 112, // + c: the same with the other sign
  OF_COSINE = 128,   // + c: the cosine of what column c of the same component is
  OF_SINE = 192      // + c
};

typedef struct shape_t {
  const uint8_t *bytes;
  size_t size, head; // up to the end of the table
  const snapshot_section_t *table;
  uint32_t count;
} shape_t;

static shape_t shape_of(const void *bytes, size_t size) {
  shape_t s = {.bytes = bytes, .size = size};
  s.table = snapshot_sections(bytes, size, &s.count);
  s.head = s.table ? (size_t)((const uint8_t *)(s.table + s.count) - s.bytes) : 0;
  return s;
}

static shape_t shape(const snapshot_o *s) {
  size_t size = 0;
  const void *bytes = snapshot_bytes(s, &size);
  return shape_of(bytes, size);
}

static bool same_sections(const shape_t *a, const shape_t *b) {
  bool same = a->table && b->table && a->count == b->count;
  for (uint32_t i = 0; same && i < a->count; i++)
    same = a->table[i].kind == b->table[i].kind && a->table[i].a == b->table[i].a && a->table[i].b == b->table[i].b &&
           a->table[i].element == b->table[i].element;
  return same;
}

// The words of one section in up to three states.
typedef struct words_t {
  const uint32_t *last[3], *left; // one, two and three ticks ago; one tick ago of the section before this one
  uint32_t last_rows[3], left_rows;
  uint32_t rows, stride;                      // elements; words in each
  const uint32_t *columns[SCHEMA_MAX_FIELDS]; // of the same component, now, up to this one: of single words, or NULL
  uint32_t column_count;
} words_t;

static const uint32_t *words_at(const shape_t *s, uint32_t i, uint32_t *rows) {
  *rows = (uint32_t)(s->table[i].bytes / s->table[i].element);
  return (const uint32_t *)(const void *)(s->bytes + s->table[i].offset);
}

static void open_words(words_t *w, const shape_t last[3], const shape_t *now, uint32_t i) {
  const snapshot_section_t *t = &now->table[i];
  *w = (words_t){.rows = (uint32_t)(t->bytes / t->element), .stride = t->element / 4};
  for (uint32_t k = 0; k < 3 && last[k].table; k++)
    w->last[k] = words_at(&last[k], i, &w->last_rows[k]);
  if (i > 0 && last->table[i - 1].element == t->element)
    w->left = words_at(last, i - 1, &w->left_rows);
  if (w->stride == 1 || t->kind != SNAPSHOT_COLUMN || t->b >= SCHEMA_MAX_FIELDS || t->b > i)
    return;
  w->column_count = t->b;
  for (uint32_t b = 0; b < t->b; b++) {
    const snapshot_section_t *c = &now->table[i - t->b + b];
    bool fits = c->kind == t->kind && c->a == t->a && c->b == b && c->element == 4 && c->bytes / 4 == w->rows;
    w->columns[b] = fits ? (const uint32_t *)(const void *)(now->bytes + c->offset) : NULL;
  }
}

static uint8_t *grow(history_o *h, size_t size) {
  array_reserve(h->allocator, &h->raw, (uint32_t)(h->raw.count + size));
  uint8_t *at = h->raw.items + h->raw.count;
  h->raw.count += (uint32_t)size;
  return at;
}

static void combine(uint8_t *restrict to, const uint8_t *restrict a, const uint8_t *restrict b, size_t size) {
  for (size_t i = 0; i < size; i++)
    to[i] = a[i] ^ b[i];
}

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

// As a matrix of something that is turned has it.
static bool turn_column(const words_t *w, uint32_t way, uint32_t *told) {
  uint32_t c = way % (OF_SINE - OF_COSINE);
  if (c >= w->column_count || !w->columns[c])
    return false;
  for (uint32_t i = 0; i < w->rows; i++) {
    float angle;
    memcpy(&angle, &w->columns[c][i], sizeof angle);
    angle = way >= OF_SINE ? sinf(angle) : cosf(angle);
    memcpy(&told[i], &angle, sizeof angle);
  }
  return true;
}

static float as_float(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

static uint32_t as_bits(float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

// `told` is what the cells were one tick ago.
static bool go_on(const words_t *w, uint32_t way, uint32_t cell, uint32_t rows, uint32_t *told) {
  const uint32_t *two = w->last[1], *three = w->last[2];
  uint32_t stride = w->stride, goes = (uint32_t)smaller(rows, w->last_rows[1]), bends = 0;
  if (way == BENDS || way == BENDS_FLOAT)
    bends = (uint32_t)smaller(goes, w->last_rows[2]);
  if (way == GOES_ON || way == BENDS) {
    for (uint32_t i = 0; i < bends; i++)
      told[i] = 3 * (told[i] - two[i * stride + cell]) + three[i * stride + cell];
    for (uint32_t i = bends; i < goes; i++)
      told[i] += told[i] - two[i * stride + cell];
  } else {
    for (uint32_t i = 0; i < bends; i++)
      told[i] =
          as_bits(3 * (as_float(told[i]) - as_float(two[i * stride + cell])) + as_float(three[i * stride + cell]));
    for (uint32_t i = bends; i < goes; i++)
      told[i] = as_bits(2 * as_float(told[i]) - as_float(two[i * stride + cell]));
  }
  return way == BENDS || way == BENDS_FLOAT ? bends > 0 : goes > 0;
}

// What a cell of every row is told to be, into `told`. False when it cannot be told in this way. `now` holds the cells before it.
static bool foretell(const words_t *w, uint32_t way, uint32_t cell, const uint32_t *now, uint32_t *told) {
  const uint32_t *from = w->last[0];
  uint32_t rows = w->last_rows[0], stride = w->stride, flip = 0;
  if (way == FOLLOWS) {
    from = w->left;
    rows = w->left_rows;
  } else if (way >= OF_COSINE) {
    return turn_column(w, way, told);
  } else if (way >= OF_CELL) {
    flip = way >= OF_NEGATIVE ? UINT32_C(0x80000000) : 0;
    uint32_t source = way - (way >= OF_NEGATIVE ? OF_NEGATIVE : OF_CELL);
    from = now + source;
    from -= cell; // the loop below adds it
    rows = w->rows;
    if (source >= cell)
      return false;
  } else if (way >= OF_COLUMN) {
    if (way - OF_COLUMN >= w->column_count || !w->columns[way - OF_COLUMN])
      return false;
    memcpy(told, w->columns[way - OF_COLUMN], w->rows * sizeof *told);
    return true;
  }
  if (!from)
    return false;
  rows = (uint32_t)smaller(rows, w->rows);
  for (uint32_t i = 0; i < rows; i++)
    told[i] = from[i * stride + cell] ^ flip;
  for (uint32_t i = rows; i < w->rows; i++)
    told[i] = 0;
  return way < GOES_ON || way > BENDS_FLOAT || go_on(w, way, cell, rows, told);
}

// Small on either side of zero is small.
static uint32_t fold(uint32_t difference) {
  return difference << 1 ^ (0u - (difference >> 31));
}

static uint32_t unfold(uint32_t folded) {
  return folded >> 1 ^ (0u - (folded & 1));
}

static uint32_t cost(const words_t *w, const uint32_t *told, const uint32_t *now, uint32_t cell) {
  uint32_t bytes = 0;
  for (uint32_t i = 0; i < w->rows; i++) {
    uint32_t wrong = fold(now[i * w->stride + cell] - told[i]);
    bytes += (wrong > 0 ? 1u : 0u) + (wrong > 0xff) + (wrong > 0xffff) + (wrong > 0xffffff);
  }
  return bytes;
}

static void try_way(const words_t *w, uint32_t way, uint32_t cell, const uint32_t *now, uint32_t *told, uint32_t *least,
                    uint32_t *best) {
  if (*least == 0 || !foretell(w, way, cell, now, told))
    return;
  uint32_t bytes = cost(w, told, now, cell);
  if (bytes >= *least)
    return;
  *least = bytes;
  *best = way;
}

static uint32_t best_way(const words_t *w, uint32_t cell, const uint32_t *now, uint32_t *told) {
  uint32_t least = UINT32_MAX, best = STAYS;
  try_way(w, STAYS, cell, now, told, &least, &best);
  for (uint32_t way = GOES_ON; way <= FOLLOWS; way++)
    try_way(w, way, cell, now, told, &least, &best);
  for (uint32_t c = 0; c < cell && c < 16; c++) {
    try_way(w, OF_CELL + c, cell, now, told, &least, &best);
    try_way(w, OF_NEGATIVE + c, cell, now, told, &least, &best);
  }
  for (uint32_t c = 0; c < w->column_count; c++)
    try_way(w, OF_COLUMN + c, cell, now, told, &least, &best);
  for (uint32_t c = 0; c < w->column_count && w->stride == 16 && least > 16; c++) {
    try_way(w, OF_COSINE + c, cell, now, told, &least, &best);
    try_way(w, OF_SINE + c, cell, now, told, &least, &best);
  }
  return best;
}

static uint32_t *reserve_told(history_o *h, uint32_t rows) {
  array_reserve(h->allocator, &h->told, rows);
  return h->told.items;
}

// The best way, or the one that was best a while ago.
static uint32_t choose_way(history_o *h, const words_t *w, uint32_t section, uint32_t cell, const uint32_t *now,
                           uint32_t *told) {
  uint8_t *known = &h->ways.items[section * 16 + cell];
  if (*known != UNKNOWN && foretell(w, *known, cell, now, told))
    return *known;
  uint32_t best = best_way(w, cell, now, told);
  foretell(w, best, cell, now, told);
  if (best != STAYS) // which is found at once, and may be so today only
    *known = (uint8_t)best;
  return best;
}

static void write_words(history_o *h, const words_t *w, uint32_t section, const uint32_t *now) {
  uint32_t *told = reserve_told(h, w->rows), ways_at = h->raw.count;
  memset(grow(h, 2 * w->stride), 0, 2 * w->stride);
  for (uint32_t cell = 0; cell < w->stride; cell++) {
    uint32_t way = choose_way(h, w, section, cell, now, told), all = 0;
    for (uint32_t i = 0; i < w->rows; i++) {
      told[i] = fold(now[i * w->stride + cell] - told[i]);
      all |= told[i];
    }
    h->raw.items[ways_at + 2 * cell] = (uint8_t)way;
    for (uint32_t plane = 0; plane < 4; plane++) {
      if ((all >> 8 * plane & 0xff) == 0)
        continue;
      h->raw.items[ways_at + 2 * cell + 1] |= (uint8_t)(1u << plane);
      uint8_t *out = grow(h, w->rows);
      for (uint32_t i = 0; i < w->rows; i++)
        out[i] = (uint8_t)(told[i] >> 8 * plane);
    }
  }
}

static const uint8_t *read_words(history_o *h, const words_t *w, const uint8_t *in, uint32_t *out) {
  uint32_t rows = w->rows, *told = reserve_told(h, 2 * rows), *wrong = told + rows;
  const uint8_t *ways = in;
  in += 2 * w->stride;
  uint32_t kept = (uint32_t)smaller(rows, w->last_rows[0]) * w->stride;
  memcpy(out, w->last[0], kept * sizeof *out);
  for (uint32_t cell = 0; cell < w->stride; cell++) {
    if (ways[2 * cell] == STAYS && ways[2 * cell + 1] == 0)
      continue; // nearly all cells of matrices
    foretell(w, ways[2 * cell], cell, out, told);
    memset(wrong, 0, rows * sizeof *wrong);
    for (uint32_t plane = 0; plane < 4; plane++) {
      if (!(ways[2 * cell + 1] >> plane & 1))
        continue;
      for (uint32_t i = 0; i < rows; i++)
        wrong[i] |= (uint32_t)in[i] << 8 * plane;
      in += rows;
    }
    for (uint32_t i = 0; i < rows; i++)
      out[i * w->stride + cell] = told[i] + unfold(wrong[i]);
  }
  return in;
}

static bool is_words(uint32_t element, size_t bytes) {
  return element >= 4 && element <= 64 && element % 4 == 0 && bytes % element == 0;
}

static int write_section(history_o *h, const shape_t last[3], const shape_t *now, uint32_t i) {
  const uint8_t *x = last->bytes + last->table[i].offset, *y = now->bytes + now->table[i].offset;
  size_t x_size = last->table[i].bytes, y_size = now->table[i].bytes;
  if (x_size == y_size && memcmp(x, y, x_size) == 0)
    return SAME;
  if (is_words(now->table[i].element, x_size) && is_words(now->table[i].element, y_size)) {
    words_t w;
    open_words(&w, last, now, i);
    write_words(h, &w, i, (const uint32_t *)(const void *)y);
    return WORDS;
  }
  size_t shared = smaller(x_size, y_size);
  uint8_t *out = grow(h, y_size);
  combine(out, x, y, shared);
  memcpy(out + shared, y + shared, y_size - shared);
  return BYTES;
}

// Into h->raw. False when the states have other sections. `last` are the states before, the nearest first; a missing one is empty.
static bool make_difference(history_o *h, const shape_t last[3], const shape_t *now) {
  if (!same_sections(last, now))
    return false;
  if (h->stats.adds % LOOK_TICKS == 0 || h->ways.count != now->count * 16) {
    array_reserve(h->allocator, &h->ways, now->count * 16);
    h->ways.count = now->count * 16;
    memset(h->ways.items, UNKNOWN, h->ways.count);
  }
  h->raw.count = 0;
  combine(grow(h, now->head), last->bytes, now->bytes, now->head);
  uint32_t ways_at = h->raw.count;
  memset(grow(h, now->count), 0, now->count);
  for (uint32_t i = 0; i < now->count; i++) {
    int way = write_section(h, last, now, i);
    h->raw.items[ways_at + i] = (uint8_t)way;
  }
  return true;
}

// The state of `size` bytes into `out`. What is read was written by make_difference for these very states.
static void apply_difference(history_o *h, const shape_t last[3], const uint8_t *raw, uint8_t *out, size_t size) {
  combine(out, last->bytes, raw, last->head);
  memset(out + last->head, 0, size - last->head); // the gaps between sections
  shape_t now = {.bytes = out,
                 .table =
                     (const snapshot_section_t *)(const void *)(out + ((const uint8_t *)last->table - last->bytes))};
  const uint8_t *ways = raw + last->head, *in = ways + last->count;
  for (uint32_t i = 0; i < last->count; i++) {
    const uint8_t *x = last->bytes + last->table[i].offset;
    uint8_t *y = out + now.table[i].offset;
    size_t bytes = now.table[i].bytes, shared = smaller(bytes, last->table[i].bytes);
    if (ways[i] == SAME) {
      memcpy(y, x, bytes);
      continue;
    }
    if (ways[i] == WORDS) {
      words_t w;
      open_words(&w, last, &now, i);
      in = read_words(h, &w, in, (uint32_t *)(void *)y);
      continue;
    }
    combine(y, x, in, shared);
    memcpy(y + shared, in + shared, bytes - shared);
    in += bytes;
  }
}

// --- going to a state

static void turn(history_o *h) {
  snapshot_o *s = h->prev[1];
  h->prev[1] = h->prev[0];
  h->prev[0] = h->now;
  h->now = h->next;
  h->next = s;
}

// The states that state i may stand on: from the last one on that is kept whole, and with its sections.
static void open_last(history_o *h, uint32_t i, shape_t last[3]) {
  last[0] = shape(h->now);
  last[1] = last[2] = (shape_t){.table = NULL};
  for (uint32_t k = 0; k < 2 && state(h, i - 1 - k)->form == DELTA; k++) {
    last[k + 1] = shape(h->prev[k]);
    if (!same_sections(&last[k + 1], &last[0])) {
      last[k + 1].table = NULL;
      return;
    }
  }
}

static size_t size_after(const shape_t *last, const uint8_t *raw) {
  uint64_t x, y; // the size stands in the header
  memcpy(&x, last->bytes + SNAPSHOT_SIZE_AT, sizeof x);
  memcpy(&y, raw + SNAPSHOT_SIZE_AT, sizeof y);
  return (size_t)(x ^ y);
}

// What stands on the states in `last` into h->next.
static bool read_difference(history_o *h, const state_t *s, const shape_t last[3]) {
  array_reserve(h->allocator, &h->thin, s->blob.raw_size);
  if (!unpack(h, &s->blob, h->thin.items))
    return false;
  thicken(h, s->size);
  size_t size = size_after(last, h->raw.items);
  apply_difference(h, last, h->raw.items, snapshot_reserve(h->next, size), size);
  return true;
}

// From the state before, which is in h->now, to state i; to a key from the key before.
static bool walk(history_o *h, uint32_t i) {
  const state_t *s = state(h, i);
  shape_t last[3] = {shape(h->now), {.table = NULL}, {.table = NULL}};
  bool good;
  if (s->form == WHOLE) {
    good = unpack(h, &s->blob, snapshot_reserve(h->next, s->blob.raw_size));
  } else {
    if (s->form == DELTA)
      open_last(h, i, last);
    good = read_difference(h, s, last);
  }
  turn(h);
  return good;
}

static void copy(snapshot_o *to, const snapshot_o *from) {
  size_t size = 0;
  const void *bytes = snapshot_bytes(from, &size);
  snapshot_set_bytes(to, bytes, size);
}

static bool go_to_key(history_o *h, uint32_t whole, uint32_t key) {
  if (snapshot_size(h->base) > 0 && h->base_tick == state(h, key)->tick) {
    copy(h->now, h->base);
    return true;
  }
  bool good = true;
  for (uint32_t i = whole; i <= key && good; i++)
    if (state(h, i)->form != DELTA)
      good = walk(h, i);
  copy(h->base, h->now);
  h->base_tick = state(h, key)->tick;
  return good;
}

// Leaves state `wanted` in h->now. On failure, which only damaged memory can cause, the history is empty.
static bool go(history_o *h, uint32_t wanted) {
  uint32_t key = wanted, whole;
  bool good = true;
  while (state(h, key)->form == DELTA)
    key--;
  for (whole = key; state(h, whole)->form != WHOLE;)
    whole--;
  if (h->at < key || h->at > wanted) {
    good = go_to_key(h, whole, key);
    h->at = key;
  }
  for (uint32_t i = h->at + 1; i <= wanted && good; i++)
    good = walk(h, i);
  h->at = wanted;
  if (!good)
    history_clear(h);
  return good;
}

// --- adding

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void grow_ring(history_o *h) {
  uint32_t capacity = h->capacity ? h->capacity * 2 : 1024;
  state_t *states = alloc_resize(h->allocator, NULL, 0, capacity * sizeof *states);
  for (uint32_t i = 0; i < h->count; i++)
    states[i] = *state(h, i);
  alloc_resize(h->allocator, h->states, h->capacity * sizeof *h->states, 0);
  h->states = states;
  h->first = 0;
  h->capacity = capacity;
}

static form_t choose_form(history_o *h) {
  uint32_t since = 0, keys = 0, n = h->count;
  while (since < n && state(h, n - 1 - since)->form == DELTA)
    since++;
  if (n > 0 && since + 1 < HISTORY_KEY_TICKS && h->group_bytes < h->budget / 8)
    return DELTA;
  for (uint32_t i = n; i > 0 && state(h, i - 1)->form != WHOLE; i--)
    keys += state(h, i - 1)->form == KEY;
  bool whole = n == 0 || snapshot_size(h->key) == 0 || keys + 1 >= KEYS_PER_WHOLE || h->group_bytes >= h->budget / 8;
  return whole ? WHOLE : KEY;
}

// What h->next holds becomes the last state, and what h->now holds is the one before it.
static void append_state(history_o *h, uint64_t tick) {
  if (h->count == h->capacity)
    grow_ring(h);
  shape_t last[3] = {shape(h->key), {.table = NULL}, {.table = NULL}}, now = shape(h->next);
  state_t made = {.tick = tick, .form = choose_form(h)};
  if (made.form == DELTA)
    open_last(h, h->count, last);
  if (made.form != WHOLE && !make_difference(h, last, &now))
    made.form = WHOLE;
  if (made.form != WHOLE) {
    made.size = h->raw.count;
    thin_out(h);
  }
  made.blob = made.form == WHOLE ? pack(h, now.bytes, now.size) : pack(h, h->thin.items, h->thin.count);
  if (made.form != DELTA)
    snapshot_set_bytes(h->key, now.bytes, now.size);
  h->group_bytes = (made.form == WHOLE ? 0 : h->group_bytes) + made.blob.size;
  h->stats.bytes += made.blob.size + sizeof(state_t);
  h->count++;
  *state(h, h->count - 1) = made;
  h->at = h->count - 1;
  turn(h);
}

// What a rewind or a restored snapshot has left behind: everything that is not before `tick`.
static void forget_after(history_o *h, uint64_t tick) {
  uint32_t keep = h->count > 0 ? h->at + 1 : 0;
  while (keep > 0 && state(h, keep - 1)->tick >= tick)
    keep--;
  if (keep == h->count)
    return;
  snapshot_set_bytes(h->key, NULL, 0); // they may be gone
  snapshot_set_bytes(h->base, NULL, 0);
  if (keep == 0)
    history_clear(h);
  else if (keep - 1 == h->at || go(h, keep - 1))
    while (h->count > keep)
      free_state(h, --h->count);
}

void history_add(history_o *h, world_o *w) {
  double began_us = now_us();
  forget_after(h, world_tick(w));
  if (!snapshot_take(h->next, w, NULL))
    return;
  uint64_t bytes = h->stats.bytes;
  append_state(h, world_tick(w));
  h->stats.adds++;
  h->stats.added_bytes += h->stats.bytes - bytes;
  while (h->stats.bytes > h->budget && drop_first_group(h)) {
  }
  h->stats.add_us += now_us() - began_us;
}

// --- reading

// The last state up to here that is not after `tick`, or the first.
static uint32_t find(history_o *h, uint64_t tick) {
  uint32_t i = h->at;
  while (i > 0 && state(h, i)->tick > tick)
    i--;
  return i;
}

static uint64_t before_now(history_o *h, uint64_t ticks) {
  uint64_t now = state(h, h->at)->tick;
  return now > ticks ? now - ticks : 0;
}

uint64_t history_back(history_o *h, world_o *w, uint64_t ticks, error_t *error) {
  uint32_t before = h->at, wanted = h->count > 0 ? find(h, before_now(h, ticks)) : 0;
  if (h->count == 0 || wanted == before)
    return error_set(error, "nothing is known of what was before tick %llu", (unsigned long long)world_tick(w));
  uint64_t went = state(h, before)->tick - state(h, wanted)->tick;
  if (!go(h, wanted))
    return error_set(error, "the history is damaged");
  if (snapshot_restore(h->now, w, error))
    return went;
  go(h, before);
  return 0;
}

bool history_has_next(const history_o *h) {
  return h->count > 0 && h->at + 1 < h->count;
}

bool history_forward(history_o *h, world_o *w, error_t *error) {
  uint32_t before = h->at;
  if (!history_has_next(h))
    return error_set(error, "%s", "");
  if (!go(h, before + 1))
    return error_set(error, "the history is damaged");
  if (snapshot_restore(h->now, w, error))
    return true;
  go(h, before);
  return false;
}

const snapshot_o *history_peek(history_o *h, uint64_t tick, uint64_t *found, error_t *error) {
  uint32_t before = h->at, wanted = h->count > 0 ? find(h, tick) : 0;
  if (h->count == 0) {
    error_set(error, "there is no history");
    return NULL;
  }
  if (!go(h, wanted)) {
    error_set(error, "the history is damaged");
    return NULL;
  }
  copy(h->looked, h->now);
  *found = state(h, wanted)->tick;
  go(h, before);
  return h->looked;
}

history_stats_t history_stats(const history_o *h) {
  history_stats_t stats = h->stats;
  stats.ticks = h->count;
  stats.state_bytes = snapshot_size(h->now);
  return stats;
}
