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

enum { PAIRS_PER_JOB = 1024 };

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
  ARRAY(body_row_t) rows_scratch;
  ARRAY(collider_t) colliders;
  ARRAY(displacement_t) displacements; // paths, indexed by collider; valid only if sweeps.manager is not NULL
  ARRAY(spatial_item_t) items;         // items, indexed by collider
  spatial_hash_t hash;
  ARRAY(contact_t) contacts;
  ARRAY(uint32_t) part_counts;
  ARRAY(uint32_t) order, order_scratch; // indices of contacts
  ARRAY(uint32_t) starts;               // scratch for sorting, indexed by collider
  ARRAY(uint64_t) keys;                 // pairs of the previous tick and of the current tick, each sorted
  ARRAY(entity_pair_t) previous_pairs;  // pairs of the previous tick, in event order
};

bool collision_declare(world_o *w, error_info_t *error) {
  return builtin_declare(w, &collision_component, error);
}

collision_o *collision_create(world_o *w) {
  collision_o *pipeline = alloc_resize(world_allocator(w), NULL, 0, sizeof *pipeline);
  *pipeline = (collision_o){
      .world = w,
      .bodies = world_find_manager(w, "body"),
      .transforms = world_find_manager(w, "transform"),
      .event = world_find_event(w, "collision"),
  };
  shoal_assert(pipeline->bodies && pipeline->transforms && pipeline->event,
               "body, transform and the collision event must be declared");
  spatial_hash_init(&pipeline->hash, world_allocator(w));
  return pipeline;
}

void collision_destroy(collision_o *pipeline) {
  allocator_t *allocator = world_allocator(pipeline->world);
  array_free(allocator, &pipeline->rows_scratch);
  array_free(allocator, &pipeline->colliders);
  array_free(allocator, &pipeline->items);
  spatial_hash_fini(&pipeline->hash);
  transform_matrices_end(&pipeline->matrices);
  cull_free(&pipeline->cull, allocator);
  sweeps_free(&pipeline->sweeps, allocator);
  array_free(allocator, &pipeline->displacements);
  array_free(allocator, &pipeline->contacts);
  array_free(allocator, &pipeline->part_counts);
  array_free(allocator, &pipeline->order);
  array_free(allocator, &pipeline->order_scratch);
  array_free(allocator, &pipeline->starts);
  array_free(allocator, &pipeline->keys);
  array_free(allocator, &pipeline->previous_pairs);
  alloc_resize(allocator, pipeline, sizeof *pipeline, 0);
}

// --- colliders

// Performs one pass of a stable radix sort, by eleven bits of the entity index.
static void sort_rows_by_digit(const body_row_t *source, body_row_t *target, uint32_t count, uint32_t shift) {
  enum { BITS = 11, DIGITS = 1 << BITS };
  uint32_t starts[DIGITS + 1] = {0};
  for (uint32_t i = 0; i < count; ++i)
    ++starts[((source[i].index >> shift) & (DIGITS - 1)) + 1];
  for (uint32_t digit = 0; digit < DIGITS; ++digit)
    starts[digit + 1] += starts[digit];
  for (uint32_t i = 0; i < count; ++i)
    target[starts[(source[i].index >> shift) & (DIGITS - 1)]++] = source[i];
}

// Culls the bodies and sorts the remaining bodies by entity index, because results must not depend on the order of
// rows.
static void sort_rows(collision_o *pipeline) {
  allocator_t *allocator = world_allocator(pipeline->world);
  bool sorted = true;
  cull_bodies(&pipeline->cull, pipeline->world, &pipeline->sweeps, &pipeline->matrices);
  uint32_t count = pipeline->cull.rows.count;
  body_row_t *rows = pipeline->cull.rows.items;
  for (uint32_t i = 1; i < count; ++i)
    sorted = sorted && rows[i].index > rows[i - 1].index;
  if (sorted)
    return;
  array_reserve(allocator, &pipeline->rows_scratch, count);
  sort_rows_by_digit(rows, pipeline->rows_scratch.items, count, 0);
  sort_rows_by_digit(pipeline->rows_scratch.items, rows, count, SHOAL_ENTITY_INDEX_BITS / 2);
}

