// Forks the game, simulates the fork ahead, and records the trails of chosen entities.
#include "ghosts/ghosts.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/now.h"
#include "collision/body.h"
#include "components/name.h"
#include "components/data_components.h"
#include "ecs/world_hash.h"
#include "transform/transform.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 16u
#define MAX_OUTLINE 64u // maximum number of points of an outline

typedef struct trail_t {
  shoal_entity entity;
  float colour[3], radius;
  uint32_t outline, outline_count; // `outline`: index in `outlines`; `outline_count`: number of points
  uint32_t first, count;           // range in `poses`
  bool dies;
} trail_t;

// A prediction. Each trail has capacity for ticks + 1 poses.
typedef struct run_t {
  ARRAY(trail_t) trails;
  ARRAY(ghost_pose_t) poses;
  ARRAY(float) outlines;
  uint64_t tick, hash; // tick and world hash at the start of the run
  uint32_t ticks, done;
  bool complete;
} run_t;

struct ghosts_o {
  allocator_t *allocator;
  const assets_t *assets;
  log_o *log; // discards messages
  draw_o *draw;
  audio_o *audio;
  game_o *fork; // NULL until the fork is needed
  bool broken;  // true if the fork could not be created with the current code
  snapshot_o *state;
  char names[MAX_NAMES][64];
  uint32_t name_count;
  ARRAY(shoal_entity) entities;
  uint32_t ticks;
  run_t runs[2]; // one is being computed, the other is complete
  uint32_t seen; // index of the complete run
};

ghosts_o *ghosts_create(allocator_t *a, const assets_t *assets) {
  ghosts_o *g = alloc_resize(a, NULL, 0, sizeof *g);
  *g = (ghosts_o){.allocator = a, .assets = assets};
  g->log = log_create(LOG_NONE);
  log_set_terminal(g->log, false); // print() writes to the log instead, which discards it
  g->draw = draw_create();
  g->audio = audio_create(true, assets, g->log);
  g->state = snapshot_create(a);
  return g;
}

static void destroy_fork(ghosts_o *g) {
  game_destroy(g->fork);
  g->fork = NULL;
  g->runs[!g->seen].complete = false;
  g->runs[!g->seen].ticks = 0;
}

void ghosts_destroy(ghosts_o *g) {
  if (!g)
    return;
  destroy_fork(g);
  for (uint32_t i = 0; i < 2; ++i) {
    array_free(g->allocator, &g->runs[i].trails);
    array_free(g->allocator, &g->runs[i].poses);
    array_free(g->allocator, &g->runs[i].outlines);
  }
  array_free(g->allocator, &g->entities);
  snapshot_release(g->state);
  audio_destroy(g->audio);
  draw_destroy(g->draw);
  log_destroy(g->log);
  alloc_resize(g->allocator, g, sizeof *g, 0);
}

// --- choosing

static bool is_chosen(const ghosts_o *g, shoal_entity e) {
  for (uint32_t i = 0; i < g->entities.count; ++i)
    if (g->entities.items[i] == e)
      return true;
  return false;
}

void ghosts_choose_entities(ghosts_o *g, const char *name, const shoal_entity *entities, uint32_t count,
                            uint32_t ticks) {
  shoal_assert(entities || count == 0, "entities must not be NULL (count %u)", count);
  bool is_listed = !name[0];
  for (uint32_t i = 0; i < g->name_count; ++i)
    is_listed |= strcmp(g->names[i], name) == 0;
  if (!is_listed && g->name_count < MAX_NAMES && strlen(name) < sizeof *g->names)
    memcpy(g->names[g->name_count++], name, strlen(name) + 1);
  for (uint32_t i = 0; i < count && g->entities.count < GHOSTS_MAX_ENTITIES; ++i)
    if (!is_chosen(g, entities[i]))
      array_push(g->allocator, &g->entities, entities[i]);
  g->ticks = ticks < GHOSTS_MAX_TICKS ? ticks : GHOSTS_MAX_TICKS;
  g->runs[0].ticks = g->runs[1].ticks = 0; // discards both runs, because the chosen entities have changed
}

void ghosts_clear(ghosts_o *g) {
  destroy_fork(g);
  g->name_count = g->entities.count = 0;
  g->runs[0] = (run_t){.trails = g->runs[0].trails, .poses = g->runs[0].poses, .outlines = g->runs[0].outlines};
  g->runs[1] = (run_t){.trails = g->runs[1].trails, .poses = g->runs[1].poses, .outlines = g->runs[1].outlines};
}

bool ghosts_are_enabled(const ghosts_o *g) {
  return g->name_count > 0 || g->entities.count > 0;
}

void ghosts_invalidate(ghosts_o *g) {
  destroy_fork(g);
  g->broken = false;
  g->runs[g->seen].hash = ~g->runs[g->seen].hash; // outdated, but drawn until the next run is complete
}

// --- trails

