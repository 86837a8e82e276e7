// Queries over time: past and predicted values, comparison of two ticks, list of timelines. The first two run in a
// child process, which can restore and simulate the world while the game continues.
#include "cockpit/history_queries.h"

#include "base/assert.h"
#include "base/now.h"
#include "cockpit/budget.h"
#include "cockpit/child_query.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/request.h"
#include "cockpit/statement.h"
#include "cockpit/sql_query.h"
#include "platform/audio.h"
#include "snapshot/compare.h"
#include "session/history_abi.h"

#include <string.h>

#define MAX_STATEMENTS 8u
#define MAX_PAST_TICKS 36000
#define MAX_PREDICTED_POINTS 1200u // maximum number of predicted points per query
// Maximum number of past points: restoring a state unpacks all deltas since its last key frame.
#define MAX_PAST_POINTS 120u
#define WALL_US 2000000.0 // wall-clock time after which a partial result is sent, even if CHILD_US is not used up
#define CHILD_US 650000.0 // CPU time after which a partial result is sent; less than COCKPIT_CHILD_MS
#define MAX_DIFFERENCES 400u

// --- values over time

typedef struct time_series_t {
  cockpit_o *cockpit;
  const char *statements[MAX_STATEMENTS];
  uint32_t count;
  uint64_t past_ticks, future_ticks;
  // The following members are used only in the child process.
  double start_us, start_wall_us;
  uint32_t point_count;
  bool truncated;
} time_series_t;

static bool truncate_at_limit(time_series_t *series) {
  series->truncated |= series->point_count >= MAX_PREDICTED_POINTS || budget_now_us() - series->start_us > CHILD_US ||
                       now_us() - series->start_wall_us > WALL_US;
  return series->truncated;
}

typedef struct point_t {
  uint64_t tick;
  sql_value_t values[MAX_STATEMENTS]; // values of the statements: numbers or SQL_NULL
} point_t;

// Stores the first number of the first row, or SQL_NULL if there is no row or no number. Returns true on success, or
// false with an error if the query fails.
static bool read_value(game_o *game, const char *text, sql_value_t *out, error_info_t *error) {
  sql_result_t result;
  sql_run_desc_t desc = {.text = text,
                         .text_bytes = strlen(text),
                         .allow_measured = true,
                         .max_steps = COCKPIT_HELD_QUERY_STEPS,
                         .max_rows = 1};
  *out = (sql_value_t){.kind = SQL_NULL};
  if (!sql_run_statement(game->sql, &desc, &result, error))
    return false;
  for (uint32_t i = result.value_count; i-- > 0;)
    if (result.values[i].kind == SQL_INTEGER || result.values[i].kind == SQL_REAL || result.values[i].kind == SQL_BOOL)
      *out = result.values[i];
  if (out->kind == SQL_BOOL)
    out->kind = SQL_INTEGER;
  sql_result_fini(&result);
  return true;
}

static bool read_point(time_series_t *series, point_t *out, error_info_t *error) {
  game_o *game = host_game(series->cockpit->host);
  shoal_assert(series->count > 0 && series->count <= MAX_STATEMENTS, "query count %u is out of range [1, %u]",
               series->count, MAX_STATEMENTS);
  out->tick = world_tick(game->world);
  bool ok = true;
  for (uint32_t i = 0; i < series->count && ok; ++i)
    ok = read_value(game, series->statements[i], &out->values[i], error);
  series->point_count++;
  return ok;
}

static void write_point(const time_series_t *series, const point_t *point, json_writer_t *out) {
  json_write_begin(out, '[');
  json_write_integer(out, (long long)point->tick);
  for (uint32_t i = 0; i < series->count; ++i)
    sql_query_write_value(out, &point->values[i]);
  json_write_end(out, ']');
}

// Writes the values at up to MAX_PAST_POINTS evenly spaced ticks in [first_tick, end_tick), in ascending order. Reads
// the latest state first, in case the time runs out. Ticks without a recorded state are omitted.
static bool write_history_values(time_series_t *series, uint64_t first_tick, uint64_t end_tick, json_writer_t *out,
                                 error_info_t *error) {
  static point_t points[MAX_PAST_POINTS + 1];
  game_o *game = host_game(series->cockpit->host);
  shoal_assert(first_tick <= end_tick, "first tick %llu is after last tick %llu", (unsigned long long)first_tick,
               (unsigned long long)end_tick);
  snapshot_o *snapshot = snapshot_create(&series->cockpit->memory);
  uint64_t step = (end_tick - first_tick) / MAX_PAST_POINTS + 1;
  uint32_t count = 0;
  error_info_t unavailable = {0};
  bool ok = true;
  for (uint64_t tick = end_tick;
       tick >= first_tick + step && ok && count < MAX_PAST_POINTS && !truncate_at_limit(series);) {
    tick -= step;
    if (history_abi_get_snapshot(host_session(series->cockpit->host), (double)tick, false, snapshot, &unavailable) &&
        snapshot_restore(snapshot, game->world, &unavailable))
      ok = read_point(series, &points[count++], error);
  }
  snapshot_release(snapshot);
  while (count > 0)
    write_point(series, &points[--count], out);
  return ok;
}

