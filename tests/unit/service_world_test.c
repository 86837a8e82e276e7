// Functions of <shoal/world.h>: spawning with values, states, names, run-time queries, and instances (access/,
// service/entities.c, service/rows.c).
#include "plugin_fixture.h"

#include "ecs/changes.h"
#include "shoal/relation.h"
#include "shoal/world.h"

#define PLACE_FIELDS(F)                                                                                                \
  F(f32, x, 1) F(vec2, pos, 0, 0) F(string, label, "none") F(enum, mood, "calm angry") F(entity, to)
SHOAL_COMPONENT(place, PLACE_FIELDS)
#define BARREL_FIELDS(F) F(f32, heat, 1)
SHOAL_MANY(barrel, BARREL_FIELDS)
SHOAL_SINGLE(weather, BARREL_FIELDS)
SHOAL_COMPONENT(name, SHOAL_NAME_FIELDS)
#define FROZEN_FIELDS(F) F(f32, since, 0)
SHOAL_COMPONENT(frozen, FROZEN_FIELDS)
static const shoal_component *const brings[] = {&place_component, &barrel_component, &weather_component,
                                                &frozen_component, NULL};
static const shoal_component *const uses[] = {&name_component, NULL};

static plugged_t *t; // the current test's plugin host
static shoal_context *c;
static context_t held;

static void set_context(plugin_call_kind_t where) {
  static run_t run = {.name = "test.work"};
  held = plugin_build_context(t->p->list.items[0], where);
  held.run = where == PLUGIN_CALL_FUNCTION ? NULL : &run;
  c = &held.shared;
}

static void query_without_close(shoal_context *context, const shoal_value *in, shoal_value *out) {
  const shoal_query_desc wanted = {.with = {"place"}};
  shoal_view v;
  (void)in;
  if (!shoal_query_begin(shoal_get_world(context), &wanted, &v))
    return;
  for (uint32_t i = 0; i < v.count; ++i)
    SHOAL_COLUMN(&v, place, x)[i] = 50 + (float)i;
  shoal_destroy_many(shoal_get_world(context), v.entities, 1);
  // the entity is destroyed only after the call, so no row moves while the view is open
  out[0].number = shoal_is_alive(shoal_get_world(context), v.entities[0]);
}

static const shoal_function functions[] = {
    {.name = "query", .results = "n:number", .call = query_without_close},
    {.name = "pure", .results = "n:number", .call = query_without_close, .pure = true},
    {0}};
static const shoal_plugin def = {.name = "test", .components = brings, .uses = uses, .functions = functions};

static uint32_t intern_text(const char *text) {
  return strings_intern(world_strings(t->w), text);
}

static void add_template_component(uint32_t assemblage, uint32_t state, const char *component, const char *instance) {
  world_assemblage_add_component(t->w, assemblage, state, get_component(t, component)->id, intern_text(instance));
}

// Declares a tank with a turret that has a lamp, and a hatch.
static int setup(void **state) {
  static const field_type_t texts[] = {FIELD_STRING};
  plugged_setup(state);
  t = *state;
  error_info_t error = {0};
  DECLARE(t->w, "name", SCHEMA_COMPONENT, texts, "value");
  assert_true(changes_declare(t->w, &error));
  plugged_open_and_bind(t, &def);
  uint32_t lamp = world_assemblage_declare(t->w, intern_text("lamp")), turret, hatch, tank;
  add_template_component(lamp, 0, "place", "");
  turret = world_assemblage_declare(t->w, intern_text("turret"));
  add_template_component(turret, 0, "place", "");
  world_assemblage_add_child(t->w, turret, intern_text("light"), lamp);
  hatch = world_assemblage_declare(t->w, intern_text("hatch"));
  add_template_component(hatch, 0, "place", "");
  tank = world_assemblage_declare(t->w, intern_text("tank"));
  add_template_component(tank, 0, "place", "");
  add_template_component(tank, 0, "barrel", "left");
  world_assemblage_add_child(t->w, tank, intern_text("top"), turret);
  world_assemblage_add_child(t->w, tank, intern_text("door"), hatch);
  world_assemblage_add_state(t->w, tank, intern_text("whole"));
  add_template_component(tank, world_assemblage_add_state(t->w, tank, intern_text("burning")), "frozen", "");
  set_context(PLUGIN_CALL_SYSTEM);
  return 0;
}
FIXTURE(fixture, setup, plugged_teardown)

