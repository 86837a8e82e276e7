// Culling of bodies. Processes bodies in blocks, directly from the columns, in loops that compilers can vectorize.
// Marked cells are stored in a bitmap that repeats across the plane; because of the repetition, some bodies pass
// although they touch nothing.
#include "collision/collision_cull.h"

#include "base/assert.h"

#include <string.h>

enum { BLOCK = 64 }; // number of bodies per block

// A class contains the bodies with equal category and mask. The marking bodies of a class are the bodies that it can
// collide with. A class is not culled in four cases: its bodies can collide with each other, it has fewer than
// MIN_BODIES_PER_PARTNER bodies per marking body, a marking body covers more than MAX_CELLS cells, or the reaches do
// not yield a usable cell size. A class without marking bodies is dropped. The bitmap has at least BITS_PER_PARTNER
// bits per marking body, up to the maximum side length.
enum { MIN_BODIES_PER_PARTNER = 4, MAX_CELLS = 1024, BITS_PER_PARTNER = 1024, MIN_SIDE_BITS = 6, MAX_SIDE_BITS = 10 };

void cull_free(cull_t *s, allocator_t *a) {
  array_free(a, &s->runs);
  array_free(a, &s->items);
  array_free(a, &s->partners);
  array_free(a, &s->bits);
  array_free(a, &s->rows);
}

// --- listing bodies

static uint32_t find_or_add_class(cull_t *cull, uint32_t category, uint32_t mask) {
  for (uint32_t i = 0; i < cull->class_count; ++i)
    if (cull->classes[i].category == category && cull->classes[i].mask == mask)
      return i;
  if (cull->class_count < CULL_MAX_CLASSES)
    cull->classes[cull->class_count++] = (cull_class_t){0};
  cull_class_t *last_class = &cull->classes[cull->class_count - 1];
  last_class->category |= category;
  last_class->mask |= mask;
  return cull->class_count - 1;
}

// Returns the row of the entity's transform, or ROW_NONE. Tests row `guess` first, which is usually the right row.
static uint32_t find_transform_row(const manager_o *transforms, shoal_entity entity, uint32_t guess) {
  return guess < transforms->count && transforms->owner[guess] == entity ? guess : manager_row(transforms, entity);
}

// Returns true if `count` bodies from `row` on and transforms from `transform_row` on belong to the same entities in
// the same order. The bodies must also be enabled, have equal category, mask and kind, and have no parents.
static bool is_uniform_run(const cull_t *cull, uint32_t row, uint32_t transform_row, uint32_t count) {
  const manager_o *bodies = cull->bodies, *transforms = cull->transforms;
  const shoal_entity *body_owners = bodies->owner + row, *transform_owners = transforms->owner + transform_row;
  const shoal_entity *parent = cull->transform.parent + transform_row;
  const uint32_t *category = cull->body.category + row, *mask = cull->body.mask + row;
  const uint8_t *kind = cull->body.kind + row, *enabled = cull->body.enabled + row;
  if (transform_row >= transforms->count || transforms->count - transform_row < count)
    return false;
  uint32_t differences = 0;
  uint8_t flag_differences = 0;
  for (uint32_t i = 0; i < count; ++i)
    differences |=
        (body_owners[i] ^ transform_owners[i]) | (category[i] ^ category[0]) | (mask[i] ^ mask[0]) | parent[i];
  for (uint32_t i = 0; i < count; ++i)
    flag_differences |= (uint8_t)((kind[i] ^ kind[0]) | (enabled[i] == 0));
  return differences == 0 && flag_differences == 0;
}

// Returns true if any of these bodies' entities has the component; `component` may be NULL.
static bool has_component_in_run(const cull_t *s, const manager_o *component, uint32_t row, uint32_t count) {
  bool found = false;
  for (uint32_t i = row; i < row + count && component && component->count > 0; ++i)
    found |= manager_row(component, s->bodies->owner[i]) != ROW_NONE;
  return found;
}

static bool is_box(const cull_t *s, uint32_t row) {
  return s->body.kind[row] == BODY_KIND_BOX;
}

static void add_run(cull_t *cull, allocator_t *allocator, cull_run_t run) {
  cull_run_t *last_run = cull->runs.count > 0 ? &cull->runs.items[cull->runs.count - 1] : NULL;
  cull->classes[run.class].count += run.count;
  if (last_run && last_run->class == run.class && last_run->row + last_run->count == run.row &&
      last_run->transform_row + last_run->count == run.transform_row &&
      is_box(cull, last_run->row) == is_box(cull, run.row))
    last_run->count += run.count;
  else
    array_push(allocator, &cull->runs, run);
}

