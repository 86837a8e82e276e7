// Functions that plugins call (service/), and plugin functions that scripts call (plugin/call.c). The tests
// call them as a system does; the last section calls them where they are not allowed.
#include "plugin_fixture.h"

#include "ecs/world_hash.h"
#include "base/sized_block.h"
#include "shoal/draw.h"

#include <unistd.h>

#define FULL_FIELDS(F)                                                                                                 \
  F(f32, f, 0)                                                                                                         \
  F(f64, d, 0)                                                                                                         \
  F(i8, i8, 0)                                                                                                         \
  F(i16, i16, 0)                                                                                                       \
  F(i32, i32, 0)                                                                                                       \
  F(u8, u8, 0)                                                                                                         \
  F(u16, u16, 0) F(u32, u32, 0) F(bool, b, 0) F(entity, e) F(string, s, "") F(enum, n, "calm angry") F(vec3, v, 0, 0, 0)
SHOAL_COMPONENT(full, FULL_FIELDS)
#define BARREL_FIELDS(F) F(f32, heat, 1) F(i32, shots, 0)
SHOAL_MANY(barrel, BARREL_FIELDS)
SHOAL_SINGLE(weather, BARREL_FIELDS)
SHOAL_EVENT(bang, BARREL_FIELDS)
static const shoal_component *const brings[] = {&full_component, &barrel_component, &weather_component, &bang_component,
                                                NULL};
#define STRANGER_FIELDS(F) F(f32, heat, 1)
SHOAL_COMPONENT(stranger, STRANGER_FIELDS)

static void double_and_name(shoal_context *c, const shoal_value *in, shoal_value *out);
static void return_lists(shoal_context *c, const shoal_value *in, shoal_value *out);
static void fail_with_message(shoal_context *c, const shoal_value *in, shoal_value *out);
static void read_external_line(shoal_context *c, const shoal_value *in, shoal_value *out);

enum { ASK, ASK_MANY, REFUSE, PURE };
static const shoal_function functions[] = {
    {.name = "ask",
     .parameters = "n:number t:string e:entity",
     .results = "n:number t:string",
     .call = double_and_name},
    {.name = "many", .parameters = "by:number[]", .results = "n:number[] e:entity[] t:string", .call = return_lists},
    {.name = "refuse", .call = fail_with_message},
    {.name = "pure", .results = "n:number", .call = read_external_line, .pure = true},
    {0},
};
static const shoal_plugin def = {.name = "test", .components = brings, .functions = functions};

static plugged_t *t;     // the current test's plugin host
static shoal_context *c; // context of one of the plugin's systems
static context_t held;

// Sets `c` to the context of a call from `where`.
static void set_context(plugin_call_kind_t where) {
  static run_t run = {.name = "test.work"};
  held = plugin_build_context(t->p->list.items[0], where);
  held.run = &run;
  c = &held.shared;
}

static int setup(void **state) {
  plugged_setup(state);
  t = *state;
  plugged_open_and_bind(t, &def);
  set_context(PLUGIN_CALL_SYSTEM);
  return 0;
}
FIXTURE(fixture, setup, plugged_teardown)

static shoal_entity spawn_entity_with(const char *component) {
  return SPAWN(t->w, get_component(t, component)->id);
}

// --- properties of the run

TEST_WITH(context_reports_tick_rate_screen_and_random_state, fixture) {
  float width, height;
  assert_int_equal(shoal_tick(c), 0);
  plugged_tick(t);
  assert_int_equal(shoal_tick(c), 1);
  assert_int_equal(shoal_tick_rate(c), 60);
  assert_int_equal(shoal_worker_count(c), 1);
  shoal_get_screen_size(c, &width, &height);
  assert_true(width == 640 && height == 360);
  plugins_set_screen(t->p, 100, 50);
  shoal_get_screen_size(c, &width, &height);
  assert_true(width == 100 && height == 50);
  random_t copy = *world_random(t->w);
  assert_int_equal(shoal_random_u32(c), random_u32(&copy));
  float unit = shoal_random_f32(c);
  assert_true(unit == (float)(random_u32(&copy) >> 8) / 16777216.0f);
}