// Computes a box around a collider and its path. Returns true if the box's position and size are finite.
static bool compute_swept_bounds(const collider_t *collider, displacement_t displacement, spatial_item_t *item) {
  bounds_t bounds = collider_bounds(collider);
  item->x = (float)(collider->x - displacement.dx / 2);
  item->y = (float)(collider->y - displacement.dy / 2);
  // The slack keeps the rounding to floats from shrinking the box.
  const double SLACK = 1.000001;
  item->half_x = (float)(((bounds.right - bounds.left + fabs(displacement.dx)) / 2 + fabs(collider->x) * 1e-7) * SLACK);
  item->half_y = (float)(((bounds.bottom - bounds.top + fabs(displacement.dy)) / 2 + fabs(collider->y) * 1e-7) * SLACK);
  return isfinite(item->x) && isfinite(item->y) && isfinite(item->half_x) && isfinite(item->half_y);
}

static void build_colliders(collision_o *pipeline) {
  allocator_t *allocator = world_allocator(pipeline->world);
  body_columns body = body_columns_of(pipeline->bodies);
  transform_columns transform = transform_columns_of(pipeline->transforms);
  array_reserve(allocator, &pipeline->colliders, pipeline->cull.rows.count);
  array_reserve(allocator, &pipeline->items, pipeline->cull.rows.count);
  array_reserve(allocator, &pipeline->displacements, pipeline->sweeps.manager ? pipeline->cull.rows.count : 0);
  uint32_t count = 0;
  for (uint32_t i = 0; i < pipeline->cull.rows.count; ++i) {
    uint32_t row = pipeline->cull.rows.items[i].row, transform_row = pipeline->cull.rows.items[i].transform_row;
    transform_basis_t basis = transform.parent[transform_row] == 0
                                  ? transform_local_basis(&transform, transform_row)
                                  : transform_compute_world_basis(&pipeline->matrices, transform_row);
    pipeline->colliders.items[count] = collider_place(&body, row, pipeline->bodies->owner[row], basis);
    pipeline->items.items[count] = (spatial_item_t){.category = body.category[row], .mask = body.mask[row]};
    displacement_t displacement = sweeps_get_path(&pipeline->sweeps, pipeline->colliders.items[count].entity);
    if (pipeline->sweeps.manager)
      pipeline->displacements.items[count] = displacement;
    if (compute_swept_bounds(&pipeline->colliders.items[count], displacement, &pipeline->items.items[count]))
      ++count;
  }
  pipeline->colliders.count = pipeline->items.count = count;
}

// --- contacts

static bool find_contact(const collision_o *c, contact_t *contact) {
  const collider_t *a = &c->colliders.items[contact->a], *b = &c->colliders.items[contact->b];
  if (!c->sweeps.manager)
    return collider_find_contact(a, b, contact);
  displacement_t displacement_a = c->displacements.items[contact->a],
                 displacement_b = c->displacements.items[contact->b];
  return collider_sweep(a, displacement_a.dx, displacement_a.dy, b, displacement_b.dx, displacement_b.dy, contact);
}

// Computes the contacts of a part and writes them to the start of the part's range.
static void collect_contacts_in_part(void *context, uint32_t part, uint32_t worker) {
  (void)worker;
  collision_o *pipeline = context;
  uint32_t first = part * PAIRS_PER_JOB, remaining = pipeline->hash.pairs.count - first,
           count = remaining < PAIRS_PER_JOB ? remaining : PAIRS_PER_JOB;
  contact_t *contact = &pipeline->contacts.items[first];
  for (uint32_t i = first; i < first + count; ++i) {
    spatial_pair_t pair = pipeline->hash.pairs.items[i];
    bool swapped = pipeline->items.items[pair.first].category > pipeline->items.items[pair.second].category;
    contact->a = swapped ? pair.second : pair.first;
    contact->b = swapped ? pair.first : pair.second;
    contact += find_contact(pipeline, contact);
  }
  pipeline->part_counts.items[part] = (uint32_t)(contact - &pipeline->contacts.items[first]);
}

