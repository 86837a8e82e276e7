// Plugin observers and change counters: plugin/system.c, service/rows.c.
#include "plugin_fixture.h"

#include "plugin/system.h"
#include "ecs/changes.h"
#include "shoal/observe.h"

#define HEALTH_FIELDS(F) F(i32, hp, 0)
SHOAL_COMPONENT(health, HEALTH_FIELDS)
#define SCORE_FIELDS(F) F(i32, value, 0)
SHOAL_SINGLE(score, SCORE_FIELDS)
SHOAL_EVENT(bang, SCORE_FIELDS)
static const shoal_component *const brings[] = {&score_component, &bang_component, NULL};
static const shoal_component *const uses[] = {&health_component, NULL};

// Reported lists, each with its number of entities: "l2 e1 c3 " means 2 in leave, 1 in enter and 3 in changed.
static char listed[512];
static enum { NOTES, CLAMPS, GROWS, FAILS, SPAWNS, ASKS } behaviour; // behaviour of the callbacks
static shoal_entity last;                                            // the last reported entity
static uint64_t counted;
static uint32_t other_runs; // number of calls to the other system

static void record_call(char kind, const shoal_entity *entities, uint32_t count) {
  size_t used = strlen(listed);
  snprintf(listed + used, sizeof listed - used, "%c%u ", kind, count);
  last = entities[count - 1];
}

static void on_leave(shoal_context *c, const shoal_entity *entities, uint32_t count, float dt_s) {
  (void)c, (void)dt_s;
  record_call('l', entities, count);
}

static void on_enter(shoal_context *c, const shoal_entity *entities, uint32_t count, float dt_s) {
  assert_true(dt_s == 0.5f);
  record_call('e', entities, count);
  if (behaviour == SPAWNS) {
    shoal_destroy_many(shoal_get_world(c), entities, count);
    shoal_fail(c, "not today");
  }
}

static void on_changed(shoal_context *c, const shoal_entity *entities, uint32_t count, float dt_s) {
  shoal_world *w = shoal_get_world(c);
  const health_columns *health = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &health_component), health);
  (void)dt_s;
  record_call('c', entities, count);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t row = shoal_find_row(w, &health_component, entities[i]);
    if (behaviour == CLAMPS && health->hp[row] > 100)
      health->hp[row] = 100;
    if (behaviour == GROWS)
      ++health->hp[row];
  }
  if (behaviour == FAILS)
    shoal_fail(c, "it hurts");
}

static void count_change(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)v, (void)dt_s;
  counted = shoal_change_count(c, &health_component);
  ++other_runs;
  if (behaviour == ASKS)
    shoal_change_count(c, &bang_component);
}

static void read_counter(shoal_context *c, const shoal_value *in, shoal_value *out) {
  (void)in;
  out[0].number = (double)shoal_change_count(c, &health_component);
}

static const shoal_observer observers[] = {
    {.name = "ear", .query = {"health"}, .enter = on_enter, .leave = on_leave, .changed = on_changed}, {0}};
static const shoal_system systems[] = {{.name = "look", .run = count_change}, {0}};
static const shoal_function functions[] = {{.name = "ask", .results = "n:number", .call = read_counter},
                                           {.name = "pure", .results = "n:number", .call = read_counter, .pure = true},
                                           {0}};
static const shoal_plugin def = {.name = "test",
                                 .components = brings,
                                 .uses = uses,
                                 .observers = observers,
                                 .systems = systems,
                                 .functions = functions};

static int setup(void **state) {
  error_info_t error = {0};
  plugged_setup(state);
  plugged_t *t = *state;
  listed[0] = '\0';
  behaviour = NOTES;
  assert_true(changes_declare(t->w, &error));
  plugged_open_and_bind(t, &def);
  return 0;
}
FIXTURE(plugged_t, setup, plugged_teardown)

static shoal_entity add_entity(plugged_t *t, double hp) {
  uint32_t health = get_component(t, "health")->id;
  shoal_entity e = SPAWN(t->w, health);
  set(t->w, e, health, 0, hp);
  return e;
}

static void assert_tick_lists(plugged_t *t, const char *words) {
  listed[0] = '\0';
  plugged_tick(t);
  assert_string_equal(listed, words);
}

TEST_IN(observer_lists_leave_enter_and_changed_once_in_this_order, plugged_t, t) {
  uint32_t health = get_component(t, "health")->id;
  shoal_entity a = add_entity(t, 1), b = add_entity(t, 2);
  assert_tick_lists(t, "e2 ");
  assert_tick_lists(t, "");
  set(t->w, b, health, 0, 7);
  assert_tick_lists(t, "c1 ");
  assert_int_equal(last, b);
  set(t->w, b, health, 0, 8);
  set(t->w, b, health, 0, 7); // the same value as in the last run
  assert_tick_lists(t, "");
  set(t->w, b, health, 0, 9);
  world_destroy_entity(t->w, a);
  add_entity(t, 3);
  assert_tick_lists(t, "l1 e1 c1 ");
  assert_int_equal(last, b);
  shoal_entity c = add_entity(t, 5);
  world_destroy_entity(t->w, c); // spawned and destroyed between two runs, so not reported
  assert_tick_lists(t, "");
}

TEST_IN(observer_is_called_again_for_its_own_changes_in_the_same_tick, plugged_t, t) {
  shoal_entity e = add_entity(t, 1);
  behaviour = CLAMPS;
  assert_tick_lists(t, "e1 ");
  set(t->w, e, get_component(t, "health")->id, 0, 250);
  assert_tick_lists(t, "c1 c1 ");
  assert_true(value_of(t, e, "health", 0) == 100);
  assert_string_equal(plugged_pop_report(t), "");
}

