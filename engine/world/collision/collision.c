// Collision pipeline. Each stage passes arrays to the next: bodies → culled bodies → colliders sorted by entity index →
// pairs of overlapping bounding boxes → contacts → sorted events. Later stages refer to colliders by index, so
// comparing two indices compares the entity indices.
#include "collision/collision.h"

#include "base/array.h"
#include "base/assert.h"
#include "collision/body.h"
#include "collision/collider.h"
#include "collision/collision_cull.h"
#include "collision/spatial_hash.h"
#include "components/builtin.h"
#include "shoal/number.h"
#include "transform/transform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLLISION_SYSTEM "shoal.collision"

enum { PART_PAIRS = 1024 }; // pairs per job

// clang-format off
#define COLLISION_FIELDS(F)                                                                                            \
  F(entity, a) F(entity, b) F(f32, x, 0) F(f32, y, 0) F(f32, nx, 0) F(f32, ny, 0) F(f32, depth, 0)                     \
  F(bool, cancelled, 0)
// clang-format on
SHOAL_EVENT(collision, COLLISION_FIELDS)

typedef struct entity_pair_t {
  shoal_entity a, b;
} entity_pair_t;

struct collision_o {
  world_o *world;
  manager_o *bodies, *transforms;
  event_o *event;
  bool limit_logged;
  transform_matrices_t matrices;
  sweeps_t sweeps;
  cull_t cull;
  ARRAY(body_row_t) rows_other;
  ARRAY(collider_t) colliders;
  ARRAY(displacement_t) displacements; // indexed by collider; valid only if sweeps.manager is not NULL
  ARRAY(spatial_item_t) items;         // indexed by collider
  spatial_hash_t hash;
  ARRAY(contact_t) contacts;
  ARRAY(uint32_t) part_counts;
  ARRAY(uint32_t) order, order_other; // indices of contacts
  ARRAY(uint32_t) starts;             // scratch for sorting, indexed by collider
  ARRAY(uint64_t) keys;               // pairs of the previous tick and of the current tick, each sorted
  ARRAY(entity_pair_t) before;        // pairs of the previous tick, in event order
};

bool collision_declare(world_o *w, error_info_t *error) {
  return builtin_declare(w, &collision_component, error);
}

collision_o *collision_create(world_o *w) {
  collision_o *c = alloc_resize(world_allocator(w), NULL, 0, sizeof *c);
  *c = (collision_o){
      .world = w,
      .bodies = world_find_manager(w, "body"),
      .transforms = world_find_manager(w, "transform"),
      .event = world_find_event(w, "collision"),
  };
  shoal_assert(c->bodies && c->transforms && c->event, "body, transform and the collision event must be declared");
  spatial_hash_init(&c->hash, world_allocator(w));
  return c;
}

void collision_destroy(collision_o *c) {
  allocator_t *a = world_allocator(c->world);
  array_free(a, &c->rows_other);
  array_free(a, &c->colliders);
  array_free(a, &c->items);
  spatial_hash_fini(&c->hash);
  transform_matrices_end(&c->matrices);
  cull_free(&c->cull, a);
  sweeps_free(&c->sweeps, a);
  array_free(a, &c->displacements);
  array_free(a, &c->contacts);
  array_free(a, &c->part_counts);
  array_free(a, &c->order);
  array_free(a, &c->order_other);
  array_free(a, &c->starts);
  array_free(a, &c->keys);
  array_free(a, &c->before);
  alloc_resize(a, c, sizeof *c, 0);
}

// --- colliders

// Performs one pass of a stable radix sort, by eleven bits of the entity index.
static void sort_rows_by_digit(const body_row_t *from, body_row_t *to, uint32_t count, uint32_t shift) {
  enum { BITS = 11, DIGITS = 1 << BITS };
  uint32_t starts[DIGITS + 1] = {0};
  for (uint32_t i = 0; i < count; ++i)
    ++starts[((from[i].index >> shift) & (DIGITS - 1)) + 1];
  for (uint32_t d = 0; d < DIGITS; ++d)
    starts[d + 1] += starts[d];
  for (uint32_t i = 0; i < count; ++i)
    to[starts[(from[i].index >> shift) & (DIGITS - 1)]++] = from[i];
}

// Culls the bodies and sorts the remaining ones by entity index, because results must not depend on the order of rows.
static void sort_rows(collision_o *c) {
  allocator_t *a = world_allocator(c->world);
  bool sorted = true;
  cull_bodies(&c->cull, c->world, &c->sweeps, &c->matrices);
  uint32_t count = c->cull.rows.count;
  body_row_t *rows = c->cull.rows.items;
  for (uint32_t i = 1; i < count; ++i)
    sorted = sorted && rows[i].index > rows[i - 1].index;
  if (sorted)
    return;
  array_reserve(a, &c->rows_other, count);
  sort_rows_by_digit(rows, c->rows_other.items, count, 0);
  sort_rows_by_digit(c->rows_other.items, rows, count, SHOAL_ENTITY_INDEX_BITS / 2);
}

