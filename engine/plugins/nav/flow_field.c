// Runs Dijkstra's algorithm on integer costs with a binary heap. Each cell then follows the steepest descent.
#include "flow_field.h"

#include "plugins/scratch_array.h"

#include <math.h>
#include <string.h>

// Straight steps precede diagonal steps, so that straight steps are preferred among paths of equal length.
static const int STEP[8][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}};

void flow_field_free(flow_field_t *f) {
  free(f->distance);
  free(f->heap);
  *f = (flow_field_t){0};
}

// Returns true if a step is possible. For a diagonal step, both adjacent cells must be free.
static bool can_step(const flow_map_t *m, uint32_t x, uint32_t y, int step, uint32_t *to) {
  int64_t tx = (int64_t)x + STEP[step][0], ty = (int64_t)y + STEP[step][1];
  if (tx < 0 || ty < 0 || tx >= m->width || ty >= m->height)
    return false;
  *to = (uint32_t)ty * m->width + (uint32_t)tx;
  if (m->cost[*to] == 0)
    return false;
  return step < 4 || (m->cost[y * m->width + (uint32_t)tx] != 0 && m->cost[(uint32_t)ty * m->width + x] != 0);
}

// --- a heap of distances (upper 32 bits) and cells (lower 32 bits)

static void push_cell(flow_field_t *f, uint32_t distance, uint32_t cell) {
  GROW(f->heap, f->heap_capacity, f->heap_count + 1);
  uint64_t entry = (uint64_t)distance << 32 | cell;
  uint32_t at = f->heap_count++;
  for (; at > 0 && entry < f->heap[(at - 1) / 2]; at = (at - 1) / 2)
    f->heap[at] = f->heap[(at - 1) / 2];
  f->heap[at] = entry;
}

static uint64_t pop_cell(flow_field_t *f) {
  uint64_t top = f->heap[0], last = f->heap[--f->heap_count];
  uint32_t at = 0;
  for (;;) {
    uint32_t child = at * 2 + 1;
    if (child >= f->heap_count)
      break;
    if (child + 1 < f->heap_count && f->heap[child + 1] < f->heap[child])
      ++child;
    if (f->heap[child] > last)
      break;
    f->heap[at] = f->heap[child];
    at = child;
  }
  f->heap[at] = last;
  return top;
}

// --- distances

// Returns the cost of a step: the mean cost of both cells, multiplied by the length of the step.
static uint32_t step_cost(const flow_map_t *m, uint32_t from, uint32_t to, int step) {
  uint32_t a = m->cost[from] ? m->cost[from] : 1, b = m->cost[to];
  return (step < 4 ? FLOW_STRAIGHT : FLOW_DIAGONAL) * (a + b) / 2;
}

void flow_field_compute(flow_field_t *f, const flow_map_t *m, const uint32_t *goals, uint32_t goal_count) {
  uint32_t cells = m->width * m->height;
  GROW(f->distance, f->distance_capacity, cells);
  f->width = m->width;
  f->height = m->height;
  memset(f->distance, 0xff, cells * sizeof *f->distance);
  f->heap_count = 0;
  for (uint32_t i = 0; i < goal_count; ++i)
    if (goals[i] < cells) {
      f->distance[goals[i]] = 0;
      push_cell(f, 0, goals[i]);
    }
  while (f->heap_count > 0) {
    uint64_t entry = pop_cell(f);
    uint32_t cell = (uint32_t)entry, distance = (uint32_t)(entry >> 32), to;
    if (distance != f->distance[cell])
      continue; // outdated: a shorter path has been found
    for (int step = 0; step < 8; ++step) {
      if (!can_step(m, cell % m->width, cell / m->width, step, &to))
        continue;
      uint32_t there = distance + step_cost(m, cell, to, step);
      if (there < f->distance[to]) {
        f->distance[to] = there;
        push_cell(f, there, to);
      }
    }
  }
}

// --- paths

// Returns true if a path may step from `cell` in this direction, and stores the cell that it reaches in `to`. A step
// into a goal inside a wall is allowed, because the search has made the reverse step.
static bool can_follow_step(const flow_field_t *f, const flow_map_t *m, uint32_t cell, int step, uint32_t *to) {
  int64_t x = (int64_t)(cell % m->width) + STEP[step][0], y = (int64_t)(cell / m->width) + STEP[step][1];
  if (x < 0 || y < 0 || x >= m->width || y >= m->height)
    return false;
  *to = (uint32_t)y * m->width + (uint32_t)x;
  uint32_t back;
  return f->distance[*to] != FLOW_FAR && (m->cost[*to] != 0 || f->distance[*to] == 0) &&
         (m->cost[cell] == 0 || can_step(m, (uint32_t)x, (uint32_t)y, step ^ 2, &back));
}

uint32_t flow_field_find_next(const flow_field_t *f, const flow_map_t *m, uint32_t cell) {
  uint32_t best = cell, min_distance = FLOW_FAR, to;
  for (int step = 0; step < 8; ++step)
    if (can_follow_step(f, m, cell, step, &to) && f->distance[to] < f->distance[cell] &&
        f->distance[to] + step_cost(m, to, cell, step) < min_distance) {
      min_distance = f->distance[to] + step_cost(m, to, cell, step);
      best = to;
    }
  return best;
}

