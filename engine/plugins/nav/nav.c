// The nav plugin: pathfinding. Maintains a grid of the level with its obstacles, a flow field for each requested goal,
// and the direction of each agent in columns. The grid and the fields are derived from the world, so they are not
// saved.
#include "plugins/scratch_array.h"
#include "plugins/enabled_rows.h"
#include "flow_field.h"

#include <shoal/plugin.h>

#include <math.h>
#include <string.h>

enum { MAX_FIELDS = 64, PART_AGENTS = 512 };

#define NAV_FIELDS(F)                                                                                                  \
  F(f32, cell, 32, .unit = "px", .doc = "side length of a cell")                                                       \
  F(f32, left, 0, .unit = "px")                                                                                        \
  F(f32, top, 0, .unit = "px")                                                                                         \
  F(f32, width, 1280, .unit = "px")                                                                                    \
  F(f32, height, 720, .unit = "px")

#define NAV_OBSTACLE_FIELDS(F)                                                                                         \
  F(enum, kind, "box circle")                                                                                          \
  F(f32, width, 32, .unit = "px")                                                                                      \
  F(f32, height, 32, .unit = "px")                                                                                     \
  F(f32, radius, 16, .unit = "px")                                                                                     \
  F(u8, cost, 0, .doc = "0: wall; otherwise, cost relative to open ground")                                            \
  F(bool, enabled, 1)

#define NAV_AGENT_FIELDS(F)                                                                                            \
  F(entity, goal, .doc = "goal: an entity with a transform")                                                           \
  F(f32, dir_x, 0, .flags = SHOAL_READ_ONLY, .doc = "direction, a unit vector; 0 at the goal and if there is no path") \
  F(f32, dir_y, 0, .flags = SHOAL_READ_ONLY)                                                                           \
  F(f32, distance, -1, .flags = SHOAL_READ_ONLY, .unit = "px", .doc = "length of the path; -1 if there is no path")

SHOAL_COMPONENT(transform, SHOAL_TRANSFORM_FIELDS)
SHOAL_SINGLE(nav, NAV_FIELDS)
SHOAL_COMPONENT(nav_obstacle, NAV_OBSTACLE_FIELDS)
SHOAL_COMPONENT(nav_agent, NAV_AGENT_FIELDS)

typedef struct field_t {
  flow_field_t flow;
  uint32_t goal;     // cell of the goal
  uint32_t map;      // `number` of the map for which the field was computed
  uint64_t used;     // most recent tick in which the field was used
  bool wanted, free; // wanted: requested in this tick; free: empty
} field_t;

typedef struct nav_state_t {
  flow_map_t map;
  uint8_t *other; // costs of the map under construction
  uint32_t cost_capacity, other_capacity;
  uint32_t number; // increases with each changed map
  float cell, left, top;
  bool fresh, limit_logged;
  field_t fields[MAX_FIELDS];
  uint32_t *rows, *goal_rows, *field_of;
  uint32_t row_capacity, goal_row_capacity, field_capacity;
  enabled_rows_t shown_obstacles, shown_agents;
  uint32_t *path;
  uint32_t path_capacity;
} nav_state_t;

// --- the map

static void get_position(const transform_columns *t, uint32_t row, float *x, float *y) {
  bool in_parent = t->parent[row] != 0;
  *x = in_parent ? t->world[row][12] : t->x[row];
  *y = in_parent ? t->world[row][13] : t->y[row];
}

static void read_settings(nav_state_t *n, const nav_columns *in) {
  float cell = in->cell[0] >= 1 && in->cell[0] <= 1e6f ? in->cell[0] : 32;
  float width = in->width[0] > 0 ? in->width[0] : 1, height = in->height[0] > 0 ? in->height[0] : 1;
  while (!(ceilf(width / cell) * ceilf(height / cell) <= (float)FLOW_MAX_CELLS) && cell < 1e30f)
    cell *= 2;
  n->cell = cell;
  n->left = isfinite(in->left[0]) ? in->left[0] : 0;
  n->top = isfinite(in->top[0]) ? in->top[0] : 0;
  n->map.width = isfinite(width) ? (uint32_t)ceilf(width / cell) : 1;
  n->map.height = isfinite(height) ? (uint32_t)ceilf(height / cell) : 1;
}

static int32_t clamp_cell(float cell, uint32_t count) {
  return !(cell >= 0) ? 0 : cell > (float)(count - 1) ? (int32_t)(count - 1) : (int32_t)cell;
}