TEST_WITH(plugin_log_lines_contain_the_plugin_name, fixture) {
  shoal_log(c, SHOAL_LOG_ERROR, "%d", 1);
  shoal_log(c, SHOAL_LOG_WARN, "two");
  shoal_log(c, SHOAL_LOG_INFO, "three");
  shoal_log(c, SHOAL_LOG_DEBUG, "four");
  shoal_log(c, (shoal_log_level)77, "five");
  assert_string_equal(t->logged, "test: 1\ntest: two\ntest: three\ntest: four\ntest: five\n");
  t->p->quiet = true; // the checking child process also sets this
  shoal_log(c, SHOAL_LOG_ERROR, "six");
  assert_null(strstr(t->logged, "six"));
}

TEST_WITH(plugin_memory_is_counted_per_plugin, fixture) {
  const plugin_t *x = t->p->list.items[0];
  char *memory = shoal_realloc(c, NULL, 55, 10); // the old size is ignored for a new block
  memory = memset(memory, 'a', 10);
  memory = shoal_realloc(c, memory, 10, 3000);
  assert_int_equal(memory[9], 'a');
  assert_int_equal(x->memory.bytes, 3000 + SIZED_BLOCK_HEADER_BYTES);
  assert_null(shoal_realloc(c, memory, 3000, 0));
  assert_int_equal(x->memory.blocks, 0);
}

TEST_WITH(shoal_realloc_with_a_wrong_size_fails_and_keeps_all_bytes, fixture) {
  const plugin_t *x = t->p->list.items[0];
  for (size_t wrong = 0; wrong < 2000; wrong += 499) {
    set_context(PLUGIN_CALL_SYSTEM);
    char *memory = memset(shoal_realloc(c, NULL, 0, 1000), 'a', 1000);
    assert_false(held.failed);
    memory = shoal_realloc(c, memory, wrong, 1500);
    assert_true(held.failed);
    assert_non_null(strstr(held.problem.text, "but the block has 1000 bytes"));
    assert_int_equal(memory[999], 'a');
    assert_int_equal(x->memory.bytes, 1500 + SIZED_BLOCK_HEADER_BYTES);
    assert_null(shoal_realloc(c, memory, 1500, 0));
    assert_int_equal(x->memory.bytes, 0);
  }
}

TEST_WITH(shoal_realloc_rejects_foreign_addresses, fixture) {
  _Alignas(16) char own[64] = {0};
  char *memory = shoal_realloc(c, NULL, 0, 64), *copy;
  void *const foreign[] = {own + 32, own + 33, memory + 16};
  for (uint32_t i = 0; i < 3; ++i) {
    set_context(PLUGIN_CALL_SYSTEM);
    assert_null(shoal_realloc(c, foreign[i], 32, 0));
    assert_true(held.failed);
    assert_non_null(strstr(held.problem.text, "must be memory of shoal_realloc"));
    copy = memset(shoal_realloc(c, foreign[i], 32, 40), 'b', 40);
    shoal_realloc(c, copy, 40, 0);
  }
  shoal_realloc(c, memory, 64, 0);
  assert_int_equal(t->p->list.items[0]->memory.blocks, 0);
}

// --- entities

