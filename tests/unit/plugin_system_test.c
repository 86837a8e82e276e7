// Plugin systems (plugin/system.c, plugin/system_binding.c, plugin/system_part.c): views, writes, failures, events,
// drawing, and parts on several threads.
#include "plugin_fixture.h"

#include "draw_fixture.h"

#include "plugin/thread.h"
#include "shoal/draw.h"
#include "shoal/observe.h"
#include "ecs/world_hash.h"

#include <math.h>

// A component with columns of 1, 2, 4, 8 and 64 bytes per element.
#define WIDE_FIELDS(F) F(bool, flag, 1) F(u16, small, 2) F(f32, real, 3) F(f64, wide, 4) F(mat4, matrix)
SHOAL_COMPONENT(wide, WIDE_FIELDS)
// Declares the fields in a different order than the world does.
#define POSITION_FIELDS(F) F(f32, y, 0) F(f32, x, 0)
SHOAL_COMPONENT(position, POSITION_FIELDS)
#define BLOW_FIELDS(F) F(entity, who) F(f32, power, 0)
SHOAL_EVENT(blow, BLOW_FIELDS)
#define HIT_FIELDS(F) F(entity, who) F(f32, power, 7)
SHOAL_EVENT(hit, HIT_FIELDS)

static const shoal_component *const brings[] = {&wide_component, &hit_component, NULL};
static const shoal_component *const uses[] = {&position_component, &blow_component, NULL};

// The behaviour of the current test's system, the number of its runs, and the values that it saw.
static struct {
  void (*does)(shoal_context *c, const shoal_view *v);
  uint32_t runs, count;
  float dt_s;
  char text[256];
} work;

static void assert_reason(shoal_world *w, const char *words) {
  if (!strstr(shoal_last_error(w), words))
    fail_msg("got '%s', expected '%s'", shoal_last_error(w), words);
}

static void run_work(shoal_context *c, const shoal_view *v, float dt_s) {
  ++work.runs;
  work.count = v->count;
  work.dt_s = dt_s;
  if (work.does)
    work.does(c, v);
}

static void declare_blow(plugged_t *t) {
  static const field_type_t types[] = {FIELD_F32, FIELD_ENTITY};
  DECLARE(t->w, "blow", SCHEMA_EVENT, types, "power", "who");
}

// Opens a plugin whose only system, called work, runs `does`.
static plugin_t *open_work_system(plugged_t *t, shoal_system s, void (*does)(shoal_context *c, const shoal_view *v)) {
  static shoal_system systems[2];
  static shoal_plugin def;
  systems[0] = s;
  systems[0].name = "work";
  systems[0].run = run_work;
  def = (shoal_plugin){.name = "test", .components = brings, .uses = uses, .systems = systems};
  memset(&work, 0, sizeof work);
  work.does = does;
  declare_blow(t);
  return plugged_open_and_bind(t, &def);
}

static uint32_t id_of_component(plugged_t *t, const char *name) {
  return get_component(t, name)->id;
}

static double expected_value(uint32_t i, uint32_t column) {
  return column == 0 ? i % 2 : i * 300 + column;
}

// Spawns `count` entities with `position` and `wide`, whose rows are not in query order; x is the entity's index.
static void spawn_out_of_order(plugged_t *t, shoal_entity *e, uint32_t count) {
  uint32_t position = id_of_component(t, "position"), wide = id_of_component(t, "wide");
  const manager_o *m = get_component(t, "wide");
  for (uint32_t i = 0; i < count; ++i)
    e[i] = SPAWN(t->w, position);
  for (uint32_t i = count; i-- > 0;) {
    add(t->w, e[i], wide, 0);
    for (uint32_t c = 0; c < 4; ++c)
      set(t->w, e[i], wide, c, expected_value(i, c));
    ((float(*)[16])manager_column(m, 4))[m->count - 1][5] = (float)i;
  }
  for (uint32_t i = 0; i < count; i += 5) {
    world_remove_component(t->w, e[i], position, 0);
    add(t->w, e[i], position, 0);
  }
  for (uint32_t i = 0; i < count; ++i)
    set(t->w, e[i], position, POSITION_X, i);
}

// --- rows

enum { FEW = 12 };

static void add_ten(shoal_context *c, const shoal_view *v) {
  shoal_world *world = shoal_get_world(c);
  const wide_columns *w = SHOAL_COLUMNS(v, wide);
  const float *x = SHOAL_COLUMN(v, position, x);
  float *y = SHOAL_COLUMN(v, position, y);
  for (uint32_t i = 0; i < v->count; ++i) {
    uint32_t n = (uint32_t)x[i];
    assert_true(w->flag[i] == expected_value(n, 0) && w->small[i] == expected_value(n, 1) && w->matrix[i][5] == x[i]);
    assert_true(w->real[i] == expected_value(n, 2) && w->wide[i] == expected_value(n, 3));
    w->flag[i] = !w->flag[i];
    w->small[i] = (uint16_t)(w->small[i] + 10);
    w->real[i] += 10;
    w->wide[i] += 10;
    w->matrix[i][5] += 10;
    y[i] = x[i] + 10;
  }
  // every column is a copy
  assert_ptr_not_equal(SHOAL_ROWS_COLUMNS(shoal_get_rows(world, &wide_component), wide)->small, w->small);
  assert_ptr_not_equal(SHOAL_ROWS_COLUMNS(shoal_get_rows(world, &position_component), position)->x, x);
}

FIXTURE(plugged_t, plugged_setup, plugged_teardown)

TEST_IN(view_columns_are_copied_into_query_order_and_writes_are_stored, plugged_t, t) {
  shoal_entity e[FEW];
  open_work_system(t, (shoal_system){.query = {"position", "wide"}}, add_ten);
  spawn_out_of_order(t, e, FEW);
  plugged_tick(t);
  assert_int_equal(work.runs, 1);
  assert_int_equal(work.count, FEW);
  assert_true(work.dt_s == 0.5f);
  for (uint32_t i = 0; i < FEW; ++i) {
    assert_true(value_of(t, e[i], "wide", 0) == !(i % 2));
    for (uint32_t c = 1; c < 4; ++c)
      assert_true(value_of(t, e[i], "wide", c) == expected_value(i, c) + 10);
    assert_true(value_of(t, e[i], "position", POSITION_Y) == i + 10);
    const manager_o *m = get_component(t, "wide");
    assert_true(((float(*)[16])manager_column(m, 4))[manager_row(m, e[i])][5] == (float)i + 10);
  }
  assert_string_equal(plugged_pop_report(t), "");
}

