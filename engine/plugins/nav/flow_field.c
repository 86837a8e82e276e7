// Runs Dijkstra's algorithm on integer costs with a binary heap. Each cell then follows the steepest descent.
#include "flow_field.h"

#include "plugins/scratch_array.h"

#include <math.h>
#include <string.h>

// Straight steps precede diagonal steps, so that straight steps are preferred among paths of equal length.
static const int STEPS[8][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}};

void flow_field_free(flow_field_t *field) {
  free(field->distance);
  free(field->heap);
  *field = (flow_field_t){0};
}

// Returns true if a step is possible, and stores the cell that it reaches in `target`. For a diagonal step, both
// adjacent cells must be free.
static bool can_step(const flow_map_t *map, uint32_t x, uint32_t y, int step, uint32_t *target) {
  int64_t target_x = (int64_t)x + STEPS[step][0], target_y = (int64_t)y + STEPS[step][1];
  if (target_x < 0 || target_y < 0 || target_x >= map->width || target_y >= map->height)
    return false;
  *target = (uint32_t)target_y * map->width + (uint32_t)target_x;
  if (map->cost[*target] == 0)
    return false;
  return step < 4 ||
         (map->cost[y * map->width + (uint32_t)target_x] != 0 && map->cost[(uint32_t)target_y * map->width + x] != 0);
}

// --- a heap of distances (upper 32 bits) and cells (lower 32 bits)

static void push_cell(flow_field_t *field, uint32_t distance, uint32_t cell) {
  GROW(field->heap, field->heap_capacity, field->heap_count + 1);
  uint64_t entry = (uint64_t)distance << 32 | cell;
  uint32_t index = field->heap_count++;
  for (; index > 0 && entry < field->heap[(index - 1) / 2]; index = (index - 1) / 2)
    field->heap[index] = field->heap[(index - 1) / 2];
  field->heap[index] = entry;
}

static uint64_t pop_cell(flow_field_t *field) {
  uint64_t top = field->heap[0], last = field->heap[--field->heap_count];
  uint32_t index = 0;
  for (;;) {
    uint32_t child = index * 2 + 1;
    if (child >= field->heap_count)
      break;
    if (child + 1 < field->heap_count && field->heap[child + 1] < field->heap[child])
      ++child;
    if (field->heap[child] > last)
      break;
    field->heap[index] = field->heap[child];
    index = child;
  }
  field->heap[index] = last;
  return top;
}

// --- distances

// Returns the cost of a step: the mean cost of both cells, multiplied by the length of the step.
static uint32_t get_step_cost(const flow_map_t *map, uint32_t source, uint32_t target, int step) {
  uint32_t source_cost = map->cost[source] ? map->cost[source] : 1, target_cost = map->cost[target];
  return (step < 4 ? FLOW_STRAIGHT : FLOW_DIAGONAL) * (source_cost + target_cost) / 2;
}

void flow_field_compute(flow_field_t *field, const flow_map_t *map, const uint32_t *goals, uint32_t goal_count) {
  uint32_t cells = map->width * map->height;
  GROW(field->distance, field->distance_capacity, cells);
  field->width = map->width;
  field->height = map->height;
  memset(field->distance, 0xff, cells * sizeof *field->distance);
  field->heap_count = 0;
  for (uint32_t i = 0; i < goal_count; ++i)
    if (goals[i] < cells) {
      field->distance[goals[i]] = 0;
      push_cell(field, 0, goals[i]);
    }
  while (field->heap_count > 0) {
    uint64_t entry = pop_cell(field);
    uint32_t cell = (uint32_t)entry, distance = (uint32_t)(entry >> 32), target;
    if (distance != field->distance[cell])
      continue; // outdated: a shorter path has been found
    for (int step = 0; step < 8; ++step) {
      if (!can_step(map, cell % map->width, cell / map->width, step, &target))
        continue;
      uint32_t new_distance = distance + get_step_cost(map, cell, target, step);
      if (new_distance < field->distance[target]) {
        field->distance[target] = new_distance;
        push_cell(field, new_distance, target);
      }
    }
  }
}

// --- paths

// Returns true if a path may step from `cell` in this direction, and stores the cell that it reaches in `target`. A
// step into a goal inside a wall is allowed, because the search has made the reverse step.
static bool can_follow_step(const flow_field_t *field, const flow_map_t *map, uint32_t cell, int step,
                            uint32_t *target) {
  int64_t x = (int64_t)(cell % map->width) + STEPS[step][0], y = (int64_t)(cell / map->width) + STEPS[step][1];
  if (x < 0 || y < 0 || x >= map->width || y >= map->height)
    return false;
  *target = (uint32_t)y * map->width + (uint32_t)x;
  uint32_t source;
  return field->distance[*target] != FLOW_FAR && (map->cost[*target] != 0 || field->distance[*target] == 0) &&
         (map->cost[cell] == 0 || can_step(map, (uint32_t)x, (uint32_t)y, step ^ 2, &source));
}

uint32_t flow_field_find_next(const flow_field_t *field, const flow_map_t *map, uint32_t cell) {
  uint32_t next = cell, min_distance = FLOW_FAR, target;
  for (int step = 0; step < 8; ++step)
    if (can_follow_step(field, map, cell, step, &target) && field->distance[target] < field->distance[cell] &&
        field->distance[target] + get_step_cost(map, target, cell, step) < min_distance) {
      min_distance = field->distance[target] + get_step_cost(map, target, cell, step);
      next = target;
    }
  return next;
}

