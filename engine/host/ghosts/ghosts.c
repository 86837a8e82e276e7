// Forks the game, simulates the fork ahead, and records the trails of chosen entities.
#include "ghosts/ghosts.h"

#include "base/array.h"
#include "base/assert.h"
#include "game/players.h"
#include "base/now.h"
#include "collision/body.h"
#include "components/name.h"
#include "components/data_components.h"
#include "ecs/world_hash.h"
#include "transform/transform.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 16u
#define MAX_OUTLINE 64u // maximum number of points per outline

typedef struct trail_t {
  shoal_entity entity;
  float colour[3], radius;
  uint32_t outline_start, outline_count; // `outline_start`: index in `outlines`; `outline_count`: number of points
  uint32_t pose_start, pose_count;       // range in `poses`
  bool dies;
} trail_t;

// A prediction. Each trail has capacity for ticks + 1 poses.
typedef struct run_t {
  ARRAY(trail_t) trails;
  ARRAY(ghost_pose_t) poses;
  ARRAY(float) outlines;
  uint64_t start_tick, start_hash; // tick and world hash at the start of the run
  uint32_t tick_count, ticks_done;
  bool complete;
} run_t;

struct ghosts_o {
  allocator_t *allocator;
  const assets_t *assets;
  log_o *log; // log that discards all messages
  draw_o *draw;
  audio_o *audio;
  game_o *fork;     // fork of the game; NULL until it is needed
  bool fork_failed; // true if the fork could not be created with the current code
  snapshot_o *state;
  char names[MAX_NAMES][64];
  uint32_t name_count;
  ARRAY(shoal_entity) entities;
  uint32_t ticks;
  run_t runs[2];      // the run in progress, and the last complete run
  uint32_t shown_run; // index of the last complete run
};

ghosts_o *ghosts_create(allocator_t *a, const assets_t *assets) {
  ghosts_o *g = alloc_resize(a, NULL, 0, sizeof *g);
  *g = (ghosts_o){.allocator = a, .assets = assets};
  g->log = log_create(LOG_NONE);
  log_set_terminal(g->log, false); // print() then writes to the log, which discards all messages
  g->draw = draw_create();
  g->audio = audio_create(true, assets, g->log);
  g->state = snapshot_create(a);
  return g;
}

static void destroy_fork(ghosts_o *g) {
  game_destroy(g->fork);
  g->fork = NULL;
  g->runs[!g->shown_run].complete = false;
  g->runs[!g->shown_run].tick_count = 0;
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
  for (uint32_t i = 0; i < 2; ++i) { // discards both runs, because the chosen entities have changed
    g->runs[i].tick_count = 0;
    g->runs[i].complete = false;
  }
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
  g->fork_failed = false;
  // Marks the run as outdated. Its trails are drawn until the next run is complete.
  g->runs[g->shown_run].start_hash = ~g->runs[g->shown_run].start_hash;
}

// --- trails

// Appends the points of an outline, "x,y x,y …", to the run. Ignores points beyond MAX_OUTLINE.
static void read_outline(ghosts_o *g, run_t *run, trail_t *trail, const char *text) {
  trail->outline_start = run->outlines.count;
  for (uint32_t i = 0; i < 2 * MAX_OUTLINE && *text;) {
    char *end = NULL;
    float number = strtof(text, &end);
    if (end == text) {
      text++; // skips separators
      continue;
    }
    array_push(g->allocator, &run->outlines, number);
    text = end;
    i++;
  }
  trail->outline_count = (run->outlines.count - trail->outline_start) / 2;
}

static void read_rectangle(ghosts_o *g, run_t *run, trail_t *trail, float width, float height) {
  const float corners[] = {-1, -1, 1, -1, 1, 1, -1, 1};
  trail->outline_start = run->outlines.count;
  trail->outline_count = 4;
  for (uint32_t i = 0; i < 8; ++i)
    array_push(g->allocator, &run->outlines, corners[i] * 0.5f * (i % 2 == 0 ? width : height));
}

