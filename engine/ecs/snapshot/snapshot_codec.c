// Predicts each 32-bit cell of a state from the three previous states with the cheapest predictor, and encodes the
// errors. Predictors read the new state only where it is already decoded: earlier sections, and earlier cells of the
// same element.
#include "snapshot/snapshot_codec.h"

#include "base/array.h"
#include "base/assert.h"

#include <math.h>
#include <string.h>

#define SEARCH_INTERVAL 8u // number of states between two searches for the best predictor of each cell
#define SAMPLE_ROWS 512u   // approximate number of rows that a search samples
#define UNKNOWN 255u
#define GOOD_BYTES 16u // maximum size of the errors, in bytes, at which a predictor is kept without a search
#define MAX_BYTES (1u << 30)
#define BLOCK_BYTES 256u // size of a compared block, in bytes

typedef ARRAY(uint8_t) bytes_t;

typedef ARRAY(uint32_t) numbers_t;

typedef struct row_map_t {
  uint32_t section; // section with the owners of the mapped rows; UINT32_MAX: the map is empty
  bool same;
  numbers_t rows;
} row_map_t;

struct snapshot_codec_o {
  allocator_t *allocator;
  uint64_t encoded;
  bool searching;
  bytes_t raw, sparse;
  bytes_t predictors; // current predictor of each cell, indexed by section × 16 + cell
  numbers_t predicted, row_by_entity, sampled, reordered[4];
  row_map_t maps[3]; // maps from rows of the new state to rows of each previous state
};

snapshot_codec_o *snapshot_codec_create(allocator_t *a) {
  snapshot_codec_o *codec = alloc_resize(a, NULL, 0, sizeof *codec);
  *codec = (snapshot_codec_o){.allocator = a};
  return codec;
}

void snapshot_codec_destroy(snapshot_codec_o *codec) {
  if (!codec)
    return;
  array_free(codec->allocator, &codec->raw);
  array_free(codec->allocator, &codec->sparse);
  array_free(codec->allocator, &codec->predicted);
  array_free(codec->allocator, &codec->predictors);
  array_free(codec->allocator, &codec->row_by_entity);
  array_free(codec->allocator, &codec->sampled);
  for (uint32_t k = 0; k < 4; ++k)
    array_free(codec->allocator, &codec->reordered[k]);
  for (uint32_t k = 0; k < 3; ++k)
    array_free(codec->allocator, &codec->maps[k].rows);
  alloc_resize(codec->allocator, codec, sizeof *codec, 0);
}

// --- sparse bytes: a bitmap of the nonzero bytes, followed by the nonzero bytes

static uint32_t compute_nonzero_mask(uint64_t bytes) {
  uint64_t high = UINT64_C(0x8080808080808080), nonzero = (((bytes & ~high) + ~high) | bytes) & high;
  return (uint32_t)((nonzero >> 7) * UINT64_C(0x0102040810204080) >> 56);
}

static void remove_zeros(snapshot_codec_o *codec) {
  uint32_t size = codec->raw.count, mask_bytes = (size + 7) / 8, output_size = mask_bytes;
  array_reserve(codec->allocator, &codec->raw, mask_bytes * 8);
  memset(codec->raw.items + size, 0, mask_bytes * 8 - size);
  array_reserve(codec->allocator, &codec->sparse, mask_bytes * 9);
  uint8_t *restrict out = codec->sparse.items;
  const uint8_t *in = codec->raw.items;
  for (uint32_t i = 0; i < mask_bytes; ++i, in += 8) {
    uint64_t word, words[4] = {1};
    for (; i + 4 <= mask_bytes; i += 4, in += sizeof words) { // skip zero bytes quickly: most bytes are zero
      memcpy(words, in, sizeof words);
      if ((words[0] | words[1] | words[2] | words[3]) != 0)
        break;
      memset(out + i, 0, 4);
    }
    if (i == mask_bytes)
      break;
    memcpy(&word, in, sizeof word);
    uint32_t mask = word == 0 ? 0 : compute_nonzero_mask(word);
    out[i] = (uint8_t)mask;
    for (; mask == 0xff; mask = 0, output_size += 8)
      memcpy(out + output_size, in, 8);
    for (; mask != 0; mask &= mask - 1)
      out[output_size++] = in[__builtin_ctz(mask)];
  }
  codec->sparse.count = output_size;
}

