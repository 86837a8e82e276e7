// Emitters: record births, remove expired records, preserve the appearance of removed emitters, and group records for
// drawing. Birth records are stored in chronological order; expired ones are removed by compaction. An emitter that
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
#define JUMP 160.0f // in pixels; movements longer than this in one tick are not interpolated

// Hidden fields, in this order: clock; time of the next particle; time of the next burst; seconds since the emitter was
// switched on; number of particles born; whether the emitter was on in the previous tick; whether an invalid field was
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
  EMITTER_ON = SHOAL_COLUMN_INDEX(emitter, enabled),
  EMITTER_BURST = SHOAL_COLUMN_INDEX(emitter, burst),
  EMITTER_LIVING = SHOAL_COLUMN_INDEX(emitter, living) // `living` and all later fields are internal
};
_Static_assert(sizeof(emitter_columns) / sizeof(void *) <= SCHEMA_MAX_FIELDS, "too many columns for a component");

// A removed emitter whose particles are still alive. Plain data without padding: it is saved.
typedef struct removed_emitter_t {
  double clock;
  uint32_t number; // identifies the birth records of this emitter
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
typedef struct head_t {
  uint32_t births, left, next_removed, forced;
} head_t;

struct emitters_o {
  world_o *world;
  manager_o *m, *transforms;
  transform_matrices_t matrices;
  ARRAY(particle_births_t) births;
  ARRAY(removed_emitter_t) removed; // sorted by number
  ARRAY(removed_forces_t) forced;   // forces of some removed emitters, sorted by number
  uint32_t next_removed;
  // Caches, not part of the state.
  ARRAY(uint32_t) last_record; // indexed by row: one plus the index of the emitter's most recent record; 0: no record
  ARRAY(uint32_t) starts;      // indexed by cloud: first index into `which`
  ARRAY(uint32_t) which;
};

emitters_o *emitters_find(world_o *w) {
  const manager_o *m = builtin_find(w, "emitter");
  return m ? m->hooks.context : NULL;
}

// --- numbers

// Clamps a field silently; warn_about_invalid_fields reports invalid fields.
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

static void read_appearance(const emitters_o *e, const emitter_columns *c, uint32_t row, particle_look_t *out) {
  *out = (particle_look_t){
      .life = (float)clamp(c->life[row], 0.001, MAX_LIFE),
      .life_vary = (float)clamp(c->life_vary[row], 0, 1),
      .shape = c->shape[row],
      .radius = finite_or_zero(c->radius[row]),
      .width = finite_or_zero(c->width[row]),
      .height = finite_or_zero(c->height[row]),
      .angle = finite_or_zero(c->angle[row]),
      .spread = finite_or_zero(c->spread[row]),
      .outward = c->outward[row],
      .speed = finite_or_zero(c->speed[row]),
      .speed_vary = (float)clamp(c->speed_vary[row], 0, 1),
      .gravity_x = finite_or_zero(c->gravity_x[row]),
      .gravity_y = finite_or_zero(c->gravity_y[row]),
      .inherit = finite_or_zero(c->inherit[row]),
      .sway = finite_or_zero(c->sway[row]),
      .size = finite_or_zero(c->size[row]),
      .size_vary = (float)clamp(c->size_vary[row], 0, 1),
      .stretch = (float)clamp(c->stretch[row], 0, 10),
      .spin = finite_or_zero(c->spin[row]),
      .colour_vary = (float)clamp(c->colour_vary[row], 0, 1),
      .soft = (float)clamp(c->soft[row], 0, 1),
      .frame = clamp_frame(c->frame[row]),
      .frames = clamp_frame(c->frames[row]),
      .last_frame = clamp_frame(c->last_frame[row]),
      .pick = c->pick[row],
      .add = c->blend[row],
      .seed = e->m->owner[row] * 0x9E3779B9u,
  };
  const float *const colour[4] = SHOAL_VEC4_PARTS(c->colour);
  for (int i = 0; i < 4; ++i)
    out->colour[i] = finite_or_zero(colour[i][row]);
  curve_read(get_string(e, c->speeds[row]), &out->speeds);
  curve_read(get_string(e, c->sizes[row]), &out->sizes);
  colour_curve_read(get_string(e, c->colours[row]), &out->colours);
  const char *image = get_string(e, c->image[row]);
  if (strlen(image) < sizeof out->image)
    memcpy(out->image, image, strlen(image));
}

// Returns a message about the first invalid field of the emitter, or NULL.
static const char *find_invalid_field(const emitters_o *e, const emitter_columns *c, uint32_t row) {
  curve_t curve;
  colour_curve_t colours;
  if (!(c->rate[row] >= 0) || (double)c->rate[row] > MAX_RATE)
    return "rate must be from 0 to 500000 particles per second";
  if (!(c->life[row] > 0) || (double)c->life[row] > MAX_LIFE)
    return "life must be above 0 and at most 600 seconds";
  if (c->burst[row] > EMITTER_MAX_ALIVE)
    return "burst must be at most 500000";
  if (!(c->every[row] >= 0) || !(c->duration[row] >= 0) || !(c->ahead[row] >= 0))
    return "every, duration and ahead must be 0 or more";
  if (!isfinite(c->speed[row] + c->size[row] + c->angle[row] + c->spread[row] + c->gravity_x[row] + c->gravity_y[row]))
    return "speed, size, angle, spread, gravity_x and gravity_y must be finite (NaN and infinity are replaced by 0)";
  if (!curve_read(get_string(e, c->speeds[row]), &curve) || !curve_read(get_string(e, c->sizes[row]), &curve))
    return "speeds and sizes must be lists of up to 8 numbers, such as \"1 0.5 0\"";
  if (!colour_curve_read(get_string(e, c->colours[row]), &colours))
    return "colours must be a list of up to 8 colours, such as \"#ffd040 #ff400000\"";
  if (strlen(get_string(e, c->image[row])) >= PARTICLES_IMAGE_MAX)
    return "image is too long (at most 63 bytes)";
  return NULL;
}

static void warn_invalid_field(const emitters_o *e, uint32_t row, const char *component, const char *fault) {
  char name[NAME_DESCRIPTION_MAX];
  log_warn(world_log(e->world), "%s: %s.%s", name_describe(e->world, e->m->owner[row], name, sizeof name), component,
           fault);
}

static void warn_about_invalid_fields(const emitters_o *e, const emitter_columns *c, uint32_t row) {
  const char *fault = find_invalid_field(e, c, row),
             *forces = fault ? NULL : forces_find_invalid_field(e->world, e->m->owner[row]);
  if ((fault || forces) && !c->faulty[row])
    warn_invalid_field(e, row, fault ? "emitter" : "emitter_forces", fault ? fault : forces);
  c->faulty[row] = fault || forces;
}

// --- births

static particle_pose_t get_pose(emitters_o *e, shoal_entity entity) {
  float m[16];
  uint32_t row = e->transforms ? manager_row(e->transforms, entity) : ROW_NONE;
  if (row == ROW_NONE)
    return (particle_pose_t){1, 0, 0, 1, 0, 0};
  transform_compute_world_matrix(&e->matrices, row, m);
  return (particle_pose_t){finite_or_zero(m[0]), finite_or_zero(m[1]),  finite_or_zero(m[4]),
                           finite_or_zero(m[5]), finite_or_zero(m[12]), finite_or_zero(m[13])};
}

static bool is_same_pose(const particle_pose_t *a, const particle_pose_t *b) {
  return a->ux == b->ux && a->uy == b->uy && a->vx == b->vx && a->vy == b->vy && a->x == b->x && a->y == b->y;
}

// Returns the emitter's most recent record if `b` can extend it: the emitter did not move during either record, both
// have the same pose and interval, and the births of `b` continue those of the record.
static particle_births_t *find_extendable_record(emitters_o *e, uint32_t row, const particle_births_t *b) {
  shoal_assert(e->last_record.items[row] <= e->births.count, "birth record %u is out of range (count %u)",
               e->last_record.items[row], e->births.count);
  uint32_t last = e->last_record.items[row];
  particle_births_t *to = last > 0 ? &e->births.items[last - 1] : NULL;
  bool is_still = to && b->step > 0 && to->step == b->step && is_same_pose(&b->was, &b->is) &&
                  is_same_pose(&to->is, &b->is) && is_same_pose(&to->was, &to->is);
  double gap = is_still ? b->first - (to->first + to->step * (double)to->count) : 1;
  return is_still && fabs(gap) < b->step * 1e-6 ? to : NULL;
}

static void add_births(emitters_o *e, const emitter_columns *c, uint32_t row, particle_births_t b) {
  uint32_t capacity = EMITTER_MAX_ALIVE - (c->living[row] < EMITTER_MAX_ALIVE ? c->living[row] : EMITTER_MAX_ALIVE);
  uint32_t count = b.count < capacity ? b.count : capacity;
  b.number = c->born[row];
  // The count includes particles dropped by the limit, because the numbers in a record must be contiguous.
  c->born[row] += b.count;
  b.count = count;
  if (count == 0)
    return;
  c->living[row] += count;
  particle_births_t *to = find_extendable_record(e, row, &b);
  if (to && to->number + to->count == b.number) {
    to->count += count;
    return;
  }
  array_push(world_allocator(e->world), &e->births, b);
  e->last_record.items[row] = e->births.count;
}

// Emits particles at the emitter's rate for the time from c->next until now.
static void emit_at_rate(emitters_o *e, const emitter_columns *c, uint32_t row, particle_births_t b) {
  double rate = clamp(c->rate[row], 0, MAX_RATE), now = c->clock[row];
  if (!(rate > 0)) {
    c->next[row] = now;
    return;
  }
  b.step = 1.0 / rate;
  if (c->next[row] > now + b.step) // the rate has increased
    c->next[row] = now + b.step;
  if (c->next[row] > now)
    return;
  double count = floor((now - c->next[row]) / b.step) + 1.0;
  b.first = c->next[row];
  b.count = count < (double)EMITTER_MAX_ALIVE ? (uint32_t)count : EMITTER_MAX_ALIVE;
  c->next[row] += b.step * count;
  add_births(e, c, row, b);
}

static void emit_burst(emitters_o *e, const emitter_columns *c, uint32_t row, particle_births_t b) {
  shoal_assert(row < e->m->count, "emitter row %u is out of range (count %u)", row, e->m->count);
  double every = clamp(c->every[row], 0, 1e9), now = c->clock[row];
  if (c->burst[row] == 0 || (every > 0 && (!c->enabled[row] || c->due[row] > now)))
    return;
  b.first = b.from = b.until = now;
  b.was = b.is;
  b.step = 0;
  b.count = c->burst[row] < EMITTER_MAX_ALIVE ? c->burst[row] : EMITTER_MAX_ALIVE;
  add_births(e, c, row, b);
  if (every > 0)
    c->due[row] = c->due[row] + every > now ? c->due[row] + every : now + every;
  else
    columns_set(&e->m->columns, row, EMITTER_BURST, 0);
}

static void loop_or_stop_emitter(emitters_o *e, const emitter_columns *c, uint32_t row, double dt_s) {
  c->ran[row] += dt_s;
  if (c->enabled[row] && c->duration[row] > 0 && c->ran[row] >= (double)c->duration[row] - dt_s / 2)
    columns_set(&e->m->columns, row, EMITTER_ON, 0);
  c->was_enabled[row] = c->enabled[row];
  // a single burst: neither repeated nor followed by particles at a rate
  bool is_burst = !(c->rate[row] > 0) && !(c->every[row] > 0) && c->born[row] > 0;
  bool finished = (!c->enabled[row] || is_burst) && c->burst[row] == 0 && c->living[row] == 0;
  if (finished && c->finish[row] == 1)
    world_destroy_entity(e->world, e->m->owner[row]);
}

static void emit_births(emitters_o *e, const emitter_columns *c, uint32_t row, double dt_s) {
  bool begins = c->clock[row] < 0;
  particle_pose_t was = {c->ux[row], c->uy[row], c->vx[row], c->vy[row], c->x[row], c->y[row]};
  particle_pose_t is = get_pose(e, e->m->owner[row]);
  double ahead = clamp(c->ahead[row], 0, clamp(c->life[row], 0, MAX_LIFE) * 2);
  float dx = is.x - was.x, dy = is.y - was.y;
  if (begins || dx * dx + dy * dy > JUMP * JUMP)
    was = is;
  c->clock[row] = begins ? ahead : c->clock[row] + dt_s;
  particle_births_t b = {.from = c->clock[row] - dt_s, .until = c->clock[row], .was = was, .is = is};
  b.emitter = e->m->owner[row];
  if (begins)
    b.from = b.until;
  if (c->enabled[row] && !c->was_enabled[row]) {
    c->next[row] = begins ? 0 : c->clock[row];
    c->due[row] = c->clock[row];
    c->ran[row] = -dt_s;
  }
  if (c->enabled[row])
    emit_at_rate(e, c, row, b);
  emit_burst(e, c, row, b);
  c->ux[row] = is.ux, c->uy[row] = is.uy, c->vx[row] = is.vx, c->vy[row] = is.vy, c->x[row] = is.x, c->y[row] = is.y;
  loop_or_stop_emitter(e, c, row, dt_s);
}

// Returns a lower bound for the number of expired particles at the start of the record.
static uint32_t count_expired(const particle_births_t *b, double now, double longest) {
  double since = now - b->first - longest;
  if (since < 0)
    return 0;
  if (!(b->step > 0))
    return b->count;
  double finished = floor(since / b->step) + 1.0;
  return finished < (double)b->count ? (uint32_t)finished : b->count;
}

static removed_emitter_t *find_removed_emitter(emitters_o *e, uint32_t number) {
  uint32_t low = 0, high = e->removed.count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (e->removed.items[middle].number < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low < e->removed.count && e->removed.items[low].number == number ? &e->removed.items[low] : NULL;
}

// Removes expired records and counts the remaining particles.
static void remove_expired_births(emitters_o *e, const emitter_columns *c) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < e->births.count; ++i) {
    particle_births_t b = e->births.items[i];
    removed_emitter_t *left = b.flags & PARTICLES_LEFT ? find_removed_emitter(e, b.emitter) : NULL;
    uint32_t row = b.flags & PARTICLES_LEFT ? ROW_NONE : manager_row(e->m, b.emitter), finished = b.count;
    if (left)
      finished = count_expired(&b, left->clock, particles_max_life_s(&left->look));
    else if (row != ROW_NONE)
      finished =
          count_expired(&b, c->clock[row], clamp(c->life[row], 0.001, MAX_LIFE) * (1 + clamp(c->life_vary[row], 0, 1)));
    b.first += b.step * (double)finished;
    b.number += finished;
    b.count -= finished;
    if (b.count == 0)
      continue;
    e->births.items[kept++] = b;
    if (left)
      left->births++;
    else
      e->last_record.items[row] = kept, c->living[row] += b.count;
  }
  e->births.count = kept;
}