TEST_WITH(shoal_set_clamps_numbers_to_the_field_type, fixture) {
  static const struct {
    uint32_t column;
    double given, stored;
  } cases[] = {
      {SHOAL_COLUMN_INDEX(full, f), 0.1, (double)0.1f},
      {SHOAL_COLUMN_INDEX(full, d), 0.1, 0.1},
      {SHOAL_COLUMN_INDEX(full, i8), -3.9, -3},
      {SHOAL_COLUMN_INDEX(full, i8), 1e9, 127},
      {SHOAL_COLUMN_INDEX(full, i16), -1e9, -32768},
      {SHOAL_COLUMN_INDEX(full, i32), -2.5e9, -2147483648.0},
      {SHOAL_COLUMN_INDEX(full, u8), -1, 0},
      {SHOAL_COLUMN_INDEX(full, u16), 70000, 65535},
      {SHOAL_COLUMN_INDEX(full, u32), 4e9, 4e9},
      {SHOAL_COLUMN_INDEX(full, b), 1, 1},
      {SHOAL_COLUMN_INDEX(full, n), 1, 1},
      {SHOAL_COLUMN_INDEX(full, v.z), 2.5, 2.5},
      {SHOAL_COLUMN_INDEX(full, i32), 0.0 / 0.0, 0},
  };
  shoal_entity e = spawn_entity_with("full");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    assert_true(shoal_set(shoal_get_world(c), e, &full_component, cases[i].column, cases[i].given));
    double value = value_of(t, e, "full", cases[i].column);
    if (value != cases[i].stored)
      fail_msg("%g became %g in column %u", cases[i].given, value, cases[i].column);
  }
  shoal_entity other = spawn(t->w);
  assert_true(shoal_set(shoal_get_world(c), e, &full_component, SHOAL_COLUMN_INDEX(full, e), other));
  assert_int_equal(value_of(t, e, "full", SHOAL_COLUMN_INDEX(full, e)), other);
  assert_true(shoal_set(shoal_get_world(c), e, &full_component, SHOAL_COLUMN_INDEX(full, s),
                        shoal_intern(shoal_get_world(c), "words")));
  assert_string_equal(shoal_string(shoal_get_world(c),
                                   SHOAL_ROWS_COLUMNS(shoal_get_rows(shoal_get_world(c), &full_component), full)->s[0]),
                      "words");
}

TEST_WITH(invalid_calls_of_shoal_set_are_rejected, fixture) {
  shoal_entity e = spawn_entity_with("full"), bare = spawn(t->w), dead = spawn(t->w);
  world_destroy_entity(t->w, dead);
  assert_false(shoal_set(shoal_get_world(c), bare, &full_component, 0, 1));
  assert_false(shoal_set(shoal_get_world(c), dead, &full_component, 0, 1));
  assert_false(shoal_set(shoal_get_world(c), 0xffffffffu, &full_component, 0, 1));
  assert_false(shoal_set(shoal_get_world(c), e, &full_component, full_component.column_count, 1));
  assert_false(shoal_set(shoal_get_world(c), e, &weather_component, 0, 1)); // entities cannot have a singleton
  assert_false(shoal_set(shoal_get_world(c), e, &bang_component, 0, 1));
  assert_string_equal(t->logged, "");
  assert_false(shoal_set(shoal_get_world(c), e, &stranger_component, 0, 1));
  assert_false(shoal_set(shoal_get_world(c), e, NULL, 0, 1));
  assert_string_equal(t->logged,
                      "plugin test: undeclared component stranger: name it in .components or .uses (reported once)\n");
}

TEST_WITH(plugin_can_add_and_remove_components, fixture) {
  shoal_entity e = spawn(t->w), dead = spawn(t->w);
  world_destroy_entity(t->w, dead);
  assert_int_equal(shoal_find_row(shoal_get_world(c), &full_component, e), SHOAL_NO_ROW);
  assert_true(shoal_add(shoal_get_world(c), e, &full_component));
  assert_true(shoal_set(shoal_get_world(c), e, &full_component, 0, 5));
  // the name is ignored, because this component has no instances
  assert_true(shoal_add_instance(shoal_get_world(c), e, &full_component, "name"));
  assert_true(value_of(t, e, "full", 0) == 5);
  assert_int_equal(shoal_find_row(shoal_get_world(c), &full_component, e), 0);
  assert_false(shoal_add(shoal_get_world(c), dead, &full_component));
  assert_false(shoal_add(shoal_get_world(c), e, &weather_component));
  assert_true(shoal_remove(shoal_get_world(c), e, &full_component));
  assert_false(shoal_remove(shoal_get_world(c), e, &full_component));
  assert_false(shoal_remove(shoal_get_world(c), dead, &full_component));
  assert_false(world_has_component(t->w, e, get_component(t, "full")->id));
}

