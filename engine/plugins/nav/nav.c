// The nav plugin: pathfinding. Maintains a grid of the level with its obstacles, and a flow field for each requested
// goal. Stores the direction of each agent in columns. The grid and the fields are derived from the world, so they are
// not saved.
#include "plugins/scratch_array.h"
#include "plugins/enabled_rows.h"
#include "flow_field.h"

#include <shoal/plugin.h>

#include <math.h>
#include <string.h>

enum { MAX_FIELDS = 64, AGENTS_PER_PART = 512 };

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
  uint32_t goal;           // cell of the goal
  uint32_t map;            // `number` of the map for which the field was computed
  uint64_t last_used_tick; // most recent tick in which the field was used
  bool requested, free; // `requested`: true if an agent uses the field in this tick; `free`: true if the slot is empty
} field_t;

typedef struct nav_state_t {
  flow_map_t map;
  uint8_t *new_costs; // costs of the map under construction
  uint32_t cost_capacity, new_cost_capacity;
  uint32_t number; // number of the map; increases with each changed map
  float cell, left, top;
  bool map_is_current, limit_logged;
  field_t fields[MAX_FIELDS];
  uint32_t *rows, *goal_rows, *agent_fields;
  uint32_t row_capacity, goal_row_capacity, field_capacity;
  enabled_rows_t shown_obstacles, shown_agents;
  uint32_t *path;
  uint32_t path_capacity;
} nav_state_t;

// --- the map

static void get_position(const transform_columns *transforms, uint32_t row, float *x, float *y) {
  bool has_parent = transforms->parent[row] != 0;
  *x = has_parent ? transforms->world[row][12] : transforms->x[row];
  *y = has_parent ? transforms->world[row][13] : transforms->y[row];
}

static void read_settings(nav_state_t *state, const nav_columns *settings) {
  float cell = settings->cell[0] >= 1 && settings->cell[0] <= 1e6f ? settings->cell[0] : 32;
  float width = settings->width[0] > 0 ? settings->width[0] : 1,
        height = settings->height[0] > 0 ? settings->height[0] : 1;
  while (!(ceilf(width / cell) * ceilf(height / cell) <= (float)FLOW_MAX_CELLS) && cell < 1e30f)
    cell *= 2;
  state->cell = cell;
  state->left = isfinite(settings->left[0]) ? settings->left[0] : 0;
  state->top = isfinite(settings->top[0]) ? settings->top[0] : 0;
  state->map.width = isfinite(width) ? (uint32_t)ceilf(width / cell) : 1;
  state->map.height = isfinite(height) ? (uint32_t)ceilf(height / cell) : 1;
}

static int32_t clamp_cell(float cell, uint32_t count) {
  return !(cell >= 0) ? 0 : cell > (float)(count - 1) ? (int32_t)(count - 1) : (int32_t)cell;
}

// Adds an obstacle to all cells whose centres it contains. Walls override slow ground, and slower ground overrides
// faster ground.
static void rasterize_obstacle(const nav_state_t *state, uint8_t *cost, float x, float y, float half_x, float half_y,
                               bool is_round, uint8_t slowness) {
  float center_x = (x - state->left) / state->cell, center_y = (y - state->top) / state->cell;
  float reach_x = half_x / state->cell, reach_y = half_y / state->cell;
  bool is_outside = !(center_x + reach_x > 0 && center_x - reach_x < (float)state->map.width &&
                      center_y + reach_y > 0 && center_y - reach_y < (float)state->map.height);
  if (is_outside)
    return;
  int32_t first_x = clamp_cell(floorf(center_x - reach_x), state->map.width),
          last_x = clamp_cell(center_x + reach_x, state->map.width);
  int32_t first_y = clamp_cell(floorf(center_y - reach_y), state->map.height),
          last_y = clamp_cell(center_y + reach_y, state->map.height);
  for (int32_t cell_y = first_y; cell_y <= last_y; ++cell_y)
    for (int32_t cell_x = first_x; cell_x <= last_x; ++cell_x) {
      float dx = fabsf((float)cell_x + 0.5f - center_x), dy = fabsf((float)cell_y + 0.5f - center_y);
      bool is_covered = is_round ? dx * dx + dy * dy <= reach_x * reach_x : dx <= reach_x && dy <= reach_y;
      uint8_t *cell_cost = &cost[(uint32_t)cell_y * state->map.width + (uint32_t)cell_x];
      if (is_covered && *cell_cost != 0)
        *cell_cost = slowness == 0 || slowness > *cell_cost ? slowness : *cell_cost;
    }
}