// Computes a box around a collider and its path. Returns false if the box's position or size is not finite.
static bool compute_swept_bounds(const collider_t *k, displacement_t displacement, spatial_item_t *item) {
  bounds_t b = collider_bounds(k);
  item->x = (float)(k->x - displacement.dx / 2);
  item->y = (float)(k->y - displacement.dy / 2);
  // The slack keeps the rounding to floats from shrinking the box.
  const double SLACK = 1.000001;
  item->half_x = (float)(((b.right - b.left + fabs(displacement.dx)) / 2 + fabs(k->x) * 1e-7) * SLACK);
  item->half_y = (float)(((b.bottom - b.top + fabs(displacement.dy)) / 2 + fabs(k->y) * 1e-7) * SLACK);
  return isfinite(item->x) && isfinite(item->y) && isfinite(item->half_x) && isfinite(item->half_y);
}

static void build_colliders(collision_o *c) {
  allocator_t *a = world_allocator(c->world);
  body_columns body = body_columns_of(c->bodies);
  float world[16];
  array_reserve(a, &c->colliders, c->cull.rows.count);
  array_reserve(a, &c->items, c->cull.rows.count);
  array_reserve(a, &c->displacements, c->sweeps.manager ? c->cull.rows.count : 0);
  uint32_t count = 0;
  for (uint32_t i = 0; i < c->cull.rows.count; ++i) {
    uint32_t row = c->cull.rows.items[i].row;
    transform_compute_world_matrix(&c->matrices, c->cull.rows.items[i].transform_row, world);
    c->colliders.items[count] = collider_from_body(&body, row, c->bodies->owner[row], world);
    c->items.items[count] = (spatial_item_t){.category = body.category[row], .mask = body.mask[row]};
    displacement_t displacement = sweeps_get_path(&c->sweeps, c->colliders.items[count].entity);
    if (c->sweeps.manager)
      c->displacements.items[count] = displacement;
    if (compute_swept_bounds(&c->colliders.items[count], displacement, &c->items.items[count]))
      ++count;
  }
  c->colliders.count = c->items.count = count;
}

// --- contacts

static bool find_contact(const collision_o *c, contact_t *contact) {
  const collider_t *a = &c->colliders.items[contact->a], *b = &c->colliders.items[contact->b];
  if (!c->sweeps.manager)
    return collider_find_contact(a, b, contact);
  displacement_t of_a = c->displacements.items[contact->a], of_b = c->displacements.items[contact->b];
  return collider_sweep(a, of_a.dx, of_a.dy, b, of_b.dx, of_b.dy, contact);
}

// Computes the contacts of a part and writes them to the start of the part's range.
static void collect_contacts_in_part(void *context, uint32_t part, uint32_t worker) {
  (void)worker;
  collision_o *c = context;
  uint32_t first = part * PART_PAIRS, left = c->hash.pairs.count - first, count = left < PART_PAIRS ? left : PART_PAIRS;
  contact_t *contact = &c->contacts.items[first];
  for (uint32_t i = first; i < first + count; ++i) {
    spatial_pair_t pair = c->hash.pairs.items[i];
    bool swap = c->items.items[pair.first].category > c->items.items[pair.second].category;
    contact->a = swap ? pair.second : pair.first;
    contact->b = swap ? pair.first : pair.second;
    contact += find_contact(c, contact);
  }
  c->part_counts.items[part] = (uint32_t)(contact - &c->contacts.items[first]);
}

static void collect_contacts(collision_o *c) {
  allocator_t *a = world_allocator(c->world);
  bool all = spatial_hash_collect_pairs(&c->hash, c->items.items, c->items.count, COLLISION_MAX_PAIRS);
  if (!all && !c->limit_logged) {
    log_warn(
        world_log(c->world),
        "collision: more than %u pairs of bounding boxes overlap in one tick; further collisions are not reported: set "
        "category and mask so that fewer bodies can collide",
        COLLISION_MAX_PAIRS);
    c->limit_logged = true;
  }
  uint32_t parts = (c->hash.pairs.count + PART_PAIRS - 1) / PART_PAIRS;
  array_reserve(a, &c->contacts, c->hash.pairs.count);
  array_reserve(a, &c->part_counts, parts);
  jobs_run_parts(world_jobs(c->world), collect_contacts_in_part, c, parts);
  c->contacts.count = 0;
  for (uint32_t part = 0; part < parts; ++part) { // close the gaps, keeping the order of pairs
    uint32_t count = c->part_counts.items[part];
    if (c->contacts.count != part * PART_PAIRS)
      memmove(&c->contacts.items[c->contacts.count], &c->contacts.items[part * PART_PAIRS],
              count * sizeof *c->contacts.items);
    c->contacts.count += count;
  }
}

