// Concurrent systems: schedule/concurrent_systems.c, and plugin systems with .concurrent. Tests which systems may run
// concurrently, whether they do run in parallel, and whether the results equal those of a sequential run.
// slow: takes seconds under the sanitizers
#include "plugin_fixture.h"

#include "base/now.h"
#include "ecs/world_hash.h"

#include <sched.h>
#include <stdatomic.h>

// --- eligibility

static uint32_t begin_empty(void *context, world_o *w, uint32_t number, float dt_s) {
  (void)context, (void)w, (void)number, (void)dt_s;
  return 0;
}

static void run_empty_part(void *context, uint32_t part, uint32_t worker) {
  (void)context, (void)part, (void)worker;
}

static void end_empty(void *context, world_o *w) {
  (void)context, (void)w;
}

typedef struct schedule_fixture_t {
  allocator_t memory;
  world_o *w;
  schedule_o *s;
} schedule_fixture_t;

SETUP(schedule_fixture_t, p) {
  p->w = make_world();
  p->s = schedule_create(&p->memory);
}

TEARDOWN(schedule_fixture_t, p) {
  schedule_destroy(p->s);
  assert_int_equal(p->memory.blocks, 0);
  world_destroy(p->w);
}

static void add_system(schedule_fixture_t *p, const char *name, phase_t phase, const char *after) {
  const char *const list[] = {after, NULL};
  const char *file = strcmp(name, "a") == 0 ? "systems/a.lua" : NULL;
  assert_true(schedule_add_system(
      p->s, &(system_desc_t){.name = name, .phase = phase, .after = list, .file = file, .line = 4}, NULL));
}

static bool declare_access(schedule_fixture_t *p, const char *name, const system_access_t *access, uint32_t count,
                           bool changes) {
  return schedule_allow_parallel(p->s, name,
                                 &(system_parallel_t){.begin = begin_empty,
                                                      .part = run_empty_part,
                                                      .end = end_empty,
                                                      .access = access,
                                                      .access_count = count,
                                                      .changes = changes});
}

#define X 1u
#define Y 2u
#define TOUCHES(p, name, ...)                                                                                          \
  assert_true(declare_access(p, name, (const system_access_t[]){__VA_ARGS__},                                          \
                             (uint32_t)(sizeof(const system_access_t[]){__VA_ARGS__} / sizeof(system_access_t)),       \
                             false))

// Formats the stages of a phase: "a b|c" means that a and b run concurrently, and c alone.
static const char *format_stages(schedule_fixture_t *p, phase_t phase) {
  static char text[512];
  text[0] = '\0';
  for (uint32_t i = 0; i < schedule_system_count(p->s, phase); ++i) {
    bool joined = i > 0 && schedule_stage(p->s, phase, i) > 0 &&
                  schedule_stage(p->s, phase, i) == schedule_stage(p->s, phase, i - 1);
    strcat(text, i == 0 ? "" : joined ? " " : "|");
    strcat(text, schedule_system_name(p->s, phase, i));
  }
  return text;
}

TEST_IN(systems_without_shared_columns_run_concurrently, schedule_fixture_t, p) {
  static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};
  for (uint32_t i = 0; i < 7; ++i)
    add_system(p, names[i], PHASE_UPDATE, NULL);
  add_system(p, "h", PHASE_POST_UPDATE, NULL);
  assert_true(schedule_sort(p->s, NULL));
  TOUCHES(p, "a", {POSITION, X, X, 0}, {HEALTH, 1, 0, 0});
  TOUCHES(p, "b", {POSITION, Y, Y, 0}, {HEALTH, 1, 0, 0}); // shares no written column with `a`: both only read health
  TOUCHES(p, "c", {HEALTH, 1, 1, 0});
  TOUCHES(p, "d", {POSITION, X | Y, 0, 0});
  TOUCHES(p, "f", {POSITION, X, X, 0});
  TOUCHES(p, "g", {LABEL, 1, 1, 0});
  TOUCHES(p, "h", {LABEL, 1, 1, 0});
  schedule_find_stages(p->s, p->w);
  assert_string_equal(format_stages(p, PHASE_UPDATE), "a b|c d|e|f g");
  assert_string_equal(format_stages(p, PHASE_POST_UPDATE), "h");
  static const char *const why[] = {"first in the phase",
                                    "",
                                    "a reads health.hp (systems/a.lua:4)",
                                    "",
                                    "runs alone",
                                    "the previous system runs alone",
                                    ""};
  for (uint32_t i = 0; i < 7; ++i)
    assert_string_equal(schedule_separation_reason(p->s, PHASE_UPDATE, i), why[i]);
  assert_int_equal(schedule_stage(p->s, PHASE_UPDATE, 0), 1);
  assert_int_equal(schedule_stage(p->s, PHASE_UPDATE, 3), 2);
  assert_int_equal(schedule_stage(p->s, PHASE_UPDATE, 4), 0);
  assert_int_equal(schedule_stage(p->s, PHASE_UPDATE, 5), 3);
  assert_int_equal(schedule_stage(p->s, PHASE_UPDATE, 99), 0);
  assert_string_equal(schedule_separation_reason(p->s, PHASE_UPDATE, 99), "");
  assert_true(schedule_sort(p->s, NULL)); // sorting again discards the declared accesses
  assert_int_equal(schedule_stage(p->s, PHASE_UPDATE, 0), 0);
}

