// The order of systems: schedule/schedule.h.
#include "ecs_fixture.h"

static allocator_t memory;
static schedule_o *s;
static char ran[256];

static void schedule_setup(void) {
  memory = (allocator_t){0};
  s = schedule_create(&memory);
  ran[0] = '\0';
}

static void schedule_teardown(void) {
  schedule_destroy(s);
  assert_int_equal(memory.bytes, 0);
  assert_int_equal(memory.blocks, 0);
}
STATIC_FIXTURE(fixture, schedule_setup, schedule_teardown)

static void log_run(void *context, world_o *w, uint32_t number, float dt_s) {
  char one[32];
  (void)w;
  snprintf(one, sizeof one, "%s%u:%g ", (const char *)context, number, (double)dt_s);
  strcat(ran, one);
}

typedef const char *const names_t[4];

static void add_system(const char *name, phase_t phase, int32_t priority, const char *const *after,
                       const char *const *before) {
  error_info_t error;
  system_desc_t desc = {.name = name, .phase = phase, .priority = priority, .after = after, .before = before};
  if (!schedule_add_system(s, &desc, &error))
    fail_msg("%s", error.text);
}

static const char *format_order(phase_t phase) {
  static char text[256];
  error_info_t error;
  if (!schedule_sort(s, &error))
    fail_msg("%s", error.text);
  text[0] = '\0';
  for (uint32_t i = 0; i < schedule_system_count(s, phase); ++i) {
    strcat(text, schedule_system_name(s, phase, i));
    strcat(text, " ");
  }
  return text;
}

TEST_WITH(systems_are_ordered_by_priority_then_name, fixture) {
  add_system("c", PHASE_NONE, 0, NULL, NULL);
  add_system("a", PHASE_UPDATE, 0, NULL, NULL);
  add_system("late", PHASE_UPDATE, 5, NULL, NULL);
  add_system("b", PHASE_UPDATE, 0, NULL, NULL);
  add_system("early", PHASE_UPDATE, -5, NULL, NULL);
  add_system("elsewhere", PHASE_RENDER, -9, NULL, NULL);
  assert_string_equal(format_order(PHASE_UPDATE), "early a b c late ");
  assert_string_equal(format_order(PHASE_RENDER), "elsewhere ");
  assert_string_equal(format_order(PHASE_INPUT), "");
}

TEST_WITH(before_and_after_override_priority, fixture) {
  add_system("a", PHASE_UPDATE, 0, (names_t){"z", "missing"}, NULL);
  add_system("b", PHASE_UPDATE, 0, NULL, NULL);
  add_system("z", PHASE_UPDATE, 100, NULL, NULL);
  add_system("y", PHASE_UPDATE, 200, NULL, (names_t){"b"});
  assert_string_equal(format_order(PHASE_UPDATE), "z a y b ");
}

TEST_WITH(system_order_does_not_depend_on_declaration_order, fixture) {
  static const char *const names[] = {"d", "a", "c", "b", "e"};
  char first[64] = "";
  for (int turn = 0; turn < 5; ++turn) {
    schedule_o *other = schedule_create(&memory);
    for (int i = 0; i < 5; ++i) {
      const char *name = names[(i + turn) % 5];
      const char *const after_e[] = {"e", NULL};
      assert_true(
          schedule_add_system(other, &(system_desc_t){.name = name, .after = *name == 'b' ? after_e : NULL}, NULL));
    }
    assert_true(schedule_sort(other, NULL));
    char text[64] = "";
    for (uint32_t i = 0; i < 5; ++i)
      strcat(text, schedule_system_name(other, PHASE_UPDATE, i));
    if (turn == 0)
      strcpy(first, text);
    assert_string_equal(text, first);
    schedule_destroy(other);
  }
  assert_string_equal(first, "acdeb");
}