static void remove_finished_emitters(emitters_o *e) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < e->removed.count; ++i)
    if (e->removed.items[i].births > 0)
      e->removed.items[kept++] = e->removed.items[i];
  e->removed.count = kept;
  uint32_t forced = 0;
  for (uint32_t i = 0; i < e->forced.count; ++i)
    if (find_removed_emitter(e, e->forced.items[i].number))
      e->forced.items[forced++] = e->forced.items[i];
  e->forced.count = forced;
  e->next_removed = kept > 0 ? e->next_removed : 0;
}

void emitters_update(emitters_o *e, double dt_s) {
  emitter_columns c = emitter_columns_of(e->m);
  uint32_t count = e->m->count;
  shoal_assert(!world_is_deferring(e->world), "emitters cannot run while commands are deferred");
  if (count == 0 && e->removed.count == 0)
    return;
  array_reserve(world_allocator(e->world), &e->last_record, count);
  for (uint32_t row = 0; row < count; ++row)
    e->last_record.items[row] = c.living[row] = 0;
  for (uint32_t i = 0; i < e->removed.count; ++i) {
    e->removed.items[i].clock += dt_s;
    e->removed.items[i].births = 0;
  }
  remove_expired_births(e, &c);
  remove_finished_emitters(e);
  if (e->transforms)
    transform_matrices_begin(&e->matrices, e->transforms);
  world_defer_begin(e->world, strings_intern(world_strings(e->world), EMITTER_SYSTEM));
  for (uint32_t row = 0; row < count; ++row) {
    if (world_is_disabled(e->world, e->m->owner[row], e->m->id))
      continue;
    warn_about_invalid_fields(e, &c, row);
    emit_births(e, &c, row, dt_s);
  }
  for (uint32_t i = EMITTER_LIVING; i < e->m->columns.column_count && count > 0; ++i)
    columns_mark_touched(&e->m->columns, i, 0, count);
  world_defer_end(e->world, false);
}