TEST_IN(ordering_and_structural_changes_end_a_concurrent_stage, schedule_fixture_t, p) {
  add_system(p, "a", PHASE_UPDATE, NULL);
  add_system(p, "b", PHASE_UPDATE, "a");
  add_system(p, "c", PHASE_UPDATE, "a");
  add_system(p, "d", PHASE_UPDATE, NULL);
  add_system(p, "e", PHASE_UPDATE, NULL);
  assert_true(schedule_sort(p->s, NULL));
  for (const char *name = "a"; name; name = *name < 'e' ? (const char *[]){"b", "c", "d", "e"}[*name - 'a'] : NULL)
    assert_true(declare_access(p, name, NULL, 0, *name == 'd'));
  schedule_find_stages(p->s, p->w);
  assert_string_equal(format_stages(p, PHASE_UPDATE), "a|b c d|e");
  assert_string_equal(schedule_separation_reason(p->s, PHASE_UPDATE, 1), "declared to run after a (systems/a.lua:4)");
  assert_string_equal(schedule_separation_reason(p->s, PHASE_UPDATE, 4), "d makes structural changes");
}

TEST_IN(at_most_32_systems_run_concurrently, schedule_fixture_t, p) {
  char name[8];
  for (uint32_t i = 0; i < 40; ++i) {
    snprintf(name, sizeof name, "s%02u", i);
    add_system(p, name, PHASE_UPDATE, NULL);
    assert_true(declare_access(p, name, NULL, 0, false));
  }
  assert_true(schedule_sort(p->s, NULL));
  schedule_find_stages(p->s, p->w);
  assert_int_equal(schedule_stage(p->s, PHASE_UPDATE, 31), 1);
  assert_int_equal(schedule_stage(p->s, PHASE_UPDATE, 32), 2);
  assert_string_equal(schedule_separation_reason(p->s, PHASE_UPDATE, 32),
                      "the previous stage is full (at most 32 systems run in parallel)");
}

TEST_IN(render_and_on_demand_systems_never_run_concurrently, schedule_fixture_t, p) {
  add_system(p, "draws", PHASE_RENDER, NULL);
  add_system(p, "asked", PHASE_DEMAND, NULL);
  assert_false(declare_access(p, "draws", NULL, 0, false));
  assert_false(declare_access(p, "asked", NULL, 0, false));
  assert_false(declare_access(p, "nobody", NULL, 0, false));
}

// --- execution

static char recorded[512];
static _Atomic uint32_t parts_ran;

static uint32_t record_begin(void *context, world_o *w, uint32_t number, float dt_s) {
  (void)w;
  assert_true(dt_s == (*(const char *)context == 'b' ? 2.0f / 60 : 0.5f)); // b runs every second tick
  strcat(recorded, "<");
  strcat(recorded, context);
  return number;
}

static void count_part(void *context, uint32_t part, uint32_t worker) {
  (void)context, (void)worker;
  atomic_fetch_add(&parts_ran, 1u << (8 * part));
}

static void record_end(void *context, world_o *w) {
  (void)w;
  strcat(recorded, context);
  strcat(recorded, ">");
}