// Expands sparse bytes to `size` bytes in codec->raw. Returns true on success, or false if `size` is too large or the
// bitmap does not match the number of bytes.
static bool restore_zeros(snapshot_codec_o *codec, const uint8_t *in, uint32_t in_size, uint32_t size) {
  uint32_t mask_bytes = size / 8 + (size % 8 != 0), position = mask_bytes;
  if (size > MAX_BYTES || in_size < mask_bytes)
    return false;
  codec->raw.count = 0;
  array_reserve(codec->allocator, &codec->raw, mask_bytes * 8 + 8);
  memset(codec->raw.items, 0, (size_t)mask_bytes * 8);
  for (uint32_t i = 0; i < mask_bytes; ++i)
    for (uint32_t k = 0, mask = in[i]; mask != 0; ++k, mask >>= 1) {
      if (!(mask & 1))
        continue;
      if (position == in_size)
        return false;
      codec->raw.items[(size_t)i * 8 + k] = in[position++];
    }
  codec->raw.count = size;
  return position == in_size;
}

// --- differences

// A state is predicted from the three previous states, and the errors are stored. Sections of 32-bit words are
// predicted cell by cell (a matrix has sixteen cells, most fields have one cell), each with the cheapest predictor. The
// errors are small numbers; their bytes are stored by significance, lowest first, which gives long runs of zeros. A
// bitmap with one bit per byte then removes the zeros.
//
// Layout before the zeros are removed: the head of the state (header and table of sections) XORed with the previous
// head; one byte per section with its encoding; then the data of each changed section. For cells, the data consists of
// the predictor of each cell, a bit set of its byte planes that are not all zero, and these planes.

enum { SAME, CELLS, BYTES }; // encodings of sections