TEST_IN(observer_that_keeps_changing_values_is_parked_and_other_systems_run, plugged_t, t) {
  shoal_entity e = add_entity(t, 1);
  assert_tick_lists(t, "e1 ");
  behaviour = GROWS;
  set(t->w, e, get_component(t, "health")->id, 0, 2);
  plugged_tick(t);
  assert_reported(t,
                  "plugin test.ear: the observer was called 100 times in one tick, most recently .changed for entity(");
  assert_true(value_of(t, e, "health", 0) == 102);
  assert_tick_lists(t, ""); // the observer is parked
  assert_true(plugin_observer_has_pending(&t->p->list.items[0]->runs[1]));
  uint32_t before = other_runs;
  plugged_tick(t);
  assert_int_equal(other_runs, before + 1); // the other system still runs
}

TEST_IN(failed_observer_gets_its_changes_again_after_a_reload, plugged_t, t) {
  behaviour = SPAWNS;
  shoal_entity e = add_entity(t, 1);
  assert_tick_lists(t, "e1 ");
  assert_reported(t, "plugin test.ear: not today");
  assert_true(world_is_alive(t->w, e)); // the commands that the failed call queued are dropped
  behaviour = FAILS;
  t->p->list.items[0]->runs[1].parked = false; // simulates a reload
  assert_tick_lists(t, "e1 ");
  set(t->w, e, get_component(t, "health")->id, 0, 4);
  assert_tick_lists(t, "c1 ");
  assert_reported(t, "plugin test.ear: it hurts");
  behaviour = NOTES;
  t->p->list.items[0]->runs[1].parked = false;
  assert_tick_lists(t, "c1 ");
  assert_tick_lists(t, "");
}

static void ignore_entities(shoal_context *c, const shoal_entity *entities, uint32_t count, float dt_s) {
  (void)c, (void)entities, (void)count, (void)dt_s;
}

static void assert_observer_rejected(plugged_t *t, shoal_observer o, const char *words) {
  shoal_observer list[] = {o, {0}};
  assert_plugin_rejected(t, &(shoal_plugin){.name = "other", .observers = list, .systems = systems}, words);
}

typedef plugged_t plain_plugged_t;
FIXTURE(plain_plugged_t, plugged_setup, plugged_teardown)

TEST_IN(invalid_observer_is_rejected, plain_plugged_t, t) {
  assert_observer_rejected(t, (shoal_observer){.name = "o", .query = {"health"}},
                           "observer o must have .enter, .leave or .changed");
  assert_observer_rejected(t, (shoal_observer){.name = "o", .changed = ignore_entities},
                           "observer o: .query must name a component");
  assert_observer_rejected(
      t, (shoal_observer){.name = "o", .query = {"health"}, .changed = ignore_entities, .phase = SHOAL_PHASE_RENDER},
      "observer o: .phase must not be SHOAL_PHASE_RENDER");
  assert_observer_rejected(t, (shoal_observer){.name = "look", .query = {"health"}, .changed = ignore_entities},
                           "a system and an observer are both named look");
  assert_observer_rejected(t, (shoal_observer){.name = "o o", .query = {"health"}, .changed = ignore_entities},
                           "the name of a system or observer must consist of 1 to 63 letters, digits and _");
  const shoal_observer two[] = {{.name = "o", .query = {"health"}, .changed = ignore_entities},
                                {.name = "o", .query = {"health"}, .changed = ignore_entities},
                                {0}};
  assert_plugin_rejected(t, &(shoal_plugin){.name = "other", .observers = two}, "two observers are named o");
}

TEST(observer_with_an_invalid_query_is_reported) {
  plugged_t *t = plugged_create(1);
  const shoal_observer list[] = {{.name = "o", .query = {"helth"}, .changed = ignore_entities}, {0}};
  plugged_open_and_bind(t, &(shoal_plugin){.name = "other", .observers = list});
  assert_reported(t, "plugin other.o: unknown component helth: did you mean health?");
  plugged_tick(t);
  plugged_destroy(t);
}

TEST_IN(change_counter_grows_by_one_for_each_change, plugged_t, t) {
  shoal_entity e = add_entity(t, 1);
  plugged_tick(t);
  assert_int_equal(counted, 0);
  set(t->w, e, get_component(t, "health")->id, 0, 2);
  add_entity(t, 1);
  plugged_tick(t);
  assert_int_equal(counted, 2);
}

static const char *call_function(plugged_t *t, uint32_t function, double *number) {
  static error_info_t error;
  shoal_value results[PLUGIN_MAX_VALUES], none[PLUGIN_MAX_VALUES] = {{0}};
  error.text[0] = '\0';
  plugin_call_by_number(t->p, 0, function, none, results, &error);
  *number = results[0].number;
  return error.text;
}

TEST_IN(invalid_shoal_changes_call_fails_with_a_message, plugged_t, t) {
  double number = -1;
  plugged_tick(t);
  assert_string_equal(call_function(t, 0, &number), "");
  assert_true(number == 0);
  assert_string_equal(call_function(t, 1, &number),
                      "shoal_change_count cannot be called in a pure function, because it changes the world");
  behaviour = ASKS;
  plugged_tick(t);
  assert_reported(t, "plugin test.look: shoal_change_count: undeclared component "
                     "bang");
}