// --- sorting

// Performs one pass of a stable counting sort of contacts, by collider a or b. `from` is the current order; NULL: the
// order in which the contacts were found.
static void sort_contacts_by_collider(collision_o *c, const uint32_t *from, uint32_t *to, bool by_a) {
  uint32_t *starts = c->starts.items;
  const contact_t *contacts = c->contacts.items;
  memset(starts, 0, (c->colliders.count + 1) * sizeof *starts);
  for (uint32_t i = 0; i < c->contacts.count; ++i)
    ++starts[(by_a ? contacts[i].a : contacts[i].b) + 1];
  for (uint32_t i = 0; i < c->colliders.count; ++i)
    starts[i + 1] += starts[i];
  for (uint32_t i = 0; i < c->contacts.count; ++i) {
    uint32_t contact = from != NULL ? from[i] : i;
    to[starts[by_a ? contacts[contact].a : contacts[contact].b]++] = contact;
  }
}

#ifndef NDEBUG
static bool are_colliders_in_order(const collision_o *c) {
  for (uint32_t i = 1; i < c->colliders.count; ++i)
    if (shoal_entity_index(c->colliders.items[i - 1].entity) >= shoal_entity_index(c->colliders.items[i].entity))
      return false;
  return true;
}
#endif

static void sort_contacts(collision_o *c) {
  shoal_assert(c->contacts.count <= c->hash.pairs.count, "contact count %u exceeds the pair count %u",
               c->contacts.count, c->hash.pairs.count);
  shoal_assert(are_colliders_in_order(c), "colliders must be sorted by entity index");
  allocator_t *a = world_allocator(c->world);
  array_reserve(a, &c->starts, c->colliders.count + 1);
  array_reserve(a, &c->order, c->contacts.count);
  array_reserve(a, &c->order_other, c->contacts.count);
  sort_contacts_by_collider(c, NULL, c->order_other.items, false);
  sort_contacts_by_collider(c, c->order_other.items, c->order.items, true);
}

// Stores each swept body's first contact with a body that is not a sensor.
static void store_first_contacts(const collision_o *c) {
  const manager_o *sensors = builtin_find(c->world, "sensor");
  for (uint32_t i = 0; i < c->contacts.count && c->sweeps.manager; ++i) {
    const contact_t *contact = &c->contacts.items[c->order.items[i]];
    shoal_entity a = c->colliders.items[contact->a].entity, b = c->colliders.items[contact->b].entity;
    if (!sensors || manager_row(sensors, b) == ROW_NONE)
      sweeps_record_hit(&c->sweeps, a, b, contact->time);
    if (!sensors || manager_row(sensors, a) == ROW_NONE)
      sweeps_record_hit(&c->sweeps, b, a, contact->time);
  }
}

static void emit_contacts(collision_o *c) {
  shoal_assert(c->event, "the collision event must be declared");
  columns_t *to = c->contacts.count > 0 ? event_fill_begin(c->world, c->event->id, c->contacts.count) : NULL;
  if (!to)
    return;
  shoal_entity *a = to->data[SHOAL_COLUMN_INDEX(collision, a)], *b = to->data[SHOAL_COLUMN_INDEX(collision, b)];
  float *x = to->data[SHOAL_COLUMN_INDEX(collision, x)], *y = to->data[SHOAL_COLUMN_INDEX(collision, y)],
        *nx = to->data[SHOAL_COLUMN_INDEX(collision, nx)];
  float *ny = to->data[SHOAL_COLUMN_INDEX(collision, ny)], *depth = to->data[SHOAL_COLUMN_INDEX(collision, depth)];
  for (uint32_t i = 0; i < c->contacts.count; ++i) {
    const contact_t *contact = &c->contacts.items[c->order.items[i]];
    a[i] = c->colliders.items[contact->a].entity;
    b[i] = c->colliders.items[contact->b].entity;
    x[i] = shoal_f32((double)contact->x);
    y[i] = shoal_f32((double)contact->y);
    nx[i] = shoal_f32((double)contact->nx);
    ny[i] = shoal_f32((double)contact->ny);
    depth[i] = shoal_f32((double)contact->depth);
  }
  event_fill_end(c->world, c->event->id, true);
}

// --- events for collisions that begin or end
// The previous tick's pairs are rows of an internal event, so they are rewound, saved and hashed like all events. The
// world declares this event, collision_began and collision_ended only if a system reads one of the latter two.

