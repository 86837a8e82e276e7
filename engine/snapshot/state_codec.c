// Predicts each 32-bit cell of a state from the states before it with the cheapest predictor, and encodes the errors.
// Uses only the table of sections of the new state, because its contents are not complete while it is decoded.
#include "snapshot/state_codec.h"

#include "base/array.h"
#include "base/assert.h"

#include <math.h>
#include <string.h>

#define LOOK_TICKS 8u    // the best predictor of each cell is searched again after this many states
#define SAMPLE_ROWS 512u // number of rows sampled for that
#define UNKNOWN 255u
#define GOOD_BYTES 16u // a predictor with at most this error is kept without a search
#define LARGEST_BYTES (1u << 30)
#define BYTES_AT_ONCE 256u // block size for comparing bytes

typedef ARRAY(uint8_t) bytes_t;

typedef ARRAY(uint32_t) numbers_t;

typedef struct rows_map_t {
  uint32_t section; // section of the owners; UINT32_MAX if none
  bool same;
  numbers_t rows;
} rows_map_t;

struct state_codec_o {
  allocator_t *allocator;
  uint64_t made;
  bool looking;
  bytes_t raw, thin, ways; // ways: by section × 16 + cell: its current predictor
  numbers_t told, where, sampled, moved[4];
  rows_map_t maps[3]; // to each of the previous states
};

state_codec_o *state_codec_create(allocator_t *a) {
  state_codec_o *d = alloc_resize(a, NULL, 0, sizeof *d);
  *d = (state_codec_o){.allocator = a};
  return d;
}

void state_codec_destroy(state_codec_o *d) {
  if (!d)
    return;
  array_free(d->allocator, &d->raw);
  array_free(d->allocator, &d->thin);
  array_free(d->allocator, &d->told);
  array_free(d->allocator, &d->ways);
  array_free(d->allocator, &d->where);
  array_free(d->allocator, &d->sampled);
  for (uint32_t k = 0; k < 4; ++k)
    array_free(d->allocator, &d->moved[k]);
  for (uint32_t k = 0; k < 3; ++k)
    array_free(d->allocator, &d->maps[k].rows);
  alloc_resize(d->allocator, d, sizeof *d, 0);
}

// --- sparse bytes: a bitmap of the nonzero bytes, followed by these bytes

// Returns a bit for each nonzero byte of `eight`.
static uint32_t bytes_there(uint64_t eight) {
  uint64_t high = UINT64_C(0x8080808080808080), there = (((eight & ~high) + ~high) | eight) & high;
  return (uint32_t)((there >> 7) * UINT64_C(0x0102040810204080) >> 56);
}

static void thin_out(state_codec_o *d) {
  uint32_t size = d->raw.count, mask_bytes = (size + 7) / 8, kept = mask_bytes;
  array_reserve(d->allocator, &d->raw, mask_bytes * 8);
  memset(d->raw.items + size, 0, mask_bytes * 8 - size);
  array_reserve(d->allocator, &d->thin, mask_bytes * 9);
  uint8_t *restrict out = d->thin.items;
  const uint8_t *in = d->raw.items;
  for (uint32_t i = 0; i < mask_bytes; ++i, in += 8) {
    uint64_t eight, next[4] = {1};
    for (; i + 4 <= mask_bytes; i += 4, in += sizeof next) { // most bytes are zero
      memcpy(next, in, sizeof next);
      if ((next[0] | next[1] | next[2] | next[3]) != 0)
        break;
      memset(out + i, 0, 4);
    }
    if (i == mask_bytes)
      break;
    memcpy(&eight, in, sizeof eight);
    uint32_t mask = eight == 0 ? 0 : bytes_there(eight);
    out[i] = (uint8_t)mask;
    for (; mask == 0xff; mask = 0, kept += 8)
      memcpy(out + kept, in, 8);
    for (; mask != 0; mask &= mask - 1)
      out[kept++] = in[__builtin_ctz(mask)];
  }
  d->thin.count = kept;
}