static void rasterize_obstacles(shoal_context *c, nav_state_t *state, uint8_t *cost) {
  shoal_world *w = shoal_get_world(c);
  shoal_rows rows = shoal_get_rows(w, &nav_obstacle_component);
  const nav_obstacle_columns *obstacles = SHOAL_ROWS_COLUMNS(rows, nav_obstacle);
  const transform_columns *transforms = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &transform_component), transform);
  enabled_rows_read(&state->shown_obstacles, c, &nav_obstacle_component);
  GROW(state->rows, state->row_capacity, rows.count);
  shoal_find_rows(w, &transform_component, rows.entities, rows.count, state->rows);
  for (uint32_t i = 0; i < rows.count; ++i) {
    uint32_t row = state->rows[i];
    if (!obstacles->enabled[i] || row == SHOAL_NO_ROW || enabled_rows_index(&state->shown_obstacles, i) == SHOAL_NO_ROW)
      continue;
    float x, y, scale_x = fabsf(transforms->scale_x[row]), scale_y = fabsf(transforms->scale_y[row]);
    bool is_round = obstacles->kind[i] == 1;
    float half_x = is_round ? obstacles->radius[i] * scale_x : obstacles->width[i] / 2 * scale_x;
    float half_y = is_round ? half_x : obstacles->height[i] / 2 * scale_y;
    get_position(transforms, row, &x, &y);
    rasterize_obstacle(state, cost, x, y, half_x, half_y, is_round, obstacles->cost[i]);
  }
}

// Builds the map of the current world. If the map is unchanged, existing fields stay valid.
static void read_map(shoal_context *c, nav_state_t *state) {
  flow_map_t old_map = state->map;
  read_settings(state, SHOAL_ROWS_COLUMNS(shoal_get_rows(shoal_get_world(c), &nav_component), nav));
  uint32_t cells = state->map.width * state->map.height;
  GROW(state->new_costs, state->new_cost_capacity, cells);
  memset(state->new_costs, 1, cells);
  rasterize_obstacles(c, state, state->new_costs);
  bool is_unchanged = old_map.width == state->map.width && old_map.height == state->map.height && old_map.cost &&
                      memcmp(old_map.cost, state->new_costs, cells) == 0;
  if (!is_unchanged) {
    GROW(state->map.cost, state->cost_capacity, cells);
    memcpy(state->map.cost, state->new_costs, cells);
    ++state->number;
  }
  state->map_is_current = true;
}

// Returns the cell at a position, or FLOW_FAR if the position is outside of the map.
static uint32_t get_cell_at(const nav_state_t *state, float x, float y) {
  float cell_x = (x - state->left) / state->cell, cell_y = (y - state->top) / state->cell;
  if (!(cell_x >= 0 && cell_y >= 0 && cell_x < (float)state->map.width && cell_y < (float)state->map.height))
    return FLOW_FAR;
  return (uint32_t)cell_y * state->map.width + (uint32_t)cell_x;
}

// --- fields