TEST_WITH(many_component_rows_are_selected_by_instance_name, fixture) {
  shoal_entity e = spawn(t->w);
  assert_true(shoal_add_instance(shoal_get_world(c), e, &barrel_component, "left"));
  assert_true(shoal_add_instance(shoal_get_world(c), e, &barrel_component, "right"));
  assert_true(
      shoal_set_instance(shoal_get_world(c), e, &barrel_component, "right", SHOAL_COLUMN_INDEX(barrel, shots), 7));
  assert_false(
      shoal_set_instance(shoal_get_world(c), e, &barrel_component, "rear", SHOAL_COLUMN_INDEX(barrel, shots), 7));
  shoal_rows table = shoal_get_rows(shoal_get_world(c), &barrel_component);
  assert_int_equal(table.count, 2);
  assert_string_equal(shoal_string(shoal_get_world(c), table.instances[1]), "right");
  assert_int_equal(SHOAL_ROWS_COLUMNS(table, barrel)->shots[1], 7);
  assert_int_equal(SHOAL_ROWS_COLUMNS(table, barrel)->shots[0], 0);
  assert_int_equal(shoal_find_row(shoal_get_world(c), &barrel_component, e), 0); // the row of the first instance
  assert_true(shoal_remove_instance(shoal_get_world(c), e, &barrel_component, "left"));
  assert_int_equal(shoal_get_rows(shoal_get_world(c), &barrel_component).count, 1);
  assert_string_equal(t->logged, "");
  assert_false(shoal_set(shoal_get_world(c), e, &barrel_component, SHOAL_COLUMN_INDEX(barrel, shots), 9));
  assert_logged(t, "plugin test: shoal_set cannot write SHOAL_MANY components: use shoal_set_instance (reported once)");
}

TEST_WITH(entities_are_spawned_from_assemblages_or_empty, fixture) {
  uint32_t rock = world_assemblage_declare(t->w, id_of(t->w, "rock"));
  shoal_entity e[5];
  world_assemblage_add_component(t->w, rock, 0, get_component(t, "full")->id, 0);
  assert_int_equal(shoal_spawn_many(shoal_get_world(c), "rock", 3, e), 3);
  assert_int_equal(shoal_spawn_many(shoal_get_world(c), "", 2, e + 3), 2);
  assert_int_equal(shoal_spawn_many(shoal_get_world(c), NULL, 1, NULL), 1);
  assert_int_equal(shoal_get_rows(shoal_get_world(c), &full_component).count, 3);
  assert_true(shoal_is_alive(shoal_get_world(c), e[4]));
  e[1] = 12345; // not the id of an entity
  shoal_destroy_many(shoal_get_world(c), e, 5);
  shoal_destroy_many(shoal_get_world(c), e, 5);
  assert_false(shoal_is_alive(shoal_get_world(c), e[0]) || shoal_is_alive(shoal_get_world(c), e[4]) ||
               shoal_is_alive(shoal_get_world(c), 12345));
  assert_int_equal(world_entities(t->w)->alive_count, 2);
  assert_string_equal(t->logged, "");
  assert_int_equal(shoal_spawn_many(shoal_get_world(c), "roc", 1, NULL), 0);
  assert_logged(t, "plugin test: unknown assemblage roc: did you mean rock?");
  assert_int_equal(shoal_spawn_many(shoal_get_world(c), "rock", UINT32_MAX, NULL), 0);
  assert_logged(t, "plugin test: cannot create");
  assert_int_equal(shoal_spawn_many(shoal_get_world(c), "rock", 0, NULL), 0);
}