// Expands sparse bytes to `size` bytes in d->raw. Returns false if the bitmap does not match the number of bytes.
static bool thicken(state_codec_o *d, const uint8_t *in, uint32_t in_size, uint32_t size) {
  uint32_t mask_bytes = size / 8 + (size % 8 != 0), at = mask_bytes;
  if (size > LARGEST_BYTES || in_size < mask_bytes)
    return false;
  d->raw.count = 0;
  array_reserve(d->allocator, &d->raw, mask_bytes * 8 + 8);
  memset(d->raw.items, 0, (size_t)mask_bytes * 8);
  for (uint32_t i = 0; i < mask_bytes; ++i)
    for (uint32_t k = 0, mask = in[i]; mask != 0; ++k, mask >>= 1) {
      if (!(mask & 1))
        continue;
      if (at == in_size)
        return false;
      d->raw.items[(size_t)i * 8 + k] = in[at++];
    }
  d->raw.count = size;
  return at == in_size;
}

// --- differences. A state is predicted from the three before it, and the errors are stored. Word columns are predicted
// cell by cell (a matrix has sixteen cells, most fields one), each with the cheapest predictor. The errors are small
// numbers; their bytes are stored by significance, lowest first, so that long runs of zeros result. A bitmap with one
// bit per byte then removes the zeros.
//
// Uncompacted layout: the head of the state (header and table of sections) XORed with the previous head; one byte per
// section with its encoding; then the data of each changed section. For words this is the predictor of each cell, the
// set of its byte planes that are not all zero, and these planes.

enum { SAME, WORDS, BYTES }; // encodings of sections

enum {           // predictors of cells
  STAYS,         // unchanged
  GOES_ON,       // linear extrapolation from the last two states
  BENDS,         // quadratic extrapolation from the last three
  GOES_ON_FLOAT, // the same two in floating point: near zero, the bits do not change evenly
  BENDS_FLOAT,
  FOLLOWS,           // the previous section in the last state (a matrix of the last tick)
  OF_COLUMN = 16,    // + c: equals column c of the same component
  OF_CELL = 96,      // + c: equals cell c of the same element
  OF_NEGATIVE = 112, // + c: equals cell c negated
  // + c: cell of a matrix; column c of the same component is the angle, the next two columns are the scale
  OF_COSINE_X = 128, // cosine of column c × column c + 1
  OF_SINE_X = 144,
  OF_SINE_Y = 160, // -(sine of column c × column c + 2)
  OF_COSINE_Y = 176,
  OF_COSINE = 192, // unscaled
  OF_SINE = 208,
  OF_NOTHING = 224
};

// Rows of a section of words in up to three states, all of them or one in `step`. Previous states are put into the
// current row order when a predictor first needs them (move_rows).
typedef struct words_t {
  const uint32_t *last[3], *left; // last: one, two and three ticks ago; left: the previous section, one tick ago
  uint32_t last_rows[3], left_rows;
  uint32_t step, rows, stride; // rows: number after sampling one in `step`; stride: words per row
  // Earlier columns of the same component in the new state; NULL for those wider than one word.
  const uint32_t *columns[SCHEMA_MAX_FIELDS];
  uint32_t column_count;
  const snapshot_table_t *states, *now; // states: the three previous ones
  uint32_t section, owners;             // owners: section of the rows' owners; 0 if none
  uint32_t ready; // bit set of the states already in row order: three for `last`, the fourth for `left`
} words_t;

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

static const uint32_t *words_at(const snapshot_table_t *s, uint32_t i, uint32_t *rows) {
  shoal_assert(i < s->count && s->table[i].element > 0, "section %u of %u", i, s->count);
  *rows = (uint32_t)(s->table[i].bytes / s->table[i].element);
  return (const uint32_t *)(const void *)(s->bytes + s->table[i].offset);
}

// --- rows move when entities are removed, but predictions follow entities: previous states are read in the current row
// order

static bool same_content(const snapshot_table_t *s, uint32_t a, uint32_t b) {
  size_t bytes = s->table[a].bytes;
  return bytes == s->table[b].bytes && memcmp(s->bytes + s->table[a].offset, s->bytes + s->table[b].offset, bytes) == 0;
}