static void assert_call_failed(const char *words) {
  const char *why = shoal_last_error(shoal_get_world(c));
  if (!why[0] || !strstr(why, words))
    fail_msg("got '%s', expected '%s'", why[0] ? why : "nothing", words);
  held.failed = false;
}

TEST_WITH(entity_is_spawned_with_values_for_it_and_its_children, fixture) {
  const shoal_field_value set[] = {
      {.component = "place", .field = "x", .number = 120},
      {.component = "place", .field = "pos.y", .number = -3},
      {.component = "place", .field = "label", .string = "first"},
      {.component = "place", .field = "mood", .string = "angry"},
      {.component = "barrel", .instance = "left", .field = "heat", .number = 7},
      // this instance is not part of the assemblage
      {.component = "barrel", .instance = "right", .field = "heat", .number = 8},
      {.component = "frozen"},
      {.child = "door", .component = "place", .field = "x", .number = 4},
      {.child = "top/light", .component = "name", .field = "value", .string = "Bertha"},
  };
  shoal_entity tree[5];
  shoal_entity tank = shoal_spawn_tree(shoal_get_world(c), "tank", set, 9, tree, 5);
  assert_int_equal(tree[0], tank);
  assert_true(shoal_is_alive(shoal_get_world(c), tank) && tree[3] != 0 && tree[4] == 0);
  assert_true(value_of(t, tank, "place", 0) == 120 && value_of(t, tank, "place", 2) == -3);
  assert_int_equal((uint32_t)value_of(t, tank, "place", 3), intern_text("first"));
  assert_true(value_of(t, tank, "place", 4) == 1);
  const barrel_columns *barrels = SHOAL_ROWS_COLUMNS(shoal_get_rows(shoal_get_world(c), &barrel_component), barrel);
  assert_true(barrels->heat[shoal_find_instance_row(shoal_get_world(c), &barrel_component, tank, "left")] == 7);
  assert_true(barrels->heat[shoal_find_instance_row(shoal_get_world(c), &barrel_component, tank, "right")] == 8);
  assert_int_equal(shoal_find_instance_row(shoal_get_world(c), &barrel_component, tank, "middle"), SHOAL_NO_ROW);
  assert_true(world_has_component(t->w, tank, get_component(t, "frozen")->id));
  // tree[3] is the door, tree[1] the top
  assert_true(value_of(t, tree[3], "place", 0) == 4 && value_of(t, tree[1], "place", 0) == 1);
  assert_int_equal(shoal_find_entity(shoal_get_world(c), "Bertha"), tree[2]);
  assert_int_equal(shoal_find_entity(shoal_get_world(c), "Otto"), 0);
  shoal_entity empty = shoal_spawn_with(shoal_get_world(c), "", NULL, 0);
  assert_true(shoal_is_alive(shoal_get_world(c), empty));
  assert_false(held.failed);
}

TEST_WITH(invalid_settings_fail_and_spawn_nothing, fixture) {
  static const struct {
    shoal_field_value set;
    const char *words;
  } cases[] = {
      {{.component = "plase"}, "unknown component plase: did you mean place?"},
      {{.component = NULL}, "unknown component "},
      {{.component = "place", .field = "y"}, "place has no field y"},
      {{.component = "place", .field = "lable"}, "place has no field lable: did you mean label?"},
      {{.component = "place", .field = "x", .string = "far"}, "place.x: expected f32, got text \"far\""},
      {{.component = "place", .field = "mood", .string = "glad"}, "place.mood has no choice \"glad\""},
      {{.component = "place", .field = "label", .number = 3}, "place.label must be a string: set .string"},
      {{.component = "place", .instance = "left"},
       "place has no named instances: .instance must be NULL, got \"left\""},
      {{.component = "weather", .field = "heat"}, "weather is a singleton, which belongs to no entity"},
      {{.child = "top/lihgt", .component = "place"}, "assemblage turret has no child lihgt: did you mean light?"},
      {{.child = "bottom", .component = "place"}, "assemblage tank has no child bottom"},
  };
  uint32_t alive = world_entities(t->w)->alive_count;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    assert_int_equal(shoal_spawn_with(shoal_get_world(c), "tank", &cases[i].set, 1), 0);
    assert_call_failed(cases[i].words);
  }
  assert_int_equal(shoal_spawn_with(shoal_get_world(c), "tnk", NULL, 0), 0);
  assert_call_failed("unknown assemblage tnk: did you mean tank?");
  assert_int_equal(world_entities(t->w)->alive_count, alive);
}