// Adds an obstacle to all cells whose centres it contains. Walls override slow ground, and slower ground overrides
// faster ground.
static void rasterize_obstacle(const nav_state_t *n, uint8_t *cost, float x, float y, float half_x, float half_y,
                               bool round, uint8_t how_slow) {
  float middle_x = (x - n->left) / n->cell, middle_y = (y - n->top) / n->cell;
  float reach_x = half_x / n->cell, reach_y = half_y / n->cell;
  bool outside = !(middle_x + reach_x > 0 && middle_x - reach_x < (float)n->map.width && middle_y + reach_y > 0 &&
                   middle_y - reach_y < (float)n->map.height);
  if (outside)
    return;
  int32_t first_x = clamp_cell(floorf(middle_x - reach_x), n->map.width),
          last_x = clamp_cell(middle_x + reach_x, n->map.width);
  int32_t first_y = clamp_cell(floorf(middle_y - reach_y), n->map.height),
          last_y = clamp_cell(middle_y + reach_y, n->map.height);
  for (int32_t cell_y = first_y; cell_y <= last_y; ++cell_y)
    for (int32_t cell_x = first_x; cell_x <= last_x; ++cell_x) {
      float dx = fabsf((float)cell_x + 0.5f - middle_x), dy = fabsf((float)cell_y + 0.5f - middle_y);
      bool covered = round ? dx * dx + dy * dy <= reach_x * reach_x : dx <= reach_x && dy <= reach_y;
      uint8_t *at = &cost[(uint32_t)cell_y * n->map.width + (uint32_t)cell_x];
      if (covered && *at != 0)
        *at = how_slow == 0 || how_slow > *at ? how_slow : *at;
    }
}

static void rasterize_obstacles(shoal_context *c, nav_state_t *n, uint8_t *cost) {
  shoal_world *w = shoal_get_world(c);
  shoal_rows table = shoal_get_rows(w, &nav_obstacle_component);
  const nav_obstacle_columns *in = SHOAL_ROWS_COLUMNS(table, nav_obstacle);
  const transform_columns *t = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &transform_component), transform);
  enabled_rows_read(&n->shown_obstacles, c, &nav_obstacle_component);
  GROW(n->rows, n->row_capacity, table.count);
  shoal_find_rows(w, &transform_component, table.entities, table.count, n->rows);
  for (uint32_t i = 0; i < table.count; ++i) {
    uint32_t row = n->rows[i];
    if (!in->enabled[i] || row == SHOAL_NO_ROW || enabled_rows_index(&n->shown_obstacles, i) == SHOAL_NO_ROW)
      continue;
    float x, y, scale_x = fabsf(t->scale_x[row]), scale_y = fabsf(t->scale_y[row]);
    bool round = in->kind[i] == 1;
    float half_x = round ? in->radius[i] * scale_x : in->width[i] / 2 * scale_x;
    float half_y = round ? half_x : in->height[i] / 2 * scale_y;
    get_position(t, row, &x, &y);
    rasterize_obstacle(n, cost, x, y, half_x, half_y, round, in->cost[i]);
  }
}

// Builds the map of the current world. If the map is unchanged, existing fields stay valid.
static void read_map(shoal_context *c, nav_state_t *n) {
  flow_map_t before = n->map;
  read_settings(n, SHOAL_ROWS_COLUMNS(shoal_get_rows(shoal_get_world(c), &nav_component), nav));
  uint32_t cells = n->map.width * n->map.height;
  GROW(n->other, n->other_capacity, cells);
  memset(n->other, 1, cells);
  rasterize_obstacles(c, n, n->other);
  bool same = before.width == n->map.width && before.height == n->map.height && before.cost &&
              memcmp(before.cost, n->other, cells) == 0;
  if (!same) {
    GROW(n->map.cost, n->cost_capacity, cells);
    memcpy(n->map.cost, n->other, cells);
    ++n->number;
  }
  n->fresh = true;
}

// Returns the cell at a position, or FLOW_FAR if the position is outside of the map.
static uint32_t cell_at(const nav_state_t *n, float x, float y) {
  float cell_x = (x - n->left) / n->cell, cell_y = (y - n->top) / n->cell;
  if (!(cell_x >= 0 && cell_y >= 0 && cell_x < (float)n->map.width && cell_y < (float)n->map.height))
    return FLOW_FAR;
  return (uint32_t)cell_y * n->map.width + (uint32_t)cell_x;
}

// --- fields