static void check_columns_are_not_copied(shoal_context *c, const shoal_view *v) {
  shoal_rows table = shoal_get_rows(shoal_get_world(c), &position_component);
  assert_ptr_equal(SHOAL_COLUMN(v, position, x), SHOAL_ROWS_COLUMNS(table, position)->x);
  assert_memory_equal(v->entities, table.entities, v->count * sizeof *v->entities);
}

TEST_IN(columns_in_query_order_are_passed_without_a_copy, plugged_t, t) {
  open_work_system(t, (shoal_system){.query = {"position"}}, check_columns_are_not_copied);
  for (uint32_t i = 0; i < FEW; ++i)
    SPAWN(t->w, id_of_component(t, "position"));
  plugged_tick(t);
  assert_int_equal(work.count, FEW);
}

static void check_optional_component(shoal_context *c, const shoal_view *v) {
  const shoal_term *term = shoal_view_term(v, &wide_component);
  (void)c;
  for (uint32_t i = 0; i < v->count; ++i) {
    bool has = shoal_view_has(v, &wide_component, i);
    assert_int_equal(has, i % 3 == 0);
    assert_true(shoal_view_has(v, &position_component, i));
    assert_int_equal(term->present[i], has);
    assert_true(SHOAL_COLUMN(v, wide, small)[i] == (has ? 50 : 2)); // missing components have default values
    assert_true(SHOAL_COLUMN(v, wide, matrix)[i][0] == 1);
    SHOAL_COLUMN(v, wide, small)[i] = 9;
  }
}

TEST_IN(missing_optional_components_read_as_defaults, plugged_t, t) {
  shoal_entity e[FEW];
  open_work_system(t, (shoal_system){.query = {"position"}, .optional = {"wide"}}, check_optional_component);
  uint32_t position = id_of_component(t, "position"), wide = id_of_component(t, "wide");
  for (uint32_t i = 0; i < FEW; ++i) {
    e[i] = SPAWN(t->w, position);
    if (i % 3 == 0)
      add(t->w, e[i], wide, 0);
    if (i % 3 == 0)
      set(t->w, e[i], wide, 1, 50);
  }
  plugged_tick(t);
  assert_int_equal(work.count, FEW);
  assert_int_equal(get_component(t, "wide")->count, FEW / 3);
  assert_true(value_of(t, e[3], "wide", 1) == 9);
}

// Checks the view's number of rows (`seen`) if one entity has a disabled `position` and another is disabled completely.
// `optional`: name of an optional component, or NULL.
static void check_rows_with_two_disabled(plugged_t *t, const char *optional, uint32_t seen) {
  schema_buffer_t many;
  schema_init(&many, "disabled", SCHEMA_MANY, "C");
  uint32_t disabled = world_declare_schema(t->w, &many.schema, NULL), position = id_of_component(t, "position");
  open_work_system(t, (shoal_system){.query = {"position"}, .optional = {optional}}, NULL);
  shoal_entity e[FEW];
  for (uint32_t i = 0; i < FEW; ++i)
    e[i] = SPAWN(t->w, position);
  assert_true(world_add_component(t->w, e[3], disabled, strings_intern(world_strings(t->w), "position"), NULL));
  assert_true(world_add_component(t->w, e[4], disabled, strings_intern(world_strings(t->w), DISABLED_WHOLE), NULL));
  plugged_tick(t);
  assert_int_equal(work.count, seen);
  assert_int_equal(get_component(t, "position")->count, FEW);
  assert_string_equal(plugged_pop_report(t), "");
}

TEST_IN(partly_or_completely_disabled_entities_are_skipped, plugged_t, t) {
  check_rows_with_two_disabled(t, NULL, FEW - 2);
}

TEST_IN(query_with_disabled_includes_disabled_entities, plugged_t, t) {
  check_rows_with_two_disabled(t, "disabled", FEW);
}

static void record_entities(shoal_context *c, const shoal_view *v) {
  (void)c;
  for (uint32_t i = 0; i < v->count; ++i)
    snprintf(work.text + strlen(work.text), sizeof work.text - strlen(work.text), "%u ", v->entities[i]);
}

TEST_IN(any_and_without_terms_select_rows, plugged_t, t) {
  open_work_system(t, (shoal_system){.any = {"wide", "health"}, .without = {"position"}}, record_entities);
  uint32_t position = id_of_component(t, "position"), wide = id_of_component(t, "wide");
  uint32_t health = id_of_component(t, "health");
  SPAWN(t->w, position, wide);
  SPAWN(t->w, wide);
  SPAWN(t->w, health);
  SPAWN(t->w, wide, health);
  spawn(t->w);
  plugged_tick(t);
  assert_string_equal(work.text, "2 3 4 ");
}

static void write_all_columns(shoal_context *c, const shoal_view *v) {
  const shoal_term *health = &v->terms[2];
  (void)c;
  assert_string_equal(health->name, "health");
  assert_null(health->component); // the plugin does not declare its fields
  assert_null(health->columns);
  for (uint32_t i = 0; i < v->count; ++i) {
    SHOAL_COLUMN(v, wide, real)[i] = -1;
    SHOAL_COLUMN(v, position, y)[i] = -1;
  }
}

TEST_IN(writes_to_read_only_components_are_discarded, plugged_t, t) {
  shoal_entity e[FEW];
  open_work_system(t, (shoal_system){.query = {"position", "wide"}, .optional = {"health"}, .reads = {"position"}},
                   write_all_columns);
  spawn_out_of_order(t, e, FEW);
  plugged_tick(t);
  assert_true(value_of(t, e[0], "position", POSITION_Y) == 0); // read-only: the write went to a copy
  assert_true(value_of(t, e[1], "wide", 2) == -1);
}

TEST_IN(system_without_a_query_runs_once_without_rows, plugged_t, t) {
  open_work_system(t, (shoal_system){.interval_ticks = 3}, NULL);
  SPAWN(t->w, id_of_component(t, "position"));
  for (uint32_t i = 0; i < 7; ++i)
    plugged_tick(t);
  assert_int_equal(work.runs, 3); // the system ran in ticks 0, 3 and 6
  assert_int_equal(work.count, 0);
}

// --- the schedule