// Parses "x,y x,y …" like outline_parse.
static void read_outline(ghosts_o *g, run_t *r, trail_t *t, const char *text) {
  t->outline = r->outlines.count;
  for (uint32_t i = 0; i < 2 * MAX_OUTLINE && *text;) {
    char *end = NULL;
    float number = strtof(text, &end);
    if (end == text) {
      text++; // skips separators
      continue;
    }
    array_push(g->allocator, &r->outlines, number);
    text = end;
    i++;
  }
  t->outline_count = (r->outlines.count - t->outline) / 2;
}

static void read_rectangle(ghosts_o *g, run_t *r, trail_t *t, float width, float height) {
  const float corners[] = {-1, -1, 1, -1, 1, 1, -1, 1};
  t->outline = r->outlines.count;
  t->outline_count = 4;
  for (uint32_t i = 0; i < 8; ++i)
    array_push(g->allocator, &r->outlines, corners[i] * 0.5f * (i % 2 == 0 ? width : height));
}

static void read_appearance(ghosts_o *g, run_t *r, trail_t *t, world_o *w) {
  static const float pale[] = {0.55f, 0.8f, 1.0f};
  const manager_o *shape = world_find_manager(w, "shape"), *sprite = world_find_manager(w, "sprite");
  const manager_o *body = world_find_manager(w, "body");
  shape_columns shapes = shape_columns_of(shape);
  sprite_columns sprites = sprite_columns_of(sprite);
  uint32_t row = shape ? manager_row(shape, t->entity) : ROW_NONE;
  uint32_t sprite_row = sprite ? manager_row(sprite, t->entity) : ROW_NONE;
  uint32_t body_row = body ? manager_row(body, t->entity) : ROW_NONE;
  const float *const colour[4] = SHOAL_VEC4_PARTS(shapes.colour);
  const float *const tint[4] = SHOAL_VEC4_PARTS(sprites.tint);
  for (uint32_t i = 0; i < 3; ++i)
    t->colour[i] = row != ROW_NONE ? colour[i][row] : sprite_row != ROW_NONE ? pale[i] * tint[i][sprite_row] : pale[i];
  t->radius = body_row != ROW_NONE ? body_columns_of(body).radius[body_row] : 0;
  if (row == ROW_NONE)
    return;
  if (shapes.kind[row] == 0) // 0 circle, 1 rect, otherwise polygon or line
    t->radius = shapes.radius[row];
  else if (shapes.kind[row] == 1)
    read_rectangle(g, r, t, shapes.width[row], shapes.height[row]);
  else
    read_outline(g, r, t, strings_text(world_strings(w), shapes.points[row]));
}

static void add_trail(ghosts_o *g, run_t *r, world_o *w, shoal_entity e) {
  const manager_o *m = world_find_manager(w, "transform");
  if (r->trails.count == GHOSTS_MAX_ENTITIES || !world_is_alive(w, e) || !m || manager_row(m, e) == ROW_NONE)
    return;
  for (uint32_t i = 0; i < r->trails.count; ++i)
    if (r->trails.items[i].entity == e)
      return;
  trail_t t = {.entity = e, .first = r->trails.count * (r->ticks + 1)};
  read_appearance(g, r, &t, w);
  array_push(g->allocator, &r->trails, t);
}

static void add_matching_trails(ghosts_o *g, run_t *r, world_o *w, const char *name) {
  uint32_t id = strings_find(world_strings(w), name);
  const manager_o *m = world_find_manager(w, name), *names = world_find_manager(w, "name");
  const entities_t *all = world_entities(w);
  for (uint32_t row = 0; m && m->schema.kind != SCHEMA_SINGLE && row < m->count; ++row)
    add_trail(g, r, w, m->owner[row]);
  for (uint32_t i = 1; id != 0 && i < all->used; ++i)
    if (all->alive[i] && all->assemblage[i] == id)
      add_trail(g, r, w, i | (uint32_t)all->generation[i] << SHOAL_ENTITY_INDEX_BITS);
  const uint32_t *values = name_columns_of(names).value;
  for (uint32_t row = 0; id != 0 && names && row < names->count; ++row)
    if (values[row] == id)
      add_trail(g, r, w, names->owner[row]);
}

// --- running

// Records the current poses. The trail of an entity that was destroyed or no longer has a transform ends.
static void record_poses(run_t *r, world_o *w) {
  const manager_o *m = world_find_manager(w, "transform");
  float at[16];
  for (uint32_t i = 0; i < r->trails.count; ++i) {
    trail_t *t = &r->trails.items[i];
    uint32_t row = t->dies ? ROW_NONE : manager_row(m, t->entity);
    if (row == ROW_NONE) {
      t->dies = true;
      continue;
    }
    shoal_assert(t->count <= r->ticks, "a trail can have at most %u + 1 poses", r->ticks);
    manager_compute_derived_field(m, SHOAL_COLUMN_INDEX(transform, world), NULL, row, 1, at);
    r->poses.items[t->first + t->count++] = (ghost_pose_t){at[0], at[1], at[4], at[5], at[12], at[13]};
  }
}