static float compute_reach(const cull_t *s, uint32_t row, uint32_t transform_row) {
  const float *scale_x = s->transform.scale_x;
  const float *scale_y = s->transform.scale_y;
  return body_reach(&s->body, is_box(s, row), row, scale_x[transform_row], scale_y[transform_row]);
}

static cull_square_t compute_square(const cull_t *cull, uint32_t row, uint32_t transform_row,
                                    transform_matrices_t *matrices) {
  if (cull->transform.parent[transform_row] == 0)
    return (cull_square_t){.x = cull->transform.x[transform_row],
                           .y = cull->transform.y[transform_row],
                           .reach = compute_reach(cull, row, transform_row)};
  float world_matrix[16];
  transform_compute_world_matrix(matrices, transform_row, world_matrix);
  float scale_x = fabsf(world_matrix[0]) + fabsf(world_matrix[1]),
        scale_y = fabsf(world_matrix[4]) + fabsf(world_matrix[5]);
  return (cull_square_t){.x = world_matrix[12],
                         .y = world_matrix[13],
                         .reach = body_reach(&cull->body, is_box(cull, row), row, scale_x, scale_y)};
}

static void add_item(cull_t *cull, allocator_t *allocator, uint32_t row, uint32_t transform_row,
                     transform_matrices_t *matrices) {
  const uint32_t *category = cull->body.category, *mask = cull->body.mask;
  cull_item_t item = {compute_square(cull, row, transform_row, matrices),
                      find_or_add_class(cull, category[row], mask[row]), row, transform_row};
  displacement_t displacement = sweeps_get_path(cull->sweeps, cull->bodies->owner[row]);
  item.square.reach += (float)(fmax(fabs(displacement.dx), fabs(displacement.dy)) * 1.0001);
  ++cull->classes[item.class].count;
  array_push(allocator, &cull->items, item);
}

static void list_bodies(cull_t *cull, world_o *w, transform_matrices_t *matrices) {
  const manager_o *bodies = cull->bodies, *disabled = world_find_manager(w, "disabled");
  const uint8_t *enabled = cull->body.enabled;
  const uint32_t *category = cull->body.category, *mask = cull->body.mask;
  bool any_disabled = disabled && disabled->count > 0;
  uint32_t next_transform_row = 0; // expected row of the next transform
  cull->class_count = cull->runs.count = cull->items.count = 0;
  for (uint32_t row = 0, count; row < bodies->count; row += count) {
    count = bodies->count - row < BLOCK ? bodies->count - row : BLOCK;
    uint32_t transform_row = find_transform_row(cull->transforms, bodies->owner[row], next_transform_row);
    if (is_uniform_run(cull, row, transform_row, count) && !has_component_in_run(cull, disabled, row, count) &&
        !has_component_in_run(cull, cull->sweeps->manager, row, count)) {
      add_run(cull, world_allocator(w),
              (cull_run_t){find_or_add_class(cull, category[row], mask[row]), count, row, transform_row});
      next_transform_row = transform_row + count;
      continue;
    }
    for (uint32_t i = row; i < row + count; ++i) {
      if (!enabled[i] || (any_disabled && world_is_disabled(w, bodies->owner[i], bodies->id)))
        continue;
      transform_row = find_transform_row(cull->transforms, bodies->owner[i], next_transform_row);
      next_transform_row = transform_row + 1;
      if (transform_row != ROW_NONE)
        add_item(cull, world_allocator(w), i, transform_row, matrices);
    }
  }
}

// --- marking bodies, and the cells that they reach