// --- removed emitters

static void store_removed_emitter(emitters_o *e, const emitter_columns *c, uint32_t row) {
  float m[16] = {0};
  shoal_entity entity = e->m->owner[row];
  uint32_t transform_row = e->transforms ? manager_row(e->transforms, entity) : ROW_NONE;
  if (transform_row != ROW_NONE)
    m[14] = transform_columns_of(e->transforms).z[transform_row];
  removed_emitter_t left = {
      .clock = c->clock[row], .number = e->next_removed++, .layer = c->layer[row], .z = finite_or_zero(m[14])};
  read_appearance(e, c, row, &left.look);
  for (uint32_t i = 0; i < e->births.count; ++i) {
    particle_births_t *b = &e->births.items[i];
    if (b->emitter != entity || b->flags & PARTICLES_LEFT)
      continue;
    b->emitter = left.number;
    b->flags = PARTICLES_LEFT;
    left.births++;
  }
  shoal_assert(e->removed.count == 0 || e->removed.items[e->removed.count - 1].number < left.number,
               "particle numbers must increase, got %u after %u", left.number,
               e->removed.items[e->removed.count - 1].number);
  if (left.births == 0)
    return;
  array_push(world_allocator(e->world), &e->removed, left);
  removed_forces_t forced = {.number = left.number};
  if (forces_read(e->world, entity, &forced.forces))
    array_push(world_allocator(e->world), &e->forced, forced);
}

