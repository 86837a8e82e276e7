// Emitters: record births, remove expired records, preserve the appearance of removed emitters, and group records for
// drawing. Birth records are stored in chronological order; expired records are removed by compaction. An emitter that
// neither moves nor changes extends its most recent record, so it needs only one or two records.
#include "particles/emitter.h"

#include "base/array.h"
#include "base/assert.h"
#include "components/builtin.h"
#include "components/name.h"
#include "transform/transform.h"

#include <math.h>
#include <string.h>

#define EMITTER_SYSTEM "shoal.emitter"
#define STORAGE_VERSION 1u
#define MAX_RATE 500000.0 // maximum rate in particles per second
#define MAX_LIFE 600.0    // maximum lifetime of a particle, in seconds
#define MAX_FRAME 1000000
#define JUMP 160.0f // maximum movement in pixels per tick that is interpolated

// Hidden fields, in this order: clock; time of the next particle; time of the next burst; seconds since the emitter was
// switched on; number of born particles; whether the emitter was on in the previous tick; whether an invalid field was
// logged; previous pose.
// clang-format off
#define EMITTER_FIELDS(F)                                                                                              \
  SHOAL_EMITTER_FIELDS(F) F(u32, living, 0, .flags = SHOAL_READ_ONLY, .doc = "approximate number of particles")        \
  F(f64, clock, -1, .flags = SHOAL_HIDDEN) F(f64, next, 0, .flags = SHOAL_HIDDEN)                                      \
  F(f64, due, 0, .flags = SHOAL_HIDDEN) F(f64, ran, 0, .flags = SHOAL_HIDDEN) F(u32, born, 0, .flags = SHOAL_HIDDEN)   \
  F(bool, was_enabled, 0, .flags = SHOAL_HIDDEN) F(bool, faulty, 0, .flags = SHOAL_HIDDEN)                             \
  F(f32, ux, 1, .flags = SHOAL_HIDDEN) F(f32, uy, 0, .flags = SHOAL_HIDDEN) F(f32, vx, 0, .flags = SHOAL_HIDDEN)       \
  F(f32, vy, 1, .flags = SHOAL_HIDDEN) F(f32, x, 0, .flags = SHOAL_HIDDEN) F(f32, y, 0, .flags = SHOAL_HIDDEN)
// clang-format on
BUILTIN_COMPONENT(emitter, EMITTER_FIELDS)
enum {
  EMITTER_ENABLED = SHOAL_COLUMN_INDEX(emitter, enabled),
  EMITTER_BURST = SHOAL_COLUMN_INDEX(emitter, burst),
  EMITTER_LIVING = SHOAL_COLUMN_INDEX(emitter, living) // first internal field; all later fields are internal, too
};
_Static_assert(sizeof(emitter_columns) / sizeof(void *) <= SCHEMA_MAX_FIELDS, "too many columns for a component");

// A removed emitter whose particles are still alive. Plain data without padding: it is saved.
typedef struct removed_emitter_t {
  double clock;
  uint32_t number; // number that identifies the birth records of this emitter
  int32_t layer;
  float z;
  uint32_t births; // number of remaining birth records
  particle_look_t look;
} removed_emitter_t;
_Static_assert(sizeof(removed_emitter_t) % 8 == 0 && sizeof(removed_emitter_t) == 24 + sizeof(particle_look_t),
               "no gaps");

// Forces on the particles of a removed emitter that had forces.
typedef struct removed_forces_t {
  uint32_t number;
  particle_forces_t forces;
} removed_forces_t;

// Header of the saved data.
typedef struct saved_header_t {
  uint32_t births, removed, next_removed, removed_forces;
} saved_header_t;

struct emitters_o {
  world_o *world;
  manager_o *manager, *transforms;
  transform_matrices_t matrices;
  ARRAY(particle_births_t) births;
  ARRAY(removed_emitter_t) removed;       // removed emitters, sorted by number
  ARRAY(removed_forces_t) removed_forces; // forces of some removed emitters, sorted by number
  uint32_t next_removed;
  // Caches, not part of the state.
  ARRAY(uint32_t) last_record;  // one plus the index of the emitter's most recent record, indexed by row; 0: no record
  ARRAY(uint32_t) cloud_starts; // first index into `indices`, indexed by cloud
  ARRAY(uint32_t) indices;
};

emitters_o *emitters_find(world_o *w) {
  const manager_o *m = builtin_find(w, "emitter");
  return m ? m->hooks.context : NULL;
}

// --- numbers