static void record_run(void *context, world_o *w, uint32_t number, float dt_s) {
  (void)w, (void)number, (void)dt_s;
  strcat(recorded, context);
  strcat(recorded, " ");
}

static bool wants_to_be_alone;

static bool is_alone(void *context, world_o *w) {
  (void)context, (void)w;
  return wants_to_be_alone;
}

static void record_listener(void *context, world_o *w, const char *system) {
  (void)context, (void)w;
  strcat(recorded, system);
  strcat(recorded, ";");
}

static void run_once(schedule_o *s, world_o *w, const char *expected) {
  recorded[0] = '\0';
  schedule_run(s, w, PHASE_UPDATE, 0.5f);
  assert_string_equal(recorded, expected);
}

// System a has one part, b has three parts and runs every second tick, c has no parts.
TEST(concurrent_systems_begin_and_end_in_order) {
  static char *const names[] = {"a", "b", "c"};
  static const uint32_t parts[] = {1, 3, 0}, every[] = {1, 2, 1};
  allocator_t memory = {0};
  jobs_o *jobs = jobs_create(&memory, 3);
  world_o *w = world_create(&(world_desc_t){.seed = 1, .jobs = jobs});
  schedule_o *s = schedule_create(&memory);
  for (uint32_t i = 0; i < 3; ++i) {
    system_desc_t desc = {
        .name = names[i], .number = parts[i], .every = every[i], .run = record_run, .context = names[i]};
    assert_true(schedule_add_system(s, &desc, NULL));
    system_parallel_t beside = {
        .alone = is_alone, .begin = record_begin, .part = count_part, .end = record_end, .context = names[i]};
    assert_true(schedule_allow_parallel(s, names[i], &beside));
  }
  assert_true(schedule_sort(s, NULL));
  schedule_find_stages(s, w);
  run_once(s, w, "a b c "); // without measured times, systems run in sequence
  schedule_set_min_gain(s, 0);
  atomic_store(&parts_ran, 0);
  run_once(s, w, "<a<b<ca>b>");
  assert_int_equal(atomic_load(&parts_ran), 0x010102);
  for (uint32_t i = 0; i < 3; ++i)
    assert_int_equal(schedule_part_count(s, PHASE_UPDATE, i), i == 1 ? 3 : 1);
  double us;
  uint64_t runs;
  schedule_cost(s, PHASE_UPDATE, 2, &us, &runs);
  assert_int_equal(runs, 2);
  wants_to_be_alone = true;
  run_once(s, w, "a b c ");
  wants_to_be_alone = false;
  schedule_set_callback(s, record_listener, NULL);
  run_once(s, w, "a a;b b;c c;");
  schedule_set_callback(s, NULL, NULL);
  world_end_tick(w);
  run_once(s, w, "<a<ca>"); // b is not due in this tick
  schedule_set_min_gain(s, 1e9);
  run_once(s, w, "a c ");
  schedule_destroy(s);
  world_destroy(w);
  jobs_destroy(jobs);
  assert_int_equal(memory.blocks, 0);
}

// --- plugins

#define THING_FIELDS(F) F(f32, a, 1) F(f32, b, 2) F(i32, n, 3)
SHOAL_COMPONENT(thing0, THING_FIELDS)
SHOAL_COMPONENT(thing1, THING_FIELDS)
SHOAL_COMPONENT(thing2, THING_FIELDS)
SHOAL_COMPONENT(thing3, THING_FIELDS)
SHOAL_COMPONENT(thing4, THING_FIELDS)
SHOAL_COMPONENT(thing5, THING_FIELDS)
SHOAL_SINGLE(rules, THING_FIELDS)
#define KNOCK_FIELDS(F) F(entity, who) F(f32, power, 0)
SHOAL_EVENT(knock, KNOCK_FIELDS)
static const shoal_component *const all[] = {&thing0_component, &thing1_component, &thing2_component,
                                             &thing3_component, &thing4_component, &thing5_component,
                                             &rules_component,  &knock_component,  NULL};
enum { THINGS = 6, RULES = 6 };

typedef void does_t(shoal_context *c, const shoal_view *v);
static does_t *first_does, *second_does;