TEST_WITH(string_and_enum_fields_are_set_and_read_as_text, fixture) {
  const shoal_field_value set[] = {{.component = "place", .field = "mood", .string = "angry"},
                                   {.component = "barrel", .instance = "left", .field = "heat", .number = 4},
                                   {.component = "frozen"}},
                          wrong[] = {{.component = "name", .field = "value", .string = "Otto"},
                                     {.component = "place", .field = "mood", .string = "glad"}},
                          child[] = {{.child = "door", .component = "place"}};
  const uint32_t mood = SHOAL_COLUMN_INDEX(place, mood), label = SHOAL_COLUMN_INDEX(place, label),
                 x = SHOAL_COLUMN_INDEX(place, x);
  shoal_world *w = shoal_get_world(c);
  shoal_entity e = shoal_spawn_with(w, "hatch", NULL, 0);
  assert_true(shoal_set_string(w, e, &place_component, mood, "angry"));
  assert_true(shoal_set_string(w, e, &place_component, label, "a lid"));
  assert_string_equal(shoal_get_string(w, e, &place_component, mood), "angry");
  assert_string_equal(shoal_get_string(w, e, &place_component, label), "a lid");
  assert_string_equal(shoal_get_column_string(w, &place_component, mood, 0), "calm");
  assert_false(shoal_set_string(w, e, &place_component, mood, "glad"));
  assert_call_failed("place.mood has no choice \"glad\"");
  assert_false(shoal_set_string(w, e, &place_component, x, "far"));
  assert_call_failed("place.x must be a string, asset or enum field");
  assert_false(shoal_set_string(w, e, &place_component, label, NULL));
  assert_call_failed("`text` must not be NULL");
  assert_false(shoal_set_string(w, e, &place_component, 99, "far"));
  assert_call_failed("column 99 of place is out of range (count 6)");
  assert_string_equal(shoal_get_string(w, e, &name_component, 0), "");
  assert_call_failed("has no name");
  assert_true(shoal_add_with(w, e, set, 3));
  assert_true(value_of(t, e, "place", mood) == 1 && value_of(t, e, "barrel", 0) == 4);
  assert_true(shoal_has(w, e, &frozen_component));
  assert_false(shoal_add_with(w, e, wrong, 2));
  assert_call_failed("place.mood has no choice \"glad\"");
  assert_false(shoal_has(w, e, &name_component)); // either all changes are applied or none
  assert_false(shoal_add_with(w, e, child, 1));
  assert_call_failed(".child must be NULL for an existing entity, got door");
  assert_false(shoal_add_with(w, 12345, set, 3));
  assert_call_failed("entity 12345 is not alive");
}

TEST_WITH(shoal_observe_changes_lists_enters_leaves_and_changes_since_its_last_call, fixture) {
  const shoal_query_desc wanted = {.with = {"place"}, .without = {"frozen"}};
  shoal_observed lists;
  shoal_world *w = shoal_get_world(c);
  shoal_entity a = shoal_spawn(w, "hatch"), b = shoal_spawn(w, "hatch");
  assert_true(shoal_observe_changes(w, "eye", &wanted, true, &lists));
  assert_true(lists.entered_count == 2 && lists.entered[0] == a && lists.left_count + lists.changed_count == 0);
  shoal_set(w, a, &place_component, 0, 7);
  shoal_add(w, b, &frozen_component);
  shoal_entity other = shoal_spawn(w, "hatch");
  assert_true(shoal_observe_changes(w, "eye", &wanted, true, &lists));
  assert_true(lists.entered_count == 1 && lists.entered[0] == other);
  assert_true(lists.left_count == 1 && lists.left[0] == b);
  assert_true(lists.changed_count == 1 && lists.changed[0] == a);
  assert_true(shoal_observe_changes(w, "eye", &wanted, true, &lists));
  assert_int_equal(lists.entered_count + lists.left_count + lists.changed_count, 0);
  assert_true(shoal_observe_changes(w, "other", &wanted, false, &lists)); // a different name creates a second observer
  assert_int_equal(lists.entered_count, 2);
  assert_false(shoal_observe_changes(w, "", &wanted, false, &lists));
  assert_call_failed("the name of an observer must have 1 to 60 bytes, got 0");
  assert_false(shoal_observe_changes(w, "eye", &(shoal_query_desc){.with = {"plase"}}, false, &lists));
  assert_call_failed("unknown component plase: did you mean place?");
  set_context(PLUGIN_CALL_RENDER);
  assert_false(shoal_observe_changes(shoal_get_world(c), "eye", &wanted, false, &lists));
  assert_call_failed("shoal_observe_changes cannot be called in the render phase");
}