// Returns the index of a goal's field. Computes a missing field, in an empty slot or in place of the least recently
// used field. Returns MAX_FIELDS if other goals use all fields in this tick.
static uint32_t find_or_compute_field(nav_state_t *state, uint32_t goal, uint64_t tick) {
  uint32_t slot = MAX_FIELDS;
  for (uint32_t i = 0; i < MAX_FIELDS; ++i) {
    field_t *field = &state->fields[i];
    if (!field->free && field->goal == goal && field->map == state->number) {
      field->last_used_tick = tick;
      field->requested = true;
      return i;
    }
    if (!field->requested &&
        (slot == MAX_FIELDS || field->free > state->fields[slot].free ||
         (field->free == state->fields[slot].free && field->last_used_tick < state->fields[slot].last_used_tick)))
      slot = i;
  }
  if (slot == MAX_FIELDS)
    return slot;
  field_t *field = &state->fields[slot];
  field->goal = goal;
  field->map = state->number;
  field->last_used_tick = tick;
  field->requested = true;
  field->free = false;
  flow_field_compute(&field->flow, &state->map, &goal, 1);
  return slot;
}

// --- agents

typedef struct steering_t {
  const nav_state_t *n;
  const nav_agent_columns *out;
  const transform_columns *t;
  uint32_t count;
} steering_t;

static void steer_agent(const steering_t *steering, uint32_t i) {
  const nav_state_t *nav_state = steering->n;
  const nav_agent_columns *agents = steering->out;
  if (enabled_rows_index(&nav_state->shown_agents, i) == SHOAL_NO_ROW)
    return;
  agents->dir_x[i] = agents->dir_y[i] = 0;
  agents->distance[i] = -1;
  if (nav_state->agent_fields[i] >= MAX_FIELDS)
    return;
  const field_t *field = &nav_state->fields[nav_state->agent_fields[i]];
  float x, y, goal_x, goal_y;
  get_position(steering->t, nav_state->rows[i], &x, &y);
  get_position(steering->t, nav_state->goal_rows[i], &goal_x, &goal_y);
  uint32_t cell = get_cell_at(nav_state, x, y);
  if (cell == FLOW_FAR)
    return;
  uint32_t distance = field->flow.distance[cell];
  if (distance > 0) {
    flow_field_find_direction(&field->flow, &nav_state->map, (x - nav_state->left) / nav_state->cell,
                              (y - nav_state->top) / nav_state->cell, &agents->dir_x[i], &agents->dir_y[i]);
    agents->distance[i] = distance == FLOW_FAR ? -1 : (float)distance * nav_state->cell / FLOW_STRAIGHT;
    return;
  }
  float dx = goal_x - x, dy = goal_y - y, length = sqrtf(dx * dx + dy * dy); // the agent is in the cell of the goal
  agents->dir_x[i] = length > 1 ? dx / length : 0;
  agents->dir_y[i] = length > 1 ? dy / length : 0;
  agents->distance[i] = length;
}

static void steer_part(void *data, uint32_t part, uint32_t worker) {
  (void)worker;
  const steering_t *steering = data;
  uint32_t end = (part + 1) * AGENTS_PER_PART < steering->count ? (part + 1) * AGENTS_PER_PART : steering->count;
  for (uint32_t i = part * AGENTS_PER_PART; i < end; ++i)
    steer_agent(steering, i);
}

// Selects a field for each agent and computes missing fields.
static void choose_fields(shoal_context *c, nav_state_t *state, const steering_t *steering) {
  for (uint32_t i = 0; i < MAX_FIELDS; ++i)
    state->fields[i].requested = false;
  for (uint32_t i = 0; i < steering->count; ++i) {
    state->agent_fields[i] = MAX_FIELDS;
    bool is_enabled = enabled_rows_index(&state->shown_agents, i) != SHOAL_NO_ROW;
    if (!is_enabled || state->rows[i] == SHOAL_NO_ROW || state->goal_rows[i] == SHOAL_NO_ROW)
      continue;
    float x, y;
    get_position(steering->t, state->goal_rows[i], &x, &y);
    uint32_t goal = get_cell_at(state, x, y);
    if (goal == FLOW_FAR)
      continue;
    state->agent_fields[i] = find_or_compute_field(state, goal, shoal_tick(c));
    if (state->agent_fields[i] == MAX_FIELDS && !state->limit_logged) {
      shoal_log(c, SHOAL_LOG_WARN,
                "too many different goals (at most %d), so some agents stand still: share goals between agents",
                MAX_FIELDS);
      state->limit_logged = true;
    }
  }
}

