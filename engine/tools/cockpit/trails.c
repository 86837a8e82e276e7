// Ghosts: selects the entities whose predicted trails are shown, and sends the trails to pages, which draw them as the
// window does.
#include "cockpit/trails.h"

#include "base/assert.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/history_queries.h"
#include "cockpit/request.h"
#include "session/history_abi.h"

#include <math.h>
#include <string.h>

#define MAX_POINTS 90u        // maximum number of points per trail; equal to MAX_SEGMENTS in ghosts/ghosts_draw.c
#define MAX_TRAILS 24u        // maximum number of trails, to keep messages small
#define COORDINATE_STEP 0.25f // step in pixels; coordinates are rounded to multiples of this value

// --- choosing

static bool is_id(const json_t *value) {
  return json_is_integer(value) && json_integer_value(value) > 0 && json_integer_value(value) <= UINT32_MAX;
}

// Reads "entities" or "entity". Either may be "picked" for the selection.
static bool read_entities(cockpit_o *cockpit, const json_t *request, shoal_entity *out, uint32_t *count,
                          error_info_t *error) {
  const json_t *list = json_object_get(request, "entities"), *single = json_object_get(request, "entity");
  const char *text = json_string_value(list ? list : single);
  const game_o *game = host_game(cockpit->host);
  size_t id_count = json_is_array(list) ? json_array_size(list) : 1;
  *count = 0;
  if (text && strcmp(text, "picked") == 0) {
    *count = cockpit->selected_count;
    memcpy(out, cockpit->selected, cockpit->selected_count * sizeof *out);
    return *count > 0 || error_set(error, "no entity is selected: select one first");
  }
  if (id_count > PICKING_MAX_ENTITIES)
    return request_reject_member(request, "entities", error, "a list of at most %u entity ids", PICKING_MAX_ENTITIES);
  for (size_t i = 0; i < id_count; ++i) {
    const json_t *id = json_is_array(list) ? json_array_get(list, i) : single;
    if (!is_id(id) || !world_is_alive(game->world, (shoal_entity)json_integer_value(id)))
      return json_is_array(list)
                 ? request_reject_member(request, "entities", error, "a list of ids of living entities, or \"picked\"")
                 : request_reject_member(request, "entity", error, "the id of a living entity");
    out[(*count)++] = (shoal_entity)json_integer_value(id);
  }
  return true;
}

static bool are_trails_shown(const cockpit_o *cockpit, const shoal_entity *entities, uint32_t count) {
  return count == cockpit->ghost_count && memcmp(entities, cockpit->ghosts, count * sizeof *entities) == 0;
}

// Selects the entities, or no entities if `ticks` is 0, or if `toggle` is true and the same entities are already shown.
bool trails_choose_entities(cockpit_o *cockpit, const json_t *request, error_info_t *error) {
  game_o *game = host_game(cockpit->host);
  shoal_entity entities[PICKING_MAX_ENTITIES];
  uint32_t count = 0;
  uint64_t ticks;
  if (!game)
    return error_set(error, COCKPIT_NO_GAME);
  if (!history_read_count(request, "ticks", HISTORY_MAX_FUTURE_TICKS, &ticks, error) ||
      (ticks > 0 && !read_entities(cockpit, request, entities, &count, error)))
    return false;
  bool hides =
      ticks == 0 || (json_is_true(json_object_get(request, "toggle")) && are_trails_shown(cockpit, entities, count));
  history_abi_show_trails(host_session(cockpit->host), "", NULL, 0, 0);
  cockpit->ghost_count = hides ? 0 : count;
  memcpy(cockpit->ghosts, entities, cockpit->ghost_count * sizeof *entities);
  if (!hides)
    history_abi_show_trails(host_session(cockpit->host), "", entities, count, (uint32_t)ticks);
  return true;
}

// --- reporting

static void write_coordinate(float value, json_writer_t *out) {
  json_write_float(out, roundf(value / COORDINATE_STEP) * COORDINATE_STEP);
}

static void write_line(const ghost_trail_t *trail, json_writer_t *out) {
  uint32_t stride = trail->count / MAX_POINTS + 1;
  json_write_key(out, "line");
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < trail->count; i += stride) {
    write_coordinate(trail->poses[i].x, out);
    write_coordinate(trail->poses[i].y, out);
  }
  if (trail->count > 0 && (trail->count - 1) % stride != 0) {
    write_coordinate(trail->poses[trail->count - 1].x, out);
    write_coordinate(trail->poses[trail->count - 1].y, out);
  }
  json_write_end(out, ']');
}

// Writes every GHOSTS_POSE_TICKS-th pose: its index in the trail, then the six numbers of an HTML canvas transform.
static void write_poses(const ghost_trail_t *trail, json_writer_t *out) {
  json_write_key(out, "poses");
  json_write_begin(out, '[');
  for (uint32_t i = GHOSTS_POSE_TICKS; i < trail->count; i += GHOSTS_POSE_TICKS) {
    const ghost_pose_t *p = &trail->poses[i];
    const float numbers[] = {p->ux, p->uy, p->vx, p->vy, p->x, p->y};
    json_write_begin(out, '[');
    json_write_integer(out, i);
    for (uint32_t k = 0; k < 6; ++k)
      json_write_float(out, roundf(numbers[k] * 1000) / 1000);
    json_write_end(out, ']');
  }
  json_write_end(out, ']');
}

static void write_trail(const ghost_trail_t *trail, json_writer_t *out) {
  shoal_assert(trail->count == 0 || trail->poses, "`poses` must not be NULL (count %u)", trail->count);
  json_write_begin(out, '{');
  json_write_integer_pair(out, "entity", trail->entity);
  json_write_integer_pair(out, "ticks", trail->count);
  json_write_bool_pair(out, "dies", trail->dies);
  json_write_key(out, "radius");
  json_write_float(out, trail->radius);
  json_write_key(out, "colour");
  json_write_floats(out, trail->colour, 3);
  json_write_key(out, "outline");
  json_write_floats(out, trail->outline, 2 * (size_t)trail->outline_count);
  write_line(trail, out);
  write_poses(trail, out);
  json_write_end(out, '}');
}

void trails_write(cockpit_o *cockpit, json_writer_t *out) {
  const ghosts_o *ghosts = time_travel_ghosts(host_session(cockpit->host));
  uint32_t count = ghosts ? ghosts_count(ghosts) : 0;
  json_write_integer_pair(out, "tick", ghosts ? (long long)ghosts_tick(ghosts) : 0);
  json_write_key(out, "trails");
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < count && i < MAX_TRAILS; ++i) {
    ghost_trail_t trail;
    ghosts_get(ghosts, i, &trail);
    write_trail(&trail, out);
  }
  json_write_end(out, ']');
}