TEST_WITH(plugin_adds_pairs_only_where_it_may_change_the_world, fixture) {
  static const shoal_component strange = {.name = "strange"};
  shoal_entity list[2];
  shoal_world *w = shoal_get_world(c);
  shoal_entity a = shoal_spawn(w, "hatch"), b = shoal_spawn(w, "hatch");
  assert_true(shoal_add_pair(w, a, &place_component, b)); // any component with an entity field is a relation
  assert_true(shoal_get_referrers(w, b, &place_component, list, 2) == 1 && list[0] == a);
  assert_false(shoal_add_pair(w, a, &barrel_component, b));
  assert_call_failed("barrel cannot form pairs: add a field of type entity");
  assert_false(shoal_add_pair(w, a, &weather_component, b));
  assert_call_failed("weather is a singleton, which belongs to no entity");
  assert_false(shoal_add_pair(w, a, &strange, b));
  assert_call_failed("undeclared component strange: name it in .components or .uses");
  set_context(PLUGIN_CALL_RENDER);
  w = shoal_get_world(c);
  assert_true(shoal_has_pair(w, a, &place_component, b));
  assert_true(shoal_get_targets(w, a, &place_component, list, 2) == 1 && list[0] == b);
  assert_false(shoal_remove_pair(w, a, &place_component, b));
  assert_call_failed("shoal_remove_pair cannot be called in the render phase");
  set_context(PLUGIN_CALL_PART);
  w = shoal_get_world(c);
  assert_int_equal(shoal_get_referrers(w, b, &place_component, list, 2), 0);
  assert_call_failed("shoal_get_referrers cannot be called in a parallel or .concurrent system");
}

// Within a tick, a snapshot would contain an incomplete state.
TEST_WITH(plugins_cannot_hash_save_or_restore_the_world, fixture) {
  char bytes[8] = "";
  shoal_world *w = shoal_get_world(c);
  assert_int_equal(shoal_hash(w), 0);
  assert_call_failed("shoal_hash: not available in plugins");
  assert_int_equal(shoal_snapshot(w, bytes, sizeof bytes), 0);
  assert_call_failed("shoal_snapshot: not available in plugins");
  assert_false(shoal_restore(w, bytes, sizeof bytes));
  assert_call_failed("shoal_restore: not available in plugins");
  assert_false(shoal_save(w, "x.save"));
  assert_call_failed("shoal_save: not available in plugins");
  assert_false(shoal_load(w, "x.save"));
  assert_call_failed("shoal_load: not available in plugins");
}

TEST_WITH(entity_enters_a_state_of_its_assemblage, fixture) {
  shoal_entity tank = shoal_spawn_with(shoal_get_world(c), "tank", NULL, 0),
               empty = shoal_spawn_with(shoal_get_world(c), "", NULL, 0);
  assert_string_equal(shoal_entity_state(shoal_get_world(c), tank), "whole");
  assert_string_equal(shoal_entity_state(shoal_get_world(c), empty), "");
  assert_true(shoal_enter_state(shoal_get_world(c), tank, "burning"));
  assert_string_equal(shoal_entity_state(shoal_get_world(c), tank), "burning");
  assert_true(world_has_component(t->w, tank, get_component(t, "frozen")->id));
  assert_false(shoal_enter_state(shoal_get_world(c), tank, "burnign"));
  assert_call_failed("unknown state burnign of tank: did you mean burning?");
  assert_false(shoal_enter_state(shoal_get_world(c), empty, "burning"));
  assert_call_failed("unknown state burning of an entity without an assemblage");
  world_destroy_entity(t->w, tank);
  assert_false(shoal_enter_state(shoal_get_world(c), tank, "whole"));
  assert_call_failed("is not alive");
}