static void on_removing(void *context, world_o *w, manager_o *m, const shoal_entity *entities, uint32_t count) {
  emitters_o *e = context;
  emitter_columns c = emitter_columns_of(e->m);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t row = manager_row(m, entities[i]), kept = 0;
    if (row == ROW_NONE || c.living[row] == 0)
      continue;
    if (c.outlive[row] && c.space[row] == 0 && c.visible[row] && !world_is_disabled(w, entities[i], m->id))
      store_removed_emitter(e, &c, row);
    for (uint32_t k = 0; k < e->births.count; ++k)
      if (e->births.items[k].flags & PARTICLES_LEFT || e->births.items[k].emitter != entities[i])
        e->births.items[kept++] = e->births.items[k];
    e->births.count = kept;
  }
}

// --- serialization

static size_t get_save_bytes(void *context, manager_o *m) {
  const emitters_o *e = context;
  (void)m;
  if (e->births.count == 0 && e->removed.count == 0 && e->next_removed == 0)
    return 0;
  return sizeof(head_t) + e->births.count * sizeof *e->births.items + e->removed.count * sizeof *e->removed.items +
         e->forced.count * sizeof *e->forced.items;
}

static void save_emitters(void *context, manager_o *m, void *bytes) {
  const emitters_o *e = context;
  head_t head = {e->births.count, e->removed.count, e->next_removed, e->forced.count};
  uint8_t *to = bytes;
  shoal_assert(e->m == m, "the manager belongs to another world");
  if (get_save_bytes(context, m) == 0)
    return;
  memcpy(to, &head, sizeof head);
  to += sizeof head;
  if (e->births.count > 0)
    memcpy(to, e->births.items, e->births.count * sizeof *e->births.items);
  to += e->births.count * sizeof *e->births.items;
  if (e->removed.count > 0)
    memcpy(to, e->removed.items, e->removed.count * sizeof *e->removed.items);
  to += e->removed.count * sizeof *e->removed.items;
  if (e->forced.count > 0)
    memcpy(to, e->forced.items, e->forced.count * sizeof *e->forced.items);
}