// --- columns

TEST_WITH(shoal_get_rows_returns_columns_and_entities_and_shoal_find_rows_finds_rows, fixture) {
  shoal_entity e[3] = {spawn_entity_with("full"), spawn(t->w), spawn_entity_with("full")};
  uint32_t rows[3];
  shoal_rows table = shoal_get_rows(shoal_get_world(c), &full_component);
  assert_int_equal(table.count, 2);
  assert_int_equal(table.entities[1], e[2]);
  assert_null(table.instances);
  SHOAL_ROWS_COLUMNS(table, full)->v.y[1] = 8;
  assert_true(value_of(t, e[2], "full", SHOAL_COLUMN_INDEX(full, v.y)) == 8);
  shoal_find_rows(shoal_get_world(c), &full_component, e, 3, rows);
  assert_true(rows[0] == 0 && rows[1] == SHOAL_NO_ROW && rows[2] == 1);
  table = shoal_get_rows(shoal_get_world(c), &weather_component);
  assert_int_equal(table.count, 1);
  assert_null(table.entities);
  assert_true(SHOAL_ROWS_COLUMNS(table, weather)->heat[0] == 1);
  table = shoal_get_rows(shoal_get_world(c), &stranger_component);
  assert_int_equal(table.count, 0);
  assert_null(table.columns);
  shoal_find_rows(shoal_get_world(c), &stranger_component, e, 3, rows);
  assert_true(rows[0] == SHOAL_NO_ROW && rows[2] == SHOAL_NO_ROW);
  assert_null(shoal_manager_data(c, &full_component)); // this component has no manager
  assert_null(shoal_manager_data(c, &stranger_component));
}

TEST_WITH(queued_entity_has_components_but_no_rows, fixture) {
  uint32_t row = 0, rock = world_assemblage_declare(t->w, id_of(t->w, "rock"));
  world_assemblage_add_component(t->w, rock, 0, get_component(t, "full")->id, 0);
  world_assemblage_add_component(t->w, rock, 0, get_component(t, "barrel")->id, id_of(t->w, "left"));
  world_defer_begin(t->w, 0);
  shoal_entity e = shoal_spawn(shoal_get_world(c), "rock");
  assert_true(shoal_has(shoal_get_world(c), e, &full_component));
  assert_true(shoal_find_rows(shoal_get_world(c), &full_component, &e, 1, &row));
  assert_int_equal(row, SHOAL_NO_ROW);
  assert_int_equal(shoal_find_instance_row(shoal_get_world(c), &barrel_component, e, "left"), SHOAL_NO_ROW);
  world_defer_end(t->w, false);
  assert_int_equal(shoal_find_row(shoal_get_world(c), &full_component, e), 0);
  assert_int_equal(shoal_find_instance_row(shoal_get_world(c), &barrel_component, e, "left"), 0);
}

TEST_WITH(new_strings_are_interned_only_where_the_world_may_change, fixture) {
  uint32_t known = id_of(t->w, "known");
  assert_string_equal(shoal_string(shoal_get_world(c), 0), "");
  assert_string_equal(shoal_string(shoal_get_world(c), 0xffffffffu), "");
  assert_int_equal(shoal_intern(shoal_get_world(c), "known"), known);
  uint32_t fresh = shoal_intern(shoal_get_world(c), "fresh");
  assert_string_equal(shoal_string(shoal_get_world(c), fresh), "fresh");
  static const plugin_call_kind_t only_found[] = {PLUGIN_CALL_LOADING, PLUGIN_CALL_MANAGER, PLUGIN_CALL_PART,
                                                  PLUGIN_CALL_RENDER};
  for (size_t i = 0; i < sizeof only_found / sizeof *only_found; ++i) {
    set_context(only_found[i]);
    assert_int_equal(shoal_intern(shoal_get_world(c), "known"), known);
    assert_int_equal(shoal_intern(shoal_get_world(c), "never"), 0);
  }
  set_context(PLUGIN_CALL_FUNCTION);
  assert_int_not_equal(shoal_intern(shoal_get_world(c), "never"), 0);
}

