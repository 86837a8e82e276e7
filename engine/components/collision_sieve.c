// Cells are marked in a table of bits by hash: two cells of one bit let something pass that touches nothing.
#include "components/collision_sieve.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

// Marking costs more than it saves where there are fewer of the many for each of the few, or where the few are large.
enum { WORTH = 4, MOST_CELLS = 1024, BITS_PER_MARK = 32, MIN_BITS = 4096, MAX_BITS = 1 << 20 };

void sieve_begin(sieve_t *s) {
  s->class_count = s->items.count = 0;
}

void sieve_free(sieve_t *s, allocator_t *a) {
  array_free(a, &s->items);
  array_free(a, &s->bits);
  array_free(a, &s->kept);
}

uint32_t sieve_class(sieve_t *s, uint32_t category, uint32_t mask) {
  for (uint32_t i = 0; i < s->class_count; ++i)
    if (s->classes[i].category == category && s->classes[i].mask == mask)
      return i;
  if (s->class_count < SIEVE_CLASS_MOST)
    s->classes[s->class_count++] = (sieve_class_t){0};
  shoal_assert(s->class_count > 0, "a body is of no class");
  sieve_class_t *last = &s->classes[s->class_count - 1];
  last->category |= category;
  last->mask |= mask;
  return s->class_count - 1;
}

static bool may_meet(const sieve_class_t *a, const sieve_class_t *b) {
  return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

static bool is_finite(const sieve_item_t *item) {
  return isfinite(item->x) && isfinite(item->y) && isfinite(item->reach);
}

static void count_classes(sieve_t *s) {
  for (uint32_t i = 0; i < s->items.count; ++i) {
    const sieve_item_t *item = &s->items.items[i];
    sieve_class_t *c = &s->classes[item->class];
    ++c->count;
    if (is_finite(item) && item->reach > c->reach)
      c->reach = item->reach;
  }
}

static int32_t cell_of(double position, double cells_per_pixel) {
  const double LAST = 1 << 29;
  double cell = position * cells_per_pixel;
  return (int32_t)(cell > -LAST ? cell < LAST ? cell : LAST : -LAST);
}

static uint32_t bit_of(int32_t x, int32_t y, uint32_t mask) {
  uint32_t hash = (uint32_t)x * 0x9e3779b1u + (uint32_t)y * 0x85ebca6bu;
  return (hash ^ hash >> 15) & mask;
}

typedef struct marks_t {
  double cells_per_pixel;
  uint32_t mask; // of the number of a bit
} marks_t;

// A cell size from the mean reach of the few bodies, each enlarged by the largest of the many. False when none of them
// has a finite one.
static bool choose_cells(const sieve_t *s, uint32_t class, uint32_t others, marks_t *out) {
  double sum = 0;
  for (uint32_t i = 0; i < s->items.count; ++i) {
    const sieve_item_t *item = &s->items.items[i];
    if (may_meet(&s->classes[item->class], &s->classes[class]) && is_finite(item))
      sum += (double)item->reach + (double)s->classes[class].reach;
  }
  uint32_t bits = MIN_BITS;
  while (bits < MAX_BITS && bits < (uint64_t)others * 9 * BITS_PER_MARK)
    bits *= 2;
  *out = (marks_t){.cells_per_pixel = others / sum, .mask = bits - 1};
  return isfinite(out->cells_per_pixel) && out->cells_per_pixel > 0;
}

// False when one of them covers too many cells.
static bool mark_cells(sieve_t *s, uint32_t class, const marks_t *m) {
  double per_pixel = m->cells_per_pixel;
  for (uint32_t i = 0; i < s->items.count; ++i) {
    const sieve_item_t *item = &s->items.items[i];
    if (!may_meet(&s->classes[item->class], &s->classes[class]) || !is_finite(item))
      continue;
    double reach = (double)item->reach + (double)s->classes[class].reach, x = (double)item->x, y = (double)item->y;
    int32_t left = cell_of(x - reach, per_pixel), right = cell_of(x + reach, per_pixel);
    int32_t top = cell_of(y - reach, per_pixel), bottom = cell_of(y + reach, per_pixel);
    if (((int64_t)right - left + 1) * ((int64_t)bottom - top + 1) > MOST_CELLS)
      return false;
    for (int32_t cell_y = top; cell_y <= bottom; ++cell_y)
      for (int32_t cell_x = left; cell_x <= right; ++cell_x) {
        uint32_t bit = bit_of(cell_x, cell_y, m->mask);
        s->bits.items[bit / 64] |= UINT64_C(1) << bit % 64;
      }
  }
  return true;
}

static void keep_marked(sieve_t *s, uint32_t class, const marks_t *m) {
  for (uint32_t i = 0; i < s->items.count; ++i) {
    const sieve_item_t *item = &s->items.items[i];
    if (item->class != class || !is_finite(item))
      continue;
    uint32_t bit =
        bit_of(cell_of((double)item->x, m->cells_per_pixel), cell_of((double)item->y, m->cells_per_pixel), m->mask);
    s->kept.items[i] = s->bits.items[bit / 64] >> bit % 64 & 1;
  }
}

static void drop_class(sieve_t *s, uint32_t class) {
  for (uint32_t i = 0; i < s->items.count; ++i)
    if (s->items.items[i].class == class)
      s->kept.items[i] = 0;
}

static void sieve_one(sieve_t *s, uint32_t class, allocator_t *a) {
  const sieve_class_t *c = &s->classes[class];
  marks_t marks;
  uint32_t others = 0;
  for (uint32_t k = 0; k < s->class_count; ++k)
    others += may_meet(c, &s->classes[k]) ? s->classes[k].count : 0;
  if (may_meet(c, c) || c->count == 0)
    return;
  if (others == 0) {
    drop_class(s, class);
    return;
  }
  if (c->count / WORTH < others || !choose_cells(s, class, others, &marks))
    return;
  uint32_t words = (marks.mask + 1) / 64;
  shoal_assert((marks.mask & (marks.mask + 1)) == 0, "%u bits are no power of two", marks.mask + 1);
  array_reserve(a, &s->bits, words);
  memset(s->bits.items, 0, words * sizeof *s->bits.items);
  if (mark_cells(s, class, &marks))
    keep_marked(s, class, &marks);
}

void sieve_run(sieve_t *s, allocator_t *a) {
  uint32_t count = s->items.count;
  shoal_assert(count == 0 || s->class_count > 0, "%u bodies are of no class", count);
  array_reserve(a, &s->kept, count);
  if (count > 0)
    memset(s->kept.items, 1, count);
  s->kept.count = count;
  count_classes(s);
  for (uint32_t class = 0; class < s->class_count; ++class)
    sieve_one(s, class, a);
}
