// Predicts each 32-bit cell of a state from the three previous states with the cheapest predictor, and encodes the
// errors. Predictors read the new state only where it is already decoded: earlier sections, and earlier cells of the
// same element.
#include "snapshot/state_codec.h"

#include "base/array.h"
#include "base/assert.h"

#include <math.h>
#include <string.h>

#define SEARCH_INTERVAL 8u // number of states between two searches for the best predictor of each cell
#define SAMPLE_ROWS 512u   // approximate number of rows that a search samples
#define UNKNOWN 255u
#define GOOD_BYTES 16u // a predictor whose errors take at most this many bytes is kept without a search
#define MAX_BYTES (1u << 30)
#define BYTES_AT_ONCE 256u // size of the blocks compared at once

typedef ARRAY(uint8_t) bytes_t;

typedef ARRAY(uint32_t) numbers_t;

typedef struct rows_map_t {
  uint32_t section; // section with the owners of the mapped rows; UINT32_MAX: the map is empty
  bool same;
  numbers_t rows;
} rows_map_t;

struct state_codec_o {
  allocator_t *allocator;
  uint64_t encoded;
  bool searching;
  bytes_t raw, sparse;
  bytes_t predictors; // current predictor of each cell, indexed by section × 16 + cell
  numbers_t predicted, row_by_entity, sampled, reordered[4];
  rows_map_t maps[3]; // maps from rows of the new state to rows of each previous state
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
  array_free(d->allocator, &d->sparse);
  array_free(d->allocator, &d->predicted);
  array_free(d->allocator, &d->predictors);
  array_free(d->allocator, &d->row_by_entity);
  array_free(d->allocator, &d->sampled);
  for (uint32_t k = 0; k < 4; ++k)
    array_free(d->allocator, &d->reordered[k]);
  for (uint32_t k = 0; k < 3; ++k)
    array_free(d->allocator, &d->maps[k].rows);
  alloc_resize(d->allocator, d, sizeof *d, 0);
}

// --- sparse bytes: a bitmap of the nonzero bytes, followed by the nonzero bytes

// Returns a bit mask of the nonzero bytes of `eight`.
static uint32_t compute_nonzero_mask(uint64_t eight) {
  uint64_t high = UINT64_C(0x8080808080808080), nonzero = (((eight & ~high) + ~high) | eight) & high;
  return (uint32_t)((nonzero >> 7) * UINT64_C(0x0102040810204080) >> 56);
}

static void remove_zeros(state_codec_o *d) {
  uint32_t size = d->raw.count, mask_bytes = (size + 7) / 8, kept = mask_bytes;
  array_reserve(d->allocator, &d->raw, mask_bytes * 8);
  memset(d->raw.items + size, 0, mask_bytes * 8 - size);
  array_reserve(d->allocator, &d->sparse, mask_bytes * 9);
  uint8_t *restrict out = d->sparse.items;
  const uint8_t *in = d->raw.items;
  for (uint32_t i = 0; i < mask_bytes; ++i, in += 8) {
    uint64_t eight, next[4] = {1};
    for (; i + 4 <= mask_bytes; i += 4, in += sizeof next) { // skip zero bytes quickly: most bytes are zero
      memcpy(next, in, sizeof next);
      if ((next[0] | next[1] | next[2] | next[3]) != 0)
        break;
      memset(out + i, 0, 4);
    }
    if (i == mask_bytes)
      break;
    memcpy(&eight, in, sizeof eight);
    uint32_t mask = eight == 0 ? 0 : compute_nonzero_mask(eight);
    out[i] = (uint8_t)mask;
    for (; mask == 0xff; mask = 0, kept += 8)
      memcpy(out + kept, in, 8);
    for (; mask != 0; mask &= mask - 1)
      out[kept++] = in[__builtin_ctz(mask)];
  }
  d->sparse.count = kept;
}