uint32_t flow_field_find_path(const flow_field_t *f, const flow_map_t *m, uint32_t from, uint32_t *out, uint32_t max) {
  if (from >= f->width * f->height || f->distance[from] == FLOW_FAR)
    return 0;
  uint32_t count = 0;
  for (uint32_t cell = from;;) {
    if (count < max)
      out[count] = cell;
    ++count;
    uint32_t next = flow_field_find_next(f, m, cell);
    if (next == cell)
      return count;
    cell = next;
  }
}

static bool compute_cell_direction(const flow_field_t *f, const flow_map_t *m, int64_t x, int64_t y, float *dx,
                                   float *dy) {
  if (x < 0 || y < 0 || x >= f->width || y >= f->height)
    return false;
  uint32_t cell = (uint32_t)y * f->width + (uint32_t)x;
  if (f->distance[cell] == FLOW_FAR || m->cost[cell] == 0)
    return false;
  uint32_t next = flow_field_find_next(f, m, cell);
  float sx = (float)(int32_t)(next % f->width - cell % f->width),
        sy = (float)(int32_t)(next / f->width - cell / f->width);
  float length = sqrtf(sx * sx + sy * sy);
  if (length == 0)
    return false;
  *dx = sx / length;
  *dy = sy / length;
  return true;
}

// Returns the nearest cell that has a path, for an agent inside a wall that was added at its position. Searches at most
// eight columns and rows away, and returns `cell` if it finds no such cell.
static uint32_t find_exit(const flow_field_t *f, const flow_map_t *m, uint32_t cell, float from_x, float from_y) {
  const int32_t REACH = 8;
  int32_t x = (int32_t)(cell % m->width), y = (int32_t)(cell / m->width);
  uint32_t best = cell;
  float min_distance = INFINITY;
  for (int32_t dy = -REACH; dy <= REACH; ++dy)
    for (int32_t dx = -REACH; dx <= REACH; ++dx) {
      if (x + dx < 0 || y + dy < 0 || x + dx >= (int32_t)m->width || y + dy >= (int32_t)m->height)
        continue;
      uint32_t other = (uint32_t)(y + dy) * m->width + (uint32_t)(x + dx);
      float away_x = (float)(x + dx) + 0.5f - from_x, away_y = (float)(y + dy) + 0.5f - from_y;
      float away = away_x * away_x + away_y * away_y;
      if (f->distance[other] != FLOW_FAR && m->cost[other] != 0 && away < min_distance) {
        min_distance = away;
        best = other;
      }
    }
  return best;
}

static void compute_direction(float from_x, float from_y, float to_x, float to_y, float *dx, float *dy) {
  float x = to_x - from_x, y = to_y - from_y, length = sqrtf(x * x + y * y);
  *dx = length > 0.01f ? x / length : 0;
  *dy = length > 0.01f ? y / length : 0;
}

static bool is_walkable(const flow_map_t *m, float x, float y) {
  return x >= 0 && y >= 0 && x < (float)m->width && y < (float)m->height &&
         m->cost[(uint32_t)y * m->width + (uint32_t)x] != 0;
}

static void compute_direction_to_cell(const flow_map_t *m, float x, float y, uint32_t cell, float *dx, float *dy) {
  uint32_t column = cell % m->width, row = cell / m->width;
  compute_direction(x, y, (float)column + 0.5f, (float)row + 0.5f, dx, dy);
}

void flow_field_find_direction(const flow_field_t *f, const flow_map_t *m, float x, float y, float *dx, float *dy) {
  *dx = *dy = 0;
  if (!(x >= 0 && y >= 0 && x < (float)f->width && y < (float)f->height))
    return;
  uint32_t cell = (uint32_t)y * f->width + (uint32_t)x;
  if (m->cost[cell] == 0) {
    uint32_t out = find_exit(f, m, cell, x, y);
    if (out != cell)
      compute_direction_to_cell(m, x, y, out, dx, dy);
    return;
  }
  if (f->distance[cell] == FLOW_FAR || f->distance[cell] == 0)
    return;
  float left = floorf(x - 0.5f), top = floorf(y - 0.5f), sum_x = 0, sum_y = 0, way_x, way_y;
  for (int corner = 0; corner < 4; ++corner) {
    float cell_x = left + (float)(corner & 1), cell_y = top + (float)(corner >> 1);
    float weight = (1 - fabsf(x - 0.5f - cell_x)) * (1 - fabsf(y - 0.5f - cell_y));
    if (!compute_cell_direction(f, m, (int64_t)cell_x, (int64_t)cell_y, &way_x, &way_y))
      continue;
    sum_x += way_x * weight;
    sum_y += way_y * weight;
  }
  compute_direction(0, 0, sum_x, sum_y, dx, dy);
  // A blended direction may lead into a wall. In this case, head for the centre of the next cell, which can be reached
  // in a straight line from every point in this cell.
  if ((*dx == 0 && *dy == 0) || !is_walkable(m, x + *dx * 0.3f, y + *dy * 0.3f))
    compute_direction_to_cell(m, x, y, flow_field_find_next(f, m, cell), dx, dy);
}