TEST_WITH(cyclic_order_is_rejected_and_the_error_lists_the_cycle, fixture) {
  error_info_t error;
  add_system("lonely", PHASE_UPDATE, 0, NULL, NULL);
  add_system("hanger_on", PHASE_UPDATE, 0, (names_t){"a"}, NULL);
  add_system("a", PHASE_UPDATE, 0, (names_t){"c"}, NULL);
  add_system("b", PHASE_UPDATE, 0, (names_t){"a"}, NULL);
  add_system("c", PHASE_UPDATE, 0, NULL, (names_t){"a"});
  assert_string_equal(format_order(PHASE_UPDATE), "c a b hanger_on lonely ");
  const system_desc_t d = {.name = "d",
                           .phase = PHASE_UPDATE,
                           .after = (const char *const[]){"b", NULL},
                           .before = (const char *const[]){"c", NULL},
                           .file = "systems/d.lua",
                           .line = 4};
  assert_true(schedule_add_system(s, &d, &error));
  assert_false(schedule_sort(s, &error));
  assert_string_equal(error.file, "systems/d.lua");
  assert_int_equal(error.line, 4);
  const char *cycle = strstr(error.text + error.message_at, ": ");
  assert_non_null(cycle);
  bool named = !strcmp(cycle, ": a → b → d → c → a") || !strcmp(cycle, ": b → d → c → a → b") ||
               !strcmp(cycle, ": d → c → a → b → d") || !strcmp(cycle, ": c → a → b → d → c");
  if (!named)
    fail_msg("the cycle is not named: %s", error.text);
  assert_int_equal(schedule_system_count(s, PHASE_UPDATE), 0);
}

TEST_WITH(system_declared_after_itself_is_a_cycle, fixture) {
  error_info_t error;
  add_system("self", PHASE_UPDATE, 0, (names_t){"self"}, NULL);
  assert_false(schedule_sort(s, &error));
  assert_non_null(strstr(error.text, "self → self"));
}

TEST_WITH(cycle_of_100_systems_is_rejected_with_a_message, fixture) {
  error_info_t error;
  for (int i = 0; i < 100; ++i) {
    char name[128], next[128];
    snprintf(name, sizeof name, "a_system_with_quite_a_long_name_%d", i);
    snprintf(next, sizeof next, "a_system_with_quite_a_long_name_%d", (i + 1) % 100);
    add_system(name, PHASE_UPDATE, 0, (names_t){next}, NULL);
  }
  assert_false(schedule_sort(s, &error));
  assert_non_null(strstr(error.text, " → "));
}

TEST_WITH(order_constraints_across_phases_are_ignored, fixture) {
  add_system("a", PHASE_UPDATE, 0, (names_t){"b"}, NULL);
  add_system("b", PHASE_RENDER, 0, (names_t){"a"}, NULL);
  add_system("c", PHASE_INPUT, 0, (names_t){"b"}, (names_t){"a"});
  assert_string_equal(format_order(PHASE_UPDATE), "a ");
  assert_string_equal(format_order(PHASE_RENDER), "b ");
}

TEST_WITH(duplicate_system_name_is_rejected, fixture) {
  error_info_t error;
  add_system("a", PHASE_UPDATE, 0, NULL, NULL);
  assert_false(schedule_add_system(s, &(system_desc_t){.name = "a", .phase = PHASE_RENDER}, &error));
  assert_non_null(strstr(error.text, "named a"));
  assert_false(schedule_add_system(s, &(system_desc_t){.name = ""}, &error));
}

// With a dt of 0, as while the game is paused, the interval is 0, too.
TEST_WITH(dt_of_a_system_with_every_is_its_interval_except_in_frames, fixture) {
  static const float dt_s[] = {0.5f, 0, 0.25f};
  static const phase_t phases[] = {PHASE_UPDATE, PHASE_INPUT, PHASE_RENDER};
  world_o *w = make_world();
  world_set_tick_rate(w, 50);
  for (uint32_t i = 0; i < 3; ++i) {
    const char name[] = {(char)('a' + i), '\0'};
    system_desc_t desc = {.name = name, .phase = phases[i], .run = log_run, .context = "x", .every = 5};
    assert_true(schedule_add_system(s, &desc, NULL));
  }
  assert_true(schedule_sort(s, NULL));
  for (uint32_t i = 0; i < 3; ++i)
    schedule_run(s, w, phases[i], dt_s[i]);
  assert_string_equal(ran, "x0:0.1 x0:0 x0:0.25 ");
  world_destroy(w);
}