static bool write_predicted_values(time_series_t *series, json_writer_t *out, error_info_t *error) {
  game_o *game = host_game(series->cockpit->host);
  input_state_t input = game->input;
  script_report_t report;
  point_t point;
  bool ok = read_point(series, &point, error);
  write_point(series, &point, out);
  if (game->desc.external)
    external_set_isolated(game->desc.external);
  audio_mute(game->desc.audio, true);
  log_mute(game->desc.log, true);
  game->paused = false;
  for (uint64_t i = 0; i < series->future_ticks && ok && !truncate_at_limit(series); ++i) {
    game->start_snapshot = NULL; // the snapshot belongs to the previous tick
    game_run(game, GAME_TICK, &(game_io_t){.devices = &input, .source = EXTERNAL_LOG});
    while (game_pop_reports(game, &report, 1)) {
    }
    ok = read_point(series, &point, error);
    write_point(series, &point, out);
  }
  return ok;
}

static void write_time_series_in_child(void *context, int fd) {
  time_series_t *series = context;
  cockpit_o *cockpit = series->cockpit;
  game_o *game = host_game(cockpit->host);
  error_info_t error = {0};
  json_writer_t out;
  child_query_begin_response(cockpit, &out);
  series->start_us = budget_now_us();
  series->start_wall_us = now_us();
  uint64_t current_tick = world_tick(game->world),
           first_tick = current_tick > series->past_ticks ? current_tick - series->past_ticks : 0;
  timeline_info_t info = {0};
  history_abi_get_info(host_session(cockpit->host), &info);
  first_tick = first_tick < (uint64_t)info.first_tick ? (uint64_t)info.first_tick : first_tick;
  snapshot_o *current = snapshot_create(&cockpit->memory);
  bool ok = snapshot_take(current, game->world, &error);
  json_write_integer_pair(&out, "now", (long long)current_tick);
  json_write_key(&out, "rows");
  json_write_begin(&out, '[');
  if (ok && info.last_tick > 0)
    ok = write_history_values(series, first_tick, current_tick, &out, &error);
  // The prediction gets at least half of the CPU time, even if the past has used all of it.
  series->truncated = false;
  series->point_count = 0;
  series->start_wall_us = now_us();
  series->start_us = series->past_ticks > 0 ? budget_now_us() - CHILD_US / 2 : series->start_us;
  ok = ok && snapshot_restore(current, game->world, &error) && write_predicted_values(series, &out, &error);
  json_write_end(&out, ']');
  json_write_bool_pair(&out, "more", series->truncated);
  child_query_end_response(cockpit, fd, &out, &error);
}

bool history_read_count(const json_t *request, const char *key, long long max, uint64_t *out, error_info_t *error) {
  const json_t *value = json_object_get(request, key);
  long long number = json_integer_value(value);
  *out = (uint64_t)number;
  return !value || (json_is_integer(value) && number >= 0 && number <= max) ||
         request_reject_member(request, key, error, "a number of ticks from 0 to %lld", max);
}

bool history_start_time_series(cockpit_o *cockpit, const json_t *request, const request_sender_t *sender,
                               error_info_t *error) {
  time_series_t series = {.cockpit = cockpit};
  const json_t *statements = json_object_get(request, "texts");
  game_o *game = host_game(cockpit->host);
  if (!game || !game->schedule)
    return error_set(error, COCKPIT_NO_GAME);
  series.count = (uint32_t)json_array_size(statements);
  if (!json_is_array(statements) || json_array_size(statements) == 0 || json_array_size(statements) > MAX_STATEMENTS)
    return request_reject_member(request, "texts", error, "a list of 1 to %u SQL queries that each return a number",
                                 MAX_STATEMENTS);
  for (uint32_t i = 0; i < series.count; ++i) {
    series.statements[i] = json_string_value(json_array_get(statements, i));
    if (!series.statements[i] || statement_is_write(series.statements[i]))
      return error_set(error, "each element of “texts” must be a read-only SQL query");
  }
  if (!history_read_count(request, "back", MAX_PAST_TICKS, &series.past_ticks, error) ||
      !history_read_count(request, "ahead", HISTORY_MAX_FUTURE_TICKS, &series.future_ticks, error))
    return false;
  timeline_info_t info;
  // Waits until all states are packed, because the child process cannot wait for the packing thread.
  history_abi_get_info(host_session(cockpit->host), &info);
  return child_query_start(cockpit, sender, write_time_series_in_child, &series, error);
}

// --- timelines