// Returns the number clamped to [min, max], silently: warn_about_invalid_fields reports invalid fields.
static double clamp(float x, double min, double max) {
  double v = (double)x;
  return v > min ? (v < max ? v : max) : min; // NaN becomes `min`
}

static float finite_or_zero(float x) {
  return isfinite(x) ? x : 0.0f;
}

static int32_t clamp_frame(int32_t frame) {
  return frame < -MAX_FRAME ? -MAX_FRAME : frame > MAX_FRAME ? MAX_FRAME : frame;
}

static const char *get_string(const emitters_o *e, uint32_t id) {
  return strings_text(world_strings(e->world), id);
}

static void read_appearance(const emitters_o *emitters, const emitter_columns *columns, uint32_t row,
                            particle_look_t *out) {
  *out = (particle_look_t){
      .life = (float)clamp(columns->life[row], 0.001, MAX_LIFE),
      .life_vary = (float)clamp(columns->life_vary[row], 0, 1),
      .shape = columns->shape[row],
      .radius = finite_or_zero(columns->radius[row]),
      .width = finite_or_zero(columns->width[row]),
      .height = finite_or_zero(columns->height[row]),
      .angle = finite_or_zero(columns->angle[row]),
      .spread = finite_or_zero(columns->spread[row]),
      .outward = columns->outward[row],
      .speed = finite_or_zero(columns->speed[row]),
      .speed_vary = (float)clamp(columns->speed_vary[row], 0, 1),
      .gravity_x = finite_or_zero(columns->gravity_x[row]),
      .gravity_y = finite_or_zero(columns->gravity_y[row]),
      .inherit = finite_or_zero(columns->inherit[row]),
      .sway = finite_or_zero(columns->sway[row]),
      .size = finite_or_zero(columns->size[row]),
      .size_vary = (float)clamp(columns->size_vary[row], 0, 1),
      .stretch = (float)clamp(columns->stretch[row], 0, 10),
      .spin = finite_or_zero(columns->spin[row]),
      .colour_vary = (float)clamp(columns->colour_vary[row], 0, 1),
      .soft = (float)clamp(columns->soft[row], 0, 1),
      .frame = clamp_frame(columns->frame[row]),
      .frames = clamp_frame(columns->frames[row]),
      .last_frame = clamp_frame(columns->last_frame[row]),
      .pick = columns->pick[row],
      .add = columns->blend[row],
      .seed = emitters->manager->owner[row] * 0x9E3779B9u,
  };
  const float *const colour[4] = SHOAL_VEC4_PARTS(columns->colour);
  for (int i = 0; i < 4; ++i)
    out->colour[i] = finite_or_zero(colour[i][row]);
  curve_read(get_string(emitters, columns->speeds[row]), &out->speeds);
  curve_read(get_string(emitters, columns->sizes[row]), &out->sizes);
  colour_curve_read(get_string(emitters, columns->colours[row]), &out->colours);
  const char *image = get_string(emitters, columns->image[row]);
  if (strlen(image) < sizeof out->image)
    memcpy(out->image, image, strlen(image));
}

// Returns a message about the first invalid field of the emitter, or NULL if all fields are valid.
static const char *find_invalid_field(const emitters_o *emitters, const emitter_columns *columns, uint32_t row) {
  curve_t curve;
  colour_curve_t colours;
  if (!(columns->rate[row] >= 0) || (double)columns->rate[row] > MAX_RATE)
    return "rate must be from 0 to 500000 particles per second";
  if (!(columns->life[row] > 0) || (double)columns->life[row] > MAX_LIFE)
    return "life must be above 0 and at most 600 seconds";
  if (columns->burst[row] > EMITTER_MAX_ALIVE)
    return "burst must be at most 500000";
  if (!(columns->every[row] >= 0) || !(columns->duration[row] >= 0) || !(columns->ahead[row] >= 0))
    return "every, duration and ahead must be 0 or more";
  if (!isfinite(columns->speed[row] + columns->size[row] + columns->angle[row] + columns->spread[row] +
                columns->gravity_x[row] + columns->gravity_y[row]))
    return "speed, size, angle, spread, gravity_x and gravity_y must be finite (NaN and infinity are replaced by 0)";
  if (!curve_read(get_string(emitters, columns->speeds[row]), &curve) ||
      !curve_read(get_string(emitters, columns->sizes[row]), &curve))
    return "speeds and sizes must be lists of up to 8 numbers, such as \"1 0.5 0\"";
  if (!colour_curve_read(get_string(emitters, columns->colours[row]), &colours))
    return "colours must be a list of up to 8 colours, such as \"#ffd040 #ff400000\"";
  if (strlen(get_string(emitters, columns->image[row])) >= PARTICLES_IMAGE_MAX)
    return "image is too long (at most 63 bytes)";
  return NULL;
}