uint32_t flow_field_find_path(const flow_field_t *field, const flow_map_t *map, uint32_t start, uint32_t *out,
                              uint32_t capacity) {
  if (start >= field->width * field->height || field->distance[start] == FLOW_FAR)
    return 0;
  uint32_t count = 0;
  for (uint32_t cell = start;;) {
    if (count < capacity)
      out[count] = cell;
    ++count;
    uint32_t next = flow_field_find_next(field, map, cell);
    if (next == cell)
      return count;
    cell = next;
  }
}

static bool compute_cell_direction(const flow_field_t *field, const flow_map_t *map, int64_t x, int64_t y, float *dx,
                                   float *dy) {
  if (x < 0 || y < 0 || x >= field->width || y >= field->height)
    return false;
  uint32_t cell = (uint32_t)y * field->width + (uint32_t)x;
  if (field->distance[cell] == FLOW_FAR || map->cost[cell] == 0)
    return false;
  uint32_t next = flow_field_find_next(field, map, cell);
  float sx = (float)(int32_t)(next % field->width - cell % field->width),
        sy = (float)(int32_t)(next / field->width - cell / field->width);
  float length = sqrtf(sx * sx + sy * sy);
  if (length == 0)
    return false;
  *dx = sx / length;
  *dy = sy / length;
  return true;
}

// Returns the nearest cell that has a path, for an agent inside a wall that was added at its position. Searches at most
// eight columns and rows away, and returns `cell` if it finds no such cell.
static uint32_t find_exit(const flow_field_t *field, const flow_map_t *map, uint32_t cell, float from_x, float from_y) {
  const int32_t REACH = 8;
  int32_t x = (int32_t)(cell % map->width), y = (int32_t)(cell / map->width);
  uint32_t exit_cell = cell;
  float min_distance = INFINITY;
  for (int32_t dy = -REACH; dy <= REACH; ++dy)
    for (int32_t dx = -REACH; dx <= REACH; ++dx) {
      if (x + dx < 0 || y + dy < 0 || x + dx >= (int32_t)map->width || y + dy >= (int32_t)map->height)
        continue;
      uint32_t candidate = (uint32_t)(y + dy) * map->width + (uint32_t)(x + dx);
      float offset_x = (float)(x + dx) + 0.5f - from_x, offset_y = (float)(y + dy) + 0.5f - from_y;
      float distance = offset_x * offset_x + offset_y * offset_y;
      if (field->distance[candidate] != FLOW_FAR && map->cost[candidate] != 0 && distance < min_distance) {
        min_distance = distance;
        exit_cell = candidate;
      }
    }
  return exit_cell;
}

static void compute_direction(float from_x, float from_y, float to_x, float to_y, float *dx, float *dy) {
  float offset_x = to_x - from_x, offset_y = to_y - from_y, length = sqrtf(offset_x * offset_x + offset_y * offset_y);
  *dx = length > 0.01f ? offset_x / length : 0;
  *dy = length > 0.01f ? offset_y / length : 0;
}

static bool is_walkable(const flow_map_t *map, float x, float y) {
  return x >= 0 && y >= 0 && x < (float)map->width && y < (float)map->height &&
         map->cost[(uint32_t)y * map->width + (uint32_t)x] != 0;
}

static void compute_direction_to_cell(const flow_map_t *map, float x, float y, uint32_t cell, float *dx, float *dy) {
  uint32_t column = cell % map->width, row = cell / map->width;
  compute_direction(x, y, (float)column + 0.5f, (float)row + 0.5f, dx, dy);
}

void flow_field_find_direction(const flow_field_t *field, const flow_map_t *map, float x, float y, float *dx,
                               float *dy) {
  *dx = *dy = 0;
  if (!(x >= 0 && y >= 0 && x < (float)field->width && y < (float)field->height))
    return;
  uint32_t cell = (uint32_t)y * field->width + (uint32_t)x;
  if (map->cost[cell] == 0) {
    uint32_t exit_cell = find_exit(field, map, cell, x, y);
    if (exit_cell != cell)
      compute_direction_to_cell(map, x, y, exit_cell, dx, dy);
    return;
  }
  if (field->distance[cell] == FLOW_FAR || field->distance[cell] == 0)
    return;
  float left = floorf(x - 0.5f), top = floorf(y - 0.5f), sum_x = 0, sum_y = 0, cell_dx, cell_dy;
  for (int corner = 0; corner < 4; ++corner) {
    float cell_x = left + (float)(corner & 1), cell_y = top + (float)(corner >> 1);
    float weight = (1 - fabsf(x - 0.5f - cell_x)) * (1 - fabsf(y - 0.5f - cell_y));
    if (!compute_cell_direction(field, map, (int64_t)cell_x, (int64_t)cell_y, &cell_dx, &cell_dy))
      continue;
    sum_x += cell_dx * weight;
    sum_y += cell_dy * weight;
  }
  compute_direction(0, 0, sum_x, sum_y, dx, dy);
  // A blended direction may lead into a wall. In this case, uses the direction to the centre of the next cell, which
  // can be reached in a straight line from every point in this cell.
  if ((*dx == 0 && *dy == 0) || !is_walkable(map, x + *dx * 0.3f, y + *dy * 0.3f))
    compute_direction_to_cell(map, x, y, flow_field_find_next(field, map, cell), dx, dy);
}