static bool can_collide(const cull_class_t *a, const cull_class_t *b) {
  return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

// Returns the maximum reach of a run of boxes or circles. Ignores NaN; bodies with NaN are rejected later.
static float max_run_reach(const cull_t *cull, const cull_run_t *run, bool box) {
  float max_reach[BLOCK] = {0}, result = 0;
  body_columns bodies = cull->body;
  for (uint32_t i = 0; i < run->count; i += BLOCK) {
    uint32_t count = run->count - i < BLOCK ? run->count - i : BLOCK;
    const float *scale_x = cull->transform.scale_x + run->transform_row + i;
    const float *scale_y = cull->transform.scale_y + run->transform_row + i;
    size_t first_row = (size_t)run->row + i; // 64 bits: a 32-bit index may wrap, which prevents vectorization
    for (size_t k = 0; k < count; ++k) {
      float reach = body_reach(&bodies, box, first_row + k, scale_x[k], scale_y[k]);
      max_reach[k] = reach > max_reach[k] ? reach : max_reach[k];
    }
  }
  for (uint32_t k = 0; k < BLOCK; ++k)
    result = max_reach[k] > result ? max_reach[k] : result;
  return result;
}

static float max_class_reach(const cull_t *cull, uint32_t class) {
  float result = 0;
  for (uint32_t i = 0; i < cull->runs.count; ++i) {
    const cull_run_t *run = &cull->runs.items[i];
    float reach = run->class != class      ? 0
                  : is_box(cull, run->row) ? max_run_reach(cull, run, true)
                                           : max_run_reach(cull, run, false);
    result = reach > result ? reach : result;
  }
  for (uint32_t i = 0; i < cull->items.count; ++i)
    if (cull->items.items[i].class == class && cull->items.items[i].square.reach > result)
      result = cull->items.items[i].square.reach;
  return result;
}

// Lists the bodies that the class can collide with, as squares enlarged by `margin`, the class's maximum reach.
static void list_collision_partners(cull_t *cull, uint32_t class, float margin, allocator_t *allocator) {
  cull->partners.count = 0;
  for (uint32_t i = 0; i < cull->runs.count; ++i) {
    const cull_run_t *run = &cull->runs.items[i];
    if (!can_collide(&cull->classes[run->class], &cull->classes[class]))
      continue;
    for (uint32_t k = 0; k < run->count; ++k)
      array_push(allocator, &cull->partners, compute_square(cull, run->row + k, run->transform_row + k, NULL));
  }
  for (uint32_t i = 0; i < cull->items.count; ++i)
    if (can_collide(&cull->classes[cull->items.items[i].class], &cull->classes[class]))
      array_push(allocator, &cull->partners, cull->items.items[i].square);
  for (uint32_t i = 0; i < cull->partners.count; ++i) {
    cull_square_t *square = &cull->partners.items[i];
    square->reach += margin + (fabsf(square->x) + fabsf(square->y)) * 1e-6f; // margin for rounding errors of the edges
  }
}

typedef struct marks_t {
  float cells_per_pixel;
  uint32_t side_bits; // log2 of the bitmap's side length in cells
} marks_t;

static inline int32_t cell_coordinate(float position, float cells_per_pixel) {
  const float MAX_CELL = 1 << 28;
  float cell = position * cells_per_pixel;
  cell = cell > -MAX_CELL ? cell : -MAX_CELL; // replaces NaN as well
  return (int32_t)(cell < MAX_CELL ? cell : MAX_CELL);
}

static inline uint32_t cell_bit(int32_t cell_x, int32_t cell_y, uint32_t side_bits) {
  uint32_t mask = (1u << side_bits) - 1;
  return ((uint32_t)cell_y & mask) << side_bits | ((uint32_t)cell_x & mask);
}

// Chooses cells of half the average reach, and the size of the bitmap. Returns true if the average is finite and
// positive.
static bool choose_cell_size(const cull_t *cull, marks_t *out) {
  double sum = 0;
  uint32_t bits = MIN_SIDE_BITS;
  for (uint32_t i = 0; i < cull->partners.count; ++i) {
    const cull_square_t *square = &cull->partners.items[i];
    if (isfinite(square->x) && isfinite(square->y) && !isnan(square->reach))
      sum += (double)square->reach;
  }
  while (bits < MAX_SIDE_BITS && 1u << 2 * bits < cull->partners.count * BITS_PER_PARTNER)
    ++bits;
  *out = (marks_t){.cells_per_pixel = (float)(2 * cull->partners.count / sum), .side_bits = bits};
  return isfinite(out->cells_per_pixel) && out->cells_per_pixel > 0;
}

// Marks the cells of all listed bodies. Returns true on success, or false if a body covers more than MAX_CELLS cells.
static bool mark_cells(cull_t *cull, const marks_t *marks) {
  for (uint32_t i = 0; i < cull->partners.count; ++i) {
    const cull_square_t *square = &cull->partners.items[i];
    if (!isfinite(square->x) || !isfinite(square->y) || isnan(square->reach))
      continue; // a body that is not finite cannot touch any body
    int32_t left = cell_coordinate(square->x - square->reach, marks->cells_per_pixel),
            right = cell_coordinate(square->x + square->reach, marks->cells_per_pixel);
    int32_t top = cell_coordinate(square->y - square->reach, marks->cells_per_pixel),
            bottom = cell_coordinate(square->y + square->reach, marks->cells_per_pixel);
    if (((int64_t)right - left + 1) * ((int64_t)bottom - top + 1) > MAX_CELLS)
      return false;
    for (int32_t y = top; y <= bottom; ++y)
      for (int32_t x = left, end; x <= right; x = end) { // sets up to one 64-bit word per step
        uint32_t bit = cell_bit(x, y, marks->side_bits), remaining_bits = 64 - bit % 64;
        end = (uint32_t)(right - x) < remaining_bits ? right + 1 : x + (int32_t)remaining_bits;
        cull->bits.items[bit / 64] |= UINT64_MAX >> (64 - (end - x)) << bit % 64;
      }
  }
  return true;
}

// --- selecting bodies

static void append_body(cull_t *s, uint32_t row, uint32_t transform_row) {
  s->rows.items[s->rows.count++] = (body_row_t){shoal_entity_index(s->bodies->owner[row]), row, transform_row};
}

// Returns a bit set: bit i is set if position i (of up to BLOCK) is in a marked cell.
static uint64_t find_marked_positions(const cull_t *cull, const marks_t *marks, const float *x, const float *y,
                                      uint32_t count) {
  uint32_t bit[BLOCK];
  uint64_t marked = 0;
  const uint64_t *bits = cull->bits.items;
  for (uint32_t i = 0; i < count; ++i)
    bit[i] = cell_bit(cell_coordinate(x[i], marks->cells_per_pixel), cell_coordinate(y[i], marks->cells_per_pixel),
                      marks->side_bits);
  for (uint32_t i = 0; i < count; ++i)
    marked |= (bits[bit[i] / 64] >> bit[i] % 64 & 1) << i;
  return marked;
}

static void append_marked_bodies(cull_t *cull, uint32_t class, const marks_t *marks) {
  const float *x = cull->transform.x, *y = cull->transform.y;
  for (uint32_t i = 0; i < cull->runs.count; ++i) {
    const cull_run_t *run = &cull->runs.items[i];
    for (uint32_t offset = 0; offset < run->count && run->class == class; offset += BLOCK) {
      uint32_t count = run->count - offset < BLOCK ? run->count - offset : BLOCK;
      uint64_t marked =
          find_marked_positions(cull, marks, x + run->transform_row + offset, y + run->transform_row + offset, count);
      for (; marked != 0; marked &= marked - 1) {
        uint32_t k = offset + (uint32_t)__builtin_ctzll(marked);
        append_body(cull, run->row + k, run->transform_row + k);
      }
    }
  }
  for (uint32_t i = 0; i < cull->items.count; ++i) {
    const cull_item_t *item = &cull->items.items[i];
    if (item->class == class && find_marked_positions(cull, marks, &item->square.x, &item->square.y, 1))
      append_body(cull, item->row, item->transform_row);
  }
}

static void append_class(cull_t *s, uint32_t class) {
  for (uint32_t i = 0; i < s->runs.count; ++i)
    for (uint32_t k = 0; k < s->runs.items[i].count && s->runs.items[i].class == class; ++k)
      append_body(s, s->runs.items[i].row + k, s->runs.items[i].transform_row + k);
  for (uint32_t i = 0; i < s->items.count; ++i)
    if (s->items.items[i].class == class)
      append_body(s, s->items.items[i].row, s->items.items[i].transform_row);
}

static bool mark_partner_cells(cull_t *cull, uint32_t class, marks_t *out, allocator_t *allocator) {
  float reach = max_class_reach(cull, class);
  if (!isfinite(reach))
    return false;
  list_collision_partners(cull, class, reach, allocator);
  if (!choose_cell_size(cull, out))
    return false;
  uint32_t word_count = 1u << (2 * out->side_bits - 6);
  array_reserve(allocator, &cull->bits, word_count);
  memset(cull->bits.items, 0, word_count * sizeof *cull->bits.items);
  return mark_cells(cull, out);
}

static void cull_class(cull_t *cull, uint32_t class, allocator_t *allocator) {
  const cull_class_t *candidates = &cull->classes[class];
  marks_t marks;
  uint32_t partner_count = 0;
  for (uint32_t k = 0; k < cull->class_count; ++k)
    partner_count += can_collide(candidates, &cull->classes[k]) ? cull->classes[k].count : 0;
  if (partner_count == 0)
    return;
  if (!can_collide(candidates, candidates) && candidates->count / MIN_BODIES_PER_PARTNER >= partner_count &&
      mark_partner_cells(cull, class, &marks, allocator))
    append_marked_bodies(cull, class, &marks);
  else
    append_class(cull, class);
}

void cull_bodies(cull_t *cull, world_o *w, const sweeps_t *sweeps, transform_matrices_t *matrices) {
  allocator_t *allocator = world_allocator(w);
  cull->sweeps = sweeps;
  cull->bodies = world_find_manager(w, "body");
  cull->transforms = world_find_manager(w, "transform");
  shoal_assert(cull->bodies && cull->transforms, "body and transform must be declared");
  cull->body = body_columns_of(cull->bodies);
  cull->transform = transform_columns_of(cull->transforms);
  list_bodies(cull, w, matrices);
  array_reserve(allocator, &cull->rows, cull->bodies->count);
  cull->rows.count = 0;
  for (uint32_t class = 0; class < cull->class_count; ++class)
    cull_class(cull, class, allocator);
}