static void run_first(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)dt_s;
  if (first_does)
    first_does(c, v);
}

static void run_second(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)dt_s;
  if (second_does)
    second_does(c, v);
}

// Registers two systems of a plugin and spawns `count` entities with both components.
static plugged_t *open_two_systems(shoal_system one, does_t *does_one, shoal_system two, does_t *does_two,
                                   uint32_t count) {
  static shoal_system systems[3];
  static shoal_plugin def;
  one.name = "one", one.run = run_first;
  two.name = "two", two.run = run_second;
  systems[0] = one;
  systems[1] = two;
  first_does = does_one;
  second_does = does_two;
  def = (shoal_plugin){.name = "pair", .components = all, .systems = systems};
  plugged_t *t = plugged_create(2);
  plugged_open_and_bind(t, &def);
  schedule_set_min_gain(t->s, 0);
  for (uint32_t i = 0; i < count; ++i)
    SPAWN(t->w, get_component(t, "thing0")->id, get_component(t, "thing1")->id);
  return t;
}

static void run_ticks(plugged_t *t, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    plugged_tick(t);
}

// OBSERVED_TICKS: number of ticks in which each system runs alone while its accesses are observed.
enum { OBSERVED_TICKS = 6, TIMEOUT_MS = 20000 };

static _Atomic uint32_t running, max_running;

// From tick OBSERVED_TICKS on, waits until the other system is running as well.
static void wait_for_other_system(shoal_context *c, const shoal_view *v) {
  (void)v;
  uint32_t now = atomic_fetch_add(&running, 1) + 1;
  for (int64_t end = now_ns() + (int64_t)TIMEOUT_MS * NS_PER_MS;
       shoal_tick(c) >= OBSERVED_TICKS && now < 2 && now_ns() < end;) {
    uint32_t seen = atomic_load(&running);
    now = seen > now ? seen : now;
    sched_yield(); // the other system's thread may need this core
  }
  for (uint32_t before = atomic_load(&max_running); now > before;)
    atomic_compare_exchange_weak(&max_running, &before, now);
  while (shoal_tick(c) >= OBSERVED_TICKS && atomic_load(&max_running) < 2)
    sched_yield();
  atomic_fetch_sub(&running, 1);
}

TEST(independent_plugin_systems_run_in_parallel) {
  atomic_store(&running, 0);
  atomic_store(&max_running, 0);
  plugged_t *t = open_two_systems((shoal_system){.query = {"thing0"}, .concurrent = true}, wait_for_other_system,
                                  (shoal_system){.query = {"thing1"}, .concurrent = true}, wait_for_other_system, 10);
  assert_int_equal(schedule_stage(t->s, PHASE_UPDATE, 1), 1);
  run_ticks(t, OBSERVED_TICKS + 1);
  assert_int_equal(atomic_load(&max_running), 2);
  assert_string_equal(plugged_pop_report(t), "");
  plugged_destroy(t);
}

static const char *find_separation_reason(shoal_system one, shoal_system two) {
  static char text[256];
  plugged_t *t = open_two_systems(one, NULL, two, NULL, 1);
  snprintf(text, sizeof text, "%s", schedule_separation_reason(t->s, PHASE_UPDATE, 1));
  plugged_destroy(t);
  return text;
}