// Maps each row of `now` to the row of the same entity in state k, plus 1; 0 if it had none. Returns NULL if no row has
// moved.
static const uint32_t *row_map(state_codec_o *d, const snapshot_table_t *last, const snapshot_table_t *now,
                               uint32_t owners, uint32_t k) {
  rows_map_t *map = &d->maps[k];
  if (map->section == owners)
    return map->same ? NULL : map->rows.items;
  uint32_t old_count, count, other = map->section;
  const uint32_t *old = words_at(last, owners, &old_count), *own = words_at(now, owners, &count);
  map->section = owners;
  if (other != UINT32_MAX && same_content(now, owners, other) && same_content(last, owners, other))
    return map->same ? NULL : map->rows.items; // components whose rows are added and removed together
  map->same = old_count == count && (count == 0 || memcmp(old, own, count * sizeof *own) == 0);
  if (map->same)
    return NULL;
  array_reserve(d->allocator, &map->rows, count + 1);
  for (uint32_t i = 0; i < old_count; ++i) {
    uint32_t at = shoal_entity_index(old[i]), known = d->where.count;
    if (at >= known) {
      array_reserve(d->allocator, &d->where, at + 1);
      d->where.count = d->where.capacity;
      memset(d->where.items + known, 0, (d->where.count - known) * sizeof *d->where.items);
    }
    d->where.items[at] = i;
  }
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t at = shoal_entity_index(own[i]), row = at < d->where.count ? d->where.items[at] : 0;
    map->rows.items[i] = row < old_count && old[row] == own[i] ? row + 1 : 0;
  }
  return map->rows.items;
}

// Returns the section with the owners of column i's rows; 0 if there is none, or if entities have several rows.
static uint32_t owners_of(const snapshot_table_t *s, uint32_t i) {
  const snapshot_section_t *t = &s->table[i];
  if (t->kind != SNAPSHOT_COLUMN || t->b >= i)
    return 0;
  const snapshot_section_t *o = &s->table[i - t->b - 1];
  return o->kind == SNAPSHOT_OWNERS && o->a == t->a && o->element == 4 ? i - t->b - 1 : 0;
}

static uint64_t rows_of(const snapshot_section_t *t) {
  return t->bytes / t->element;
}

// Returns NULL if the rows of state k have not moved or belong to no entities.
static const uint32_t *map_of(state_codec_o *d, const words_t *w, uint32_t k, uint32_t rows) {
  const snapshot_table_t *from = &w->states[k];
  if (w->owners == 0 || rows != rows_of(&from->table[w->owners]) || rows != rows_of(&from->table[w->section]) ||
      rows_of(&w->now->table[w->section]) != rows_of(&w->now->table[w->owners]))
    return NULL;
  return row_map(d, from, w->now, w->owners, k);
}

// Puts state `k` (index into `last`, 3: `left`) into the current row order. New rows start from 0; rows that are
// missing further back are filled in as unchanged (k = 1) or by linear extrapolation (k = 2).
static void move_rows(state_codec_o *d, words_t *w, uint32_t k) {
  const uint32_t **is = k < 3 ? &w->last[k] : &w->left;
  uint32_t *is_rows = k < 3 ? &w->last_rows[k] : &w->left_rows, rows = *is_rows, stride = w->stride;
  const uint32_t *map = *is ? map_of(d, w, k % 3, rows) : NULL, *from = *is;
  if (!from || (!map && w->step == 1))
    return;
  *is_rows = map ? w->rows : (uint32_t)smaller((rows + w->step - 1) / w->step, w->rows);
  array_reserve(d->allocator, &d->moved[k], w->rows * stride + 1);
  uint32_t *restrict to = d->moved[k].items;
  for (uint32_t row = 0; row < *is_rows; ++row) {
    uint32_t was = map ? map[row * w->step] : row * w->step + 1;
    size_t at = (size_t)row * stride;
    if (was > 0 && stride == 1)
      to[at] = from[was - 1];
    else if (was > 0)
      memcpy(to + at, from + (size_t)(was - 1) * stride, stride * sizeof *to);
    else if (k == 1 && row < w->last_rows[0])
      memcpy(to + at, w->last[0] + at, stride * sizeof *to);
    else
      for (uint32_t cell = 0; cell < stride; ++cell)
        to[at + cell] = k == 2 && row < w->last_rows[0] && row < w->last_rows[1]
                            ? 2 * w->last[1][at + cell] - w->last[0][at + cell]
                            : 0;
  }
  *is = to;
}