// --- functions for scripts

static void double_and_name(shoal_context *of, const shoal_value *in, shoal_value *out) {
  char text[64];
  snprintf(text, sizeof text, "%s of %u", in[1].string, in[2].entity);
  out[0].number = in[0].number * 2;
  shoal_return_string(of, &out[1], text);
}

static void return_lists(shoal_context *of, const shoal_value *in, shoal_value *out) {
  double *numbers = shoal_return_numbers(of, &out[0], in[0].count);
  shoal_entity *entities = shoal_return_entities(of, &out[1], in[0].count);
  shoal_return_string(of, &out[2], "");
  for (uint32_t i = 0; i < in[0].count; ++i) {
    numbers[i] = in[0].numbers[i] + 1;
    entities[i] = i;
  }
}

static void fail_with_message(shoal_context *of, const shoal_value *in, shoal_value *out) {
  (void)in, (void)out;
  shoal_spawn_many(shoal_get_world(of), "", 1, NULL);
  shoal_fail(of, "there are no %s", "rooms");
}

static void read_external_line(shoal_context *of, const shoal_value *in, shoal_value *out) {
  size_t size = 1;
  (void)in;
  shoal_read_external(of, "line", (shoal_external_read_fn *)NULL, NULL, 16, &size);
  out[0].number = (double)size;
}

static bool call_function(uint32_t function, const shoal_value *in, shoal_value *out, error_info_t *error) {
  return plugin_call_by_number(t->p, 0, function, in, out, error);
}

TEST_WITH(plugin_function_takes_and_returns_values, fixture) {
  shoal_value in[3] = {{.number = 4}, {.string = "name"}, {.entity = 9}}, out[PLUGIN_MAX_VALUES];
  error_info_t error = {0};
  assert_true(call_function(ASK, in, out, &error));
  assert_true(out[0].number == 8);
  assert_string_equal(out[1].string, "name of 9");
  assert_int_equal(out[1].count, 9);
}

TEST_WITH(returned_lists_are_valid_until_the_function_is_called_again, fixture) {
  enum { MANY = 1000 };
  double numbers[MANY];
  shoal_value in = {.numbers = numbers, .count = 3}, first[PLUGIN_MAX_VALUES], more[PLUGIN_MAX_VALUES];
  shoal_value arguments[3] = {{.number = 4}, {.string = "name"}, {.entity = 9}};
  error_info_t error = {0};
  for (uint32_t i = 0; i < MANY; ++i)
    numbers[i] = i;
  assert_true(call_function(ASK_MANY, &in, first, &error));
  // Another call in between must not change the results of the first.
  assert_true(call_function(ASK, arguments, more, &error));
  assert_int_equal(first[0].count, 3);
  assert_true(first[0].numbers[2] == 3 && first[1].entities[2] == 2);
  assert_string_equal(first[2].string, "");
  in.count = MANY;
  assert_true(call_function(ASK_MANY, &in, more, &error));
  assert_int_equal(more[1].count, MANY);
  assert_true(more[0].numbers[MANY - 1] == MANY && more[1].entities[MANY - 1] == MANY - 1);
  in.count = 0;
  assert_true(call_function(ASK_MANY, &in, more, &error));
  assert_int_equal(more[0].count, 0);
  assert_non_null(more[0].numbers);
}