static bool is_finite_pose(const particle_pose_t *p) {
  return isfinite(p->ux) && isfinite(p->uy) && isfinite(p->vx) && isfinite(p->vy) && isfinite(p->x) && isfinite(p->y);
}

static bool is_valid_birth(const particle_births_t *b) {
  return isfinite(b->first) && isfinite(b->step) && b->step >= 0 && isfinite(b->from) && isfinite(b->until) &&
         is_finite_pose(&b->was) && is_finite_pose(&b->is) && b->count > 0 && b->count <= EMITTER_MAX_ALIVE &&
         b->flags <= PARTICLES_LEFT;
}

static bool is_valid_removed_emitter(const removed_emitter_t *l, const removed_emitter_t *before) {
  const particle_look_t *k = &l->look;
  return isfinite(l->clock) && (!before || before->number < l->number) && k->life > 0 && (double)k->life <= MAX_LIFE &&
         k->life_vary >= 0 && k->life_vary <= 1 && k->speeds.count <= CURVE_MAX_KEYS &&
         k->frame == clamp_frame(k->frame) && k->last_frame == clamp_frame(k->last_frame) &&
         k->sizes.count <= CURVE_MAX_KEYS && k->colours.count <= CURVE_MAX_KEYS &&
         memchr(k->image, '\0', sizeof k->image);
}