static void warn_invalid_field(const emitters_o *e, uint32_t row, const char *component, const char *problem) {
  char name[NAME_DESCRIPTION_MAX];
  log_warn(world_log(e->world), "%s: %s.%s", name_describe(e->world, e->manager->owner[row], name, sizeof name),
           component, problem);
}

static void warn_about_invalid_fields(const emitters_o *e, const emitter_columns *columns, uint32_t row) {
  const char *fault = find_invalid_field(e, columns, row),
             *forces = fault ? NULL : forces_find_invalid_field(e->world, e->manager->owner[row]);
  if ((fault || forces) && !columns->faulty[row])
    warn_invalid_field(e, row, fault ? "emitter" : "emitter_forces", fault ? fault : forces);
  columns->faulty[row] = fault || forces;
}

// --- births

static particle_pose_t get_pose(emitters_o *emitters, shoal_entity entity) {
  float world_matrix[16];
  uint32_t row = emitters->transforms ? manager_row(emitters->transforms, entity) : ROW_NONE;
  if (row == ROW_NONE)
    return (particle_pose_t){1, 0, 0, 1, 0, 0};
  transform_compute_world_matrix(&emitters->matrices, row, world_matrix);
  return (particle_pose_t){finite_or_zero(world_matrix[0]),  finite_or_zero(world_matrix[1]),
                           finite_or_zero(world_matrix[4]),  finite_or_zero(world_matrix[5]),
                           finite_or_zero(world_matrix[12]), finite_or_zero(world_matrix[13])};
}

static bool is_same_pose(const particle_pose_t *a, const particle_pose_t *record) {
  return a->ux == record->ux && a->uy == record->uy && a->vx == record->vx && a->vy == record->vy &&
         a->x == record->x && a->y == record->y;
}

// Returns the emitter's most recent record if `record` can extend it; otherwise NULL. The emitter must not have moved
// during either record, both records must have the same pose and interval, and the births of `record` must continue the
// births of the most recent record.
static particle_births_t *find_extendable_record(emitters_o *emitters, uint32_t row, const particle_births_t *record) {
  shoal_assert(emitters->last_record.items[row] <= emitters->births.count, "birth record %u is out of range (count %u)",
               emitters->last_record.items[row], emitters->births.count);
  uint32_t record_index = emitters->last_record.items[row];
  particle_births_t *previous = record_index > 0 ? &emitters->births.items[record_index - 1] : NULL;
  bool stationary = previous && record->step > 0 && previous->step == record->step &&
                    is_same_pose(&record->start_pose, &record->end_pose) &&
                    is_same_pose(&previous->end_pose, &record->end_pose) &&
                    is_same_pose(&previous->start_pose, &previous->end_pose);
  double gap = stationary ? record->first - (previous->first + previous->step * (double)previous->count) : 1;
  return stationary && fabs(gap) < record->step * 1e-6 ? previous : NULL;
}

static void add_births(emitters_o *emitters, const emitter_columns *columns, uint32_t row, particle_births_t record) {
  uint32_t capacity =
      EMITTER_MAX_ALIVE - (columns->living[row] < EMITTER_MAX_ALIVE ? columns->living[row] : EMITTER_MAX_ALIVE);
  uint32_t count = record.count < capacity ? record.count : capacity;
  record.number = columns->born[row];
  // The count includes particles dropped by the limit, because the numbers in a record must be contiguous.
  columns->born[row] += record.count;
  record.count = count;
  if (count == 0)
    return;
  columns->living[row] += count;
  particle_births_t *previous = find_extendable_record(emitters, row, &record);
  if (previous && previous->number + previous->count == record.number) {
    previous->count += count;
    return;
  }
  array_push(world_allocator(emitters->world), &emitters->births, record);
  emitters->last_record.items[row] = emitters->births.count;
}

// Emits particles at the emitter's rate for the time from columns->next until now.
static void emit_at_rate(emitters_o *emitters, const emitter_columns *columns, uint32_t row, particle_births_t record) {
  double rate = clamp(columns->rate[row], 0, MAX_RATE), clock_s = columns->clock[row];
  if (!(rate > 0)) {
    columns->next[row] = clock_s;
    return;
  }
  record.step = 1.0 / rate;
  if (columns->next[row] > clock_s + record.step) // the rate has increased
    columns->next[row] = clock_s + record.step;
  if (columns->next[row] > clock_s)
    return;
  double count = floor((clock_s - columns->next[row]) / record.step) + 1.0;
  record.first = columns->next[row];
  record.count = count < (double)EMITTER_MAX_ALIVE ? (uint32_t)count : EMITTER_MAX_ALIVE;
  columns->next[row] += record.step * count;
  add_births(emitters, columns, row, record);
}