TEST_IN(systems_run_in_their_phases_in_declared_order, plugged_t, t) {
  static const shoal_system systems[] = {
      {.name = "late", .run = run_work, .after = {"early"}},
      {.name = "early", .run = run_work, .priority = 5},
      {.name = "first", .run = run_work, .priority = 9, .before = {"early", "nobody"}},
      {.name = "input", .run = run_work, .phase = SHOAL_PHASE_INPUT},
      {.name = "picture", .run = run_work, .phase = SHOAL_PHASE_RENDER},
      {.name = "post", .run = run_work, .phase = SHOAL_PHASE_POST_UPDATE},
      {0},
  };
  plugged_open_and_bind(t, &(shoal_plugin){.name = "order", .systems = systems});
  assert_string_equal(schedule_system_name(t->s, PHASE_INPUT, 0), "order.input");
  assert_string_equal(schedule_system_name(t->s, PHASE_UPDATE, 0), "order.first");
  assert_string_equal(schedule_system_name(t->s, PHASE_UPDATE, 1), "order.early");
  assert_string_equal(schedule_system_name(t->s, PHASE_UPDATE, 2), "order.late");
  assert_string_equal(schedule_system_name(t->s, PHASE_POST_UPDATE, 0), "order.post");
  assert_string_equal(schedule_system_name(t->s, PHASE_RENDER, 0), "order.picture");
}

TEST_IN(system_with_an_invalid_query_is_reported_and_never_runs, plugged_t, t) {
  open_work_system(t, (shoal_system){.query = {"positoin"}}, NULL);
  assert_reported(t, "plugin test.work: unknown component positoin: did you mean position?");
  plugged_tick(t);
  assert_int_equal(work.runs, 0);
}

TEST_IN(duplicate_system_name_is_rejected, plugged_t, t) {
  error_info_t error = {0};
  open_work_system(t, (shoal_system){.query = {"position"}}, NULL);
  assert_false(plugins_schedule(t->p, t->s, &error));
  assert_non_null(strstr(error.text, "test.work"));
}

// --- failures

static void queue_commands_and_fail(shoal_context *c, const shoal_view *v) {
  shoal_world *w = shoal_get_world(c);
  shoal_spawn_many(w, "", 3, NULL);
  shoal_destroy_many(w, v->entities, 1);
  shoal_add(w, v->entities[1], &wide_component);
  SHOAL_EMIT(w, hit, 2);
  shoal_emit_end(w, &hit_component);
  shoal_fail(c, "row %u is too %s", 7, "heavy");
  shoal_fail(c, "and more");
}

TEST_IN(failing_system_is_parked_and_its_commands_are_dropped, plugged_t, t) {
  open_work_system(t, (shoal_system){.query = {"position"}}, queue_commands_and_fail);
  shoal_entity a = SPAWN(t->w, id_of_component(t, "position"));
  SPAWN(t->w, id_of_component(t, "position"));
  assert_true(plugins_have_systems(t->p));
  assert_false(plugins_pop_failure(t->p));
  plugged_tick(t);
  assert_reported(t, "plugin test.work: row 7 is too heavy");
  assert_true(plugins_pop_failure(t->p));
  assert_true(world_is_alive(t->w, a));
  assert_int_equal(world_entities(t->w)->alive_count, 2);
  assert_int_equal(get_component(t, "wide")->count, 0);
  assert_int_equal(world_find_event(t->w, "hit")->columns.count, 0);
  plugged_tick(t);
  assert_int_equal(work.runs, 1);
  assert_false(plugins_have_systems(t->p));
}

TEST_IN(plugin_system_can_be_parked_by_name_only_once, plugged_t, t) {
  open_work_system(t, (shoal_system){.query = {"position"}}, NULL);
  assert_false(plugins_park_system(t->p, "test.play", "it crashed"));
  assert_true(plugins_park_system(t->p, "test.work", "it crashed"));
  assert_false(plugins_park_system(t->p, "test.work", "it crashed"));
  plugged_tick(t);
  assert_int_equal(work.runs, 0);
}

// Simulates the exception handling of a C++ library with longjmp.
static jmp_buf thrown_to;
static const char *thrown;

static bool call_and_catch(void (*call)(void *data), void *data, char *what, size_t bytes) {
  jmp_buf outer;
  memcpy(&outer, &thrown_to, sizeof outer);
  bool ok = setjmp(thrown_to) == 0;
  if (ok)
    call(data);
  else
    snprintf(what, bytes, "%s", thrown);
  memcpy(&thrown_to, &outer, sizeof outer);
  return ok;
}

static void throw_exception(const char *words) {
  thrown = words;
  longjmp(thrown_to, 1);
}

static void throw_from_a_system(shoal_context *c, const shoal_view *v) {
  shoal_spawn_many(shoal_get_world(c), "", 3, NULL);
  (void)v;
  throw_exception("the nose is too long");
}

TEST_IN(exception_fails_the_system_with_its_message, plugged_t, t) {
  error_info_t error = {0};
  static const shoal_system systems[] = {{.name = "work", .run = run_work}, {0}};
  static const shoal_plugin def = {.name = "test", .systems = systems};
  work.does = throw_from_a_system;
  assert_non_null(plugged_try_open(t, &def, call_and_catch, &error));
  plugged_bind(t);
  plugged_tick(t);
  assert_reported(t, "plugin test.work: an exception was thrown: the nose is too long");
  assert_int_equal(world_entities(t->w)->alive_count, 0);
}

// --- events

static void emit_three(shoal_context *c, const shoal_view *v) {
  shoal_world *w = shoal_get_world(c);
  (void)v;
  if (shoal_tick(c) != 0)
    return;
  const hit_columns *out = SHOAL_EMIT(w, hit, 3);
  for (uint32_t i = 0; i < 3; ++i)
    out->who[i] = i + 1;
  out->power[1] = 5;
  shoal_emit_end(w, &hit_component);
}

TEST_IN(emitted_events_have_defaults_and_written_values, plugged_t, t) {
  open_work_system(t, (shoal_system){.phase = SHOAL_PHASE_UPDATE}, emit_three);
  plugged_tick(t);
  const event_o *ev = world_find_event(t->w, "hit");
  assert_int_equal(ev->columns.count, 3);
  assert_true(columns_get(&ev->columns, 0, 1) == 7 && columns_get(&ev->columns, 1, 1) == 5);
  assert_true(columns_get(&ev->columns, 2, 0) == 3);
}