static bool read_saved_data(emitters_o *e, const uint8_t *from, size_t size) {
  head_t head;
  allocator_t *a = world_allocator(e->world);
  if (size < sizeof head)
    return size == 0;
  memcpy(&head, from, sizeof head);
  size -= sizeof head;
  from += sizeof head;
  if (head.births > size / sizeof(particle_births_t) || head.left > size / sizeof(removed_emitter_t) ||
      head.forced > head.left ||
      size != head.births * sizeof(particle_births_t) + head.left * sizeof(removed_emitter_t) +
                  head.forced * sizeof(removed_forces_t))
    return false;
  bool ok = true;
  e->next_removed = head.next_removed;
  for (uint32_t i = 0; i < head.births; ++i, from += sizeof(particle_births_t)) {
    particle_births_t b;
    memcpy(&b, from, sizeof b);
    bool sound = is_valid_birth(&b);
    ok = ok && sound;
    if (sound)
      array_push(a, &e->births, b);
  }
  for (uint32_t i = 0; i < head.left; ++i, from += sizeof(removed_emitter_t)) {
    removed_emitter_t l;
    memcpy(&l, from, sizeof l);
    bool sound = is_valid_removed_emitter(&l, e->removed.count > 0 ? &e->removed.items[e->removed.count - 1] : NULL);
    ok = ok && sound && l.number < head.next_removed;
    if (sound && l.number < head.next_removed)
      array_push(a, &e->removed, l);
  }
  for (uint32_t i = 0; i < head.forced; ++i, from += sizeof(removed_forces_t)) {
    removed_forces_t f;
    memcpy(&f, from, sizeof f);
    bool later = e->forced.count == 0 || e->forced.items[e->forced.count - 1].number < f.number;
    bool sound = later && find_removed_emitter(e, f.number) && forces_are_valid(&f.forces);
    ok = ok && sound;
    if (sound)
      array_push(a, &e->forced, f);
  }
  return ok;
}

// The bytes are untrusted: users can edit save files.
static void load_emitters(void *context, world_o *w, manager_o *m, uint32_t version, const void *bytes, size_t size) {
  emitters_o *e = context;
  (void)m;
  e->births.count = e->removed.count = e->forced.count = e->next_removed = 0;
  if (size > 0 && (version != STORAGE_VERSION || !read_saved_data(e, bytes, size)))
    log_warn(world_log(w), "emitter: the saved particles are damaged: dropped some particles");
}

// --- drawing

// Returns the index of the record's cloud, or ROW_NONE if its emitter does not exist (damaged save file).
static uint32_t find_cloud(emitters_o *e, const particle_births_t *b) {
  if (!(b->flags & PARTICLES_LEFT))
    return manager_row(e->m, b->emitter);
  const removed_emitter_t *left = find_removed_emitter(e, b->emitter);
  return left ? e->m->count + (uint32_t)(left - e->removed.items) : ROW_NONE;
}