static void read_appearance(ghosts_o *g, run_t *run, trail_t *trail, world_o *w) {
  static const float PALE[] = {0.55f, 0.8f, 1.0f};
  const manager_o *shape = world_find_manager(w, "shape"), *sprite = world_find_manager(w, "sprite");
  const manager_o *body = world_find_manager(w, "body");
  shape_columns shapes = shape_columns_of(shape);
  sprite_columns sprites = sprite_columns_of(sprite);
  uint32_t row = shape ? manager_row(shape, trail->entity) : ROW_NONE;
  uint32_t sprite_row = sprite ? manager_row(sprite, trail->entity) : ROW_NONE;
  uint32_t body_row = body ? manager_row(body, trail->entity) : ROW_NONE;
  const float *const colour[4] = SHOAL_VEC4_PARTS(shapes.colour);
  const float *const tint[4] = SHOAL_VEC4_PARTS(sprites.tint);
  for (uint32_t i = 0; i < 3; ++i)
    trail->colour[i] = row != ROW_NONE          ? colour[i][row]
                       : sprite_row != ROW_NONE ? PALE[i] * tint[i][sprite_row]
                                                : PALE[i];
  trail->radius = body_row != ROW_NONE ? body_columns_of(body).radius[body_row] : 0;
  if (row == ROW_NONE)
    return;
  if (shapes.kind[row] == 0) // 0: circle; 1: rect; larger: polygon or line
    trail->radius = shapes.radius[row];
  else if (shapes.kind[row] == 1)
    read_rectangle(g, run, trail, shapes.width[row], shapes.height[row]);
  else
    read_outline(g, run, trail, strings_text(world_strings(w), shapes.points[row]));
}

static void add_trail(ghosts_o *g, run_t *run, world_o *w, shoal_entity e) {
  const manager_o *m = world_find_manager(w, "transform");
  if (run->trails.count == GHOSTS_MAX_ENTITIES || !world_is_alive(w, e) || !m || manager_row(m, e) == ROW_NONE)
    return;
  for (uint32_t i = 0; i < run->trails.count; ++i)
    if (run->trails.items[i].entity == e)
      return;
  trail_t trail = {.entity = e, .pose_start = run->trails.count * (run->tick_count + 1)};
  read_appearance(g, run, &trail, w);
  array_push(g->allocator, &run->trails, trail);
}

static void add_matching_trails(ghosts_o *g, run_t *run, world_o *w, const char *name) {
  uint32_t id = strings_find(world_strings(w), name);
  const manager_o *m = world_find_manager(w, name), *names = world_find_manager(w, "name");
  const entities_t *entities = world_entities(w);
  for (uint32_t row = 0; m && m->schema.kind != SCHEMA_SINGLE && row < m->count; ++row)
    add_trail(g, run, w, m->owner[row]);
  for (uint32_t i = 1; id != 0 && i < entities->used; ++i)
    if (entities->alive[i] && entities->assemblage[i] == id)
      add_trail(g, run, w, i | (uint32_t)entities->generation[i] << SHOAL_ENTITY_INDEX_BITS);
  const uint32_t *values = name_columns_of(names).value;
  for (uint32_t row = 0; id != 0 && names && row < names->count; ++row)
    if (values[row] == id)
      add_trail(g, run, w, names->owner[row]);
}

// --- running

// Records the current poses. The trail of an entity that was destroyed or no longer has a transform ends.
static void record_poses(run_t *run, world_o *w) {
  const manager_o *m = world_find_manager(w, "transform");
  float matrix[16];
  for (uint32_t i = 0; i < run->trails.count; ++i) {
    trail_t *trail = &run->trails.items[i];
    uint32_t row = trail->dies ? ROW_NONE : manager_row(m, trail->entity);
    if (row == ROW_NONE) {
      trail->dies = true;
      continue;
    }
    shoal_assert(trail->pose_count <= run->tick_count, "a trail can have at most %u + 1 poses", run->tick_count);
    manager_compute_derived_field(m, SHOAL_COLUMN_INDEX(transform, world), NULL, row, 1, matrix);
    run->poses.items[trail->pose_start + trail->pose_count++] =
        (ghost_pose_t){matrix[0], matrix[1], matrix[4], matrix[5], matrix[12], matrix[13]};
  }
}

static bool create_fork(ghosts_o *g, game_o *game) {
  if (g->fork || g->fork_failed)
    return !g->fork_failed;
  game_desc_t desc = game->desc;
  script_report_t report;
  world_migrate_counts_t counts = {0};
  desc.draw = g->draw;
  desc.audio = g->audio;
  desc.log = g->log;
  desc.jobs = NULL;
  desc.library = (vm_library_t){0};
  desc.old_plugins = game->plugins;
  desc.reuse_libraries = desc.in_fork = true;
  desc.undo_failures = desc.undo_stops = false;
  desc.external = NULL; // external input that the prediction reads must not be recorded
  g->fork = game_create(&desc, true, &report);
  if (g->fork && !game_migrate_from(g->fork, game, &(game_migrate_desc_t){0}, &counts, &report))
    destroy_fork(g);
  g->fork_failed = !g->fork;
  return g->fork;
}