enum {                        // predictors of cells; values are part of the format
  PREDICT_UNCHANGED,          // value in the last state
  PREDICT_LINEAR,             // linear extrapolation from the last two states
  PREDICT_QUADRATIC,          // quadratic extrapolation from the last three states
  PREDICT_LINEAR_FLOAT,       // linear extrapolation in floating point, because bit patterns are not linear near zero
  PREDICT_QUADRATIC_FLOAT,    // quadratic extrapolation in floating point
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

// Rows of a section of 32-bit cells in up to three states: all rows, or every `step`th row. Previous states are put
// into the current row order when a predictor first needs them (reorder_rows).
typedef struct cells_t {
  // previous: the three previous states; left: the previous section in the state of previous[0]
  const uint32_t *previous[3], *left;
  uint32_t last_rows[3], left_rows;
  uint32_t step, rows, stride; // `rows`: number of sampled rows; `stride`: cells per row
  // Set only if the section is a column wider than one cell: the earlier columns of its component in the new state.
  // Columns wider than one cell are NULL.
  const uint32_t *columns[SCHEMA_MAX_FIELDS];
  uint32_t column_count;
  const snapshot_table_t *states, *current; // `states`: the three previous states
  uint32_t section, owners;                 // `owners`: section of the rows' owners; 0 if the rows have no owners
  uint32_t ready; // bit set of the states that are already in row order: bits 0 to 2 for `previous`, bit 3 for `left`
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

// --- row order

// Rows move when entities are removed, but predictions follow entities: previous states are read in the current row
// order.

static bool has_same_content(const snapshot_table_t *s, uint32_t a, uint32_t b) {
  size_t bytes = s->table[a].bytes;
  return bytes == s->table[b].bytes && memcmp(s->bytes + s->table[a].offset, s->bytes + s->table[b].offset, bytes) == 0;
}

// Maps each row of `current` to the row of the same entity in state `k`, plus 1; 0 if the entity had no row. Returns
// the map, or NULL if no row has moved.
static const uint32_t *build_row_map(snapshot_codec_o *codec, const snapshot_table_t *previous,
                                     const snapshot_table_t *current, uint32_t owners, uint32_t k) {
  row_map_t *map = &codec->maps[k];
  if (map->section == owners)
    return map->same ? NULL : map->rows.items;
  uint32_t old_count, count, previous_section = map->section;
  const uint32_t *old_owners = get_cells(previous, owners, &old_count),
                 *new_owners = get_cells(current, owners, &count);
  map->section = owners;
  if (previous_section != UINT32_MAX && has_same_content(current, owners, previous_section) &&
      has_same_content(previous, owners, previous_section))
    return map->same ? NULL : map->rows.items; // the map of a component with the same owners is reused
  map->same = old_count == count && (count == 0 || memcmp(old_owners, new_owners, count * sizeof *new_owners) == 0);
  if (map->same)
    return NULL;
  array_reserve(codec->allocator, &map->rows, count + 1);
  for (uint32_t i = 0; i < old_count; ++i) {
    uint32_t index = shoal_entity_index(old_owners[i]), old_capacity = codec->row_by_entity.count;
    if (index >= old_capacity) {
      array_reserve(codec->allocator, &codec->row_by_entity, index + 1);
      codec->row_by_entity.count = codec->row_by_entity.capacity;
      memset(codec->row_by_entity.items + old_capacity, 0,
             (codec->row_by_entity.count - old_capacity) * sizeof *codec->row_by_entity.items);
    }
    codec->row_by_entity.items[index] = i;
  }
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t index = shoal_entity_index(new_owners[i]),
             row = index < codec->row_by_entity.count ? codec->row_by_entity.items[index] : 0;
    map->rows.items[i] = row < old_count && old_owners[row] == new_owners[i] ? row + 1 : 0;
  }
  return map->rows.items;
}

// Returns the section with the owners of column i's rows; 0 if rows have no owners, or if entities have several rows.
static uint32_t find_owners_section(const snapshot_table_t *s, uint32_t i) {
  const snapshot_section_t *section = &s->table[i];
  if (section->kind != SNAPSHOT_COLUMN || section->b >= i)
    return 0;
  const snapshot_section_t *owners = &s->table[i - section->b - 1];
  return owners->kind == SNAPSHOT_OWNERS && owners->a == section->a && owners->element == 4 ? i - section->b - 1 : 0;
}

static uint64_t count_section_rows(const snapshot_section_t *t) {
  return t->bytes / t->element;
}

// Returns the row map for state `k`; NULL if no row has moved, if rows have no owners, or if the number of owners
// differs from the number of rows.
static const uint32_t *get_row_map(snapshot_codec_o *codec, const cells_t *cells, uint32_t k, uint32_t rows) {
  const snapshot_table_t *state = &cells->states[k];
  if (cells->owners == 0 || rows != count_section_rows(&state->table[cells->owners]) ||
      rows != count_section_rows(&state->table[cells->section]) ||
      count_section_rows(&cells->current->table[cells->section]) !=
          count_section_rows(&cells->current->table[cells->owners]))
    return NULL;
  return build_row_map(codec, state, cells->current, cells->owners, k);
}

// Puts state `k` into the current row order. `k` is an index into `previous`; 3 denotes `left`. If an entity has no row
// in the state, its cells become 0 (k = 0 and 3) or are filled in from newer states: unchanged (k = 1), or by linear
// extrapolation (k = 2).
static void reorder_rows(snapshot_codec_o *codec, cells_t *cells, uint32_t k) {
  const uint32_t **slot = k < 3 ? &cells->previous[k] : &cells->left;
  uint32_t *slot_rows = k < 3 ? &cells->last_rows[k] : &cells->left_rows, rows = *slot_rows, stride = cells->stride;
  const uint32_t *map = *slot ? get_row_map(codec, cells, k % 3, rows) : NULL, *source = *slot;
  if (!source || (!map && cells->step == 1))
    return;
  *slot_rows = map ? cells->rows : (uint32_t)min_size((rows + cells->step - 1) / cells->step, cells->rows);
  array_reserve(codec->allocator, &codec->reordered[k], cells->rows * stride + 1);
  uint32_t *restrict reordered = codec->reordered[k].items;
  for (uint32_t row = 0; row < *slot_rows; ++row) {
    uint32_t old_row = map ? map[row * cells->step] : row * cells->step + 1;
    size_t offset = (size_t)row * stride;
    if (old_row > 0 && stride == 1)
      reordered[offset] = source[old_row - 1];
    else if (old_row > 0)
      memcpy(reordered + offset, source + (size_t)(old_row - 1) * stride, stride * sizeof *reordered);
    else if (k == 1 && row < cells->last_rows[0])
      memcpy(reordered + offset, cells->previous[0] + offset, stride * sizeof *reordered);
    else
      for (uint32_t cell = 0; cell < stride; ++cell)
        reordered[offset + cell] = k == 2 && row < cells->last_rows[0] && row < cells->last_rows[1]
                                       ? 2 * cells->previous[1][offset + cell] - cells->previous[0][offset + cell]
                                       : 0;
  }
  *slot = reordered;
}

// Puts the states that a predictor reads into row order, newer states first, because missing rows of older states are
// filled in from newer states.
static void prepare_states(snapshot_codec_o *codec, cells_t *cells, uint32_t predictor) {
  uint32_t required = predictor >= PREDICT_COLUMN           ? 0
                      : predictor == PREDICT_LEFT           ? 8
                      : predictor == PREDICT_UNCHANGED      ? 1
                      : predictor % 2 == PREDICT_LINEAR % 2 ? 3
                                                            : 7;
  for (uint32_t k = 0; k < 4; ++k)
    if (required & ~cells->ready & 1u << k)
      reorder_rows(codec, cells, k);
  cells->ready |= required;
}

// Opens a section. If `step` is above 1, stores sampled copies of the columns at `samples`, contiguously.
static void open_cells(cells_t *cells, const snapshot_table_t previous[3], const snapshot_table_t *current, uint32_t i,
                       uint32_t step, uint32_t *samples) {
  const snapshot_section_t *t = &current->table[i];
  *cells = (cells_t){.step = step, .stride = t->element / 4, .states = previous, .current = current, .section = i};
  cells->rows = (uint32_t)((count_section_rows(t) + step - 1) / step);
  cells->owners = find_owners_section(current, i);
  for (uint32_t k = 0; k < 3 && previous[k].table; ++k)
    cells->previous[k] = get_cells(&previous[k], i, &cells->last_rows[k]);
  if (i > 0 && previous->table[i - 1].element == t->element)
    cells->left = get_cells(previous, i - 1, &cells->left_rows);
  if (cells->stride == 1 || t->kind != SNAPSHOT_COLUMN || t->b >= SCHEMA_MAX_FIELDS || t->b > i)
    return;
  cells->column_count = t->b;
  for (uint32_t b = 0; b < t->b; ++b) {
    const snapshot_section_t *c = &current->table[i - t->b + b];
    bool fits = c->kind == t->kind && c->a == t->a && c->b == b && c->element == 4 &&
                count_section_rows(c) == count_section_rows(t);
    cells->columns[b] = fits ? (const uint32_t *)(const void *)(current->bytes + c->offset) : NULL;
    if (!fits || step == 1)
      continue;
    for (uint32_t row = 0; row < cells->rows; ++row)
      samples[row] = cells->columns[b][row * step];
    cells->columns[b] = samples;
    samples += cells->rows;
  }
}

static uint8_t *reserve_raw(snapshot_codec_o *codec, size_t size) {
  array_reserve(codec->allocator, &codec->raw, (uint32_t)(codec->raw.count + size));
  uint8_t *start = codec->raw.items + codec->raw.count;
  codec->raw.count += (uint32_t)size;
  return start;
}

static void xor_bytes(uint8_t *restrict out, const uint8_t *restrict a, const uint8_t *restrict b, size_t size) {
  for (size_t i = 0; i < size; ++i)
    out[i] = a[i] ^ b[i];
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

// Predicts a cell of a rotated and scaled matrix, as transform/transform.c computes it. Returns true on success, or
// false if a column that the predictor reads is missing.
static bool predict_rotation(const cells_t *cells, uint32_t predictor, uint32_t *predicted) {
  uint32_t c = predictor % 16, kind = predictor - c,
           scaled = kind >= PREDICT_COSINE   ? 0
                    : kind >= PREDICT_SINE_Y ? 2
                                             : 1;
  if (predictor >= PREDICT_END || c + scaled >= cells->column_count || !cells->columns[c] ||
      !cells->columns[c + scaled])
    return false;
  bool is_cosine = kind == PREDICT_COSINE || kind == PREDICT_COSINE_X || kind == PREDICT_COSINE_Y;
  for (uint32_t i = 0; i < cells->rows; ++i) {
    float angle = bits_to_float(cells->columns[c][i]), x = is_cosine ? cosf(angle) : sinf(angle);
    if (scaled)
      x *= bits_to_float(cells->columns[c + scaled][i]);
    predicted[i] = float_to_bits(kind == PREDICT_SINE_Y ? -x : x);
  }
  return true;
}

// Extrapolates `predicted` in place; on entry it contains the cells of the last state. Returns true on success, or
// false if no row exists in all older states that the predictor needs.
static bool extrapolate_cells(const cells_t *cells, uint32_t predictor, uint32_t cell, uint32_t rows,
                              uint32_t *predicted) {
  const uint32_t *second = cells->previous[1], *third = cells->previous[2];
  uint32_t stride = cells->stride, linear = (uint32_t)min_size(rows, cells->last_rows[1]), quadratic = 0;
  if (predictor == PREDICT_QUADRATIC || predictor == PREDICT_QUADRATIC_FLOAT)
    quadratic = (uint32_t)min_size(linear, cells->last_rows[2]);
  if (predictor == PREDICT_LINEAR || predictor == PREDICT_QUADRATIC) {
    for (uint32_t i = 0; i < quadratic; ++i)
      predicted[i] = 3 * (predicted[i] - second[i * stride + cell]) + third[i * stride + cell];
    for (uint32_t i = quadratic; i < linear; ++i)
      predicted[i] += predicted[i] - second[i * stride + cell];
  } else {
    for (uint32_t i = 0; i < quadratic; ++i)
      predicted[i] = float_to_bits(3 * (bits_to_float(predicted[i]) - bits_to_float(second[i * stride + cell])) +
                                   bits_to_float(third[i * stride + cell]));
    for (uint32_t i = quadratic; i < linear; ++i)
      predicted[i] = float_to_bits(2 * bits_to_float(predicted[i]) - bits_to_float(second[i * stride + cell]));
  }
  return predictor == PREDICT_QUADRATIC || predictor == PREDICT_QUADRATIC_FLOAT ? quadratic > 0 : linear > 0;
}

// Predicts a cell of every row and stores the results in `predicted`. `current` contains the earlier cells of each row.
// Returns true on success, or false if the predictor cannot be used.
static bool predict_cells(snapshot_codec_o *codec, cells_t *cells, uint32_t predictor, uint32_t cell,
                          const uint32_t *current, uint32_t *predicted) {
  prepare_states(codec, cells, predictor);
  const uint32_t *source = cells->previous[0];
  uint32_t rows = cells->last_rows[0], stride = cells->stride, sign_mask = 0;
  if (predictor == PREDICT_LEFT) {
    source = cells->left;
    rows = cells->left_rows;
  } else if (predictor >= PREDICT_COSINE_X) {
    return predict_rotation(cells, predictor, predicted);
  } else if (predictor >= PREDICT_CELL) {
    sign_mask = predictor >= PREDICT_NEGATED_CELL ? UINT32_C(0x80000000) : 0;
    uint32_t source_cell = predictor - (predictor >= PREDICT_NEGATED_CELL ? PREDICT_NEGATED_CELL : PREDICT_CELL);
    source = current + source_cell;
    source -= cell; // compensates for the offset added in the loop below
    rows = cells->rows;
    if (source_cell >= cell)
      return false;
  } else if (predictor >= PREDICT_COLUMN) {
    if (predictor - PREDICT_COLUMN >= cells->column_count || !cells->columns[predictor - PREDICT_COLUMN])
      return false;
    memcpy(predicted, cells->columns[predictor - PREDICT_COLUMN], cells->rows * sizeof *predicted);
    return true;
  }
  if (!source)
    return false;
  rows = (uint32_t)min_size(rows, cells->rows);
  for (uint32_t i = 0; i < rows; ++i)
    predicted[i] = source[i * stride + cell] ^ sign_mask;
  for (uint32_t i = rows; i < cells->rows; ++i)
    predicted[i] = 0;
  return predictor < PREDICT_LINEAR || predictor > PREDICT_QUADRATIC_FLOAT ||
         extrapolate_cells(cells, predictor, cell, rows, predicted);
}

// Zigzag encoding: maps numbers near zero, of either sign, to small unsigned numbers.
static uint32_t zigzag_encode(uint32_t difference) {
  return difference << 1 ^ (0u - (difference >> 31));
}

static uint32_t zigzag_decode(uint32_t folded) {
  return folded >> 1 ^ (0u - (folded & 1));
}

static uint32_t count_error_bytes(const cells_t *cells, const uint32_t *predicted, const uint32_t *current,
                                  uint32_t cell) {
  uint32_t bytes = 0;
  for (uint32_t i = 0; i < cells->rows; ++i) {
    uint32_t errors = zigzag_encode(current[i * cells->stride + cell] - predicted[i]);
    bytes += (errors > 0 ? 1u : 0u) + (errors > 0xff) + (errors > 0xffff) + (errors > 0xffffff);
  }
  return bytes;
}

static void try_predictor(snapshot_codec_o *codec, cells_t *cells, uint32_t predictor, uint32_t cell,
                          const uint32_t *current, uint32_t *predicted, uint32_t *min_cost, uint32_t *best) {
  if (*min_cost == 0 || !predict_cells(codec, cells, predictor, cell, current, predicted))
    return;
  uint32_t bytes = count_error_bytes(cells, predicted, current, cell);
  if (bytes >= *min_cost)
    return;
  *min_cost = bytes;
  *best = predictor;
}

static uint32_t find_best_predictor(snapshot_codec_o *codec, cells_t *cells, uint32_t cell, const uint32_t *current,
                                    uint32_t *predicted) {
  uint32_t min_cost = UINT32_MAX, best = PREDICT_UNCHANGED;
  try_predictor(codec, cells, PREDICT_UNCHANGED, cell, current, predicted, &min_cost, &best);
  for (uint32_t predictor = PREDICT_LINEAR; predictor <= PREDICT_LEFT; ++predictor)
    try_predictor(codec, cells, predictor, cell, current, predicted, &min_cost, &best);
  for (uint32_t c = 0; c < cell && c < 16; ++c) {
    try_predictor(codec, cells, PREDICT_CELL + c, cell, current, predicted, &min_cost, &best);
    try_predictor(codec, cells, PREDICT_NEGATED_CELL + c, cell, current, predicted, &min_cost, &best);
  }
  for (uint32_t c = 0; c < cells->column_count; ++c)
    try_predictor(codec, cells, PREDICT_COLUMN + c, cell, current, predicted, &min_cost, &best);
  for (uint32_t c = 0; c < cells->column_count && c < 16 && cells->stride == 16 && min_cost > 16; ++c) {
    for (uint32_t predictor = PREDICT_COSINE_X; predictor < PREDICT_END; predictor += 16)
      try_predictor(codec, cells, predictor + c, cell, current, predicted, &min_cost, &best);
  }
  return best;
}

static uint32_t *reserve_predicted(snapshot_codec_o *codec, uint32_t rows) {
  array_reserve(codec->allocator, &codec->predicted, rows);
  return codec->predicted.items;
}

// Chooses predictors from a sample of the rows. Checks known predictors only every SEARCH_INTERVAL states.
static void choose_predictors(snapshot_codec_o *codec, const snapshot_table_t previous[3],
                              const snapshot_table_t *current, uint32_t i) {
  const snapshot_section_t *t = &current->table[i];
  const uint32_t *values = (const uint32_t *)(const void *)(current->bytes + t->offset), stride = t->element / 4;
  uint32_t step = (uint32_t)(count_section_rows(t) / SAMPLE_ROWS) | 1u;
  uint8_t *predictors = &codec->predictors.items[i * 16];
  bool needs_search = codec->searching;
  for (uint32_t cell = 0; cell < stride; ++cell)
    needs_search |= predictors[cell] == UNKNOWN;
  if (!needs_search)
    return;
  cells_t cells;
  uint32_t rows = (uint32_t)((count_section_rows(t) + step - 1) / step), columns = step > 1 ? SCHEMA_MAX_FIELDS : 0;
  array_reserve(codec->allocator, &codec->sampled, rows * (stride + columns + 1));
  uint32_t *predicted = codec->sampled.items, *sample = predicted + rows;
  open_cells(&cells, previous, current, i, step, sample + rows * stride);
  for (uint32_t row = 0; step > 1 && row < rows; ++row)
    memcpy(sample + (size_t)row * stride, values + (size_t)row * step * stride, stride * sizeof *sample);
  values = step > 1 ? sample : values;
  for (uint32_t cell = 0; cell < stride; ++cell) {
    bool usable = predictors[cell] != UNKNOWN &&
                  predict_cells(codec, &cells, predictors[cell], cell, values, predicted) &&
                  (!codec->searching || count_error_bytes(&cells, predicted, values, cell) <= GOOD_BYTES);
    if (usable)
      continue;
    predictors[cell] = (uint8_t)find_best_predictor(codec, &cells, cell, values, predicted);
  }
}

static void write_cells(snapshot_codec_o *codec, cells_t *cells, uint32_t section, const uint32_t *current) {
  uint32_t *predicted = reserve_predicted(codec, cells->rows), predictors_offset = codec->raw.count;
  memset(reserve_raw(codec, 2 * cells->stride), 0, 2 * cells->stride);
  for (uint32_t cell = 0; cell < cells->stride; ++cell) {
    uint32_t predictor = codec->predictors.items[section * 16 + cell], error_bits = 0;
    // fails if a state or column that the predictor reads no longer exists
    if (!predict_cells(codec, cells, predictor, cell, current, predicted)) {
      codec->predictors.items[section * 16 + cell] = UNKNOWN;
      predictor = PREDICT_UNCHANGED;
      predict_cells(codec, cells, predictor, cell, current, predicted);
    }
    for (uint32_t i = 0; i < cells->rows; ++i) {
      predicted[i] = zigzag_encode(current[i * cells->stride + cell] - predicted[i]);
      error_bits |= predicted[i];
    }
    codec->raw.items[predictors_offset + 2 * cell] = (uint8_t)predictor;
    for (uint32_t plane = 0; plane < 4; ++plane) {
      if ((error_bits >> 8 * plane & 0xff) == 0)
        continue;
      codec->raw.items[predictors_offset + 2 * cell + 1] |= (uint8_t)(1u << plane);
      uint8_t *out = reserve_raw(codec, cells->rows);
      for (uint32_t i = 0; i < cells->rows; ++i)
        out[i] = (uint8_t)(predicted[i] >> 8 * plane);
    }
  }
}

// Reads the cells of a section. Returns the position after them; NULL if `in` is too short or has an invalid predictor.
static const uint8_t *read_cells(snapshot_codec_o *codec, cells_t *cells, const uint8_t *in, const uint8_t *end,
                                 uint32_t *out) {
  uint32_t rows = cells->rows, *predicted = reserve_predicted(codec, 2 * rows), *errors = predicted + rows;
  const uint8_t *predictors = in;
  if ((size_t)(end - in) < 2 * cells->stride)
    return NULL;
  in += 2 * cells->stride;
  prepare_states(codec, cells, PREDICT_UNCHANGED);
  uint32_t copied = (uint32_t)min_size(rows, cells->last_rows[0]) * cells->stride;
  if (copied > 0)
    memcpy(out, cells->previous[0], copied * sizeof *out);
  for (uint32_t cell = 0; cell < cells->stride; ++cell) {
    if (predictors[2 * cell] == PREDICT_UNCHANGED && predictors[2 * cell + 1] == 0)
      continue; // there are no errors to apply, as for most cells of matrices
    if (!predict_cells(codec, cells, predictors[2 * cell], cell, out, predicted))
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
      out[i * cells->stride + cell] = predicted[i] + zigzag_decode(errors[i]);
  }
  return in;
}

static bool has_cells(uint32_t element, size_t bytes) {
  return element >= 4 && element <= 64 && element % 4 == 0 && bytes % element == 0;
}

// Stores the range from the first to the last changed byte, XORed with the old bytes and preceded by its start and end.
// If the sizes differ, the range extends to the end of `new_bytes`. String data grows at the end, so the range is
// usually short.
static void write_changed_bytes(snapshot_codec_o *codec, const uint8_t *old_bytes, size_t old_size,
                                const uint8_t *new_bytes, size_t new_size) {
  size_t shared = min_size(old_size, new_size), first = 0, end = new_size;
  while (first + BLOCK_BYTES <= shared && memcmp(old_bytes + first, new_bytes + first, BLOCK_BYTES) == 0)
    first += BLOCK_BYTES;
  while (first < shared && old_bytes[first] == new_bytes[first])
    first++;
  while (old_size == new_size && end > first && old_bytes[end - 1] == new_bytes[end - 1])
    end--;
  uint32_t range[2] = {(uint32_t)first, (uint32_t)end};
  memcpy(reserve_raw(codec, sizeof range), range, sizeof range);
  uint8_t *out = reserve_raw(codec, end - first);
  size_t overlap = min_size(end, shared) - first;
  xor_bytes(out, old_bytes + first, new_bytes + first, overlap);
  memcpy(out + overlap, new_bytes + first + overlap, end - first - overlap);
}

// Reads the bytes of a section. Returns the position after the bytes; NULL if `in` is malformed.
static const uint8_t *read_changed_bytes(const uint8_t *old_bytes, size_t old_size, uint8_t *new_bytes, size_t new_size,
                                         const uint8_t *in, const uint8_t *end) {
  uint32_t range[2];
  if ((size_t)(end - in) < sizeof range)
    return NULL;
  memcpy(range, in, sizeof range);
  in += sizeof range;
  size_t shared = min_size(old_size, new_size), first = range[0], last = range[1];
  if (first > shared || last < first || last > new_size || (size_t)(end - in) < last - first ||
      (last < new_size && new_size > old_size))
    return NULL;
  size_t overlap = min_size(last, shared) - first;
  memcpy(new_bytes, old_bytes, first);
  xor_bytes(new_bytes + first, old_bytes + first, in, overlap);
  memcpy(new_bytes + first + overlap, in + overlap, last - first - overlap);
  memcpy(new_bytes + last, old_bytes + last, new_size - last);
  return in + (last - first);
}

static int write_section(snapshot_codec_o *codec, const snapshot_table_t previous[3], const snapshot_table_t *current,
                         uint32_t i) {
  const uint8_t *old_bytes = previous->bytes + previous->table[i].offset,
                *new_bytes = current->bytes + current->table[i].offset;
  size_t old_size = previous->table[i].bytes, new_size = current->table[i].bytes;
  size_t shared = min_size(old_size, new_size);
  bool same = shared == 0 || memcmp(old_bytes, new_bytes, shared) == 0;
  if (same && new_size == shared)
    return SAME;
  if (same && new_size - old_size < shared) { // data was only appended, as in a column of equal values that has grown
    write_changed_bytes(codec, old_bytes, old_size, new_bytes, new_size);
    return BYTES;
  }
  if (has_cells(current->table[i].element, old_size) && has_cells(current->table[i].element, new_size)) {
    cells_t cells;
    choose_predictors(codec, previous, current, i);
    open_cells(&cells, previous, current, i, 1, NULL);
    write_cells(codec, &cells, i, (const uint32_t *)(const void *)new_bytes);
    return CELLS;
  }
  write_changed_bytes(codec, old_bytes, old_size, new_bytes, new_size);
  return BYTES;
}

static void clear_maps(snapshot_codec_o *codec) {
  for (uint32_t k = 0; k < 3; ++k)
    codec->maps[k].section = UINT32_MAX;
}

// Encodes `current` to codec->raw and returns true; returns false if the states have different sections.
static bool encode_state(snapshot_codec_o *codec, const snapshot_table_t previous[3], const snapshot_table_t *current) {
  if (!snapshot_has_same_sections(previous, current))
    return false;
  if (codec->predictors.count != current->count * 16) {
    array_reserve(codec->allocator, &codec->predictors, current->count * 16);
    codec->predictors.count = current->count * 16;
    memset(codec->predictors.items, UNKNOWN, codec->predictors.count);
  }
  codec->searching = codec->encoded++ % SEARCH_INTERVAL == 0;
  clear_maps(codec);
  codec->raw.count = 0;
  xor_bytes(reserve_raw(codec, current->header_size), previous->bytes, current->bytes, current->header_size);
  uint32_t encodings_offset = codec->raw.count;
  memset(reserve_raw(codec, current->count), 0, current->count);
  for (uint32_t i = 0; i < current->count; ++i) {
    int encoding = write_section(codec, previous, current, i);
    codec->raw.items[encodings_offset + i] = (uint8_t)encoding;
  }
  return true;
}

const uint8_t *snapshot_codec_encode(snapshot_codec_o *codec, const snapshot_table_t previous[3],
                                     const snapshot_table_t *current, uint32_t *size, uint32_t *raw_size) {
  if (!encode_state(codec, previous, current))
    return NULL;
  *raw_size = codec->raw.count;
  shoal_assert(codec->raw.count >= current->header_size + current->count, "the encoded state is shorter than its head");
  remove_zeros(codec);
  *size = codec->sparse.count;
  return codec->sparse.items;
}

// Decodes one section. Returns the position after the section in `in`; NULL if `in` is malformed.
static const uint8_t *read_section(snapshot_codec_o *codec, const snapshot_table_t previous[3],
                                   const snapshot_table_t *current, uint32_t i, int predictor, const uint8_t *in,
                                   const uint8_t *end) {
  const uint8_t *old_bytes = previous->bytes + previous->table[i].offset;
  uint8_t *new_bytes = (uint8_t *)(uintptr_t)current->bytes + current->table[i].offset;
  size_t bytes = current->table[i].bytes, shared = min_size(bytes, previous->table[i].bytes);
  if (predictor == SAME) {
    if (shared < bytes)
      return NULL;
    memcpy(new_bytes, old_bytes, bytes);
    return in;
  }
  if (predictor == CELLS) {
    cells_t cells;
    if (!has_cells(current->table[i].element, bytes) || !has_cells(current->table[i].element, previous->table[i].bytes))
      return NULL;
    open_cells(&cells, previous, current, i, 1, NULL);
    return read_cells(codec, &cells, in, end, (uint32_t *)(void *)new_bytes);
  }
  return read_changed_bytes(old_bytes, previous->table[i].bytes, new_bytes, bytes, in, end);
}

static bool decode_state(snapshot_codec_o *codec, const snapshot_table_t previous[3], snapshot_o *out) {
  const uint8_t *raw = codec->raw.items, *end = raw + codec->raw.count;
  if (codec->raw.count < previous->header_size + previous->count)
    return false;
  uint64_t old_size, size; // sizes of the previous and the new state, stored in the header
  memcpy(&old_size, previous->bytes + SNAPSHOT_SIZE_OFFSET, sizeof old_size);
  memcpy(&size, raw + SNAPSHOT_SIZE_OFFSET, sizeof size);
  size ^= old_size;
  if (size < previous->header_size || size > MAX_BYTES)
    return false;
  uint8_t *bytes = snapshot_reserve(out, (size_t)size);
  xor_bytes(bytes, previous->bytes, raw, previous->header_size);
  // Padding between sections must be zero.
  memset(bytes + previous->header_size, 0, (size_t)size - previous->header_size);
  snapshot_table_t current = snapshot_table(out);
  clear_maps(codec);
  if (!snapshot_has_same_sections(previous, &current))
    return false;
  const uint8_t *predictors = raw + previous->header_size, *in = predictors + previous->count;
  for (uint32_t i = 0; in && i < previous->count; ++i)
    in = read_section(codec, previous, &current, i, predictors[i], in, end);
  return in == end;
}

bool snapshot_codec_decode(snapshot_codec_o *codec, const snapshot_table_t previous[3], const uint8_t *bytes,
                           uint32_t size, uint32_t raw_size, snapshot_o *out) {
  return previous->table && restore_zeros(codec, bytes, size, raw_size) && decode_state(codec, previous, out);
}