TEST(plugin_declarations_determine_which_systems_run_concurrently) {
#define S(...) ((shoal_system){.concurrent = true, __VA_ARGS__})
  assert_string_equal(find_separation_reason(S(.query = {"thing0"}), S(.query = {"thing1"})), "");
  assert_string_equal(find_separation_reason(S(.query = {"thing0"}), S(.query = {"thing0"})),
                      "pair.one writes thing0.a");
  assert_string_equal(
      find_separation_reason(S(.query = {"thing0"}, .reads = {"thing0"}), S(.query = {"thing0"}, .reads = {"thing0"})),
      "");
  assert_string_equal(find_separation_reason(S(.query = {"thing0"}, .reads = {"thing0"}), S(.query = {"thing0"})),
                      "pair.one reads thing0.a");
  assert_string_equal(find_separation_reason(S(.query = {"thing0"}), S(.query = {"thing1"}, .reads = {"thing0"})),
                      "pair.one writes thing0.a");
  assert_string_equal(find_separation_reason(S(.query = {"thing0"}), S(.query = {"thing1"}, .optional = {"thing0"})),
                      "pair.one writes thing0.a");
  assert_string_equal(find_separation_reason(S(.query = {"thing0"}), S(.query = {"thing1"}, .without = {"thing0"})),
                      "");
  assert_string_equal(
      find_separation_reason(S(.query = {"thing0"}, .concurrent_changes = true), S(.query = {"thing1"})),
      "pair.one makes structural changes");
  assert_string_equal(
      find_separation_reason(S(.query = {"thing0"}), S(.query = {"thing1"}, .concurrent_changes = true)), "");
  assert_string_equal(find_separation_reason(S(.query = {"thing0"}), S(.query = {"thing1"}, .after = {"one"})),
                      "declared to run after pair.one");
  assert_string_equal(find_separation_reason(S(.query = {"thing0"}), (shoal_system){.query = {"thing1"}}),
                      "runs alone");
  assert_string_equal(
      find_separation_reason(S(.query = {"thing0"}), (shoal_system){.query = {"thing1"}, .parallel = true}),
      "runs alone");
  assert_string_equal(find_separation_reason(S(.query = {"thing0"}), S(.query = {"thing1"}, .parallel = true)), "");
#undef S
}

// --- undeclared accesses

static void assert_access_rejected(shoal_system s, does_t *does, const char *words) {
  s.concurrent = true;
  plugged_t *t = open_two_systems(s, does, (shoal_system){.query = {"thing1"}, .concurrent = true}, NULL, 3);
  run_ticks(t, 2);
  assert_reported(t, words);
  assert_string_equal(plugged_pop_report(t), ""); // the report is not repeated, and the other system is not parked
  plugged_destroy(t);
}

static void try_spawn(shoal_context *c, const shoal_view *v) {
  (void)v;
  assert_int_equal(shoal_spawn_many(shoal_get_world(c), "", 1, NULL), 0);
}

static void try_destroy(shoal_context *c, const shoal_view *v) {
  shoal_destroy_many(shoal_get_world(c), v->entities, 1);
}

static void try_add(shoal_context *c, const shoal_view *v) {
  shoal_add(shoal_get_world(c), v->entities[0], &thing2_component);
}

static void try_remove(shoal_context *c, const shoal_view *v) {
  shoal_remove(shoal_get_world(c), v->entities[0], &thing1_component);
}

static void try_set(shoal_context *c, const shoal_view *v) {
  shoal_set(shoal_get_world(c), v->entities[0], &thing1_component, 0, 5);
}

static void read_undeclared_component(shoal_context *c, const shoal_view *v) {
  (void)v;
  assert_int_equal(shoal_get_rows(shoal_get_world(c), &thing1_component).count, 0);
}

static void read_events(shoal_context *c, const shoal_view *v) {
  (void)v;
  assert_int_equal(shoal_read_events(shoal_get_world(c), &knock_component).count, 0);
}

static void write_read_only_column(shoal_context *c, const shoal_view *v) {
  (void)c;
  SHOAL_COLUMN(v, thing0, a)[0] = 9;
}

static void write_table(shoal_context *c, const shoal_view *v) {
  (void)v;
  SHOAL_ROWS_COLUMNS(shoal_get_rows(shoal_get_world(c), &rules_component), rules)->n[0] += 1;
}

TEST(undeclared_access_parks_a_concurrent_system) {
  assert_access_rejected((shoal_system){.query = {"thing0"}}, try_spawn,
                         "pair.one: a system with .concurrent cannot spawn");
  assert_access_rejected((shoal_system){.query = {"thing0"}}, try_destroy, "must declare .concurrent_changes = true");
  assert_access_rejected((shoal_system){.query = {"thing0"}}, try_add, "must declare .concurrent_changes = true");
  assert_access_rejected((shoal_system){.query = {"thing0"}}, try_remove, "must declare .concurrent_changes = true");
  assert_access_rejected((shoal_system){.query = {"thing0"}}, try_set, "must declare .concurrent_changes = true");
  assert_access_rejected((shoal_system){.query = {"thing0"}}, read_undeclared_component,
                         "cannot read thing1: name it in the query or .reads");
  assert_access_rejected((shoal_system){.query = {"thing0"}}, read_events,
                         "a system with .concurrent cannot read events");
  assert_access_rejected((shoal_system){.query = {"thing0"}, .reads = {"thing0"}}, write_read_only_column,
                         "the system writes thing0.a, which is read-only, because .reads names it");
  assert_access_rejected((shoal_system){.query = {"thing0"}, .reads = {"rules"}}, write_table,
                         "the system writes rules.n, which is read-only, because .reads names it");
}