static void read_event_rows(shoal_context *c, const shoal_view *v) {
  shoal_world *w = shoal_get_world(c);
  (void)v;
  const shoal_component *said = shoal_find_component(w, "said");
  shoal_rows logged = shoal_read_events(w, said);
  assert_null(logged.entities);
  for (uint32_t i = 0; i < logged.count; ++i)
    snprintf(work.text + strlen(work.text), sizeof work.text - strlen(work.text), "%g ",
             (double)((const float *)logged.columns[0])[i]);
  if (work.runs == 2)
    shoal_fail(c, "not this time");
}

static void emit_blow(plugged_t *t, double power, bool cancelled) {
  uint32_t event = world_find_event(t->w, "said")->id, ticket = world_emit_event(t->w, event);
  world_set_event_field(t->w, ticket, 0, power);
  world_set_event_field(t->w, ticket, 1, cancelled);
}

TEST_IN(events_are_read_once_and_reread_after_a_failure, plugged_t, t) {
  static const field_type_t types[] = {FIELD_F32, FIELD_BOOL};
  DECLARE(t->w, "said", SCHEMA_EVENT, types, "power", "cancelled");
  plugin_t *x = open_work_system(t, (shoal_system){.phase = SHOAL_PHASE_UPDATE}, read_event_rows);
  emit_blow(t, 1, false);
  emit_blow(t, 2, true);
  emit_blow(t, 3, false);
  plugged_tick(t);
  assert_string_equal(work.text, "1 3 ");
  emit_blow(t, 4, false);
  plugged_tick(t);
  assert_string_equal(work.text, "1 3 4 ");
  assert_reported(t, "not this time");
  x->runs[0].parked = false; // simulates a reload of the fixed plugin
  plugged_tick(t);
  assert_string_equal(work.text, "1 3 4 4 ");
  plugged_tick(t);
  assert_string_equal(work.text, "1 3 4 4 ");
}

// Reads position.x of each entity that `blow` names, with its column order in C: y, x.
static void read_victims(shoal_context *c, const shoal_view *v) {
  shoal_world *w = shoal_get_world(c);
  (void)v;
  shoal_rows blows = shoal_read_events(w, &blow_component);
  for (uint32_t i = 0; i < blows.count; ++i) {
    shoal_entity who = SHOAL_ROWS_COLUMNS(blows, blow)->who[i];
    double x = -1, flag = -1;
    bool known = shoal_event_get_field(w, &blow_component, who, &position_component, 1, &x);
    const char *state = shoal_event_entity_state(w, &blow_component, who);
    size_t length = strlen(work.text);
    snprintf(work.text + length, sizeof work.text - length, "%d %g %d '%s', ", known, x, shoal_is_alive(w, who), state);
    assert_false(shoal_event_get_field(w, &blow_component, who, &wide_component, 0, &flag));
    assert_reason(w, "had no wide when it died");
    assert_false(shoal_event_get_field(w, &hit_component, who, &position_component, 1, &x));
    assert_reason(w, "is not alive");
    assert_false(shoal_event_get_field(w, &position_component, who, &position_component, 1, &x));
    assert_false(shoal_event_get_field(w, &blow_component, who, &position_component, 2, &x));
    assert_reason(w, "out of range");
  }
}

TEST_IN(plugin_reads_the_last_values_of_an_entity_that_an_event_named_when_it_died, plugged_t, t) {
  open_work_system(t, (shoal_system){.phase = SHOAL_PHASE_UPDATE}, read_victims);
  shoal_entity e = SPAWN(t->w, id_of_component(t, "position"));
  uint32_t position = id_of_component(t, "position"), event = world_find_event(t->w, "blow")->id;
  world_set_field(t->w, e, position, 0, 0, 12, NULL);
  uint32_t ticket = world_emit_event(t->w, event);
  world_set_event_field(t->w, ticket, 1, e);
  world_destroy_entity(t->w, e);
  plugged_tick(t);
  assert_string_equal(work.text, "1 12 0 '', ");
}

static void begin_event_without_end(shoal_context *c, const shoal_view *v) {
  (void)v;
  assert_non_null(shoal_emit_begin(shoal_get_world(c), &hit_component, 3));
}

static void begin_twice(shoal_context *c, const shoal_view *v) {
  shoal_world *w = shoal_get_world(c);
  (void)v;
  shoal_emit_begin(w, &hit_component, 3);
  shoal_emit_begin(w, &hit_component, 2);
  shoal_emit_end(w, &hit_component);
  shoal_emit_end(w, &hit_component);
}

static void begin_too_many(shoal_context *c, const shoal_view *v) {
  (void)v;
  assert_null(shoal_emit_begin(shoal_get_world(c), &hit_component, SHOAL_MAX_EMIT_ROWS + 1));
}

static void begin_missing_event(shoal_context *c, const shoal_view *v) {
  shoal_world *w = shoal_get_world(c);
  (void)v;
  assert_non_null(shoal_emit_begin(w, shoal_find_component(w, "position") ? shoal_find_component(w, "said") : NULL, 3));
}

TEST_IN(unfinished_emit_of_an_event_found_by_name_is_dropped, plugged_t, t) {
  static const field_type_t types[] = {FIELD_F32};
  uint32_t said = DECLARE(t->w, "said", SCHEMA_EVENT, types, "power");
  open_work_system(t, (shoal_system){.phase = SHOAL_PHASE_UPDATE}, begin_missing_event);
  plugged_tick(t);
  plugged_tick(t);
  assert_logged(
      t, "plugin test: shoal_emit_begin was called without shoal_emit_end: the rows were dropped (reported once)");
  assert_int_equal(world_event(t->w, said)->columns.count, 0);
}

TEST_IN(unfinished_or_oversized_emits_are_dropped_and_logged_once, plugged_t, t) {
  plugin_t *x = open_work_system(t, (shoal_system){.phase = SHOAL_PHASE_UPDATE}, begin_event_without_end);
  plugged_tick(t);
  assert_logged(
      t, "plugin test: shoal_emit_begin was called without shoal_emit_end: the rows were dropped (reported once)");
  assert_int_equal(world_find_event(t->w, "hit")->columns.count, 0);
  x->warned = false;
  work.does = begin_twice;
  plugged_tick(t);
  assert_logged(
      t, "shoal_emit_begin was called again without shoal_emit_end: the previous rows were dropped (reported once)");
  x->warned = false;
  work.does = begin_too_many;
  plugged_tick(t);
  plugged_tick(t);
  assert_logged(
      t, "shoal_emit_begin: too many rows (at most SHOAL_MAX_EMIT_ROWS): emit them in several calls (reported once)");
}