static void emit_burst(emitters_o *emitters, const emitter_columns *columns, uint32_t row, particle_births_t record) {
  shoal_assert(row < emitters->manager->count, "emitter row %u is out of range (count %u)", row,
               emitters->manager->count);
  double interval_s = clamp(columns->every[row], 0, 1e9), clock_s = columns->clock[row];
  if (columns->burst[row] == 0 || (interval_s > 0 && (!columns->enabled[row] || columns->due[row] > clock_s)))
    return;
  record.first = record.start_s = record.end_s = clock_s;
  record.start_pose = record.end_pose;
  record.step = 0;
  record.count = columns->burst[row] < EMITTER_MAX_ALIVE ? columns->burst[row] : EMITTER_MAX_ALIVE;
  add_births(emitters, columns, row, record);
  if (interval_s > 0)
    columns->due[row] =
        columns->due[row] + interval_s > clock_s ? columns->due[row] + interval_s : clock_s + interval_s;
  else
    columns_set(&emitters->manager->columns, row, EMITTER_BURST, 0);
}

static void loop_or_stop_emitter(emitters_o *emitters, const emitter_columns *columns, uint32_t row, double dt_s) {
  columns->ran[row] += dt_s;
  if (columns->enabled[row] && columns->duration[row] > 0 &&
      columns->ran[row] >= (double)columns->duration[row] - dt_s / 2)
    columns_set(&emitters->manager->columns, row, EMITTER_ENABLED, 0);
  columns->was_enabled[row] = columns->enabled[row];
  // True for a single burst, which is neither repeated nor followed by particles at a rate.
  bool is_burst = !(columns->rate[row] > 0) && !(columns->every[row] > 0) && columns->born[row] > 0;
  bool finished = (!columns->enabled[row] || is_burst) && columns->burst[row] == 0 && columns->living[row] == 0;
  if (finished && columns->finish[row] == 1)
    world_destroy_entity(emitters->world, emitters->manager->owner[row]);
}

static void emit_births(emitters_o *emitters, const emitter_columns *columns, uint32_t row, double dt_s) {
  bool is_first_tick = columns->clock[row] < 0;
  particle_pose_t previous = {columns->ux[row], columns->uy[row], columns->vx[row],
                              columns->vy[row], columns->x[row],  columns->y[row]};
  particle_pose_t current = get_pose(emitters, emitters->manager->owner[row]);
  double prewarm_s = clamp(columns->ahead[row], 0, clamp(columns->life[row], 0, MAX_LIFE) * 2);
  float dx = current.x - previous.x, dy = current.y - previous.y;
  if (is_first_tick || dx * dx + dy * dy > JUMP * JUMP)
    previous = current;
  columns->clock[row] = is_first_tick ? prewarm_s : columns->clock[row] + dt_s;
  particle_births_t record = {
      .start_s = columns->clock[row] - dt_s, .end_s = columns->clock[row], .start_pose = previous, .end_pose = current};
  record.emitter = emitters->manager->owner[row];
  if (is_first_tick)
    record.start_s = record.end_s;
  if (columns->enabled[row] && !columns->was_enabled[row]) {
    columns->next[row] = is_first_tick ? 0 : columns->clock[row];
    columns->due[row] = columns->clock[row];
    columns->ran[row] = -dt_s;
  }
  if (columns->enabled[row])
    emit_at_rate(emitters, columns, row, record);
  emit_burst(emitters, columns, row, record);
  columns->ux[row] = current.ux, columns->uy[row] = current.uy, columns->vx[row] = current.vx,
  columns->vy[row] = current.vy, columns->x[row] = current.x, columns->y[row] = current.y;
  loop_or_stop_emitter(emitters, columns, row, dt_s);
}

// Returns a lower bound for the number of expired particles at the start of the record.
static uint32_t count_expired(const particle_births_t *record, double clock_s, double max_life_s) {
  double elapsed_s = clock_s - record->first - max_life_s;
  if (elapsed_s < 0)
    return 0;
  if (!(record->step > 0))
    return record->count;
  double expired_count = floor(elapsed_s / record->step) + 1.0;
  return expired_count < (double)record->count ? (uint32_t)expired_count : record->count;
}