// Expands sparse bytes to `size` bytes in d->raw. Returns false if `size` is too large or the bitmap does not match the
// number of bytes.
static bool restore_zeros(state_codec_o *d, const uint8_t *in, uint32_t in_size, uint32_t size) {
  uint32_t mask_bytes = size / 8 + (size % 8 != 0), at = mask_bytes;
  if (size > MAX_BYTES || in_size < mask_bytes)
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

// --- differences. A state is predicted from the three previous ones, and the errors are stored. Sections of 32-bit
// words are predicted cell by cell (a matrix has sixteen cells, most fields one), each with the cheapest predictor. The
// errors are small numbers; their bytes are stored by significance, lowest first, which gives long runs of zeros. A
// bitmap with one bit per byte then removes the zeros.
//
// Layout before the zeros are removed: the head of the state (header and table of sections) XORed with the previous
// head; one byte per section with its encoding; then the data of each changed section. For cells, the data are the
// predictor of each cell, a bit set of its byte planes that are not all zero, and these planes.

enum { SAME, CELLS, BYTES }; // encodings of sections

enum {                  // predictors of cells; values are part of the format
  PREDICT_UNCHANGED,    // value in the last state
  PREDICT_LINEAR,       // linear extrapolation from the last two states
  PREDICT_QUADRATIC,    // quadratic extrapolation from the last three states
  PREDICT_LINEAR_FLOAT, // the two extrapolations in floating point, because bit patterns are not linear near zero
  PREDICT_QUADRATIC_FLOAT,
  PREDICT_LEFT,               // cell of the previous section in the last state (for the matrix of the last tick)
  PREDICT_COLUMN = 16,        // + c: value of column c of the same component
  PREDICT_CELL = 96,          // + c: value of cell c of the same element
  PREDICT_NEGATED_CELL = 112, // + c: value of cell c, negated
  // The following predict a cell of a matrix. + c: column c of the same component is the angle; the next two columns
  // are the scale.
  PREDICT_COSINE_X = 128, // cos(column c) × column (c + 1)
  PREDICT_SINE_X = 144,   // sin(column c) × column (c + 1)
  PREDICT_SINE_Y = 160,   // -(sin(column c) × column (c + 2))
  PREDICT_COSINE_Y = 176, // cos(column c) × column (c + 2)
  PREDICT_COSINE = 192,   // cos(column c), without scale
  PREDICT_SINE = 208,     // sin(column c), without scale
  PREDICT_END = 224
};

// Rows of a section of 32-bit cells in up to three states: all rows, or every `step`th one. Previous states are put
// into the current row order when a predictor first needs them (reorder_rows).
typedef struct cells_t {
  const uint32_t *last[3], *left; // last: the three previous states; left: the previous section in last[0]'s state
  uint32_t last_rows[3], left_rows;
  uint32_t step, rows, stride; // rows: number of sampled rows; stride: cells per row
  // Set only if the section is a column wider than one cell: the earlier columns of its component in the new state.
  // Columns wider than one cell are NULL.
  const uint32_t *columns[SCHEMA_MAX_FIELDS];
  uint32_t column_count;
  const snapshot_table_t *states, *now; // states: the three previous ones
  uint32_t section, owners;             // owners: section of the rows' owners; 0 if none
  uint32_t ready; // bit set of the states that are already in row order: bits 0 to 2 for `last`, bit 3 for `left`
} cells_t;

static size_t min_size(size_t a, size_t b) {
  return a < b ? a : b;
}

static const uint32_t *get_cells(const snapshot_table_t *s, uint32_t i, uint32_t *rows) {
  shoal_assert(i < s->count && s->table[i].element > 0, "section %u is out of range (count %u), or has element size 0",
               i, s->count);
  *rows = (uint32_t)(s->table[i].bytes / s->table[i].element);
  return (const uint32_t *)(const void *)(s->bytes + s->table[i].offset);
}

// --- Row order. Rows move when entities are removed, but predictions follow entities, so previous states are read in
// the current row order.

static bool has_same_content(const snapshot_table_t *s, uint32_t a, uint32_t b) {
  size_t bytes = s->table[a].bytes;
  return bytes == s->table[b].bytes && memcmp(s->bytes + s->table[a].offset, s->bytes + s->table[b].offset, bytes) == 0;
}

// Maps each row of `now` to the row of the same entity in state `k`, plus 1; 0 if the entity had no row. Returns NULL
// if no row has moved.
static const uint32_t *build_row_map(state_codec_o *d, const snapshot_table_t *last, const snapshot_table_t *now,
                                     uint32_t owners, uint32_t k) {
  rows_map_t *map = &d->maps[k];
  if (map->section == owners)
    return map->same ? NULL : map->rows.items;
  uint32_t old_count, count, other = map->section;
  const uint32_t *old = get_cells(last, owners, &old_count), *own = get_cells(now, owners, &count);
  map->section = owners;
  if (other != UINT32_MAX && has_same_content(now, owners, other) && has_same_content(last, owners, other))
    return map->same ? NULL : map->rows.items; // reuse the map of a component with the same owners
  map->same = old_count == count && (count == 0 || memcmp(old, own, count * sizeof *own) == 0);
  if (map->same)
    return NULL;
  array_reserve(d->allocator, &map->rows, count + 1);
  for (uint32_t i = 0; i < old_count; ++i) {
    uint32_t at = shoal_entity_index(old[i]), known = d->row_by_entity.count;
    if (at >= known) {
      array_reserve(d->allocator, &d->row_by_entity, at + 1);
      d->row_by_entity.count = d->row_by_entity.capacity;
      memset(d->row_by_entity.items + known, 0, (d->row_by_entity.count - known) * sizeof *d->row_by_entity.items);
    }
    d->row_by_entity.items[at] = i;
  }
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t at = shoal_entity_index(own[i]), row = at < d->row_by_entity.count ? d->row_by_entity.items[at] : 0;
    map->rows.items[i] = row < old_count && old[row] == own[i] ? row + 1 : 0;
  }
  return map->rows.items;
}