TEST_WITH(plugin_reads_an_entity_whose_spawn_is_queued, fixture) {
  const shoal_field_value set[] = {{.component = "place", .field = "x", .number = 120},
                                   {.component = "barrel", .instance = "right", .field = "heat", .number = 8}};
  const shoal_query_desc wanted = {.with = {"place"}};
  shoal_view v;
  place_values values;
  double heat = 0;
  shoal_world *w = shoal_get_world(c);
  world_defer_begin(t->w, 0);
  shoal_entity tank = shoal_spawn_with(w, "tank", set, 2);
  assert_true(shoal_has(w, tank, &place_component));
  assert_false(shoal_has(w, tank, &frozen_component));
  assert_true(shoal_get_instance(w, tank, &barrel_component, "right", 0, &heat) && heat == 8);
  assert_true(shoal_set_string(w, tank, &place_component, SHOAL_COLUMN_INDEX(place, mood), "angry"));
  assert_true(shoal_add(w, tank, &name_component) && shoal_enter_state(w, tank, "burning"));
  assert_string_equal(shoal_get_string(w, tank, &place_component, SHOAL_COLUMN_INDEX(place, mood)), "angry");
  assert_true(SHOAL_GET(w, tank, place, &values) && values.x == 120);
  assert_true(shoal_has(w, tank, &name_component) && shoal_has(w, tank, &frozen_component));
  assert_string_equal(shoal_entity_state(w, tank), "burning");
  assert_true(shoal_remove(w, tank, &place_component));
  assert_false(shoal_get(w, tank, &place_component, 0, &heat));
  assert_call_failed("has no place");
  assert_true(shoal_query_begin(w, &wanted, &v));
  assert_int_equal(v.count, 0);
  assert_int_equal(shoal_find_instance_row(w, &barrel_component, tank, "right"), SHOAL_NO_ROW);
  shoal_query_end(w, &v);
  world_defer_end(t->w, false);
  assert_true(shoal_has(w, tank, &frozen_component) && !shoal_has(w, tank, &place_component));
  assert_string_equal(shoal_entity_state(w, tank), "burning");
}

TEST_WITH(dead_entity_keeps_its_name_and_assemblage, fixture) {
  shoal_world *w = shoal_get_world(c);
  const shoal_field_value named[] = {{.component = "name", .field = "value", .string = "boss"}};
  shoal_entity tank = shoal_spawn_with(w, "tank", named, 1), empty = shoal_spawn_with(w, "", NULL, 0);
  assert_string_equal(shoal_entity_name(w, tank), "boss");
  assert_string_equal(shoal_entity_assemblage(w, tank), "tank");
  assert_true(shoal_entity_name(w, empty)[0] == '\0' && shoal_entity_assemblage(w, empty)[0] == '\0');
  world_destroy_entity(t->w, tank);
  assert_false(shoal_is_alive(w, tank));
  assert_string_equal(shoal_entity_name(w, tank), "boss");
  assert_string_equal(shoal_entity_assemblage(w, tank), "tank");
  shoal_entity forged = tank + (2u << SHOAL_ENTITY_INDEX_BITS);
  assert_true(shoal_entity_name(w, forged)[0] == '\0' && shoal_entity_assemblage(w, forged)[0] == '\0');
  assert_true(shoal_entity_name(w, 0)[0] == '\0' && shoal_entity_assemblage(w, 0xffffffffu)[0] == '\0');
  world_defer_begin(t->w, 0);
  shoal_entity queued = shoal_spawn_with(w, "tank", named, 1);
  assert_string_equal(shoal_entity_name(w, queued), "boss");
  assert_string_equal(shoal_entity_assemblage(w, queued), "tank");
  world_defer_end(t->w, false);
}

TEST_WITH(run_time_query_reads_and_writes_like_a_system_view, fixture) {
  const shoal_query_desc wanted = {.with = {"place"}, .without = {"frozen"}, .optional = {"name"}};
  const shoal_field_value cold[] = {{.component = "frozen"}}, called[] = {{.component = "name"}};
  shoal_view v, same;
  shoal_spawn_with(shoal_get_world(c), "hatch", cold, 1);
  shoal_entity a = shoal_spawn_with(shoal_get_world(c), "hatch", NULL, 0),
               b = shoal_spawn_with(shoal_get_world(c), "hatch", called, 1);
  assert_true(shoal_query_begin(shoal_get_world(c), &wanted, &v));
  assert_int_equal(v.count, 2);
  assert_true(v.entities[0] == a && v.entities[1] == b);
  assert_false(shoal_view_has(&v, &name_component, 0));
  assert_true(shoal_view_has(&v, &name_component, 1));
  SHOAL_COLUMN(&v, place, x)[1] = 77;
  assert_true(shoal_query_begin(shoal_get_world(c), &wanted, &same)); // a second query, nested in the first
  assert_true(same.terms != v.terms);
  shoal_query_end(shoal_get_world(c), &v); // also closes the nested query
  assert_true(value_of(t, b, "place", 0) == 77);
  assert_false(world_is_deferring(t->w));
  shoal_query_end(shoal_get_world(c), &same);
  assert_call_failed("the query is not open");
  assert_true(shoal_query_begin(shoal_get_world(c), &wanted, &v));
  shoal_query_end(shoal_get_world(c), &v);
  assert_int_equal(t->p->list.items[0]->access.queries.count, 2); // the queries were reused
}