static void read_table(shoal_context *c, const shoal_view *v) {
  shoal_world *w = shoal_get_world(c);
  float *a = SHOAL_COLUMN(v, thing0, a);
  const thing1_columns *other = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &thing1_component), thing1);
  const rules_columns *rules = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &rules_component), rules);
  assert_ptr_equal(shoal_find_component(w, "thing1"), &thing1_component);
  assert_null(shoal_find_component(w, "thing3"));
  for (uint32_t i = 0; i < v->count; ++i)
    a[i] += other->b[shoal_find_row(w, &thing1_component, v->entities[i])] * (float)rules->n[0];
}

TEST(components_in_reads_can_be_accessed_outside_the_query) {
  plugged_t *t = open_two_systems((shoal_system){.query = {"thing0"}, .reads = {"thing1", "rules"}, .concurrent = true},
                                  read_table, (shoal_system){.query = {"thing2"}, .concurrent = true}, NULL, 3);
  run_ticks(t, OBSERVED_TICKS + 2);
  assert_string_equal(plugged_pop_report(t), "");
  assert_true(((float *)manager_column(get_component(t, "thing0"), 0))[2] == 1 + (OBSERVED_TICKS + 2) * 2 * 3);
  plugged_destroy(t);
}

static void assert_system_rejected(plugged_t *t, shoal_system s, const char *words) {
  static shoal_system systems[2];
  s.name = "work";
  s.run = run_first;
  systems[0] = s;
  assert_plugin_rejected(t, &(shoal_plugin){.name = "bad", .components = all, .systems = systems}, words);
}

FIXTURE(plugged_t, plugged_setup, plugged_teardown)

TEST_IN(invalid_declarations_of_concurrent_systems_are_rejected, plugged_t, t) {
  assert_system_rejected(t, (shoal_system){.phase = SHOAL_PHASE_RENDER, .concurrent = true},
                         "system work: .concurrent requires a phase other than SHOAL_PHASE_RENDER");
  assert_system_rejected(t, (shoal_system){.query = {"thing0"}, .concurrent_changes = true},
                         "system work: .concurrent_changes requires .concurrent: set .concurrent");
  assert_system_rejected(t, (shoal_system){.query = {"thing0"}, .reads = {"thing1"}},
                         ".reads must name components of .query, .optional or .any, got thing1");
}

TEST(unknown_component_in_reads_parks_the_system) {
  plugged_t *t = open_two_systems((shoal_system){.query = {"thing0"}, .reads = {"helth"}, .concurrent = true}, NULL,
                                  (shoal_system){.query = {"thing1"}, .reads = {"knock"}, .concurrent = true}, NULL, 1);
  assert_reported(t, "pair.one: .reads: unknown component helth: did you mean health?");
  assert_reported(
      t, "pair.two: .reads must name components, got the event knock: a system with .concurrent cannot read events");
  run_ticks(t, 2);
  plugged_destroy(t);
}

// --- failures

static void fail_at_end(shoal_context *c, const shoal_view *v) {
  SHOAL_EMIT(shoal_get_world(c), knock, 1)->power[0] = 1;
  if (shoal_tick(c) == OBSERVED_TICKS)
    shoal_fail(c, "row %u is full", v->count - 1);
}

TEST(failures_of_concurrent_systems_are_reported_in_order) {
  plugged_t *t = open_two_systems((shoal_system){.query = {"thing0"}, .concurrent = true}, fail_at_end,
                                  (shoal_system){.query = {"thing1"}, .concurrent = true}, fail_at_end, 4);
  run_ticks(t, OBSERVED_TICKS);
  const event_o *knock = world_find_event(t->w, "knock");
  uint64_t before = knock->first + knock->columns.count;
  assert_int_equal(before, 2 * OBSERVED_TICKS);
  run_ticks(t, 2);
  assert_int_equal(knock->first + knock->columns.count, before);
  assert_reported(t, "pair.one: row 3 is full");
  assert_reported(t, "pair.two: row 3 is full");
  assert_string_equal(plugged_pop_report(t), "");
  plugged_destroy(t);
}