static removed_emitter_t *find_removed_emitter(emitters_o *emitters, uint32_t number) {
  uint32_t low = 0, high = emitters->removed.count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (emitters->removed.items[middle].number < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low < emitters->removed.count && emitters->removed.items[low].number == number ? &emitters->removed.items[low]
                                                                                        : NULL;
}

// Removes expired particles and empty records, and counts the remaining particles.
static void remove_expired_births(emitters_o *emitters, const emitter_columns *columns) {
  uint32_t kept_count = 0;
  for (uint32_t i = 0; i < emitters->births.count; ++i) {
    particle_births_t record = emitters->births.items[i];
    removed_emitter_t *removed =
        record.flags & PARTICLES_REMOVED ? find_removed_emitter(emitters, record.emitter) : NULL;
    uint32_t row = record.flags & PARTICLES_REMOVED ? ROW_NONE : manager_row(emitters->manager, record.emitter),
             expired_count = record.count;
    if (removed)
      expired_count = count_expired(&record, removed->clock, particles_max_life_s(&removed->look));
    else if (row != ROW_NONE)
      expired_count =
          count_expired(&record, columns->clock[row],
                        clamp(columns->life[row], 0.001, MAX_LIFE) * (1 + clamp(columns->life_vary[row], 0, 1)));
    record.first += record.step * (double)expired_count;
    record.number += expired_count;
    record.count -= expired_count;
    if (record.count == 0)
      continue;
    emitters->births.items[kept_count++] = record;
    if (removed)
      removed->births++;
    else
      emitters->last_record.items[row] = kept_count, columns->living[row] += record.count;
  }
  emitters->births.count = kept_count;
}

static void remove_finished_emitters(emitters_o *emitters) {
  uint32_t kept_count = 0;
  for (uint32_t i = 0; i < emitters->removed.count; ++i)
    if (emitters->removed.items[i].births > 0)
      emitters->removed.items[kept_count++] = emitters->removed.items[i];
  emitters->removed.count = kept_count;
  uint32_t forces_count = 0;
  for (uint32_t i = 0; i < emitters->removed_forces.count; ++i)
    if (find_removed_emitter(emitters, emitters->removed_forces.items[i].number))
      emitters->removed_forces.items[forces_count++] = emitters->removed_forces.items[i];
  emitters->removed_forces.count = forces_count;
  emitters->next_removed = kept_count > 0 ? emitters->next_removed : 0;
}

void emitters_update(emitters_o *emitters, double dt_s) {
  emitter_columns columns = emitter_columns_of(emitters->manager);
  uint32_t count = emitters->manager->count;
  shoal_assert(!world_is_deferring(emitters->world), "emitters cannot run while commands are deferred");
  if (count == 0 && emitters->removed.count == 0)
    return;
  array_reserve(world_allocator(emitters->world), &emitters->last_record, count);
  for (uint32_t row = 0; row < count; ++row)
    emitters->last_record.items[row] = columns.living[row] = 0;
  for (uint32_t i = 0; i < emitters->removed.count; ++i) {
    emitters->removed.items[i].clock += dt_s;
    emitters->removed.items[i].births = 0;
  }
  remove_expired_births(emitters, &columns);
  remove_finished_emitters(emitters);
  if (emitters->transforms)
    transform_matrices_begin(&emitters->matrices, emitters->transforms);
  world_defer_begin(emitters->world, strings_intern(world_strings(emitters->world), EMITTER_SYSTEM));
  for (uint32_t row = 0; row < count; ++row) {
    if (world_is_disabled(emitters->world, emitters->manager->owner[row], emitters->manager->id))
      continue;
    warn_about_invalid_fields(emitters, &columns, row);
    emit_births(emitters, &columns, row, dt_s);
  }
  for (uint32_t i = EMITTER_LIVING; i < emitters->manager->columns.column_count && count > 0; ++i)
    columns_mark_touched(&emitters->manager->columns, i, 0, count);
  world_defer_end(emitters->world, false);
}

// --- removed emitters

static void store_removed_emitter(emitters_o *emitters, const emitter_columns *columns, uint32_t row) {
  float world_matrix[16] = {0};
  shoal_entity entity = emitters->manager->owner[row];
  uint32_t transform_row = emitters->transforms ? manager_row(emitters->transforms, entity) : ROW_NONE;
  if (transform_row != ROW_NONE)
    world_matrix[14] = transform_columns_of(emitters->transforms).z[transform_row];
  removed_emitter_t removed = {.clock = columns->clock[row],
                               .number = emitters->next_removed++,
                               .layer = columns->layer[row],
                               .z = finite_or_zero(world_matrix[14])};
  read_appearance(emitters, columns, row, &removed.look);
  for (uint32_t i = 0; i < emitters->births.count; ++i) {
    particle_births_t *record = &emitters->births.items[i];
    if (record->emitter != entity || record->flags & PARTICLES_REMOVED)
      continue;
    record->emitter = removed.number;
    record->flags = PARTICLES_REMOVED;
    removed.births++;
  }
  shoal_assert(emitters->removed.count == 0 ||
                   emitters->removed.items[emitters->removed.count - 1].number < removed.number,
               "particle numbers must increase, got %u after %u", removed.number,
               emitters->removed.items[emitters->removed.count - 1].number);
  if (removed.births == 0)
    return;
  array_push(world_allocator(emitters->world), &emitters->removed, removed);
  removed_forces_t forces_entry = {.number = removed.number};
  if (forces_read(emitters->world, entity, &forces_entry.forces))
    array_push(world_allocator(emitters->world), &emitters->removed_forces, forces_entry);
}

static void on_removing(void *context, world_o *w, manager_o *manager, const shoal_entity *entities, uint32_t count) {
  emitters_o *emitters = context;
  emitter_columns columns = emitter_columns_of(emitters->manager);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t row = manager_row(manager, entities[i]), kept_count = 0;
    if (row == ROW_NONE || columns.living[row] == 0)
      continue;
    if (columns.outlive[row] && columns.space[row] == 0 && columns.visible[row] &&
        !world_is_disabled(w, entities[i], manager->id))
      store_removed_emitter(emitters, &columns, row);
    for (uint32_t k = 0; k < emitters->births.count; ++k)
      if (emitters->births.items[k].flags & PARTICLES_REMOVED || emitters->births.items[k].emitter != entities[i])
        emitters->births.items[kept_count++] = emitters->births.items[k];
    emitters->births.count = kept_count;
  }
}