// Returns the index of the field of a goal. A missing field is computed, in an empty slot or in place of the least
// recently used field. Returns MAX_FIELDS if all fields are used by other goals in this tick.
static uint32_t find_or_compute_field(nav_state_t *n, uint32_t goal, uint64_t tick) {
  uint32_t best = MAX_FIELDS;
  for (uint32_t i = 0; i < MAX_FIELDS; ++i) {
    field_t *f = &n->fields[i];
    if (!f->free && f->goal == goal && f->map == n->number) {
      f->used = tick;
      f->wanted = true;
      return i;
    }
    if (!f->wanted && (best == MAX_FIELDS || f->free > n->fields[best].free ||
                       (f->free == n->fields[best].free && f->used < n->fields[best].used)))
      best = i;
  }
  if (best == MAX_FIELDS)
    return best;
  field_t *f = &n->fields[best];
  f->goal = goal;
  f->map = n->number;
  f->used = tick;
  f->wanted = true;
  f->free = false;
  flow_field_compute(&f->flow, &n->map, &goal, 1);
  return best;
}

// --- agents

typedef struct steer_t {
  const nav_state_t *n;
  const nav_agent_columns *out;
  const transform_columns *t;
  uint32_t count;
} steer_t;

static void steer_agent(const steer_t *s, uint32_t i) {
  const nav_state_t *n = s->n;
  const nav_agent_columns *o = s->out;
  if (enabled_rows_index(&n->shown_agents, i) == SHOAL_NO_ROW)
    return;
  o->dir_x[i] = o->dir_y[i] = 0;
  o->distance[i] = -1;
  if (n->field_of[i] >= MAX_FIELDS)
    return;
  const field_t *f = &n->fields[n->field_of[i]];
  float x, y, goal_x, goal_y;
  get_position(s->t, n->rows[i], &x, &y);
  get_position(s->t, n->goal_rows[i], &goal_x, &goal_y);
  uint32_t cell = cell_at(n, x, y);
  if (cell == FLOW_FAR)
    return;
  uint32_t distance = f->flow.distance[cell];
  if (distance > 0) {
    flow_field_find_direction(&f->flow, &n->map, (x - n->left) / n->cell, (y - n->top) / n->cell, &o->dir_x[i],
                              &o->dir_y[i]);
    o->distance[i] = distance == FLOW_FAR ? -1 : (float)distance * n->cell / FLOW_STRAIGHT;
    return;
  }
  float dx = goal_x - x, dy = goal_y - y, length = sqrtf(dx * dx + dy * dy); // the agent is in the cell of the goal
  o->dir_x[i] = length > 1 ? dx / length : 0;
  o->dir_y[i] = length > 1 ? dy / length : 0;
  o->distance[i] = length;
}

static void steer_part(void *data, uint32_t part, uint32_t worker) {
  (void)worker;
  const steer_t *s = data;
  uint32_t end = (part + 1) * PART_AGENTS < s->count ? (part + 1) * PART_AGENTS : s->count;
  for (uint32_t i = part * PART_AGENTS; i < end; ++i)
    steer_agent(s, i);
}

// Selects a field for each agent and computes missing fields.
static void choose_fields(shoal_context *c, nav_state_t *n, const steer_t *s) {
  for (uint32_t i = 0; i < MAX_FIELDS; ++i)
    n->fields[i].wanted = false;
  for (uint32_t i = 0; i < s->count; ++i) {
    n->field_of[i] = MAX_FIELDS;
    bool seen = enabled_rows_index(&n->shown_agents, i) != SHOAL_NO_ROW;
    if (!seen || n->rows[i] == SHOAL_NO_ROW || n->goal_rows[i] == SHOAL_NO_ROW)
      continue;
    float x, y;
    get_position(s->t, n->goal_rows[i], &x, &y);
    uint32_t goal = cell_at(n, x, y);
    if (goal == FLOW_FAR)
      continue;
    n->field_of[i] = find_or_compute_field(n, goal, shoal_tick(c));
    if (n->field_of[i] == MAX_FIELDS && !n->limit_logged) {
      shoal_log(c, SHOAL_LOG_WARN,
                "too many different goals (at most %d), so some agents stand still: share goals between agents",
                MAX_FIELDS);
      n->limit_logged = true;
    }
  }
}