// --- random declarations, random programs

enum { SYSTEMS = 14, STEPS = 5, FUZZ_GAMES = 30, FUZZ_TICKS = 24, FUZZ_ROWS = 90 };

// One step of a program: computes a column of one component from a column of another. The source component is either a
// term of the query or is accessed as a table.
typedef struct step_t {
  uint32_t to, to_column, from, from_column, kind;
} step_t;

typedef struct program_t {
  step_t steps[STEPS];
} program_t;

static shoal_system fuzz_systems[SYSTEMS + 1];
static program_t programs[SYSTEMS];
static char fuzz_names[SYSTEMS][8];
static const char *const thing_names[] = {"thing0", "thing1", "thing2", "thing3", "thing4", "thing5", "rules"};

static float read_view_value(const shoal_view *v, const shoal_component *of, uint32_t column, uint32_t i) {
  void *const *columns = shoal_view_columns(v, of);
  return column == 2 ? (float)((int32_t *)columns[2])[i] : ((float *)columns[column])[i];
}

// Reads a value from the query's row, from the entity's row in a table, or from the singleton; 0.25 without a row.
static float read_step_value(shoal_context *c, const shoal_view *v, const step_t *s, uint32_t i) {
  shoal_world *w = shoal_get_world(c);
  if (shoal_view_term(v, all[s->from]))
    return read_view_value(v, all[s->from], s->from_column, i);
  shoal_rows t = shoal_get_rows(w, all[s->from]);
  uint32_t row = s->from == RULES ? 0 : shoal_find_row(w, all[s->from], v->entities[i]);
  if (row == SHOAL_NO_ROW || !t.columns)
    return 0.25f;
  return s->from_column == 2 ? (float)((int32_t *)t.columns[2])[row] : ((float *)t.columns[s->from_column])[row];
}

static void run_step(shoal_context *c, const shoal_view *v, const step_t *s, bool changes, uint32_t i) {
  shoal_world *w = shoal_get_world(c);
  float from = read_step_value(c, v, s, i), *a = ((float *const *)shoal_view_columns(v, all[s->to]))[s->to_column];
  switch (s->kind) {
  case 0: a[i] = a[i] * 0.75f + from * 0.25f; break;
  case 1: a[i] = a[i] + from > 1000 ? 1 : a[i] + from; break;
  case 2: a[i] += shoal_random_f32(c); break;
  case 3:
    if (from > a[i] && (uint32_t)i % 5 == 0) {
      const knock_columns *out = SHOAL_EMIT(w, knock, 1);
      out->who[0] = v->entities[i];
      out->power[0] = from;
    }
    break;
  default:
    if (changes && (i + s->to + (uint32_t)shoal_tick(c)) % 17 == 0) {
      if (s->to_column == 0 && i % 3 == 0)
        shoal_destroy(w, v->entities[i]);
      else if (i % 2 == 0)
        shoal_add(w, v->entities[i], all[(s->to + 1) % THINGS]);
      else
        shoal_set(w, v->entities[i], all[s->to], 1, (double)from);
    }
  }
}

static void run_program(shoal_context *c, const shoal_view *v, float dt_s) {
  const run_t *r = plugin_current_context(c, "run_program")->run;
  const program_t *p = &programs[r->def - fuzz_systems];
  (void)dt_s;
  for (uint32_t i = 0; i < v->count; ++i)
    for (uint32_t k = 0; k < STEPS; ++k)
      run_step(c, v, &p->steps[k], r->def->concurrent_changes, i);
}

static uint32_t random_below(random_t *random, uint32_t limit) {
  return random_u32(random) % limit;
}

static void choose_names(random_t *random, const char **out, uint32_t count) {
  uint32_t first = random_below(random, THINGS);
  for (uint32_t i = 0; i < count; ++i)
    out[i] = thing_names[(first + i * 2) % THINGS]; // with at most three names, no name repeats
}

static bool contains_name(const char *const *names, const char *name) {
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && names[i]; ++i)
    if (strcmp(names[i], name) == 0)
      return true;
  return false;
}