// --- serialization

static size_t get_save_bytes(void *context, manager_o *m) {
  const emitters_o *e = context;
  (void)m;
  if (e->births.count == 0 && e->removed.count == 0 && e->next_removed == 0)
    return 0;
  return sizeof(saved_header_t) + e->births.count * sizeof *e->births.items +
         e->removed.count * sizeof *e->removed.items + e->removed_forces.count * sizeof *e->removed_forces.items;
}

static void save_emitters(void *context, manager_o *manager, void *bytes) {
  const emitters_o *emitters = context;
  saved_header_t header = {emitters->births.count, emitters->removed.count, emitters->next_removed,
                           emitters->removed_forces.count};
  uint8_t *cursor = bytes;
  shoal_assert(emitters->manager == manager, "the manager belongs to a different world");
  if (get_save_bytes(context, manager) == 0)
    return;
  memcpy(cursor, &header, sizeof header);
  cursor += sizeof header;
  if (emitters->births.count > 0)
    memcpy(cursor, emitters->births.items, emitters->births.count * sizeof *emitters->births.items);
  cursor += emitters->births.count * sizeof *emitters->births.items;
  if (emitters->removed.count > 0)
    memcpy(cursor, emitters->removed.items, emitters->removed.count * sizeof *emitters->removed.items);
  cursor += emitters->removed.count * sizeof *emitters->removed.items;
  if (emitters->removed_forces.count > 0)
    memcpy(cursor, emitters->removed_forces.items,
           emitters->removed_forces.count * sizeof *emitters->removed_forces.items);
}

static bool is_finite_pose(const particle_pose_t *p) {
  return isfinite(p->ux) && isfinite(p->uy) && isfinite(p->vx) && isfinite(p->vy) && isfinite(p->x) && isfinite(p->y);
}

static bool is_valid_birth(const particle_births_t *record) {
  return isfinite(record->first) && isfinite(record->step) && record->step >= 0 && isfinite(record->start_s) &&
         isfinite(record->end_s) && is_finite_pose(&record->start_pose) && is_finite_pose(&record->end_pose) &&
         record->count > 0 && record->count <= EMITTER_MAX_ALIVE && record->flags <= PARTICLES_REMOVED;
}

static bool is_valid_removed_emitter(const removed_emitter_t *removed, const removed_emitter_t *previous) {
  const particle_look_t *look = &removed->look;
  return isfinite(removed->clock) && (!previous || previous->number < removed->number) && look->life > 0 &&
         (double)look->life <= MAX_LIFE && look->life_vary >= 0 && look->life_vary <= 1 &&
         look->speeds.count <= CURVE_MAX_KEYS && look->frame == clamp_frame(look->frame) &&
         look->last_frame == clamp_frame(look->last_frame) && look->sizes.count <= CURVE_MAX_KEYS &&
         look->colours.count <= CURVE_MAX_KEYS && memchr(look->image, '\0', sizeof look->image);
}