TEST_WITH(failing_plugin_function_returns_its_message, fixture) {
  shoal_value out[PLUGIN_MAX_VALUES];
  error_info_t error = {0};
  assert_false(call_function(REFUSE, NULL, out, &error));
  assert_string_equal(error.text, "there are no rooms");
  assert_false(call_function(77, NULL, out, &error));
  assert_string_equal(error.text, "the plugin's function no longer exists");
  assert_false(plugin_call_by_number(t->p, 1, ASK, NULL, out, &error));
  assert_int_equal(t->p->list.count, 1);
  assert_ptr_equal(t->p->list.items[0]->def, &def);
  assert_int_equal(t->p->missing.count, 0);
  assert_false(plugins_pop_failure(t->p)); // the failed call fails the script that made it, but no system
}

TEST_WITH(shoal_return_functions_do_nothing_outside_plugin_functions, fixture) {
  shoal_value stray = {.number = 1};
  assert_null(shoal_return_numbers(c, &stray, 3));
  assert_int_equal(stray.count, 0);
  assert_null(shoal_return_entities(c, &stray, 3));
  shoal_return_string(c, &stray, "words");
  assert_string_equal(stray.string, "");
}

// --- files and external input

TEST_WITH(shoal_read_asset_returns_the_whole_file_with_a_zero_byte_at_the_end, fixture) {
  char path[] = "/tmp/shoal-asset-XXXXXX";
  size_t size = 99;
  int file = mkstemp(path);
  assert_true(file >= 0 && write(file, "three\n", 6) == 6);
  close(file);
  snprintf(t->assets.game, sizeof t->assets.game, "/tmp");
  char *text = shoal_read_asset(c, path + strlen("/tmp/"), &size);
  assert_int_equal(size, 6);
  assert_string_equal(text, "three\n");
  shoal_realloc(c, text, size + 1, 0);
  unlink(path);
  assert_string_equal(t->logged, "");
  assert_null(shoal_read_asset(c, "no_such_file", &size));
  assert_int_equal(size, 0);
  assert_logged(t, "plugin test: no_such_file: not found (searched /tmp");
  assert_null(shoal_read_asset(c, "../etc/passwd", &size));
  assert_null(shoal_read_asset(c, NULL, &size));
}

static size_t read_line(void *data, void *bytes, size_t room) {
  const char *line = data;
  assert_true(room >= strlen(line));
  memcpy(bytes, line, strlen(line));
  return strlen(line);
}

static size_t read_too_much(void *data, void *bytes, size_t room) {
  (void)data, (void)bytes;
  return room + 1;
}

TEST_WITH(external_input_is_repeated_when_a_tick_is_re_simulated, fixture) {
  char first[] = "first", second[] = "second", other[] = "other";
  size_t size = 0;
  external_begin_tick(t->external, 1, EXTERNAL_LIVE, NULL);
  assert_string_equal(shoal_read_external(c, "line", read_line, first, 16, &size), "first");
  assert_int_equal(size, 5);
  // each request in a tick gets its own result
  assert_string_equal(shoal_read_external(c, "line", read_line, second, 16, &size), "second");
  external_restart_frame(t->external);
  assert_string_equal(shoal_read_external(c, "line", read_line, other, 16, &size), "first");
  assert_string_equal(shoal_read_external(c, "line", read_line, other, 16, &size), "second");
  assert_string_equal(shoal_read_external(c, "line", read_line, other, 16, &size), "other");
  assert_string_equal(shoal_read_external(c, "more", read_line, first, 16, &size), "first");
  assert_string_equal(t->logged, "");
}