static uint64_t pair_key(shoal_entity a, shoal_entity b) {
  return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static int compare_keys(const void *x, const void *y) {
  uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
  return a < b ? -1 : a > b;
}

static bool has_key(const uint64_t *keys, uint32_t count, uint64_t key) {
  return count > 0 && bsearch(&key, keys, count, sizeof *keys, compare_keys) != NULL;
}

static uint32_t emit_pair(world_o *w, const event_o *ev, shoal_entity a, shoal_entity b) {
  uint32_t ticket = world_emit_event(w, ev->id);
  world_set_event_field(w, ticket, SHOAL_COLUMN_INDEX(collision, a), a);
  world_set_event_field(w, ticket, SHOAL_COLUMN_INDEX(collision, b), b);
  return ticket;
}

static void emit_collision_began(collision_o *c, const event_o *began, const contact_t *contact) {
  world_o *w = c->world;
  uint32_t ticket = emit_pair(w, began, c->colliders.items[contact->a].entity, c->colliders.items[contact->b].entity);
  world_set_event_field(w, ticket, SHOAL_COLUMN_INDEX(collision, x), (double)contact->x);
  world_set_event_field(w, ticket, SHOAL_COLUMN_INDEX(collision, y), (double)contact->y);
  world_set_event_field(w, ticket, SHOAL_COLUMN_INDEX(collision, nx), (double)contact->nx);
  world_set_event_field(w, ticket, SHOAL_COLUMN_INDEX(collision, ny), (double)contact->ny);
  world_set_event_field(w, ticket, SHOAL_COLUMN_INDEX(collision, depth), (double)contact->depth);
}

static void emit_changes(collision_o *c) {
  allocator_t *a = world_allocator(c->world);
  event_o *pairs = world_find_event(c->world, "shoal.contacts");
  const event_o *began = builtin_find_event(c->world, "collision_began");
  const event_o *ended = builtin_find_event(c->world, "collision_ended");
  if (!pairs || !began || !ended)
    return;
  uint32_t before = (uint32_t)(pairs->tick_start - pairs->first), now = c->contacts.count;
  array_reserve(a, &c->keys, before + now);
  array_reserve(a, &c->before, before);
  uint64_t *old = c->keys.items, *new = c->keys.items + before;
  const shoal_entity *first = pairs->columns.data[SHOAL_COLUMN_INDEX(collision, a)],
                     *second = pairs->columns.data[SHOAL_COLUMN_INDEX(collision, b)];
  for (uint32_t i = 0; i < before; ++i) {
    c->before.items[i] = (entity_pair_t){first[i], second[i]}; // copied first, because emitting may move the rows
    old[i] = pair_key(first[i], second[i]);
  }
  for (uint32_t i = 0; i < now; ++i) {
    const contact_t *contact = &c->contacts.items[i];
    new[i] = pair_key(c->colliders.items[contact->a].entity, c->colliders.items[contact->b].entity);
  }
  if (before > 0)
    qsort(old, before, sizeof *old, compare_keys);
  if (now > 0)
    qsort(new, now, sizeof *new, compare_keys);
  for (uint32_t i = 0; i < now; ++i) {
    const contact_t *contact = &c->contacts.items[c->order.items[i]];
    shoal_entity x = c->colliders.items[contact->a].entity, y = c->colliders.items[contact->b].entity;
    emit_pair(c->world, pairs, x, y);
    if (!has_key(old, before, pair_key(x, y)))
      emit_collision_began(c, began, contact);
  }
  for (uint32_t i = 0; i < before; ++i)
    if (!has_key(new, now, pair_key(c->before.items[i].a, c->before.items[i].b)))
      emit_pair(c->world, ended, c->before.items[i].a, c->before.items[i].b);
}

void collision_update(collision_o *c) {
  transform_matrices_begin(&c->matrices, c->transforms);
  sweeps_begin(&c->sweeps, c->world, &c->matrices);
  sort_rows(c);
  build_colliders(c);
  c->contacts.count = 0;
  if (c->colliders.count > 0) {
    collect_contacts(c);
    sort_contacts(c);
    store_first_contacts(c);
    emit_contacts(c);
  }
  emit_changes(c);
}

uint32_t collision_body_count(const collision_o *c) {
  return c->colliders.count > 0 ? c->hash.positions.count : 0;
}

spatial_cell_t collision_cell(const collision_o *c, uint32_t body) {
  return spatial_hash_cell(&c->hash, body);
}

static void run_collision(void *context, world_o *w, uint32_t number, float dt_s) {
  (void)w, (void)number, (void)dt_s;
  collision_update(context);
}

bool collision_schedule(collision_o *c, schedule_o *s, error_info_t *error) {
  static const char *const AFTER[] = {"shoal.transform", NULL};
  return schedule_add_system(s,
                             &(system_desc_t){.name = COLLISION_SYSTEM,
                                              .phase = PHASE_POST_UPDATE,
                                              .priority = -1000,
                                              .after = AFTER,
                                              .run = run_collision,
                                              .context = c},
                             error);
}