bool history_write_timelines(cockpit_o *cockpit, json_writer_t *out, error_info_t *error) {
  game_o *game = host_game(cockpit->host);
  timeline_info_t info = {0};
  if (!game)
    return error_set(error, COCKPIT_NO_GAME);
  history_abi_get_info(host_session(cockpit->host), &info);
  json_write_integer_pair(out, "now", (long long)world_tick(game->world));
  json_write_integer_pair(out, "first", (long long)info.first_tick);
  json_write_integer_pair(out, "last", (long long)info.last_tick);
  json_write_integer_pair(out, "left_first", (long long)info.abandoned_first_tick);
  json_write_integer_pair(out, "left_last", (long long)info.abandoned_last_tick);
  json_write_bool_pair(out, "again", info.replaying);
  return true;
}

// --- comparing

typedef struct moment_t {
  bool is_current, is_abandoned;
  double tick;
} moment_t;

typedef struct compare_query_t {
  cockpit_o *cockpit;
  moment_t a, b;
} compare_query_t;

static void write_compared_value(const compare_value_t *v, json_writer_t *out) {
  switch (v->kind) {
  case COMPARE_ABSENT: json_write_null(out); break;
  case COMPARE_NUMBER: json_write_float(out, (float)v->number); break;
  case COMPARE_BOOL: json_write_bool(out, v->number != 0); break;
  default: json_write_string(out, v->text); break;
  }
}

static void write_difference(const compare_item_t *difference, json_writer_t *out) {
  static const char *const kinds[] = {"", "entity", "component", "field", "event", "other"};
  shoal_assert(difference->kind < sizeof kinds / sizeof *kinds, "kind of difference %u is out of range",
               difference->kind);
  json_write_begin(out, '[');
  json_write_string(out, kinds[difference->kind]);
  json_write_integer(out, difference->entity);
  json_write_string(out, difference->label);
  json_write_string(out, difference->component);
  json_write_string(out, difference->instance);
  json_write_string(out, difference->field);
  write_compared_value(&difference->a, out);
  write_compared_value(&difference->b, out);
  json_write_end(out, ']');
}

static bool get_state(cockpit_o *cockpit, const moment_t *m, snapshot_o *out, error_info_t *error) {
  game_o *game = host_game(cockpit->host);
  if (m->is_current)
    return snapshot_take(out, game->world, error);
  return history_abi_get_snapshot(host_session(cockpit->host), m->tick, m->is_abandoned, out, error);
}

static void compare_in_child(void *context, int fd) {
  const compare_query_t *query = context;
  cockpit_o *cockpit = query->cockpit;
  error_info_t error = {0};
  json_writer_t out;
  child_query_begin_response(cockpit, &out);
  snapshot_o *a = snapshot_create(&cockpit->memory), *b = snapshot_create(&cockpit->memory);
  compare_item_t *items = alloc_resize(&cockpit->memory, NULL, 0, MAX_DIFFERENCES * sizeof *items);
  uint64_t total = UINT64_MAX;
  if (get_state(cockpit, &query->a, a, &error) && get_state(cockpit, &query->b, b, &error))
    total = snapshot_compare(a, b, host_game(cockpit->host)->world, items, MAX_DIFFERENCES, &error);
  if (total != UINT64_MAX) {
    json_write_integer_pair(&out, "total", (long long)total);
    json_write_key(&out, "rows");
    json_write_begin(&out, '[');
    for (uint32_t i = 0; i < total && i < MAX_DIFFERENCES; ++i)
      write_difference(&items[i], &out);
    json_write_end(&out, ']');
  }
  child_query_end_response(cockpit, fd, &out, &error);
}

// Reads a tick of the current timeline, or { "left": tick }, a tick of the abandoned timeline. A missing value means
// the current world.
static bool read_moment(const json_t *request, const char *key, moment_t *out, error_info_t *error) {
  const json_t *value = json_object_get(request, key);
  const json_t *abandoned = json_object_get(value, "left"), *tick = abandoned ? abandoned : value;
  *out = (moment_t){
      .is_current = !value || json_is_null(value), .is_abandoned = abandoned != NULL, .tick = json_number_value(tick)};
  return out->is_current || (json_is_integer(tick) && json_integer_value(tick) >= 0) ||
         request_reject_member(request, key, error, "a tick, or { \"left\": tick } for the previous timeline");
}

bool history_start_comparison(cockpit_o *cockpit, const json_t *request, const request_sender_t *sender,
                              error_info_t *error) {
  compare_query_t query = {.cockpit = cockpit};
  timeline_info_t info;
  game_o *game = host_game(cockpit->host);
  if (!game)
    return error_set(error, COCKPIT_NO_GAME);
  if (!read_moment(request, "a", &query.a, error) || !read_moment(request, "b", &query.b, error))
    return false;
  history_abi_get_info(host_session(cockpit->host), &info);
  return child_query_start(cockpit, sender, compare_in_child, &query, error);
}