static void steer(shoal_context *c, const shoal_view *v, float dt_s) {
  shoal_world *w = shoal_get_world(c);
  (void)v, (void)dt_s;
  nav_state_t *n = shoal_plugin_state(c);
  shoal_rows table = shoal_get_rows(w, &nav_agent_component);
  if (table.count == 0)
    return;
  read_map(c, n);
  steer_t s = {n, SHOAL_ROWS_COLUMNS(table, nav_agent),
               SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &transform_component), transform), table.count};
  GROW(n->rows, n->row_capacity, table.count);
  GROW(n->goal_rows, n->goal_row_capacity, table.count);
  GROW(n->field_of, n->field_capacity, table.count);
  shoal_find_rows(w, &transform_component, table.entities, table.count, n->rows);
  shoal_find_rows(w, &transform_component, s.out->goal, table.count, n->goal_rows);
  enabled_rows_read(&n->shown_agents, c, &nav_agent_component);
  choose_fields(c, n, &s);
  shoal_parallel_for(c, steer_part, &s, (table.count + PART_AGENTS - 1) / PART_AGENTS);
}

static void mark_map_stale(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)v, (void)dt_s;
  ((nav_state_t *)shoal_plugin_state(c))->fresh = false;
}

// --- functions for scripts, which use the map built by the first call in this tick or by the steering of agents

static nav_state_t *get_current_map(shoal_context *c) {
  nav_state_t *n = shoal_plugin_state(c);
  if (!n->fresh)
    read_map(c, n);
  return n;
}

static void script_path(shoal_context *c, const shoal_value *in, shoal_value *out) {
  nav_state_t *n = get_current_map(c);
  uint32_t from = cell_at(n, (float)in[0].number, (float)in[1].number), count = 0;
  uint32_t goal = cell_at(n, (float)in[2].number, (float)in[3].number);
  flow_field_t field = {0};
  if (from != FLOW_FAR && goal != FLOW_FAR) {
    flow_field_compute(&field, &n->map, &goal, 1);
    count = flow_field_find_path(&field, &n->map, from, NULL, 0);
    GROW(n->path, n->path_capacity, count);
    flow_field_find_path(&field, &n->map, from, n->path, count);
  }
  flow_field_free(&field);
  double *x = shoal_return_numbers(c, &out[0], count), *y = shoal_return_numbers(c, &out[1], count);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t column = n->path[i] % n->map.width, row = n->path[i] / n->map.width;
    x[i] = (double)(n->left + ((float)column + 0.5f) * n->cell);
    y[i] = (double)(n->top + ((float)row + 0.5f) * n->cell);
  }
}

static void script_cost(shoal_context *c, const shoal_value *in, shoal_value *out) {
  nav_state_t *n = get_current_map(c);
  uint32_t cell = cell_at(n, (float)in[0].number, (float)in[1].number);
  out[0].number = cell == FLOW_FAR ? 0 : n->map.cost[cell];
}

// --- the plugin

static void *open(shoal_context *c) {
  nav_state_t *n = shoal_realloc(c, NULL, 0, sizeof *n);
  memset(n, 0, sizeof *n);
  for (uint32_t i = 0; i < MAX_FIELDS; ++i)
    n->fields[i].free = true;
  return n;
}

static void close(shoal_context *c, void *state) {
  nav_state_t *n = state;
  for (uint32_t i = 0; i < MAX_FIELDS; ++i)
    flow_field_free(&n->fields[i].flow);
  free(n->map.cost);
  free(n->other);
  free(n->rows);
  free(n->goal_rows);
  free(n->field_of);
  free(n->path);
  enabled_rows_free(&n->shown_obstacles);
  enabled_rows_free(&n->shown_agents);
  shoal_realloc(c, n, sizeof *n, 0);
}

static void on_restored(shoal_context *c) {
  ((nav_state_t *)shoal_plugin_state(c))->fresh = false;
}

SHOAL_PLUGIN(.name = "nav", .version = 1, .doc = "pathfinding",
             .components = SHOAL_COMPONENTS(nav, nav_obstacle, nav_agent), .uses = SHOAL_COMPONENTS(transform),
             .systems = SHOAL_SYSTEMS(
                 {.name = "begin", .phase = SHOAL_PHASE_INPUT, .priority = -1000000, .run = mark_map_stale},
                 {.name = "steer", .phase = SHOAL_PHASE_PRE_UPDATE, .priority = 1000, .run = steer}),
             .functions = SHOAL_FUNCTIONS(
                 {.name = "path",
                  .parameters = "x1:number y1:number x2:number y2:number",
                  .results = "x:number[] y:number[]",
                  .doc = "Returns the centres of the cells on a path; the lists are empty if there is no path.",
                  .pure = true,
                  .call = script_path},
                 {.name = "cost",
                  .parameters = "x:number y:number",
                  .results = "cost:number",
                  .doc = "Returns the cost of the ground: 1 on open ground, 0 in walls and outside of the map.",
                  .pure = true,
                  .call = script_cost}),
             .open = open, .close = close, .on_restore = on_restored)