// Puts the states that a predictor reads into row order, nearer ones first, because farther ones are filled in from
// them.
static void need(state_codec_o *d, words_t *w, uint32_t way) {
  uint32_t wanted = way >= OF_COLUMN ? 0 : way == FOLLOWS ? 8 : way == STAYS ? 1 : way % 2 == GOES_ON % 2 ? 3 : 7;
  for (uint32_t k = 0; k < 4; ++k)
    if (wanted & ~w->ready & 1u << k)
      move_rows(d, w, k);
  w->ready |= wanted;
}

// If `step` is above 1, sampled copies of the columns are stored at `room`, one after the other.
static void open_words(words_t *w, const snapshot_table_t last[3], const snapshot_table_t *now, uint32_t i,
                       uint32_t step, uint32_t *room) {
  const snapshot_section_t *t = &now->table[i];
  *w = (words_t){.step = step, .stride = t->element / 4, .states = last, .now = now, .section = i};
  w->rows = (uint32_t)((rows_of(t) + step - 1) / step);
  w->owners = owners_of(now, i);
  for (uint32_t k = 0; k < 3 && last[k].table; ++k)
    w->last[k] = words_at(&last[k], i, &w->last_rows[k]);
  if (i > 0 && last->table[i - 1].element == t->element)
    w->left = words_at(last, i - 1, &w->left_rows);
  if (w->stride == 1 || t->kind != SNAPSHOT_COLUMN || t->b >= SCHEMA_MAX_FIELDS || t->b > i)
    return;
  w->column_count = t->b;
  for (uint32_t b = 0; b < t->b; ++b) {
    const snapshot_section_t *c = &now->table[i - t->b + b];
    bool fits = c->kind == t->kind && c->a == t->a && c->b == b && c->element == 4 && rows_of(c) == rows_of(t);
    w->columns[b] = fits ? (const uint32_t *)(const void *)(now->bytes + c->offset) : NULL;
    if (!fits || step == 1)
      continue;
    for (uint32_t row = 0; row < w->rows; ++row)
      room[row] = w->columns[b][row * step];
    w->columns[b] = room;
    room += w->rows;
  }
}

static uint8_t *grow(state_codec_o *d, size_t size) {
  array_reserve(d->allocator, &d->raw, (uint32_t)(d->raw.count + size));
  uint8_t *at = d->raw.items + d->raw.count;
  d->raw.count += (uint32_t)size;
  return at;
}