TEST_WITH(failed_external_read_returns_zero_bytes_and_is_logged, fixture) {
  char line[] = "line", longest[128];
  size_t size = 1;
  plugin_t *x = t->p->list.items[0];
  external_begin_tick(t->external, 1, EXTERNAL_LIVE, NULL);
  assert_non_null(shoal_read_external(c, "line", read_too_much, line, 16, &size));
  assert_int_equal(size, 0);
  assert_logged(t, "shoal_read_external: `read` returned 17 bytes, but the buffer has 16");
  x->warned = false;
  memset(longest, 'a', sizeof longest - 1);
  longest[sizeof longest - 1] = '\0';
  shoal_read_external(c, longest, read_line, line, 16, &size);
  assert_int_equal(size, 0);
  assert_logged(t, "shoal_read_external: channel must have at most 100 bytes");
  shoal_read_external(c, "line", read_line, line, (size_t)1 << 30, &size);
  shoal_read_external(c, NULL, read_line, line, 16, &size);
  shoal_read_external(c, "line", NULL, line, 16, &size);
  assert_int_equal(size, 0);
  x->warned = false;
  t->logged[0] = '\0';
  shoal_value out[PLUGIN_MAX_VALUES];
  assert_true(call_function(PURE, NULL, out, NULL));
  assert_true(out[0].number == 0);
  assert_logged(t, "plugin test: shoal_read_external cannot be called here");
}

// --- calls where they are not allowed

TEST_WITH(world_cannot_be_changed_while_loading_in_a_manager_or_in_the_render_phase, fixture) {
  static const plugin_call_kind_t nowhere[] = {PLUGIN_CALL_LOADING, PLUGIN_CALL_MANAGER, PLUGIN_CALL_RENDER};
  plugin_t *x = t->p->list.items[0];
  size_t size = 1;
  char line[] = "line";
  shoal_entity e = spawn_entity_with("full");
  uint64_t hash = world_hash(t->w);
  for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; ++i) {
    set_context(nowhere[i]);
    x->warned = false;
    t->logged[0] = '\0';
    assert_int_equal(shoal_spawn_many(shoal_get_world(c), "", 1, NULL), 0);
    assert_logged(t, "plugin test: the world cannot be changed here (loading, manager or render phase): change it in a "
                     "system (reported once)");
    shoal_destroy(shoal_get_world(c), e);
    assert_false(shoal_add_instance(shoal_get_world(c), e, &barrel_component, "left"));
    assert_false(shoal_remove(shoal_get_world(c), e, &full_component));
    assert_false(shoal_set(shoal_get_world(c), e, &full_component, 0, 5));
    assert_false(shoal_set_instance(shoal_get_world(c), e, &full_component, NULL, 0, 5));
    assert_null(shoal_emit_begin(shoal_get_world(c), &bang_component, 1));
    shoal_emit_end(shoal_get_world(c), &bang_component);
    assert_int_equal(shoal_random_u32(c), 0);
    shoal_read_external(c, "line", read_line, line, 16, &size);
    assert_int_equal(size, 0);
    assert_true(world_hash(t->w) == hash);
  }
}

TEST_WITH(plugin_calls_with_invalid_arguments_change_nothing, fixture) {
  const shoal_entity dead[] = {0, 0xffffffffu, 0x7fffffffu};
  uint32_t rows[3];
  shoal_entity e = spawn_entity_with("full");
  uint64_t hash = world_hash(t->w);
  assert_false(shoal_add(shoal_get_world(c), e, NULL));
  assert_false(shoal_remove(shoal_get_world(c), e, NULL));
  assert_null(shoal_emit_begin(shoal_get_world(c), NULL, 3));
  assert_null(shoal_emit_begin(shoal_get_world(c), &full_component, 3)); // a component, not an event
  shoal_emit_end(shoal_get_world(c), &bang_component);
  assert_int_equal(shoal_read_events(shoal_get_world(c), NULL).count, 0);
  assert_int_equal(shoal_read_events(shoal_get_world(c), &full_component).count, 0);
  assert_int_equal(shoal_get_rows(shoal_get_world(c), &bang_component).count, 0);
  shoal_find_rows(shoal_get_world(c), &full_component, dead, 3, rows);
  assert_true(rows[0] == SHOAL_NO_ROW && rows[1] == SHOAL_NO_ROW && rows[2] == SHOAL_NO_ROW);
  shoal_destroy_many(shoal_get_world(c), dead, 3);
  shoal_parallel_for(c, NULL, NULL, 0);
  assert_true(world_hash(t->w) == hash);
}