static void collect_contacts(collision_o *pipeline) {
  allocator_t *allocator = world_allocator(pipeline->world);
  bool complete =
      spatial_hash_collect_pairs(&pipeline->hash, pipeline->items.items, pipeline->items.count, COLLISION_MAX_PAIRS);
  if (!complete && !pipeline->limit_logged) {
    log_warn(
        world_log(pipeline->world),
        "collision: more than %u pairs of bounding boxes overlap in one tick; further collisions are not reported: set "
        "category and mask so that fewer bodies can collide",
        COLLISION_MAX_PAIRS);
    pipeline->limit_logged = true;
  }
  uint32_t parts = (pipeline->hash.pairs.count + PAIRS_PER_JOB - 1) / PAIRS_PER_JOB;
  array_reserve(allocator, &pipeline->contacts, pipeline->hash.pairs.count);
  array_reserve(allocator, &pipeline->part_counts, parts);
  jobs_run_parts(world_jobs(pipeline->world), collect_contacts_in_part, pipeline, parts);
  pipeline->contacts.count = 0;
  for (uint32_t part = 0; part < parts; ++part) { // closes the gaps between the parts, and keeps the order of pairs
    uint32_t count = pipeline->part_counts.items[part];
    if (pipeline->contacts.count != part * PAIRS_PER_JOB)
      memmove(&pipeline->contacts.items[pipeline->contacts.count], &pipeline->contacts.items[part * PAIRS_PER_JOB],
              count * sizeof *pipeline->contacts.items);
    pipeline->contacts.count += count;
  }
}

// --- sorting