TEST_WITH(open_query_is_closed_and_commands_apply_after_the_plugin_call, fixture) {
  shoal_value results[PLUGIN_MAX_VALUES], none[PLUGIN_MAX_VALUES] = {{0}};
  error_info_t error = {0};
  shoal_entity a = shoal_spawn_with(shoal_get_world(c), "hatch", NULL, 0),
               b = shoal_spawn_with(shoal_get_world(c), "hatch", NULL, 0);
  assert_true(plugin_call_by_number(t->p, 0, 0, none, results, &error));
  assert_false(world_is_deferring(t->w));
  assert_false(world_is_alive(t->w, a));
  assert_true(value_of(t, b, "place", 0) == 51);
  assert_false(plugin_call_by_number(t->p, 0, 1, none, results, &error));
  assert_string_equal(error.text,
                      "shoal_query_begin cannot be called in a pure function, because it changes the world");
}

TEST_WITH(invalid_run_time_query_fails_with_a_message, fixture) {
  shoal_view v;
  assert_false(shoal_query_begin(shoal_get_world(c), &(shoal_query_desc){.with = {"plase"}}, &v));
  assert_call_failed("unknown component plase: did you mean place?");
  assert_false(shoal_query_begin(shoal_get_world(c), &(shoal_query_desc){.without = {"place"}}, &v));
  assert_call_failed("a query must name a component in .with or .any");
  assert_false(shoal_query_begin(shoal_get_world(c), &(shoal_query_desc){.with = {""}, .any = {"place"}}, &v));
  assert_call_failed("unknown component ");
  static const char *const names[] = {"place", "name", "frozen"};
  for (uint32_t i = 0; i < 1030; ++i) { // each query has a different list of read-only components
    shoal_query_desc wanted = {.with = {"place", "name", "frozen"}};
    for (uint32_t k = 0, left = i; k < 7; ++k, left /= 3)
      wanted.reads[k] = names[left % 3];
    if (shoal_query_begin(shoal_get_world(c), &wanted, &v))
      shoal_query_end(shoal_get_world(c), &v);
  }
  assert_call_failed("too many different queries (at most 1024)");
  set_context(PLUGIN_CALL_RENDER);
  assert_false(shoal_query_begin(shoal_get_world(c), &(shoal_query_desc){.with = {"place"}}, &v));
  assert_call_failed("shoal_query_begin cannot be called in the render phase");
  assert_int_equal(shoal_spawn_with(shoal_get_world(c), "tank", NULL, 0), 0);
  set_context(PLUGIN_CALL_LOADING);
  assert_int_equal(shoal_find_entity(shoal_get_world(c), "Bertha"), 0);
  assert_call_failed("shoal_find_entity cannot be called while loading");
}

TEST_WITH(view_of_a_many_component_names_each_instance, fixture) {
  const shoal_field_value set[] = {{.component = "barrel", .instance = "right", .field = "heat", .number = 5}};
  const shoal_query_desc wanted = {.with = {"barrel", "place"}};
  shoal_view v;
  // Makes the row of `place` differ from the row of `barrel`.
  shoal_spawn_with(shoal_get_world(c), "hatch", NULL, 0);
  shoal_spawn_with(shoal_get_world(c), "tank", set, 1);
  assert_true(shoal_query_begin(shoal_get_world(c), &wanted, &v));
  assert_int_equal(v.count, 2);
  for (uint32_t i = 0; i < 2; ++i) {
    bool right = SHOAL_COLUMN(&v, barrel, heat)[i] == 5;
    assert_string_equal(
        shoal_string(shoal_get_world(c), shoal_row_instance(shoal_get_world(c), &v, &barrel_component, i)),
        right ? "right" : "left");
  }
  assert_int_equal(shoal_row_instance(shoal_get_world(c), &v, &barrel_component, 2), 0);
  assert_call_failed("shoal_row_instance: row 2 is out of range (count 2)");
  shoal_row_instance(shoal_get_world(c), &v, &place_component, 0);
  assert_call_failed("shoal_row_instance: place must be a SHOAL_MANY component");
  shoal_query_end(shoal_get_world(c), &v);
  shoal_row_instance(shoal_get_world(c), &v, &barrel_component, 0);
  assert_call_failed("shoal_row_instance: the view is not open");
}