// --- drawing

static void call_draw_functions(shoal_context *c, const shoal_view *v) {
  shoal_world *w = shoal_get_world(c);
  const float xy[] = {0, 0, 4, 0, 4, 4}, corners[24] = {0};
  float width, height;
  shoal_get_screen_size(c, &width, &height);
  assert_true(width == 640 && height == 360);
  assert_int_equal(v->count, 2);
  shoal_draw_line(c, 1, 2, 3, 4, 5);
  shoal_set_draw_space(c, true);
  shoal_set_draw_layer(c, -3);
  shoal_set_draw_color(c, 1, 0, 0, 0.5f);
  shoal_draw_polygon(c, xy, 3, true, 0);
  shoal_draw_text(c, "score", 1, 2, 24);
  shoal_set_draw_camera(c, 7);
  shoal_draw_depth_triangles(c, corners, 1);
  shoal_spawn_many(w, "", 1, NULL);
  shoal_set(w, v->entities[0], &position_component, SHOAL_COLUMN_INDEX(position, x), 9);
  assert_int_equal(shoal_random_u32(c), 0);
  SHOAL_COLUMN(v, wide, small)[0] = 77; // writes to a copy, since the rows are not in query order
}

TEST_IN(render_system_draws_and_cannot_change_the_world, plugged_t, t) {
  open_work_system(t, (shoal_system){.phase = SHOAL_PHASE_RENDER, .query = {"position", "wide"}}, call_draw_functions);
  uint32_t position = id_of_component(t, "position"), wide = id_of_component(t, "wide");
  shoal_entity a = SPAWN(t->w, wide), b = SPAWN(t->w, wide, position);
  add(t->w, a, position, 0);
  uint64_t hash = world_hash(t->w);
  draw_set_layer(t->draw, 8);
  draw_set_view(t->draw, 8); // set by another system; each system starts with the default view
  schedule_run(t->s, t->w, PHASE_RENDER, 0.1f);
  const draw_command_t *d = t->draw->commands.items;
  assert_int_equal(draw_count(t->draw), 4);
  assert_true(d[0].kind == DRAW_POLYLINE && d[0].layer == 0 && !d[0].screen && d[0].colour[1] == 1);
  assert_true(d[1].kind == DRAW_POLYGON && d[1].layer == -3 && d[1].screen && d[1].colour[1] == 0);
  assert_int_equal(d[2].kind, DRAW_TEXT);
  assert_true(d[3].kind == DRAW_SOLIDS && d[3].view == 7 && d[2].view == 0);
  assert_logged(t, "plugin test: the world cannot be changed here (loading");
  assert_true(world_hash(t->w) == hash);
  assert_true(value_of(t, b, "wide", 1) == 2);
}

static void assert_nothing_drawn(shoal_context *c, const shoal_view *v) {
  (void)v;
  assert_int_equal(shoal_read_events(shoal_get_world(c), &hit_component).count,
                   shoal_tick(c) == 1 || shoal_tick(c) == 2);
}

// Draws once after every tick, then, in a second world, zero to two times after each tick, as at other frame rates.
TEST(plugin_render_systems_do_not_make_the_world_depend_on_the_frame_rate) {
  uint64_t hashes[2];
  for (uint32_t k = 0; k < 2; ++k) {
    plugged_t *t = plugged_create(1);
    open_work_system(t, (shoal_system){.phase = SHOAL_PHASE_RENDER}, assert_nothing_drawn);
    for (uint32_t i = 0; i < 5; ++i) {
      char text[16];
      snprintf(text, sizeof text, "text %u", i);
      id_of(t->w, text);
      if (i == 1)
        world_emit_event(t->w, world_find_event(t->w, "hit")->id);
      for (uint32_t times = 0; times < (k ? i % 3 : 1); ++times)
        schedule_run(t->s, t->w, PHASE_RENDER, 0.1f);
      plugged_tick(t);
    }
    assert_int_not_equal(strings_find(world_strings(t->w), "test.work"), 0);
    hashes[k] = world_hash(t->w);
    plugged_destroy(t);
  }
  assert_true(hashes[0] == hashes[1]);
}

static void draw_in_update(shoal_context *c, const shoal_view *v) {
  (void)v;
  assert_false(shoal_draw_line(c, 1, 2, 3, 4, 5));
  assert_false(shoal_draw_text(c, "no", 1, 2, 24));
}

TEST_IN(drawing_outside_the_render_phase_fails, plugged_t, t) {
  open_work_system(t, (shoal_system){.phase = SHOAL_PHASE_UPDATE}, draw_in_update);
  plugged_tick(t);
  assert_int_equal(work.runs, 1);
  assert_int_equal(draw_count(t->draw), 0);
  assert_reported(t, "shoal_draw_line cannot be called in a system: draw in a system with .phase = SHOAL_PHASE_RENDER");
}

// --- parts

enum { ROWS = 40000, PART = 16384 };

static uint32_t parts_seen; // bit mask of the parts that have run
static uint32_t fail_from;  // the part that contains this row fails

// Makes every call that is allowed in a part, each for some of the part's rows.
static void call_in_parts(shoal_context *c, const shoal_view *v, float dt_s) {
  shoal_world *w = shoal_get_world(c);
  const float *x = SHOAL_COLUMN(v, position, x);
  float *y = SHOAL_COLUMN(v, position, y);
  (void)dt_s;
  assert_int_equal(v->first % PART, 0);
  assert_int_equal(v->count, v->first + PART <= ROWS ? PART : ROWS - v->first);
  __atomic_fetch_or(&parts_seen, 1u << v->first / PART, __ATOMIC_RELAXED);
  for (uint32_t i = 0; i < v->count; ++i) {
    shoal_entity e = v->entities[i];
    assert_true(x[i] == (float)(v->first + i));
    y[i] = (float)(shoal_random_u32(c) % 1000);
    switch ((v->first + i) % 1000) {
    case 0: shoal_destroy(w, e); break;
    case 1: assert_true(shoal_add(w, e, &wide_component)); break;
    case 2: assert_false(shoal_remove(w, e, &wide_component)); break;
    case 3: assert_true(shoal_set(w, e, &position_component, SHOAL_COLUMN_INDEX(position, x), -5)); break;
    case 4: assert_true(shoal_remove(w, e, &position_component)); break;
    case 5: {
      const blow_columns *out = SHOAL_EMIT(w, blow, 2);
      out->who[0] = out->who[1] = e;
      out->power[1] = x[i];
      shoal_emit_end(w, &blow_component);
      break;
    }
    case 6:
      shoal_log(c, SHOAL_LOG_INFO, "not from a part");
      assert_null(shoal_find_component(w, "position"));
      assert_reason(w, "must name position in .reads");
      assert_int_equal(shoal_read_events(w, &hit_component).count, 0);
      assert_reason(w, "events cannot be read here: read them in a system that is not parallel");
      assert_int_equal(shoal_snapshot(w, NULL, 0), 0);
      assert_reason(w, "shoal_snapshot: not available in plugins");
      assert_false(shoal_set(w, 0xffffffffu, &position_component, 0, 1));
      assert_reason(w, "is not alive");
      break;
    }
  }
  if (fail_from >= v->first && fail_from < v->first + v->count)
    shoal_fail(c, "row %u is too heavy", fail_from);
}