static void steer(shoal_context *c, const shoal_view *v, float dt_s) {
  shoal_world *w = shoal_get_world(c);
  (void)v, (void)dt_s;
  nav_state_t *state = shoal_plugin_state(c);
  shoal_rows rows = shoal_get_rows(w, &nav_agent_component);
  if (rows.count == 0)
    return;
  read_map(c, state);
  steering_t steering = {state, SHOAL_ROWS_COLUMNS(rows, nav_agent),
                         SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &transform_component), transform), rows.count};
  GROW(state->rows, state->row_capacity, rows.count);
  GROW(state->goal_rows, state->goal_row_capacity, rows.count);
  GROW(state->agent_fields, state->field_capacity, rows.count);
  shoal_find_rows(w, &transform_component, rows.entities, rows.count, state->rows);
  shoal_find_rows(w, &transform_component, steering.out->goal, rows.count, state->goal_rows);
  enabled_rows_read(&state->shown_agents, c, &nav_agent_component);
  choose_fields(c, state, &steering);
  shoal_parallel_for(c, steer_part, &steering, (rows.count + AGENTS_PER_PART - 1) / AGENTS_PER_PART);
}

static void mark_map_stale(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)v, (void)dt_s;
  ((nav_state_t *)shoal_plugin_state(c))->map_is_current = false;
}

// --- functions for scripts, which use the map built by the first call in this tick or by the steering of agents

static nav_state_t *get_current_map(shoal_context *c) {
  nav_state_t *state = shoal_plugin_state(c);
  if (!state->map_is_current)
    read_map(c, state);
  return state;
}

static void script_path(shoal_context *c, const shoal_value *in, shoal_value *out) {
  nav_state_t *state = get_current_map(c);
  uint32_t start = get_cell_at(state, (float)in[0].number, (float)in[1].number), count = 0;
  uint32_t goal = get_cell_at(state, (float)in[2].number, (float)in[3].number);
  flow_field_t field = {0};
  if (start != FLOW_FAR && goal != FLOW_FAR) {
    flow_field_compute(&field, &state->map, &goal, 1);
    count = flow_field_find_path(&field, &state->map, start, NULL, 0);
    GROW(state->path, state->path_capacity, count);
    flow_field_find_path(&field, &state->map, start, state->path, count);
  }
  flow_field_free(&field);
  double *x = shoal_return_numbers(c, &out[0], count), *y = shoal_return_numbers(c, &out[1], count);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t column = state->path[i] % state->map.width, row = state->path[i] / state->map.width;
    x[i] = (double)(state->left + ((float)column + 0.5f) * state->cell);
    y[i] = (double)(state->top + ((float)row + 0.5f) * state->cell);
  }
}

static void script_cost(shoal_context *c, const shoal_value *in, shoal_value *out) {
  nav_state_t *state = get_current_map(c);
  uint32_t cell = get_cell_at(state, (float)in[0].number, (float)in[1].number);
  out[0].number = cell == FLOW_FAR ? 0 : state->map.cost[cell];
}

// --- the plugin

static void *open(shoal_context *c) {
  nav_state_t *state = shoal_realloc(c, NULL, 0, sizeof *state);
  memset(state, 0, sizeof *state);
  for (uint32_t i = 0; i < MAX_FIELDS; ++i)
    state->fields[i].free = true;
  return state;
}

static void close(shoal_context *c, void *data) {
  nav_state_t *state = data;
  for (uint32_t i = 0; i < MAX_FIELDS; ++i)
    flow_field_free(&state->fields[i].flow);
  free(state->map.cost);
  free(state->new_costs);
  free(state->rows);
  free(state->goal_rows);
  free(state->agent_fields);
  free(state->path);
  enabled_rows_free(&state->shown_obstacles);
  enabled_rows_free(&state->shown_agents);
  shoal_realloc(c, state, sizeof *state, 0);
}

static void on_restored(shoal_context *c) {
  ((nav_state_t *)shoal_plugin_state(c))->map_is_current = false;
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