// Performs one pass of a stable counting sort of contacts, by collider a or b. `source`: current order; NULL: the order
// in which the contacts were found.
static void sort_contacts_by_collider(collision_o *pipeline, const uint32_t *source, uint32_t *target, bool by_a) {
  uint32_t *starts = pipeline->starts.items;
  const contact_t *contacts = pipeline->contacts.items;
  memset(starts, 0, (pipeline->colliders.count + 1) * sizeof *starts);
  for (uint32_t i = 0; i < pipeline->contacts.count; ++i)
    ++starts[(by_a ? contacts[i].a : contacts[i].b) + 1];
  for (uint32_t i = 0; i < pipeline->colliders.count; ++i)
    starts[i + 1] += starts[i];
  for (uint32_t i = 0; i < pipeline->contacts.count; ++i) {
    uint32_t contact = source != NULL ? source[i] : i;
    target[starts[by_a ? contacts[contact].a : contacts[contact].b]++] = contact;
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

static void sort_contacts(collision_o *pipeline) {
  shoal_assert(pipeline->contacts.count <= pipeline->hash.pairs.count, "contact count %u exceeds the pair count %u",
               pipeline->contacts.count, pipeline->hash.pairs.count);
  shoal_assert(are_colliders_in_order(pipeline), "colliders must be sorted by entity index");
  allocator_t *allocator = world_allocator(pipeline->world);
  array_reserve(allocator, &pipeline->starts, pipeline->colliders.count + 1);
  array_reserve(allocator, &pipeline->order, pipeline->contacts.count);
  array_reserve(allocator, &pipeline->order_scratch, pipeline->contacts.count);
  sort_contacts_by_collider(pipeline, NULL, pipeline->order_scratch.items, false);
  sort_contacts_by_collider(pipeline, pipeline->order_scratch.items, pipeline->order.items, true);
}

// Stores each swept body's first contact with a body that is not a sensor.
static void store_first_contacts(const collision_o *pipeline) {
  const manager_o *sensors = builtin_find(pipeline->world, "sensor");
  for (uint32_t i = 0; i < pipeline->contacts.count && pipeline->sweeps.manager; ++i) {
    const contact_t *contact = &pipeline->contacts.items[pipeline->order.items[i]];
    shoal_entity entity_a = pipeline->colliders.items[contact->a].entity,
                 entity_b = pipeline->colliders.items[contact->b].entity;
    if (!sensors || manager_row(sensors, entity_b) == ROW_NONE)
      sweeps_record_hit(&pipeline->sweeps, entity_a, entity_b, contact->time);
    if (!sensors || manager_row(sensors, entity_a) == ROW_NONE)
      sweeps_record_hit(&pipeline->sweeps, entity_b, entity_a, contact->time);
  }
}

static void emit_contacts(collision_o *pipeline) {
  shoal_assert(pipeline->event, "the collision event must be declared");
  columns_t *columns = pipeline->contacts.count > 0
                           ? event_fill_begin(pipeline->world, pipeline->event->id, pipeline->contacts.count)
                           : NULL;
  if (!columns)
    return;
  shoal_entity *entity_a = columns->data[SHOAL_COLUMN_INDEX(collision, a)],
               *entity_b = columns->data[SHOAL_COLUMN_INDEX(collision, b)];
  float *x = columns->data[SHOAL_COLUMN_INDEX(collision, x)], *y = columns->data[SHOAL_COLUMN_INDEX(collision, y)],
        *nx = columns->data[SHOAL_COLUMN_INDEX(collision, nx)];
  float *ny = columns->data[SHOAL_COLUMN_INDEX(collision, ny)],
        *depth = columns->data[SHOAL_COLUMN_INDEX(collision, depth)];
  for (uint32_t i = 0; i < pipeline->contacts.count; ++i) {
    const contact_t *contact = &pipeline->contacts.items[pipeline->order.items[i]];
    entity_a[i] = pipeline->colliders.items[contact->a].entity;
    entity_b[i] = pipeline->colliders.items[contact->b].entity;
    x[i] = shoal_to_f32((double)contact->x);
    y[i] = shoal_to_f32((double)contact->y);
    nx[i] = shoal_to_f32((double)contact->nx);
    ny[i] = shoal_to_f32((double)contact->ny);
    depth[i] = shoal_to_f32((double)contact->depth);
  }
  event_fill_end(pipeline->world, pipeline->event->id, true);
}

// --- events for collisions that begin or end

// The previous tick's pairs are rows of an internal event, so they are rewound, saved and hashed like all events. The
// world declares this event, collision_began and collision_ended only if a system reads collision_began or
// collision_ended.

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

static uint32_t emit_pair(world_o *w, const event_o *event, shoal_entity a, shoal_entity b) {
  uint32_t ticket = world_emit_event(w, event->id);
  world_set_event_field(w, ticket, SHOAL_COLUMN_INDEX(collision, a), a);
  world_set_event_field(w, ticket, SHOAL_COLUMN_INDEX(collision, b), b);
  return ticket;
}

static void emit_collision_began(collision_o *pipeline, const event_o *began, const contact_t *contact) {
  world_o *w = pipeline->world;
  uint32_t ticket =
      emit_pair(w, began, pipeline->colliders.items[contact->a].entity, pipeline->colliders.items[contact->b].entity);
  world_set_event_field(w, ticket, SHOAL_COLUMN_INDEX(collision, x), (double)contact->x);
  world_set_event_field(w, ticket, SHOAL_COLUMN_INDEX(collision, y), (double)contact->y);
  world_set_event_field(w, ticket, SHOAL_COLUMN_INDEX(collision, nx), (double)contact->nx);
  world_set_event_field(w, ticket, SHOAL_COLUMN_INDEX(collision, ny), (double)contact->ny);
  world_set_event_field(w, ticket, SHOAL_COLUMN_INDEX(collision, depth), (double)contact->depth);
}

static void emit_changes(collision_o *pipeline) {
  allocator_t *allocator = world_allocator(pipeline->world);
  event_o *pairs = world_find_event(pipeline->world, "shoal.contacts");
  const event_o *began = builtin_find_event(pipeline->world, "collision_began");
  const event_o *ended = builtin_find_event(pipeline->world, "collision_ended");
  if (!pairs || !began || !ended)
    return;
  uint32_t previous_count = (uint32_t)(pairs->tick_start - pairs->first), current_count = pipeline->contacts.count;
  array_reserve(allocator, &pipeline->keys, previous_count + current_count);
  array_reserve(allocator, &pipeline->previous_pairs, previous_count);
  uint64_t *old_keys = pipeline->keys.items, *new_keys = pipeline->keys.items + previous_count;
  const shoal_entity *previous_a = pairs->columns.data[SHOAL_COLUMN_INDEX(collision, a)],
                     *previous_b = pairs->columns.data[SHOAL_COLUMN_INDEX(collision, b)];
  for (uint32_t i = 0; i < previous_count; ++i) {
    // Copy the pairs first, because emitting may move the rows.
    pipeline->previous_pairs.items[i] = (entity_pair_t){previous_a[i], previous_b[i]};
    old_keys[i] = pair_key(previous_a[i], previous_b[i]);
  }
  for (uint32_t i = 0; i < current_count; ++i) {
    const contact_t *contact = &pipeline->contacts.items[i];
    new_keys[i] = pair_key(pipeline->colliders.items[contact->a].entity, pipeline->colliders.items[contact->b].entity);
  }
  if (previous_count > 0)
    qsort(old_keys, previous_count, sizeof *old_keys, compare_keys);
  if (current_count > 0)
    qsort(new_keys, current_count, sizeof *new_keys, compare_keys);
  for (uint32_t i = 0; i < current_count; ++i) {
    const contact_t *contact = &pipeline->contacts.items[pipeline->order.items[i]];
    shoal_entity entity_a = pipeline->colliders.items[contact->a].entity,
                 entity_b = pipeline->colliders.items[contact->b].entity;
    emit_pair(pipeline->world, pairs, entity_a, entity_b);
    if (!has_key(old_keys, previous_count, pair_key(entity_a, entity_b)))
      emit_collision_began(pipeline, began, contact);
  }
  for (uint32_t i = 0; i < previous_count; ++i)
    if (!has_key(new_keys, current_count,
                 pair_key(pipeline->previous_pairs.items[i].a, pipeline->previous_pairs.items[i].b)))
      emit_pair(pipeline->world, ended, pipeline->previous_pairs.items[i].a, pipeline->previous_pairs.items[i].b);
}

void collision_update(collision_o *pipeline) {
  transform_matrices_begin(&pipeline->matrices, pipeline->transforms);
  sweeps_begin(&pipeline->sweeps, pipeline->world, &pipeline->matrices);
  sort_rows(pipeline);
  build_colliders(pipeline);
  pipeline->contacts.count = 0;
  if (pipeline->colliders.count > 0) {
    collect_contacts(pipeline);
    sort_contacts(pipeline);
    store_first_contacts(pipeline);
    emit_contacts(pipeline);
  }
  emit_changes(pipeline);
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

bool collision_schedule(collision_o *pipeline, schedule_o *schedule, error_info_t *error) {
  static const char *const PREDECESSORS[] = {"shoal.transform", NULL};
  return schedule_add_system(schedule,
                             &(system_desc_t){.name = COLLISION_SYSTEM,
                                              .phase = PHASE_POST_UPDATE,
                                              .priority = -1000,
                                              .after = PREDECESSORS,
                                              .run = run_collision,
                                              .context = pipeline},
                             error);
}