static void run_in_even_ticks(void *context, world_o *w, uint32_t number, float dt_s) {
  (void)context, (void)number, (void)dt_s;
  if (world_tick(w) % 2 != 0)
    schedule_mark_idle(s);
}

TEST_WITH(idle_runs_are_not_counted_and_have_no_times, fixture) {
  world_o *w = make_world();
  assert_true(schedule_add_system(s, &(system_desc_t){.name = "even", .run = run_in_even_ticks}, NULL));
  assert_true(schedule_add_system(s, &(system_desc_t){.name = "steady", .run = log_run, .context = "s"}, NULL));
  assert_true(schedule_sort(s, NULL));
  for (int tick = 0; tick < 5; ++tick) {
    schedule_run(s, w, PHASE_UPDATE, 0.5f);
    world_end_tick(w);
  }
  double us;
  uint64_t runs;
  schedule_cost(s, PHASE_UPDATE, 0, &us, &runs);
  assert_int_equal(runs, 3);
  schedule_cost(s, PHASE_UPDATE, 1, &us, &runs);
  assert_int_equal(runs, 5);
  world_destroy(w);
}

TEST_WITH(systems_run_in_order_and_at_multiples_of_every, fixture) {
  world_o *w = make_world();
  assert_true(schedule_add_system(s, &(system_desc_t){.name = "b", .run = log_run, .context = "b", .number = 7}, NULL));
  assert_true(schedule_add_system(s, &(system_desc_t){.name = "a", .run = log_run, .context = "a", .every = 3}, NULL));
  assert_true(schedule_sort(s, NULL));
  for (int tick = 0; tick < 5; ++tick) {
    schedule_run(s, w, PHASE_UPDATE, 0.5f);
    schedule_run(s, w, PHASE_INPUT, 0.5f);
    world_end_tick(w);
  }
  assert_string_equal(ran, "a0:0.05 b7:0.5 b7:0.5 b7:0.5 a0:0.05 b7:0.5 b7:0.5 "); // 3 of 60 ticks a second
  double us;
  uint64_t runs;
  schedule_cost(s, PHASE_UPDATE, 0, &us, &runs);
  assert_int_equal(runs, 2);
  assert_true(us >= 0);
  schedule_cost(s, PHASE_UPDATE, 1, &us, &runs);
  assert_int_equal(runs, 5);
  schedule_cost(s, PHASE_UPDATE, 2, &us, &runs);
  assert_int_equal(runs, 0);
  world_destroy(w);
}

static char running[8];

static void record_run(void *context, world_o *w, uint32_t number, float dt_s) {
  (void)context, (void)w, (void)number, (void)dt_s;
  strcat(ran, running);
  strcat(ran, " ");
}

TEST_WITH(name_of_the_running_system_is_published, fixture) {
  error_info_t error;
  world_o *w = world_create(&(world_desc_t){.seed = 1});
  assert_true(schedule_add_system(s, &(system_desc_t){.name = "first", .run = record_run}, &error));
  assert_true(schedule_add_system(
      s, &(system_desc_t){.name = "a-name-that-is-too-long", .run = record_run, .priority = 1}, &error));
  assert_true(schedule_sort(s, &error));
  schedule_set_running_name(s, running, sizeof running);
  schedule_run(s, w, PHASE_UPDATE, 0);
  schedule_set_running_name(s, NULL, 0);
  running[0] = '\0';
  schedule_run(s, w, PHASE_UPDATE, 0);
  assert_string_equal(ran, "first a-name-   ");
  world_destroy(w);
}

TEST_WITH(phase_names_round_trip, fixture) {
  for (int p = PHASE_INPUT; p < PHASE_COUNT; ++p)
    assert_int_equal(phase_parse(phase_name((phase_t)p)), p);
  assert_int_equal(phase_parse("soon"), PHASE_NONE);
  assert_int_equal(phase_parse("none"), PHASE_NONE);
}