static bool begin_run(ghosts_o *g, game_o *game, uint64_t hash) {
  run_t *run = &g->runs[!g->shown_run];
  run->complete = false;
  if (!create_fork(g, game) || !snapshot_take(g->state, game->world, NULL) ||
      !snapshot_restore(g->state, g->fork->world, NULL))
    return false;
  g->fork->input = game->input;
  g->fork->input_before = game->input_before;
  run->trails.count = run->outlines.count = run->ticks_done = 0;
  run->tick_count = g->ticks;
  run->start_tick = world_tick(game->world);
  run->start_hash = hash;
  for (uint32_t i = 0; i < g->entities.count; ++i)
    add_trail(g, run, game->world, g->entities.items[i]);
  for (uint32_t i = 0; i < g->name_count; ++i)
    add_matching_trails(g, run, game->world, g->names[i]);
  array_reserve(g->allocator, &run->poses, run->trails.count * (run->tick_count + 1) + 1);
  record_poses(run, g->fork->world);
  return true;
}

// Stores the next tick's input in `out`: the recorded input or, after the end of the recording, the last input with its
// controls held.
static void get_next_input(const ghosts_o *g, const input_log_o *inputs, logged_input_t *out) {
  if (inputs && input_log_get_tick(inputs, world_tick(g->fork->world) + 1, out))
    return;
  out->previous_input = out->input = g->fork->input;
  players_hold(&out->input);
}

static void run_tick(ghosts_o *g, run_t *run, const input_log_o *inputs) {
  script_report_t report;
  logged_input_t item;
  shoal_assert(run->ticks_done < run->tick_count, "tick %u exceeds the run of %u ticks", run->ticks_done + 1,
               run->tick_count);
  get_next_input(g, inputs, &item);
  g->fork->input = item.previous_input;
  game_run(g->fork, GAME_TICK, &(game_io_t){.devices = &item.input});
  while (game_pop_reports(g->fork, &report, 1)) {
  }
  g->fork->requests = (script_requests_t){0};
  record_poses(run, g->fork->world);
  run->ticks_done++;
}

static bool is_run_current(const run_t *run, const ghosts_o *g, uint64_t tick, uint64_t hash) {
  return run->tick_count == g->ticks && run->start_tick == tick && run->start_hash == hash;
}

void ghosts_advance(ghosts_o *g, game_o *game, const input_log_o *inputs, double budget_s) {
  shoal_assert(game && budget_s >= 0, "game must not be NULL and budget_s not negative");
  run_t *run = &g->runs[!g->shown_run];
  double deadline_s = now_s() + budget_s;
  if (!ghosts_are_enabled(g) || g->ticks == 0)
    return;
  bool in_progress = g->fork && run->tick_count == g->ticks && run->ticks_done > 0 && run->ticks_done < run->tick_count;
  if (!in_progress) {
    uint64_t tick = world_tick(game->world), hash = world_hash(game->world);
    if ((g->runs[g->shown_run].complete && is_run_current(&g->runs[g->shown_run], g, tick, hash)) ||
        !begin_run(g, game, hash))
      return;
  }
  do
    run_tick(g, run, inputs);
  while (run->ticks_done < run->tick_count && now_s() < deadline_s);
  if (run->ticks_done < run->tick_count)
    return;
  run->complete = true;
  g->runs[g->shown_run].complete = false;
  g->shown_run = !g->shown_run;
}

// --- predicted trails

// Returns true if at least one tick of the run has been computed for the chosen entities.
static bool has_part(const run_t *run) {
  return run->tick_count > 0 && run->ticks_done > 0;
}

// Returns the complete run or, before the first run is complete, the run that is being computed.
static const run_t *get_visible_run(const ghosts_o *g) {
  const run_t *shown = &g->runs[g->shown_run], *next = &g->runs[!g->shown_run];
  return !shown->complete && has_part(next) ? next : shown;
}

uint32_t ghosts_count(const ghosts_o *g) {
  const run_t *run = get_visible_run(g);
  return run->complete || has_part(run) ? run->trails.count : 0;
}

uint64_t ghosts_tick(const ghosts_o *g) {
  return get_visible_run(g)->start_tick;
}

void ghosts_get(const ghosts_o *g, uint32_t i, ghost_trail_t *out) {
  shoal_assert(i < ghosts_count(g), "trail %u is out of range (count %u)", i, ghosts_count(g));
  const run_t *run = get_visible_run(g);
  const trail_t *trail = &run->trails.items[i];
  *out = (ghost_trail_t){
      .entity = trail->entity,
      .colour = {trail->colour[0], trail->colour[1], trail->colour[2]},
      .radius = trail->radius,
      .outline = trail->outline_count > 0 ? run->outlines.items + trail->outline_start : NULL,
      .outline_count = trail->outline_count,
      .poses = run->poses.items + trail->pose_start,
      .count = trail->pose_count,
      .dies = trail->dies,
  };
}