// Returns the section with the owners of column i's rows; 0 if the rows have no owners, or if entities have several
// rows.
static uint32_t find_owners_section(const snapshot_table_t *s, uint32_t i) {
  const snapshot_section_t *t = &s->table[i];
  if (t->kind != SNAPSHOT_COLUMN || t->b >= i)
    return 0;
  const snapshot_section_t *o = &s->table[i - t->b - 1];
  return o->kind == SNAPSHOT_OWNERS && o->a == t->a && o->element == 4 ? i - t->b - 1 : 0;
}

static uint64_t count_section_rows(const snapshot_section_t *t) {
  return t->bytes / t->element;
}

// Returns the row map for state `k`; NULL if no row has moved, if the rows have no owners, or if the numbers of rows
// and owners differ.
static const uint32_t *get_row_map(state_codec_o *d, const cells_t *w, uint32_t k, uint32_t rows) {
  const snapshot_table_t *from = &w->states[k];
  if (w->owners == 0 || rows != count_section_rows(&from->table[w->owners]) ||
      rows != count_section_rows(&from->table[w->section]) ||
      count_section_rows(&w->now->table[w->section]) != count_section_rows(&w->now->table[w->owners]))
    return NULL;
  return build_row_map(d, from, w->now, w->owners, k);
}