static plugged_t *open_parallel_system(uint32_t workers) {
  static const shoal_system systems[] = {
      {.name = "share", .run = call_in_parts, .parallel = true, .query = {"position"}}, {0}};
  static const shoal_plugin def = {.name = "test", .components = brings, .uses = uses, .systems = systems};
  plugged_t *t = plugged_create(workers);
  declare_blow(t);
  plugged_open_and_bind(t, &def);
  uint32_t position = id_of_component(t, "position");
  for (uint32_t i = 0; i < ROWS; ++i)
    set(t->w, SPAWN(t->w, position), position, POSITION_X, i);
  parts_seen = 0;
  return t;
}

TEST(part_commands_apply_in_order_with_1_4_and_7_workers) {
  uint64_t hashes[3];
  fail_from = UINT32_MAX;
  for (uint32_t i = 0; i < 3; ++i) {
    plugged_t *t = open_parallel_system(1 + 3 * i);
    plugged_tick(t);
    assert_int_equal(parts_seen, 7);
    assert_string_equal(plugged_pop_report(t), "");
    assert_string_equal(t->logged, "");
    assert_int_equal(world_entities(t->w)->alive_count, ROWS - 40);
    assert_int_equal(get_component(t, "wide")->count, 40);
    assert_int_equal(get_component(t, "position")->count, ROWS - 80);
    assert_true(value_of(t, 4, "position", POSITION_X) == -5);
    const event_o *ev = world_find_event(t->w, "blow");
    assert_int_equal(ev->columns.count, 80);
    for (uint32_t row = 0; row < 80; ++row) {
      assert_true(columns_get(&ev->columns, row, 1) == row / 2 * 1000 + 6);
      assert_true(columns_get(&ev->columns, row, 0) == (row % 2 ? row / 2 * 1000 + 5 : 0));
    }
    hashes[i] = world_hash(t->w);
    plugged_destroy(t);
  }
  assert_true(hashes[0] == hashes[1] && hashes[1] == hashes[2]);
}

TEST(failing_part_fails_the_system_and_drops_all_commands) {
  plugged_t *t = open_parallel_system(3);
  fail_from = 20000;
  plugged_tick(t);
  assert_reported(t, "plugin test.share: row 20000 is too heavy");
  assert_int_equal(world_entities(t->w)->alive_count, ROWS);
  assert_int_equal(get_component(t, "wide")->count, 0);
  assert_int_equal(world_find_event(t->w, "blow")->columns.count, 0);
  plugged_destroy(t);
}

static uint32_t structural; // selects which structural call a part makes

static void change_structure_in_parts(shoal_context *c, const shoal_view *v, float dt_s) {
  const shoal_query_desc wanted = {.with = {"position"}};
  shoal_world *w = shoal_get_world(c);
  shoal_view rows;
  shoal_observed lists;
  (void)dt_s;
  switch (structural) {
  case 0: shoal_spawn_with(w, "", NULL, 0); break;
  case 1: shoal_add_with(w, v->entities[0], NULL, 0); break;
  case 2: shoal_enter_state(w, v->entities[0], "calm"); break;
  case 3: assert_false(shoal_query_begin(w, &wanted, &rows)); break;
  case 4: shoal_observe_changes(w, "eye", &wanted, false, &lists); break;
  case 5: assert_int_equal(shoal_spawn_many(w, "", 3, NULL), 0); break;
  }
}

TEST(structural_calls_in_a_part_fail_the_system) {
  static const char *const messages[] = {"shoal_spawn_with cannot be called in a parallel or .concurrent system",
                                         "shoal_add_with cannot be called in a parallel or .concurrent system",
                                         "shoal_enter_state cannot be called in a parallel or .concurrent system",
                                         "shoal_query_begin cannot be called in a parallel or .concurrent system",
                                         "shoal_observe_changes cannot be called in a parallel or .concurrent system",
                                         "a parallel system cannot spawn: emit an event"};
  static const shoal_system systems[] = {
      {.name = "share", .run = change_structure_in_parts, .parallel = true, .query = {"position"}}, {0}};
  for (structural = 0; structural < sizeof messages / sizeof *messages; ++structural) {
    plugged_t *t = plugged_create(1);
    plugged_open_and_bind(t, &(shoal_plugin){.name = "test", .components = brings, .systems = systems});
    SPAWN(t->w, get_component(t, "position")->id);
    plugged_tick(t);
    assert_reported(t, messages[structural]);
    plugged_destroy(t);
  }
}

static void name_dead_entity_in_parts(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)v, (void)dt_s;
  assert_false(shoal_add(shoal_get_world(c), v->entities[0], NULL));
}

TEST_IN(undeclared_component_in_a_part_of_a_parallel_system_is_logged, plugged_t, t) {
  static const shoal_system systems[] = {
      {.name = "share", .run = name_dead_entity_in_parts, .parallel = true, .query = {"position"}}, {0}};
  plugged_open_and_bind(t, &(shoal_plugin){.name = "test", .systems = systems});
  SPAWN(t->w, get_component(t, "position")->id);
  plugged_tick(t);
  assert_logged(t, "plugin test: undeclared component NULL: name it in .components or .uses (reported once)");
}

// --- parts that write rows of other parts

// Columns that a part of the parallel system writes although they are outside its rows.
typedef enum foreign_write_t {
  WRITE_NOTHING,
  WRITE_SINGLETON,
  WRITE_OTHER_COMPONENT, // rows of a component outside the query
  WRITE_LATER_PART,
  WRITE_EARLIER_PART,
  WRITE_OUTSIDE_QUERY, // a row of a queried component that does not match the query
} foreign_write_t;