static void choose_system(random_t *random, uint32_t number) {
  shoal_system *s = &fuzz_systems[number];
  *s = (shoal_system){.name = fuzz_names[number], .run = run_program, .priority = (int32_t)random_below(random, 6)};
  snprintf(fuzz_names[number], sizeof fuzz_names[number], "s%02u", number);
  choose_names(random, s->query, 1 + random_below(random, 2));
  s->concurrent = random_below(random, 8) > 0;
  s->parallel = random_below(random, 4) == 0;
  s->concurrent_changes = s->concurrent && random_below(random, 6) == 0;
  uint32_t reads = 0;
  if (s->query[1] && random_below(random, 2))
    s->reads[reads++] = s->query[1];
  for (uint32_t i = 0; i <= RULES && s->concurrent && reads < 3; ++i)
    if (random_below(random, 4) == 0 && !contains_name(s->query, thing_names[i]))
      s->reads[reads++] = thing_names[i];
  for (uint32_t k = 0; k < STEPS; ++k) {
    step_t *step = &programs[number].steps[k];
    step->kind = random_below(random, 5);
    step->to_column = random_below(random, 2);
    step->from_column = random_below(random, 3);
    for (step->to = 0; strcmp(thing_names[step->to], s->query[0]) != 0; ++step->to)
      ;
    const char *from = reads > 0 && random_below(random, 2) ? s->reads[random_below(random, reads)] : s->query[0];
    for (step->from = 0; strcmp(thing_names[step->from], from) != 0; ++step->from)
      ;
  }
}

static void spawn_random_entities(plugged_t *t, random_t *random) {
  for (uint32_t i = 0; i < FUZZ_ROWS; ++i) {
    shoal_entity e = spawn(t->w);
    for (uint32_t k = 0; k < THINGS; ++k)
      if (random_below(random, 3) > 0) {
        uint32_t id = get_component(t, thing_names[(k + i) % THINGS])->id;
        add(t->w, e, id, 0);
        set(t->w, e, id, 0, random_below(random, 1000));
      }
  }
}

// Runs the programs of this seed with `workers` worker threads and stores the world's hash after each tick. Returns the
// number of systems that may run concurrently.
static uint32_t run_random_programs(uint64_t seed, uint32_t workers, uint64_t *hashes) {
  random_t random;
  random_seed(&random, seed);
  for (uint32_t i = 0; i < SYSTEMS; ++i)
    choose_system(&random, i);
  plugged_t *t = plugged_create(workers);
  plugged_open_and_bind(t, &(shoal_plugin){.name = "fuzz", .components = all, .systems = fuzz_systems});
  schedule_set_min_gain(t->s, 0);
  spawn_random_entities(t, &random);
  uint32_t together = 0;
  for (uint32_t i = 0; i < SYSTEMS; ++i)
    together += schedule_stage(t->s, PHASE_UPDATE, i) > 0;
  for (uint32_t i = 0; i < FUZZ_TICKS; ++i) {
    plugged_tick(t);
    hashes[i] = world_hash(t->w);
  }
  const char *report = plugged_pop_report(t);
  if (report[0])
    fail_msg("game %llu with %u workers: %s", (unsigned long long)seed, workers, report);
  plugged_destroy(t);
  return together;
}

TEST(random_games_give_the_same_hashes_with_one_and_several_workers) {
  static const uint32_t workers[] = {2, 3, 8};
  uint64_t one[FUZZ_TICKS], other[FUZZ_TICKS];
  uint32_t together = 0, games = FUZZ_GAMES;
  const char *wanted = getenv("FUZZ_GAMES"); // set by hand to run more games
  games = wanted ? (uint32_t)strtoul(wanted, NULL, 10) : games;
  for (uint64_t seed = 1; seed <= games; ++seed) {
    together += run_random_programs(seed, 1, one);
    run_random_programs(seed, workers[seed % 3], other);
    for (uint32_t i = 0; i < FUZZ_TICKS; ++i)
      if (one[i] != other[i])
        fail_msg("game %llu differs at tick %u with %u workers", (unsigned long long)seed, i, workers[seed % 3]);
  }
  assert_true(together > games * 2);
}