// Puts state `k` (index into `last`; 3: `left`) into the current row order. If an entity has no row in the state, its
// cells are 0 (k = 0, 3), or filled in from newer states: as unchanged (k = 1) or by linear extrapolation (k = 2).
static void reorder_rows(state_codec_o *d, cells_t *w, uint32_t k) {
  const uint32_t **is = k < 3 ? &w->last[k] : &w->left;
  uint32_t *is_rows = k < 3 ? &w->last_rows[k] : &w->left_rows, rows = *is_rows, stride = w->stride;
  const uint32_t *map = *is ? get_row_map(d, w, k % 3, rows) : NULL, *from = *is;
  if (!from || (!map && w->step == 1))
    return;
  *is_rows = map ? w->rows : (uint32_t)min_size((rows + w->step - 1) / w->step, w->rows);
  array_reserve(d->allocator, &d->reordered[k], w->rows * stride + 1);
  uint32_t *restrict to = d->reordered[k].items;
  for (uint32_t row = 0; row < *is_rows; ++row) {
    uint32_t before = map ? map[row * w->step] : row * w->step + 1;
    size_t at = (size_t)row * stride;
    if (before > 0 && stride == 1)
      to[at] = from[before - 1];
    else if (before > 0)
      memcpy(to + at, from + (size_t)(before - 1) * stride, stride * sizeof *to);
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

// Puts the states that a predictor reads into row order, newer states first, because missing rows of older states are
// filled in from newer ones.
static void prepare_states(state_codec_o *d, cells_t *w, uint32_t predictor) {
  uint32_t wanted = predictor >= PREDICT_COLUMN           ? 0
                    : predictor == PREDICT_LEFT           ? 8
                    : predictor == PREDICT_UNCHANGED      ? 1
                    : predictor % 2 == PREDICT_LINEAR % 2 ? 3
                                                          : 7;
  for (uint32_t k = 0; k < 4; ++k)
    if (wanted & ~w->ready & 1u << k)
      reorder_rows(d, w, k);
  w->ready |= wanted;
}

// Opens a section. If `step` is above 1, stores sampled copies of the columns at `samples`, contiguously.
static void open_cells(cells_t *w, const snapshot_table_t last[3], const snapshot_table_t *now, uint32_t i,
                       uint32_t step, uint32_t *samples) {
  const snapshot_section_t *t = &now->table[i];
  *w = (cells_t){.step = step, .stride = t->element / 4, .states = last, .now = now, .section = i};
  w->rows = (uint32_t)((count_section_rows(t) + step - 1) / step);
  w->owners = find_owners_section(now, i);
  for (uint32_t k = 0; k < 3 && last[k].table; ++k)
    w->last[k] = get_cells(&last[k], i, &w->last_rows[k]);
  if (i > 0 && last->table[i - 1].element == t->element)
    w->left = get_cells(last, i - 1, &w->left_rows);
  if (w->stride == 1 || t->kind != SNAPSHOT_COLUMN || t->b >= SCHEMA_MAX_FIELDS || t->b > i)
    return;
  w->column_count = t->b;
  for (uint32_t b = 0; b < t->b; ++b) {
    const snapshot_section_t *c = &now->table[i - t->b + b];
    bool fits = c->kind == t->kind && c->a == t->a && c->b == b && c->element == 4 &&
                count_section_rows(c) == count_section_rows(t);
    w->columns[b] = fits ? (const uint32_t *)(const void *)(now->bytes + c->offset) : NULL;
    if (!fits || step == 1)
      continue;
    for (uint32_t row = 0; row < w->rows; ++row)
      samples[row] = w->columns[b][row * step];
    w->columns[b] = samples;
    samples += w->rows;
  }
}

static uint8_t *reserve_raw(state_codec_o *d, size_t size) {
  array_reserve(d->allocator, &d->raw, (uint32_t)(d->raw.count + size));
  uint8_t *at = d->raw.items + d->raw.count;
  d->raw.count += (uint32_t)size;
  return at;
}

static void xor_bytes(uint8_t *restrict to, const uint8_t *restrict a, const uint8_t *restrict b, size_t size) {
  for (size_t i = 0; i < size; ++i)
    to[i] = a[i] ^ b[i];
}

static float bits_to_float(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

static uint32_t float_to_bits(float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

// Predicts a cell of a rotated and scaled matrix, as transform/transform.c computes it.
static bool predict_rotation(const cells_t *w, uint32_t predictor, uint32_t *predicted) {
  uint32_t c = predictor % 16, kind = predictor - c,
           scaled = kind >= PREDICT_COSINE   ? 0
                    : kind >= PREDICT_SINE_Y ? 2
                                             : 1;
  if (predictor >= PREDICT_END || c + scaled >= w->column_count || !w->columns[c] || !w->columns[c + scaled])
    return false;
  bool is_cosine = kind == PREDICT_COSINE || kind == PREDICT_COSINE_X || kind == PREDICT_COSINE_Y;
  for (uint32_t i = 0; i < w->rows; ++i) {
    float angle = bits_to_float(w->columns[c][i]), x = is_cosine ? cosf(angle) : sinf(angle);
    if (scaled)
      x *= bits_to_float(w->columns[c + scaled][i]);
    predicted[i] = float_to_bits(kind == PREDICT_SINE_Y ? -x : x);
  }
  return true;
}

// Extrapolates `predicted` in place; on entry it contains the cells of the last state. Returns false if no row exists
// in all older states that the predictor needs.
static bool extrapolate_cells(const cells_t *w, uint32_t predictor, uint32_t cell, uint32_t rows, uint32_t *predicted) {
  const uint32_t *two = w->last[1], *three = w->last[2];
  uint32_t stride = w->stride, linear = (uint32_t)min_size(rows, w->last_rows[1]), quadratic = 0;
  if (predictor == PREDICT_QUADRATIC || predictor == PREDICT_QUADRATIC_FLOAT)
    quadratic = (uint32_t)min_size(linear, w->last_rows[2]);
  if (predictor == PREDICT_LINEAR || predictor == PREDICT_QUADRATIC) {
    for (uint32_t i = 0; i < quadratic; ++i)
      predicted[i] = 3 * (predicted[i] - two[i * stride + cell]) + three[i * stride + cell];
    for (uint32_t i = quadratic; i < linear; ++i)
      predicted[i] += predicted[i] - two[i * stride + cell];
  } else {
    for (uint32_t i = 0; i < quadratic; ++i)
      predicted[i] = float_to_bits(3 * (bits_to_float(predicted[i]) - bits_to_float(two[i * stride + cell])) +
                                   bits_to_float(three[i * stride + cell]));
    for (uint32_t i = quadratic; i < linear; ++i)
      predicted[i] = float_to_bits(2 * bits_to_float(predicted[i]) - bits_to_float(two[i * stride + cell]));
  }
  return predictor == PREDICT_QUADRATIC || predictor == PREDICT_QUADRATIC_FLOAT ? quadratic > 0 : linear > 0;
}

// Predicts a cell of every row and stores the results in `predicted`. `now` contains the earlier cells of each row.
// Returns false if the predictor cannot be used.
static bool predict_cells(state_codec_o *d, cells_t *w, uint32_t predictor, uint32_t cell, const uint32_t *now,
                          uint32_t *predicted) {
  prepare_states(d, w, predictor);
  const uint32_t *from = w->last[0];
  uint32_t rows = w->last_rows[0], stride = w->stride, flip = 0;
  if (predictor == PREDICT_LEFT) {
    from = w->left;
    rows = w->left_rows;
  } else if (predictor >= PREDICT_COSINE_X) {
    return predict_rotation(w, predictor, predicted);
  } else if (predictor >= PREDICT_CELL) {
    flip = predictor >= PREDICT_NEGATED_CELL ? UINT32_C(0x80000000) : 0;
    uint32_t source = predictor - (predictor >= PREDICT_NEGATED_CELL ? PREDICT_NEGATED_CELL : PREDICT_CELL);
    from = now + source;
    from -= cell; // compensates for the offset added in the loop below
    rows = w->rows;
    if (source >= cell)
      return false;
  } else if (predictor >= PREDICT_COLUMN) {
    if (predictor - PREDICT_COLUMN >= w->column_count || !w->columns[predictor - PREDICT_COLUMN])
      return false;
    memcpy(predicted, w->columns[predictor - PREDICT_COLUMN], w->rows * sizeof *predicted);
    return true;
  }
  if (!from)
    return false;
  rows = (uint32_t)min_size(rows, w->rows);
  for (uint32_t i = 0; i < rows; ++i)
    predicted[i] = from[i * stride + cell] ^ flip;
  for (uint32_t i = rows; i < w->rows; ++i)
    predicted[i] = 0;
  return predictor < PREDICT_LINEAR || predictor > PREDICT_QUADRATIC_FLOAT ||
         extrapolate_cells(w, predictor, cell, rows, predicted);
}

// Zigzag encoding: maps numbers near zero, of either sign, to small unsigned numbers.
static uint32_t zigzag_encode(uint32_t difference) {
  return difference << 1 ^ (0u - (difference >> 31));
}

static uint32_t zigzag_decode(uint32_t folded) {
  return folded >> 1 ^ (0u - (folded & 1));
}

static uint32_t count_error_bytes(const cells_t *w, const uint32_t *predicted, const uint32_t *now, uint32_t cell) {
  uint32_t bytes = 0;
  for (uint32_t i = 0; i < w->rows; ++i) {
    uint32_t errors = zigzag_encode(now[i * w->stride + cell] - predicted[i]);
    bytes += (errors > 0 ? 1u : 0u) + (errors > 0xff) + (errors > 0xffff) + (errors > 0xffffff);
  }
  return bytes;
}

static void try_predictor(state_codec_o *d, cells_t *w, uint32_t predictor, uint32_t cell, const uint32_t *now,
                          uint32_t *predicted, uint32_t *min_cost, uint32_t *best) {
  if (*min_cost == 0 || !predict_cells(d, w, predictor, cell, now, predicted))
    return;
  uint32_t bytes = count_error_bytes(w, predicted, now, cell);
  if (bytes >= *min_cost)
    return;
  *min_cost = bytes;
  *best = predictor;
}

static uint32_t find_best_predictor(state_codec_o *d, cells_t *w, uint32_t cell, const uint32_t *now,
                                    uint32_t *predicted) {
  uint32_t min_cost = UINT32_MAX, best = PREDICT_UNCHANGED;
  try_predictor(d, w, PREDICT_UNCHANGED, cell, now, predicted, &min_cost, &best);
  for (uint32_t predictor = PREDICT_LINEAR; predictor <= PREDICT_LEFT; ++predictor)
    try_predictor(d, w, predictor, cell, now, predicted, &min_cost, &best);
  for (uint32_t c = 0; c < cell && c < 16; ++c) {
    try_predictor(d, w, PREDICT_CELL + c, cell, now, predicted, &min_cost, &best);
    try_predictor(d, w, PREDICT_NEGATED_CELL + c, cell, now, predicted, &min_cost, &best);
  }
  for (uint32_t c = 0; c < w->column_count; ++c)
    try_predictor(d, w, PREDICT_COLUMN + c, cell, now, predicted, &min_cost, &best);
  for (uint32_t c = 0; c < w->column_count && c < 16 && w->stride == 16 && min_cost > 16; ++c) {
    for (uint32_t predictor = PREDICT_COSINE_X; predictor < PREDICT_END; predictor += 16)
      try_predictor(d, w, predictor + c, cell, now, predicted, &min_cost, &best);
  }
  return best;
}

static uint32_t *reserve_predicted(state_codec_o *d, uint32_t rows) {
  array_reserve(d->allocator, &d->predicted, rows);
  return d->predicted.items;
}

// Chooses predictors from a sample of the rows. Checks known predictors only every SEARCH_INTERVAL states.
static void choose_predictors(state_codec_o *d, const snapshot_table_t last[3], const snapshot_table_t *now,
                              uint32_t i) {
  const snapshot_section_t *t = &now->table[i];
  const uint32_t *all = (const uint32_t *)(const void *)(now->bytes + t->offset), stride = t->element / 4;
  uint32_t step = (uint32_t)(count_section_rows(t) / SAMPLE_ROWS) | 1u;
  uint8_t *known = &d->predictors.items[i * 16];
  bool wanted = d->searching;
  for (uint32_t cell = 0; cell < stride; ++cell)
    wanted |= known[cell] == UNKNOWN;
  if (!wanted)
    return;
  cells_t w;
  uint32_t rows = (uint32_t)((count_section_rows(t) + step - 1) / step), columns = step > 1 ? SCHEMA_MAX_FIELDS : 0;
  array_reserve(d->allocator, &d->sampled, rows * (stride + columns + 1));
  uint32_t *predicted = d->sampled.items, *sample = predicted + rows;
  open_cells(&w, last, now, i, step, sample + rows * stride);
  for (uint32_t row = 0; step > 1 && row < rows; ++row)
    memcpy(sample + (size_t)row * stride, all + (size_t)row * step * stride, stride * sizeof *sample);
  all = step > 1 ? sample : all;
  for (uint32_t cell = 0; cell < stride; ++cell) {
    bool good = known[cell] != UNKNOWN && predict_cells(d, &w, known[cell], cell, all, predicted) &&
                (!d->searching || count_error_bytes(&w, predicted, all, cell) <= GOOD_BYTES);
    if (good)
      continue;
    known[cell] = (uint8_t)find_best_predictor(d, &w, cell, all, predicted);
  }
}

static void write_cells(state_codec_o *d, cells_t *w, uint32_t section, const uint32_t *now) {
  uint32_t *predicted = reserve_predicted(d, w->rows), predictors_at = d->raw.count;
  memset(reserve_raw(d, 2 * w->stride), 0, 2 * w->stride);
  for (uint32_t cell = 0; cell < w->stride; ++cell) {
    uint32_t predictor = d->predictors.items[section * 16 + cell], all = 0;
    // fails if a state or column that the predictor reads no longer exists
    if (!predict_cells(d, w, predictor, cell, now, predicted)) {
      d->predictors.items[section * 16 + cell] = UNKNOWN;
      predictor = PREDICT_UNCHANGED;
      predict_cells(d, w, predictor, cell, now, predicted);
    }
    for (uint32_t i = 0; i < w->rows; ++i) {
      predicted[i] = zigzag_encode(now[i * w->stride + cell] - predicted[i]);
      all |= predicted[i];
    }
    d->raw.items[predictors_at + 2 * cell] = (uint8_t)predictor;
    for (uint32_t plane = 0; plane < 4; ++plane) {
      if ((all >> 8 * plane & 0xff) == 0)
        continue;
      d->raw.items[predictors_at + 2 * cell + 1] |= (uint8_t)(1u << plane);
      uint8_t *out = reserve_raw(d, w->rows);
      for (uint32_t i = 0; i < w->rows; ++i)
        out[i] = (uint8_t)(predicted[i] >> 8 * plane);
    }
  }
}

// Reads the cells of a section. Returns the position after them; NULL if `in` is too short or contains an invalid
// predictor.
static const uint8_t *read_cells(state_codec_o *d, cells_t *w, const uint8_t *in, const uint8_t *end, uint32_t *out) {
  uint32_t rows = w->rows, *predicted = reserve_predicted(d, 2 * rows), *errors = predicted + rows;
  const uint8_t *predictors = in;
  if ((size_t)(end - in) < 2 * w->stride)
    return NULL;
  in += 2 * w->stride;
  prepare_states(d, w, PREDICT_UNCHANGED);
  uint32_t kept = (uint32_t)min_size(rows, w->last_rows[0]) * w->stride;
  if (kept > 0)
    memcpy(out, w->last[0], kept * sizeof *out);
  for (uint32_t cell = 0; cell < w->stride; ++cell) {
    if (predictors[2 * cell] == PREDICT_UNCHANGED && predictors[2 * cell + 1] == 0)
      continue; // no errors to apply; true for most cells of matrices
    if (!predict_cells(d, w, predictors[2 * cell], cell, out, predicted))
      return NULL;
    if (rows > 0)
      memset(errors, 0, rows * sizeof *errors);
    for (uint32_t plane = 0; plane < 4; ++plane) {
      if (!(predictors[2 * cell + 1] >> plane & 1))
        continue;
      if ((size_t)(end - in) < rows)
        return NULL;
      for (uint32_t i = 0; i < rows; ++i)
        errors[i] |= (uint32_t)in[i] << 8 * plane;
      in += rows;
    }
    for (uint32_t i = 0; i < rows; ++i)
      out[i * w->stride + cell] = predicted[i] + zigzag_decode(errors[i]);
  }
  return in;
}

static bool has_cells(uint32_t element, size_t bytes) {
  return element >= 4 && element <= 64 && element % 4 == 0 && bytes % element == 0;
}

// Stores the range from the first to the last changed byte, preceded by its start and end. If the sizes differ, the
// range extends to the end of `y`. String data grow at the end, so the range is usually short.
static void write_changed_bytes(state_codec_o *d, const uint8_t *x, size_t x_size, const uint8_t *y, size_t y_size) {
  size_t shared = min_size(x_size, y_size), from = 0, to = y_size;
  while (from + BYTES_AT_ONCE <= shared && memcmp(x + from, y + from, BYTES_AT_ONCE) == 0)
    from += BYTES_AT_ONCE;
  while (from < shared && x[from] == y[from])
    from++;
  while (x_size == y_size && to > from && x[to - 1] == y[to - 1])
    to--;
  uint32_t place[2] = {(uint32_t)from, (uint32_t)to};
  memcpy(reserve_raw(d, sizeof place), place, sizeof place);
  uint8_t *out = reserve_raw(d, to - from);
  size_t both = min_size(to, shared) - from;
  xor_bytes(out, x + from, y + from, both);
  memcpy(out + both, y + from + both, to - from - both);
}

// Reads the bytes of a section. Returns the position after them; NULL if `in` is malformed.
static const uint8_t *read_changed_bytes(const uint8_t *x, size_t x_size, uint8_t *y, size_t y_size, const uint8_t *in,
                                         const uint8_t *end) {
  uint32_t place[2];
  if ((size_t)(end - in) < sizeof place)
    return NULL;
  memcpy(place, in, sizeof place);
  in += sizeof place;
  size_t shared = min_size(x_size, y_size), from = place[0], to = place[1];
  if (from > shared || to < from || to > y_size || (size_t)(end - in) < to - from || (to < y_size && y_size > x_size))
    return NULL;
  size_t both = min_size(to, shared) - from;
  memcpy(y, x, from);
  xor_bytes(y + from, x + from, in, both);
  memcpy(y + from + both, in + both, to - from - both);
  memcpy(y + to, x + to, y_size - to);
  return in + (to - from);
}

static int write_section(state_codec_o *d, const snapshot_table_t last[3], const snapshot_table_t *now, uint32_t i) {
  const uint8_t *x = last->bytes + last->table[i].offset, *y = now->bytes + now->table[i].offset;
  size_t x_size = last->table[i].bytes, y_size = now->table[i].bytes;
  size_t shared = min_size(x_size, y_size);
  bool same = shared == 0 || memcmp(x, y, shared) == 0;
  if (same && y_size == shared)
    return SAME;
  if (same && y_size - x_size < shared) { // data were only appended, as in a column of equal values that has grown
    write_changed_bytes(d, x, x_size, y, y_size);
    return BYTES;
  }
  if (has_cells(now->table[i].element, x_size) && has_cells(now->table[i].element, y_size)) {
    cells_t w;
    choose_predictors(d, last, now, i);
    open_cells(&w, last, now, i, 1, NULL);
    write_cells(d, &w, i, (const uint32_t *)(const void *)y);
    return CELLS;
  }
  write_changed_bytes(d, x, x_size, y, y_size);
  return BYTES;
}

static void clear_maps(state_codec_o *d) {
  for (uint32_t k = 0; k < 3; ++k)
    d->maps[k].section = UINT32_MAX;
}

// Encodes `now` to d->raw. Returns false if the states have different sections.
static bool encode_state(state_codec_o *d, const snapshot_table_t last[3], const snapshot_table_t *now) {
  if (!snapshot_has_same_sections(last, now))
    return false;
  if (d->predictors.count != now->count * 16) {
    array_reserve(d->allocator, &d->predictors, now->count * 16);
    d->predictors.count = now->count * 16;
    memset(d->predictors.items, UNKNOWN, d->predictors.count);
  }
  d->searching = d->encoded++ % SEARCH_INTERVAL == 0;
  clear_maps(d);
  d->raw.count = 0;
  xor_bytes(reserve_raw(d, now->head), last->bytes, now->bytes, now->head);
  uint32_t predictors_at = d->raw.count;
  memset(reserve_raw(d, now->count), 0, now->count);
  for (uint32_t i = 0; i < now->count; ++i) {
    int predictor = write_section(d, last, now, i);
    d->raw.items[predictors_at + i] = (uint8_t)predictor;
  }
  return true;
}

const uint8_t *state_codec_encode(state_codec_o *d, const snapshot_table_t last[3], const snapshot_table_t *now,
                                  uint32_t *size, uint32_t *raw_size) {
  if (!encode_state(d, last, now))
    return NULL;
  *raw_size = d->raw.count;
  shoal_assert(d->raw.count >= now->head + now->count, "the encoded state is shorter than its head");
  remove_zeros(d);
  *size = d->sparse.count;
  return d->sparse.items;
}

// Decodes one section. Returns the position after it in `in`; NULL if `in` is malformed.
static const uint8_t *read_section(state_codec_o *d, const snapshot_table_t last[3], const snapshot_table_t *now,
                                   uint32_t i, int predictor, const uint8_t *in, const uint8_t *end) {
  const uint8_t *x = last->bytes + last->table[i].offset;
  uint8_t *y = (uint8_t *)(uintptr_t)now->bytes + now->table[i].offset;
  size_t bytes = now->table[i].bytes, shared = min_size(bytes, last->table[i].bytes);
  if (predictor == SAME) {
    if (shared < bytes)
      return NULL;
    memcpy(y, x, bytes);
    return in;
  }
  if (predictor == CELLS) {
    cells_t w;
    if (!has_cells(now->table[i].element, bytes) || !has_cells(now->table[i].element, last->table[i].bytes))
      return NULL;
    open_cells(&w, last, now, i, 1, NULL);
    return read_cells(d, &w, in, end, (uint32_t *)(void *)y);
  }
  return read_changed_bytes(x, last->table[i].bytes, y, bytes, in, end);
}

static bool decode_state(state_codec_o *d, const snapshot_table_t last[3], snapshot_o *out) {
  const uint8_t *raw = d->raw.items, *end = raw + d->raw.count;
  if (d->raw.count < last->head + last->count)
    return false;
  uint64_t before, size; // sizes of the previous and the new state, stored in the header
  memcpy(&before, last->bytes + SNAPSHOT_SIZE_AT, sizeof before);
  memcpy(&size, raw + SNAPSHOT_SIZE_AT, sizeof size);
  size ^= before;
  if (size < last->head || size > MAX_BYTES)
    return false;
  uint8_t *bytes = snapshot_reserve(out, (size_t)size);
  xor_bytes(bytes, last->bytes, raw, last->head);
  memset(bytes + last->head, 0, (size_t)size - last->head); // padding between sections must be zero
  snapshot_table_t now = snapshot_table(out);
  clear_maps(d);
  if (!snapshot_has_same_sections(last, &now))
    return false;
  const uint8_t *predictors = raw + last->head, *in = predictors + last->count;
  for (uint32_t i = 0; in && i < last->count; ++i)
    in = read_section(d, last, &now, i, predictors[i], in, end);
  return in == end;
}

bool state_codec_decode(state_codec_o *d, const snapshot_table_t last[3], const uint8_t *bytes, uint32_t size,
                        uint32_t raw_size, snapshot_o *out) {
  return last->table && restore_zeros(d, bytes, size, raw_size) && decode_state(d, last, out);
}