static void combine(uint8_t *restrict to, const uint8_t *restrict a, const uint8_t *restrict b, size_t size) {
  for (size_t i = 0; i < size; ++i)
    to[i] = a[i] ^ b[i];
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

// Predicts a cell of a rotated and scaled matrix, as transform/transform.c computes it.
static bool turn_column(const words_t *w, uint32_t way, uint32_t *told) {
  uint32_t c = way % 16, kind = way - c, scaled = kind >= OF_COSINE ? 0 : kind >= OF_SINE_Y ? 2 : 1;
  if (way >= OF_NOTHING || c + scaled >= w->column_count || !w->columns[c] || !w->columns[c + scaled])
    return false;
  bool is_cosine = kind == OF_COSINE || kind == OF_COSINE_X || kind == OF_COSINE_Y;
  for (uint32_t i = 0; i < w->rows; ++i) {
    float angle = as_float(w->columns[c][i]), x = is_cosine ? cosf(angle) : sinf(angle);
    if (scaled)
      x *= as_float(w->columns[c + scaled][i]);
    told[i] = as_bits(kind == OF_SINE_Y ? -x : x);
  }
  return true;
}

// Extrapolates `told`, which holds the cells of one tick ago.
static bool go_on(const words_t *w, uint32_t way, uint32_t cell, uint32_t rows, uint32_t *told) {
  const uint32_t *two = w->last[1], *three = w->last[2];
  uint32_t stride = w->stride, goes = (uint32_t)smaller(rows, w->last_rows[1]), bends = 0;
  if (way == BENDS || way == BENDS_FLOAT)
    bends = (uint32_t)smaller(goes, w->last_rows[2]);
  if (way == GOES_ON || way == BENDS) {
    for (uint32_t i = 0; i < bends; ++i)
      told[i] = 3 * (told[i] - two[i * stride + cell]) + three[i * stride + cell];
    for (uint32_t i = bends; i < goes; ++i)
      told[i] += told[i] - two[i * stride + cell];
  } else {
    for (uint32_t i = 0; i < bends; ++i)
      told[i] =
          as_bits(3 * (as_float(told[i]) - as_float(two[i * stride + cell])) + as_float(three[i * stride + cell]));
    for (uint32_t i = bends; i < goes; ++i)
      told[i] = as_bits(2 * as_float(told[i]) - as_float(two[i * stride + cell]));
  }
  return way == BENDS || way == BENDS_FLOAT ? bends > 0 : goes > 0;
}

// Predicts a cell of every row into `told`. `now` holds the cells before it. Returns false if the predictor cannot be
// used.
static bool foretell(state_codec_o *d, words_t *w, uint32_t way, uint32_t cell, const uint32_t *now, uint32_t *told) {
  need(d, w, way);
  const uint32_t *from = w->last[0];
  uint32_t rows = w->last_rows[0], stride = w->stride, flip = 0;
  if (way == FOLLOWS) {
    from = w->left;
    rows = w->left_rows;
  } else if (way >= OF_COSINE_X) {
    return turn_column(w, way, told);
  } else if (way >= OF_CELL) {
    flip = way >= OF_NEGATIVE ? UINT32_C(0x80000000) : 0;
    uint32_t source = way - (way >= OF_NEGATIVE ? OF_NEGATIVE : OF_CELL);
    from = now + source;
    from -= cell; // cancels the offset added in the loop below
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
  for (uint32_t i = 0; i < rows; ++i)
    told[i] = from[i * stride + cell] ^ flip;
  for (uint32_t i = rows; i < w->rows; ++i)
    told[i] = 0;
  return way < GOES_ON || way > BENDS_FLOAT || go_on(w, way, cell, rows, told);
}

// Zigzag encoding: maps small negative and positive numbers to small unsigned ones.
static uint32_t fold(uint32_t difference) {
  return difference << 1 ^ (0u - (difference >> 31));
}

static uint32_t unfold(uint32_t folded) {
  return folded >> 1 ^ (0u - (folded & 1));
}

static uint32_t cost(const words_t *w, const uint32_t *told, const uint32_t *now, uint32_t cell) {
  uint32_t bytes = 0;
  for (uint32_t i = 0; i < w->rows; ++i) {
    uint32_t wrong = fold(now[i * w->stride + cell] - told[i]);
    bytes += (wrong > 0 ? 1u : 0u) + (wrong > 0xff) + (wrong > 0xffff) + (wrong > 0xffffff);
  }
  return bytes;
}

static void try_way(state_codec_o *d, words_t *w, uint32_t way, uint32_t cell, const uint32_t *now, uint32_t *told,
                    uint32_t *least, uint32_t *best) {
  if (*least == 0 || !foretell(d, w, way, cell, now, told))
    return;
  uint32_t bytes = cost(w, told, now, cell);
  if (bytes >= *least)
    return;
  *least = bytes;
  *best = way;
}

static uint32_t best_way(state_codec_o *d, words_t *w, uint32_t cell, const uint32_t *now, uint32_t *told) {
  uint32_t least = UINT32_MAX, best = STAYS;
  try_way(d, w, STAYS, cell, now, told, &least, &best);
  for (uint32_t way = GOES_ON; way <= FOLLOWS; ++way)
    try_way(d, w, way, cell, now, told, &least, &best);
  for (uint32_t c = 0; c < cell && c < 16; ++c) {
    try_way(d, w, OF_CELL + c, cell, now, told, &least, &best);
    try_way(d, w, OF_NEGATIVE + c, cell, now, told, &least, &best);
  }
  for (uint32_t c = 0; c < w->column_count; ++c)
    try_way(d, w, OF_COLUMN + c, cell, now, told, &least, &best);
  for (uint32_t c = 0; c < w->column_count && c < 16 && w->stride == 16 && least > 16; ++c) {
    for (uint32_t way = OF_COSINE_X; way < OF_NOTHING; way += 16)
      try_way(d, w, way + c, cell, now, told, &least, &best);
  }
  return best;
}

static uint32_t *reserve_told(state_codec_o *d, uint32_t rows) {
  array_reserve(d->allocator, &d->told, rows);
  return d->told.items;
}

// Chooses predictors from a sample of the rows; known ones are checked only every LOOK_TICKS states.
static void choose_ways(state_codec_o *d, const snapshot_table_t last[3], const snapshot_table_t *now, uint32_t i) {
  const snapshot_section_t *t = &now->table[i];
  const uint32_t *all = (const uint32_t *)(const void *)(now->bytes + t->offset), stride = t->element / 4;
  uint32_t step = (uint32_t)(rows_of(t) / SAMPLE_ROWS) | 1u;
  uint8_t *known = &d->ways.items[i * 16];
  bool wanted = d->looking;
  for (uint32_t cell = 0; cell < stride; ++cell)
    wanted |= known[cell] == UNKNOWN;
  if (!wanted)
    return;
  words_t w;
  uint32_t rows = (uint32_t)((rows_of(t) + step - 1) / step), columns = step > 1 ? SCHEMA_MAX_FIELDS : 0;
  array_reserve(d->allocator, &d->sampled, rows * (stride + columns + 1));
  uint32_t *told = d->sampled.items, *sample = told + rows;
  open_words(&w, last, now, i, step, sample + rows * stride);
  for (uint32_t row = 0; step > 1 && row < rows; ++row)
    memcpy(sample + (size_t)row * stride, all + (size_t)row * step * stride, stride * sizeof *sample);
  all = step > 1 ? sample : all;
  for (uint32_t cell = 0; cell < stride; ++cell) {
    bool good = known[cell] != UNKNOWN && foretell(d, &w, known[cell], cell, all, told) &&
                (!d->looking || cost(&w, told, all, cell) <= GOOD_BYTES);
    if (good)
      continue;
    known[cell] = (uint8_t)best_way(d, &w, cell, all, told);
  }
}

static void write_words(state_codec_o *d, words_t *w, uint32_t section, const uint32_t *now) {
  uint32_t *told = reserve_told(d, w->rows), ways_at = d->raw.count;
  memset(grow(d, 2 * w->stride), 0, 2 * w->stride);
  for (uint32_t cell = 0; cell < w->stride; ++cell) {
    uint32_t way = d->ways.items[section * 16 + cell], all = 0;
    if (!foretell(d, w, way, cell, now, told)) { // a state or column it needs no longer exists
      d->ways.items[section * 16 + cell] = UNKNOWN;
      way = STAYS;
      foretell(d, w, way, cell, now, told);
    }
    for (uint32_t i = 0; i < w->rows; ++i) {
      told[i] = fold(now[i * w->stride + cell] - told[i]);
      all |= told[i];
    }
    d->raw.items[ways_at + 2 * cell] = (uint8_t)way;
    for (uint32_t plane = 0; plane < 4; ++plane) {
      if ((all >> 8 * plane & 0xff) == 0)
        continue;
      d->raw.items[ways_at + 2 * cell + 1] |= (uint8_t)(1u << plane);
      uint8_t *out = grow(d, w->rows);
      for (uint32_t i = 0; i < w->rows; ++i)
        out[i] = (uint8_t)(told[i] >> 8 * plane);
    }
  }
}

// Returns NULL if `in` is too short or contains an invalid predictor.
static const uint8_t *read_words(state_codec_o *d, words_t *w, const uint8_t *in, const uint8_t *end, uint32_t *out) {
  uint32_t rows = w->rows, *told = reserve_told(d, 2 * rows), *wrong = told + rows;
  const uint8_t *ways = in;
  if ((size_t)(end - in) < 2 * w->stride)
    return NULL;
  in += 2 * w->stride;
  need(d, w, STAYS);
  uint32_t kept = (uint32_t)smaller(rows, w->last_rows[0]) * w->stride;
  if (kept > 0)
    memcpy(out, w->last[0], kept * sizeof *out);
  for (uint32_t cell = 0; cell < w->stride; ++cell) {
    if (ways[2 * cell] == STAYS && ways[2 * cell + 1] == 0)
      continue; // most cells of matrices
    if (!foretell(d, w, ways[2 * cell], cell, out, told))
      return NULL;
    if (rows > 0)
      memset(wrong, 0, rows * sizeof *wrong);
    for (uint32_t plane = 0; plane < 4; ++plane) {
      if (!(ways[2 * cell + 1] >> plane & 1))
        continue;
      if ((size_t)(end - in) < rows)
        return NULL;
      for (uint32_t i = 0; i < rows; ++i)
        wrong[i] |= (uint32_t)in[i] << 8 * plane;
      in += rows;
    }
    for (uint32_t i = 0; i < rows; ++i)
      out[i * w->stride + cell] = told[i] + unfold(wrong[i]);
  }
  return in;
}

static bool is_words(uint32_t element, size_t bytes) {
  return element >= 4 && element <= 64 && element % 4 == 0 && bytes % element == 0;
}

// Strings grow at their end, so only the range between the first and the last changed byte is stored, preceded by its
// start and end. Bytes after the range are unchanged.
static void write_bytes(state_codec_o *d, const uint8_t *x, size_t x_size, const uint8_t *y, size_t y_size) {
  size_t shared = smaller(x_size, y_size), from = 0, to = y_size;
  while (from + BYTES_AT_ONCE <= shared && memcmp(x + from, y + from, BYTES_AT_ONCE) == 0)
    from += BYTES_AT_ONCE;
  while (from < shared && x[from] == y[from])
    from++;
  while (x_size == y_size && to > from && x[to - 1] == y[to - 1])
    to--;
  uint32_t place[2] = {(uint32_t)from, (uint32_t)to};
  memcpy(grow(d, sizeof place), place, sizeof place);
  uint8_t *out = grow(d, to - from);
  size_t both = smaller(to, shared) - from;
  combine(out, x + from, y + from, both);
  memcpy(out + both, y + from + both, to - from - both);
}

// Returns NULL if `in` is malformed.
static const uint8_t *read_bytes(const uint8_t *x, size_t x_size, uint8_t *y, size_t y_size, const uint8_t *in,
                                 const uint8_t *end) {
  uint32_t place[2];
  if ((size_t)(end - in) < sizeof place)
    return NULL;
  memcpy(place, in, sizeof place);
  in += sizeof place;
  size_t shared = smaller(x_size, y_size), from = place[0], to = place[1];
  if (from > shared || to < from || to > y_size || (size_t)(end - in) < to - from || (to < y_size && y_size > x_size))
    return NULL;
  size_t both = smaller(to, shared) - from;
  memcpy(y, x, from);
  combine(y + from, x + from, in, both);
  memcpy(y + from + both, in + both, to - from - both);
  memcpy(y + to, x + to, y_size - to);
  return in + (to - from);
}

static int write_section(state_codec_o *d, const snapshot_table_t last[3], const snapshot_table_t *now, uint32_t i) {
  const uint8_t *x = last->bytes + last->table[i].offset, *y = now->bytes + now->table[i].offset;
  size_t x_size = last->table[i].bytes, y_size = now->table[i].bytes;
  size_t shared = smaller(x_size, y_size);
  bool same = shared == 0 || memcmp(x, y, shared) == 0;
  if (same && y_size == shared)
    return SAME;
  if (same && y_size - x_size < shared) { // a column of equal values that has grown
    write_bytes(d, x, x_size, y, y_size);
    return BYTES;
  }
  if (is_words(now->table[i].element, x_size) && is_words(now->table[i].element, y_size)) {
    words_t w;
    choose_ways(d, last, now, i);
    open_words(&w, last, now, i, 1, NULL);
    write_words(d, &w, i, (const uint32_t *)(const void *)y);
    return WORDS;
  }
  write_bytes(d, x, x_size, y, y_size);
  return BYTES;
}

static void forget_maps(state_codec_o *d) {
  for (uint32_t k = 0; k < 3; ++k)
    d->maps[k].section = UINT32_MAX;
}

// Encodes into d->raw. Returns false if the sections differ.
static bool make(state_codec_o *d, const snapshot_table_t last[3], const snapshot_table_t *now) {
  if (!snapshot_same_sections(last, now))
    return false;
  if (d->ways.count != now->count * 16) {
    array_reserve(d->allocator, &d->ways, now->count * 16);
    d->ways.count = now->count * 16;
    memset(d->ways.items, UNKNOWN, d->ways.count);
  }
  d->looking = d->made++ % LOOK_TICKS == 0;
  forget_maps(d);
  d->raw.count = 0;
  combine(grow(d, now->head), last->bytes, now->bytes, now->head);
  uint32_t ways_at = d->raw.count;
  memset(grow(d, now->count), 0, now->count);
  for (uint32_t i = 0; i < now->count; ++i) {
    int way = write_section(d, last, now, i);
    d->raw.items[ways_at + i] = (uint8_t)way;
  }
  return true;
}

const uint8_t *state_codec_write(state_codec_o *d, const snapshot_table_t last[3], const snapshot_table_t *now,
                                 uint32_t *size, uint32_t *raw_size) {
  if (!make(d, last, now))
    return NULL;
  *raw_size = d->raw.count;
  shoal_assert(d->raw.count >= now->head + now->count, "the head of a state is missing");
  thin_out(d);
  *size = d->thin.count;
  return d->thin.items;
}

// Decodes one section. Returns NULL if `in` is malformed.
static const uint8_t *read_section(state_codec_o *d, const snapshot_table_t last[3], const snapshot_table_t *now,
                                   uint32_t i, int way, const uint8_t *in, const uint8_t *end) {
  const uint8_t *x = last->bytes + last->table[i].offset;
  uint8_t *y = (uint8_t *)(uintptr_t)now->bytes + now->table[i].offset;
  size_t bytes = now->table[i].bytes, shared = smaller(bytes, last->table[i].bytes);
  if (way == SAME) {
    if (shared < bytes)
      return NULL;
    memcpy(y, x, bytes);
    return in;
  }
  if (way == WORDS) {
    words_t w;
    if (!is_words(now->table[i].element, bytes) || !is_words(now->table[i].element, last->table[i].bytes))
      return NULL;
    open_words(&w, last, now, i, 1, NULL);
    return read_words(d, &w, in, end, (uint32_t *)(void *)y);
  }
  return read_bytes(x, last->table[i].bytes, y, bytes, in, end);
}

static bool apply(state_codec_o *d, const snapshot_table_t last[3], snapshot_o *out) {
  const uint8_t *raw = d->raw.items, *end = raw + d->raw.count;
  if (d->raw.count < last->head + last->count)
    return false;
  uint64_t was, size; // both from the header
  memcpy(&was, last->bytes + SNAPSHOT_SIZE_AT, sizeof was);
  memcpy(&size, raw + SNAPSHOT_SIZE_AT, sizeof size);
  size ^= was;
  if (size < last->head || size > LARGEST_BYTES)
    return false;
  uint8_t *bytes = snapshot_reserve(out, (size_t)size);
  combine(bytes, last->bytes, raw, last->head);
  memset(bytes + last->head, 0, (size_t)size - last->head); // padding between sections must be 0
  snapshot_table_t now = snapshot_table(out);
  forget_maps(d);
  if (!snapshot_same_sections(last, &now))
    return false;
  const uint8_t *ways = raw + last->head, *in = ways + last->count;
  for (uint32_t i = 0; in && i < last->count; ++i)
    in = read_section(d, last, &now, i, ways[i], in, end);
  return in == end;
}

bool state_codec_read(state_codec_o *d, const snapshot_table_t last[3], const uint8_t *bytes, uint32_t size,
                      uint32_t raw_size, snapshot_o *out) {
  return last->table && thicken(d, bytes, size, raw_size) && apply(d, last, out);
}