static foreign_write_t foreign_write;

#define SETTING_FIELDS(F) F(f32, level, 0)
SHOAL_SINGLE(setting, SETTING_FIELDS)

static void write_foreign_rows(shoal_context *c, const shoal_view *v, float dt_s) {
  shoal_world *w = shoal_get_world(c);
  float *y = SHOAL_COLUMN(v, position, y);
  bool is_last = v->first + v->count == ROWS;
  shoal_rows positions = shoal_get_rows(w, &position_component);
  (void)dt_s;
  for (uint32_t i = 0; i < v->count; ++i)
    y[i] += 1;
  switch (foreign_write) {
  case WRITE_NOTHING: break;
  case WRITE_SINGLETON:
    SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &setting_component), setting)->level[0] += (float)v->count;
    break;
  case WRITE_OTHER_COMPONENT: SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &wide_component), wide)->real[3] += 1; break;
  case WRITE_LATER_PART: y[v->first == 0 ? v->count : 0] += 1; break;
  case WRITE_EARLIER_PART: y[is_last ? -1 : 0] += 1; break;
  case WRITE_OUTSIDE_QUERY: SHOAL_ROWS_COLUMNS(positions, position)->x[positions.count - 1] += 1; break;
  }
}

TEST(part_that_writes_outside_its_rows_parks_the_system) {
  static const char *const columns[] = {"", "setting.level", "wide.real", "position.y", "position.y", "position.x"};
  static const shoal_component *const used[] = {&position_component, &setting_component, NULL};
  static const shoal_system systems[] = {
      {.name = "share", .run = write_foreign_rows, .parallel = true, .query = {"position"}, .without = {"health"}},
      {0}};
  static const field_type_t types[] = {FIELD_F32};
  for (foreign_write = WRITE_NOTHING; foreign_write <= WRITE_OUTSIDE_QUERY; ++foreign_write)
    for (uint32_t workers = 1; workers <= 3; workers += 2) {
      char message[128];
      plugged_t *t = plugged_create(workers);
      DECLARE(t->w, "setting", SCHEMA_SINGLE, types, "level");
      plugged_open_and_bind(t, &(shoal_plugin){.name = "test", .components = brings, .uses = used, .systems = systems});
      uint32_t position = id_of_component(t, "position");
      for (uint32_t i = 0; i < ROWS; ++i)
        SPAWN(t->w, position);
      for (uint32_t i = 0; i < 4; ++i)
        SPAWN(t->w, id_of_component(t, "wide"));
      SPAWN(t->w, position, id_of_component(t, "health"));
      for (uint32_t i = 0; i < 70; ++i)
        plugged_tick(t);
      snprintf(message, sizeof message, "a part of the system writes %s outside its rows", columns[foreign_write]);
      if (foreign_write == WRITE_NOTHING)
        assert_string_equal(plugged_pop_report(t), "");
      else
        assert_reported(t, message);
      plugged_destroy(t);
    }
}

// --- parts that a system starts itself

typedef struct share_t {
  uint32_t done[8];
  uint32_t heavy; // the part that throws an exception
} share_t;

static void run_part(void *data, uint32_t part, uint32_t worker) {
  share_t *s = data;
  (void)worker;
  ++s->done[part];
  if (part == s->heavy)
    throw_exception("part 3 is too heavy");
}

static share_t share;

static void run_jobs(shoal_context *c, const shoal_view *v) {
  (void)v;
  assert_int_equal(shoal_worker_count(c), 3);
  shoal_parallel_for(c, run_part, &share, 8);
}

TEST(each_part_of_shoal_jobs_runs_once) {
  plugged_t *t = plugged_create(3);
  share = (share_t){.heavy = 99};
  open_work_system(t, (shoal_system){.phase = SHOAL_PHASE_UPDATE}, run_jobs);
  plugged_tick(t);
  for (uint32_t i = 0; i < 8; ++i)
    assert_int_equal(share.done[i], 1);
  assert_string_equal(plugged_pop_report(t), "");
  plugged_destroy(t);
}

static void run_jobs_in_place(shoal_context *c, const shoal_view *v) {
  (void)v;
  assert_int_equal(shoal_worker_count(c), 1);
  shoal_parallel_for(c, run_part, &share, 8);
}

TEST_IN(exception_in_a_part_of_shoal_jobs_fails_the_system, plugged_t, t) {
  error_info_t error = {0};
  static const shoal_system systems[] = {{.name = "work", .run = run_work}, {0}};
  static const shoal_plugin def = {.name = "test", .systems = systems};
  share = (share_t){.heavy = 3};
  memset(&work, 0, sizeof work);
  work.does = run_jobs_in_place;
  assert_non_null(plugged_try_open(t, &def, call_and_catch, &error));
  plugged_bind(t);
  plugged_tick(t);
  assert_reported(t, "plugin test.work: an exception was thrown: part 3 is too heavy");
  assert_int_equal(share.done[7], 1); // the other parts still run
}

// --- NaN

#define TRANSFORM_FIELDS(F) F(f32, angle, 0) F(f32, x, 0)
SHOAL_COMPONENT(transform, TRANSFORM_FIELDS)

static void divide_by_age(shoal_context *c, const shoal_view *v) {
  float *x = SHOAL_COLUMN(v, transform, x), age = (float)(work.runs - 1);
  (void)c;
  for (uint32_t i = 0; i < v->count; ++i)
    x[i] = age / (age - 1) * 0; // NaN in the second run
}

// Declares a component that rejects NaN, like the engine's transform.
static uint32_t declare_transform(world_o *w) {
  schema_buffer_t s;
  allocator_t *a = world_allocator(w);
  schema_init(&s, "transform", SCHEMA_COMPONENT, "C");
  schema_add_field(&s.schema, "x", FIELD_F32, 0)->flags |= FIELD_REJECTS_NAN;
  schema_add_field(&s.schema, "angle", FIELD_F32, 0.5)->flags |= FIELD_REJECTS_NAN;
  uint32_t id = world_declare_schema(w, &s.schema, NULL);
  schema_fini(&s.schema, a);
  assert_int_not_equal(id, 0);
  return id;
}