static bool read_saved_data(emitters_o *emitters, const uint8_t *cursor, size_t size) {
  saved_header_t header;
  allocator_t *allocator = world_allocator(emitters->world);
  if (size < sizeof header)
    return size == 0;
  memcpy(&header, cursor, sizeof header);
  size -= sizeof header;
  cursor += sizeof header;
  if (header.births > size / sizeof(particle_births_t) || header.removed > size / sizeof(removed_emitter_t) ||
      header.removed_forces > header.removed ||
      size != header.births * sizeof(particle_births_t) + header.removed * sizeof(removed_emitter_t) +
                  header.removed_forces * sizeof(removed_forces_t))
    return false;
  bool ok = true;
  emitters->next_removed = header.next_removed;
  for (uint32_t i = 0; i < header.births; ++i, cursor += sizeof(particle_births_t)) {
    particle_births_t record;
    memcpy(&record, cursor, sizeof record);
    bool valid = is_valid_birth(&record);
    ok = ok && valid;
    if (valid)
      array_push(allocator, &emitters->births, record);
  }
  for (uint32_t i = 0; i < header.removed; ++i, cursor += sizeof(removed_emitter_t)) {
    removed_emitter_t removed;
    memcpy(&removed, cursor, sizeof removed);
    bool valid = is_valid_removed_emitter(
        &removed, emitters->removed.count > 0 ? &emitters->removed.items[emitters->removed.count - 1] : NULL);
    ok = ok && valid && removed.number < header.next_removed;
    if (valid && removed.number < header.next_removed)
      array_push(allocator, &emitters->removed, removed);
  }
  for (uint32_t i = 0; i < header.removed_forces; ++i, cursor += sizeof(removed_forces_t)) {
    removed_forces_t forces_entry;
    memcpy(&forces_entry, cursor, sizeof forces_entry);
    bool is_sorted = emitters->removed_forces.count == 0 ||
                     emitters->removed_forces.items[emitters->removed_forces.count - 1].number < forces_entry.number;
    bool valid =
        is_sorted && find_removed_emitter(emitters, forces_entry.number) && forces_are_valid(&forces_entry.forces);
    ok = ok && valid;
    if (valid)
      array_push(allocator, &emitters->removed_forces, forces_entry);
  }
  return ok;
}

// Loads birth records and removed emitters. The bytes are untrusted: users can edit save files.
static void load_emitters(void *context, world_o *w, manager_o *m, uint32_t version, const void *bytes, size_t size) {
  emitters_o *e = context;
  (void)m;
  e->births.count = e->removed.count = e->removed_forces.count = e->next_removed = 0;
  if (size > 0 && (version != STORAGE_VERSION || !read_saved_data(e, bytes, size)))
    log_warn(world_log(w), "emitter: the saved particles are damaged: dropped some particles");
}

// --- drawing

// Returns the index of the record's cloud, or ROW_NONE if its emitter does not exist, as in a damaged save file.
static uint32_t find_cloud(emitters_o *e, const particle_births_t *record) {
  if (!(record->flags & PARTICLES_REMOVED))
    return manager_row(e->manager, record->emitter);
  const removed_emitter_t *removed = find_removed_emitter(e, record->emitter);
  return removed ? e->manager->count + (uint32_t)(removed - e->removed.items) : ROW_NONE;
}

uint32_t emitters_group_births(emitters_o *emitters) {
  allocator_t *allocator = world_allocator(emitters->world);
  uint32_t cloud_count = emitters->manager->count + emitters->removed.count;
  array_reserve(allocator, &emitters->cloud_starts, cloud_count + 2);
  array_reserve(allocator, &emitters->indices, emitters->births.count);
  memset(emitters->cloud_starts.items, 0, (cloud_count + 2) * sizeof *emitters->cloud_starts.items);
  emitters->cloud_starts.count = cloud_count + 1;
  for (uint32_t i = 0; i < emitters->births.count; ++i) {
    uint32_t cloud = find_cloud(emitters, &emitters->births.items[i]);
    if (cloud != ROW_NONE)
      emitters->cloud_starts.items[cloud + 2]++;
  }
  for (uint32_t i = 2; i < cloud_count + 2; ++i)
    emitters->cloud_starts.items[i] += emitters->cloud_starts.items[i - 1];
  for (uint32_t i = 0; i < emitters->births.count; ++i) {
    uint32_t cloud = find_cloud(emitters, &emitters->births.items[i]);
    if (cloud != ROW_NONE)
      emitters->indices.items[emitters->cloud_starts.items[cloud + 1]++] = i;
  }
  return cloud_count;
}