uint32_t emitters_group_births(emitters_o *e) {
  allocator_t *a = world_allocator(e->world);
  uint32_t clouds = e->m->count + e->removed.count;
  array_reserve(a, &e->starts, clouds + 2);
  array_reserve(a, &e->which, e->births.count);
  memset(e->starts.items, 0, (clouds + 2) * sizeof *e->starts.items);
  e->starts.count = clouds + 1;
  for (uint32_t i = 0; i < e->births.count; ++i) {
    uint32_t cloud = find_cloud(e, &e->births.items[i]);
    if (cloud != ROW_NONE)
      e->starts.items[cloud + 2]++;
  }
  for (uint32_t i = 2; i < clouds + 2; ++i)
    e->starts.items[i] += e->starts.items[i - 1];
  for (uint32_t i = 0; i < e->births.count; ++i) {
    uint32_t cloud = find_cloud(e, &e->births.items[i]);
    if (cloud != ROW_NONE)
      e->which.items[e->starts.items[cloud + 1]++] = i;
  }
  return clouds;
}

bool emitters_get_cloud(emitters_o *e, uint32_t number, particle_cloud_t *out) {
  shoal_assert(number + 1 < e->starts.count + 1, "cloud %u is out of range (count %u)", number, e->starts.count);
  uint32_t first = e->starts.items[number], count = e->starts.items[number + 1] - first;
  if (count == 0)
    return false;
  *out = (particle_cloud_t){.births = e->births.items, .which = &e->which.items[first], .count = count};
  if (number >= e->m->count) {
    const removed_emitter_t *left = &e->removed.items[number - e->m->count];
    out->look = left->look;
    out->layer = left->layer;
    out->z = left->z;
    out->now = left->clock;
    for (uint32_t i = 0; i < e->forced.count && !out->forced; ++i) {
      out->forced = e->forced.items[i].number == left->number;
      out->forces = e->forced.items[i].forces;
    }
    return true;
  }
  emitter_columns c = emitter_columns_of(e->m);
  out->entity = e->m->owner[number];
  if (!c.visible[number] || world_is_disabled(e->world, out->entity, e->m->id))
    return false;
  read_appearance(e, &c, number, &out->look);
  out->forced = forces_read(e->world, out->entity, &out->forces);
  out->layer = c.layer[number];
  out->local = c.space[number] == 1;
  out->now = c.clock[number];
  return true;
}

uint32_t emitters_count(const emitters_o *e) {
  return e->m->count;
}

const char *emitters_get_image(emitters_o *e, uint32_t row) {
  emitter_columns c = emitter_columns_of(e->m);
  shoal_assert(row < e->m->count, "emitter row %u is out of range (count %u)", row, e->m->count);
  return get_string(e, c.image[row]);
}

// --- creation and destruction

emitters_o *emitters_create(world_o *w, error_info_t *error) {
  if (!builtin_declare(w, &emitter_component, error))
    return NULL;
  emitters_o *e = alloc_resize(world_allocator(w), NULL, 0, sizeof *e);
  *e = (emitters_o){.world = w, .m = builtin_find(w, "emitter"), .transforms = world_find_manager(w, "transform")};
  shoal_assert(e->m && e->m->count == 0, "birth records must be created before the first emitter");
  world_set_hooks(w, e->m->id,
                  &(manager_hooks_t){.context = e,
                                     .removing = on_removing,
                                     .storage_version = STORAGE_VERSION,
                                     .save_bytes = get_save_bytes,
                                     .save = save_emitters,
                                     .load = load_emitters});
  return e;
}

void emitters_destroy(emitters_o *e) {
  if (e == NULL)
    return;
  allocator_t *a = world_allocator(e->world);
  world_set_hooks(e->world, e->m->id, &(manager_hooks_t){0});
  transform_matrices_end(&e->matrices);
  array_free(a, &e->births);
  array_free(a, &e->removed);
  array_free(a, &e->forced);
  array_free(a, &e->last_record);
  array_free(a, &e->starts);
  array_free(a, &e->which);
  alloc_resize(a, e, sizeof *e, 0);
}

static void run_emitters(void *context, world_o *w, uint32_t number, float dt_s) {
  (void)number, (void)dt_s;
  emitters_update(context, world_dt_s(w));
}

bool emitters_schedule(emitters_o *e, schedule_o *s, error_info_t *error) {
  static const char *const AFTER[] = {"shoal.transform", NULL};
  return schedule_add_system(s,
                             &(system_desc_t){.name = EMITTER_SYSTEM,
                                              .phase = PHASE_POST_UPDATE,
                                              .priority = -1000,
                                              .after = AFTER,
                                              .run = run_emitters,
                                              .context = e},
                             error);
}