static void run_with_nan(shoal_system system) {
  static const shoal_component *const components[] = {&transform_component, NULL};
  static shoal_system systems[2];
  plugged_t *t = plugged_create(system.parallel ? 3 : 1);
  uint32_t transform = declare_transform(t->w);
  shoal_entity e[3];
  for (uint32_t i = 0; i < 3; ++i)
    set(t->w, e[i] = SPAWN(t->w, transform), transform, 0, 1);
  systems[0] = system;
  systems[0].name = "work";
  systems[0].run = run_work;
  memset(&work, 0, sizeof work);
  work.does = divide_by_age;
  plugged_open_and_bind(t, &(shoal_plugin){.name = "test", .uses = components, .systems = systems});
  for (uint32_t tick = 0; tick < 3; ++tick)
    plugged_tick(t);
  const char *line = "system test.work: transform.x must be a number, got nan; stored 0: check for a division by zero";
  const char *found = strstr(t->logged, line);
  assert_non_null(found);
  for (uint32_t i = 0; i < 3; ++i)
    assert_true(value_of(t, e[i], "transform", 0) == 0);
  assert_null(strstr(found + 1, line));
  assert_null(strstr(t->logged, "angle"));
  plugged_destroy(t);
}

TEST(nan_written_by_a_system_is_replaced_and_reported_once_with_its_name) {
  run_with_nan((shoal_system){.query = {"transform"}});
  run_with_nan((shoal_system){.query = {"transform"}, .parallel = true, .concurrent = true});
}

static shoal_entity nan_target;

static void set_nan(shoal_context *c, const shoal_view *v) {
  (void)v;
  shoal_set(shoal_get_world(c), nan_target, &transform_component, SHOAL_COLUMN_INDEX(transform, angle), (double)NAN);
  shoal_set(shoal_get_world(c), nan_target, &transform_component, SHOAL_COLUMN_INDEX(transform, x), 1);
}

static void set_nan_of_entered(shoal_context *c, const shoal_entity *entities, uint32_t count, float dt_s) {
  (void)entities, (void)count, (void)dt_s;
  set_nan(c, NULL);
}

static void set_nan_in_setting(shoal_context *c, const shoal_value *in, shoal_value *out) {
  (void)in, (void)out;
  const shoal_field_value setting = {.component = "transform", .field = "x", .number = (double)NAN};
  shoal_add_with(shoal_get_world(c), nan_target, &setting, 1);
}

static void do_nothing(shoal_context *c, const shoal_view *v) {
  (void)c;
  (void)v;
}

static void write_nan_in_query(shoal_context *c, const shoal_view *v) {
  (void)v;
  shoal_view opened;
  if (shoal_query_begin(shoal_get_world(c), &(shoal_query_desc){.with = {"transform"}}, &opened))
    SHOAL_COLUMN(&opened, transform, angle)[0] = NAN;
} // the call ends the query

static void write_nan_in_rows(shoal_context *c, const shoal_view *v) {
  (void)v;
  const transform_columns *t = SHOAL_ROWS_COLUMNS(shoal_get_rows(shoal_get_world(c), &transform_component), transform);
  t->angle[0] = NAN;
}

static void write_nan_in_function(shoal_context *c, const shoal_value *in, shoal_value *out) {
  (void)in, (void)out;
  const transform_columns *t = SHOAL_ROWS_COLUMNS(shoal_get_rows(shoal_get_world(c), &transform_component), transform);
  t->x[0] = NAN;
}

// Runs a plugin that sets transform.angle, or transform.x in a function, to NaN, and checks that this is reported once.
static void report_nan_of(void (*does)(shoal_context *c, const shoal_view *v), const shoal_plugin *def,
                          const char *line) {
  plugged_t *t = plugged_create(2);
  nan_target = SPAWN(t->w, declare_transform(t->w));
  memset(&work, 0, sizeof work);
  work.does = does;
  plugged_open_and_bind(t, def);
  for (uint32_t tick = 0; tick < 3; ++tick) {
    shoal_value results[PLUGIN_MAX_VALUES], none[PLUGIN_MAX_VALUES] = {{0}};
    error_info_t error = {0};
    if (def->functions)
      plugin_call_by_number(t->p, 0, 0, none, results, &error);
    assert_string_equal(error.text, "");
    plugged_tick(t);
    plugins_start_threads(t->p);
  }
  const char *found = strstr(t->logged, line);
  assert_non_null(found);
  assert_null(strstr(found + strlen(line), "got nan"));
  assert_true(value_of(t, nan_target, "transform", 0) == value_of(t, nan_target, "transform", 0));
  assert_true(value_of(t, nan_target, "transform", 1) == 0.5);
  plugged_destroy(t);
}

static void report_set_nan(const shoal_plugin *def, const char *line) {
  report_nan_of(set_nan, def, line);
}

TEST(nan_written_to_opened_columns_is_reported_once) {
  static const shoal_component *const components[] = {&transform_component, NULL};
  static const shoal_system systems[] = {{.name = "work", .run = run_work}, {0}};
  static const shoal_function functions[] = {{.name = "spoil", .call = write_nan_in_function}, {0}};
  static const char line[] = "system test.work: transform.angle must be a number, got nan";
  report_nan_of(write_nan_in_query, &(shoal_plugin){.name = "test", .uses = components, .systems = systems}, line);
  report_nan_of(write_nan_in_rows, &(shoal_plugin){.name = "test", .uses = components, .systems = systems}, line);
  report_nan_of(do_nothing, &(shoal_plugin){.name = "test", .uses = components, .functions = functions},
                "program: transform.x must be a number, got nan");
}

TEST(nan_set_through_functions_is_reported_once) {
  static const shoal_component *const components[] = {&transform_component, NULL};
  static const shoal_system systems[] = {{.name = "work", .run = run_work}, {0}};
  static const shoal_system parts[] = {{.name = "work", .run = run_work, .query = {"transform"}, .parallel = true},
                                       {0}};
  static const shoal_observer observers[] = {{.name = "look", .query = {"transform"}, .enter = set_nan_of_entered},
                                             {0}};
  static const shoal_function functions[] = {{.name = "spoil", .call = set_nan_in_setting}, {0}};
  report_set_nan(&(shoal_plugin){.name = "test", .uses = components, .systems = systems},
                 "system test.work: transform.angle must be a number, got nan");
  report_set_nan(&(shoal_plugin){.name = "test", .uses = components, .systems = parts},
                 "system test.work: transform.angle must be a number, got nan");
  report_set_nan(&(shoal_plugin){.name = "test", .uses = components, .observers = observers},
                 "system test.look: transform.angle must be a number, got nan");
  report_set_nan(&(shoal_plugin){.name = "test", .uses = components, .functions = functions},
                 "program: transform.x must be a number, got nan");
}