bool emitters_get_cloud(emitters_o *emitters, uint32_t cloud, particle_cloud_t *out) {
  shoal_assert(cloud + 1 < emitters->cloud_starts.count + 1, "cloud %u is out of range (count %u)", cloud,
               emitters->cloud_starts.count);
  uint32_t first = emitters->cloud_starts.items[cloud], count = emitters->cloud_starts.items[cloud + 1] - first;
  if (count == 0)
    return false;
  *out =
      (particle_cloud_t){.births = emitters->births.items, .indices = &emitters->indices.items[first], .count = count};
  if (cloud >= emitters->manager->count) {
    const removed_emitter_t *removed = &emitters->removed.items[cloud - emitters->manager->count];
    out->look = removed->look;
    out->layer = removed->layer;
    out->z = removed->z;
    out->clock_s = removed->clock;
    for (uint32_t i = 0; i < emitters->removed_forces.count && !out->has_forces; ++i) {
      out->has_forces = emitters->removed_forces.items[i].number == removed->number;
      out->forces = emitters->removed_forces.items[i].forces;
    }
    return true;
  }
  emitter_columns columns = emitter_columns_of(emitters->manager);
  out->entity = emitters->manager->owner[cloud];
  if (!columns.visible[cloud] || world_is_disabled(emitters->world, out->entity, emitters->manager->id))
    return false;
  read_appearance(emitters, &columns, cloud, &out->look);
  out->has_forces = forces_read(emitters->world, out->entity, &out->forces);
  out->layer = columns.layer[cloud];
  out->local = columns.space[cloud] == 1;
  out->clock_s = columns.clock[cloud];
  return true;
}

uint32_t emitters_count(const emitters_o *e) {
  return e->manager->count;
}

const char *emitters_get_image(emitters_o *e, uint32_t row) {
  emitter_columns columns = emitter_columns_of(e->manager);
  shoal_assert(row < e->manager->count, "emitter row %u is out of range (count %u)", row, e->manager->count);
  return get_string(e, columns.image[row]);
}

// --- creation and destruction

emitters_o *emitters_create(world_o *w, error_info_t *error) {
  if (!builtin_declare(w, &emitter_component, error))
    return NULL;
  emitters_o *emitters = alloc_resize(world_allocator(w), NULL, 0, sizeof *emitters);
  *emitters =
      (emitters_o){.world = w, .manager = builtin_find(w, "emitter"), .transforms = world_find_manager(w, "transform")};
  shoal_assert(emitters->manager && emitters->manager->count == 0,
               "birth records must be created before the first emitter");
  world_set_hooks(w, emitters->manager->id,
                  &(manager_hooks_t){.context = emitters,
                                     .removing = on_removing,
                                     .storage_version = STORAGE_VERSION,
                                     .save_bytes = get_save_bytes,
                                     .save = save_emitters,
                                     .load = load_emitters});
  return emitters;
}

void emitters_destroy(emitters_o *emitters) {
  if (emitters == NULL)
    return;
  allocator_t *allocator = world_allocator(emitters->world);
  world_set_hooks(emitters->world, emitters->manager->id, &(manager_hooks_t){0});
  transform_matrices_end(&emitters->matrices);
  array_free(allocator, &emitters->births);
  array_free(allocator, &emitters->removed);
  array_free(allocator, &emitters->removed_forces);
  array_free(allocator, &emitters->last_record);
  array_free(allocator, &emitters->cloud_starts);
  array_free(allocator, &emitters->indices);
  alloc_resize(allocator, emitters, sizeof *emitters, 0);
}

static void run_emitters(void *context, world_o *w, uint32_t number, float dt_s) {
  (void)number, (void)dt_s;
  emitters_update(context, world_dt_s(w));
}

bool emitters_schedule(emitters_o *emitters, schedule_o *schedule, error_info_t *error) {
  static const char *const PREDECESSORS[] = {"shoal.transform", NULL};
  return schedule_add_system(schedule,
                             &(system_desc_t){.name = EMITTER_SYSTEM,
                                              .phase = PHASE_POST_UPDATE,
                                              .priority = -1000,
                                              .after = PREDECESSORS,
                                              .run = run_emitters,
                                              .context = emitters},
                             error);
}