static bool create_fork(ghosts_o *g, game_o *game) {
  if (g->fork || g->broken)
    return !g->broken;
  game_desc_t desc = game->desc;
  script_report_t report;
  world_migrate_counts_t counts = {0};
  desc.draw = g->draw;
  desc.audio = g->audio;
  desc.log = g->log;
  desc.jobs = NULL;
  desc.library = (vm_library_t){0};
  desc.plugins_before = game->plugins;
  desc.plugins_as_before = desc.plugins_copied = true;
  desc.undo = desc.tick_rollback_stops = false;
  desc.external = NULL; // external input that the prediction reads must not be recorded
  g->fork = game_create(&desc, true, &report);
  if (g->fork && !game_migrate_from(g->fork, game, &(game_migrate_desc_t){0}, &counts, &report))
    destroy_fork(g);
  g->broken = !g->fork;
  return g->fork;
}

static bool begin_run(ghosts_o *g, game_o *game, uint64_t hash) {
  run_t *r = &g->runs[!g->seen];
  r->complete = false;
  if (!create_fork(g, game) || !snapshot_take(g->state, game->world, NULL) ||
      !snapshot_restore(g->state, g->fork->world, NULL))
    return false;
  g->fork->input = game->input;
  g->fork->input_before = game->input_before;
  r->trails.count = r->outlines.count = r->done = 0;
  r->ticks = g->ticks;
  r->tick = world_tick(game->world);
  r->hash = hash;
  for (uint32_t i = 0; i < g->entities.count; ++i)
    add_trail(g, r, game->world, g->entities.items[i]);
  for (uint32_t i = 0; i < g->name_count; ++i)
    add_matching_trails(g, r, game->world, g->names[i]);
  array_reserve(g->allocator, &r->poses, r->trails.count * (r->ticks + 1) + 1);
  record_poses(r, g->fork->world);
  return true;
}

static void feed_recorded_input(ghosts_o *g, const input_log_o *inputs) {
  input_log_item_t x;
  uint64_t next = world_tick(g->fork->world) + 1;
  input_state_t held = g->fork->input;
  for (uint32_t i = 0; inputs && input_log_get_item(inputs, next, i, &x); ++i)
    if (!x.idle) {
      g->fork->input = x.before;
      held = x.now;
    }
  game_set_input(g->fork, &held);
}

static void run_tick(ghosts_o *g, run_t *r, const input_log_o *inputs) {
  script_report_t unheard;
  shoal_assert(r->done < r->ticks, "tick %u exceeds the run of %u ticks", r->done + 1, r->ticks);
  feed_recorded_input(g, inputs);
  game_tick(g->fork);
  while (game_pop_reports(g->fork, &unheard, 1)) {
  }
  g->fork->requests = (script_requests_t){0};
  record_poses(r, g->fork->world);
  r->done++;
}

static bool is_run_current(const run_t *r, const ghosts_o *g, uint64_t tick, uint64_t hash) {
  return r->ticks == g->ticks && r->tick == tick && r->hash == hash;
}

void ghosts_advance(ghosts_o *g, game_o *game, const input_log_o *inputs, double budget_s) {
  shoal_assert(game && budget_s >= 0, "game must not be NULL and budget_s not negative");
  run_t *r = &g->runs[!g->seen];
  double until_s = now_s() + budget_s;
  if (!ghosts_are_enabled(g) || g->ticks == 0)
    return;
  bool at_work = g->fork && r->ticks == g->ticks && r->done > 0 && r->done < r->ticks;
  if (!at_work) {
    uint64_t tick = world_tick(game->world), hash = world_hash(game->world);
    if ((g->runs[g->seen].complete && is_run_current(&g->runs[g->seen], g, tick, hash)) || !begin_run(g, game, hash))
      return;
  }
  do
    run_tick(g, r, inputs);
  while (r->done < r->ticks && now_s() < until_s);
  if (r->done < r->ticks)
    return;
  r->complete = true;
  g->runs[g->seen].complete = false;
  g->seen = !g->seen;
}

// --- predicted trails

uint32_t ghosts_count(const ghosts_o *g) {
  const run_t *r = &g->runs[g->seen];
  return r->complete ? r->trails.count : 0;
}

uint64_t ghosts_tick(const ghosts_o *g) {
  return g->runs[g->seen].tick;
}

void ghosts_get(const ghosts_o *g, uint32_t i, ghost_trail_t *out) {
  shoal_assert(i < ghosts_count(g), "trail %u is out of range (count %u)", i, ghosts_count(g));
  const run_t *r = &g->runs[g->seen];
  const trail_t *t = &r->trails.items[i];
  *out = (ghost_trail_t){
      .entity = t->entity,
      .colour = {t->colour[0], t->colour[1], t->colour[2]},
      .radius = t->radius,
      .outline = t->outline_count > 0 ? r->outlines.items + t->outline : NULL,
      .outline_count = t->outline_count,
      .poses = r->poses.items + t->first,
      .count = t->count,
      .dies = t->dies,
  };
}
