// Checks that the built-in components (components/) match the documented API.
#include "components_fixture.h"

#include "components/name.h"

#include <stdio.h>

// Expected fields, types and defaults, as documented in the Lua API.
typedef struct expected_t {
  const char *component, *field;
  field_type_t type;
  double initial;
} expected_t;

static const expected_t EXPECTED[] = {
    {"name", "value", FIELD_STRING, 0},
    {"transform", "x", FIELD_F32, 0},
    {"transform", "y", FIELD_F32, 0},
    {"transform", "z", FIELD_F32, 0},
    {"transform", "angle", FIELD_F32, 0},
    {"transform", "scale_x", FIELD_F32, 1},
    {"transform", "scale_y", FIELD_F32, 1},
    {"transform", "parent", FIELD_ENTITY, 0},
    {"transform", "orphan", FIELD_BOOL, 0},
    {"sprite", "image", FIELD_ASSET, 0},
    {"sprite", "frame", FIELD_I32, 1},
    {"sprite", "frames", FIELD_I32, 1},
    {"sprite", "tint.x", FIELD_F32, 1},
    {"sprite", "tint.w", FIELD_F32, 1},
    {"sprite", "width", FIELD_F32, 0},
    {"sprite", "height", FIELD_F32, 0},
    {"sprite", "flip", FIELD_BOOL, 0},
    {"sprite", "flip_y", FIELD_BOOL, 0},
    {"sprite", "layer", FIELD_I32, 0},
    {"sprite", "visible", FIELD_BOOL, 1},
    {"sprite", "blend", FIELD_ENUM, 0},
    {"shape", "kind", FIELD_ENUM, 0},
    {"shape", "radius", FIELD_F32, 10},
    {"shape", "width", FIELD_F32, 20},
    {"shape", "height", FIELD_F32, 20},
    {"shape", "points", FIELD_STRING, 0},
    {"shape", "colour.y", FIELD_F32, 1},
    {"shape", "filled", FIELD_BOOL, 1},
    {"shape", "thickness", FIELD_F32, 2},
    {"shape", "layer", FIELD_I32, 0},
    {"shape", "visible", FIELD_BOOL, 1},
    {"shape", "blend", FIELD_ENUM, 0},
    {"text", "value", FIELD_STRING, 0},
    {"text", "size", FIELD_F32, 24},
    {"text", "font", FIELD_ASSET, 0},
    {"text", "colour.z", FIELD_F32, 1},
    {"text", "align", FIELD_ENUM, 0},
    {"text", "space", FIELD_ENUM, 0},
    {"text", "layer", FIELD_I32, 0},
    {"text", "visible", FIELD_BOOL, 1},
    {"text", "blend", FIELD_ENUM, 0},
    {"text", "wrap", FIELD_F32, 0},
    {"text", "valign", FIELD_ENUM, 0},
    {"text", "markup", FIELD_BOOL, 0},
    {"text_style", "outline.w", FIELD_F32, 1},
    {"text_style", "outline_width", FIELD_F32, 0},
    {"text_style", "shadow.x", FIELD_F32, 0},
    {"text_style", "shadow_x", FIELD_F32, 0},
    {"text_style", "line_spacing", FIELD_F32, 1},
    {"text_style", "shown", FIELD_I32, -1},
    {"camera", "enabled", FIELD_BOOL, 1},
    {"camera", "zoom", FIELD_F32, 1},
    {"camera", "shake", FIELD_F32, 0},
    {"camera", "bloom", FIELD_F32, 0},
    {"camera", "background.x", FIELD_F32, 0.02},
    {"camera", "background.z", FIELD_F32, 0.05},
    {"body", "kind", FIELD_ENUM, 0},
    {"body", "radius", FIELD_F32, 10},
    {"body", "width", FIELD_F32, 20},
    {"body", "height", FIELD_F32, 20},
    {"body", "offset_x", FIELD_F32, 0},
    {"body", "offset_y", FIELD_F32, 0},
    {"body", "category", FIELD_U32, 1},
    {"body", "mask", FIELD_U32, 4294967295.0},
    {"body", "enabled", FIELD_BOOL, 1},
    {"sound", "file", FIELD_ASSET, 0},
    {"sound", "volume", FIELD_F32, 1},
    {"sound", "pan", FIELD_F32, 0},
    {"sound", "loop", FIELD_BOOL, 0},
    {"sound", "playing", FIELD_BOOL, 1},
    {"sound", "pitch", FIELD_F32, 1},
    {"sound", "bus", FIELD_STRING, 0},
    {"sound", "fade_in", FIELD_F32, 0},
    {"sound", "fade_out", FIELD_F32, 0},
    {"sound_space", "range", FIELD_F32, 800},
    {"sound_space", "within", FIELD_F32, 0},
    {"lifetime", "seconds", FIELD_F32, 1},
    {"timer", "event", FIELD_STRING, 0},
    {"timer", "values", FIELD_STRING, 0},
    {"timer", "seconds", FIELD_F64, 0},
    {"tween", "path", FIELD_STRING, 0},
    {"tween", "ease", FIELD_ENUM, 0},
    {"tween", "to", FIELD_F64, 0},
    {"tween", "seconds", FIELD_F64, 1},
    {"tween", "elapsed", FIELD_F64, 0},
    {"tween", "times", FIELD_U32, 1},
    {"tween", "back", FIELD_BOOL, 0},
    {"tween", "begun", FIELD_BOOL, 0},
    {"tween", "from", FIELD_F64, 0},
    {"tilemap", "map", FIELD_ASSET, 0},
    {"tilemap", "level", FIELD_STRING, 0},
    {"tilemap", "layer", FIELD_I32, 0},
    {"tilemap", "visible", FIELD_BOOL, 1},
    {"viewport", "x", FIELD_F32, 0},
    {"viewport", "width", FIELD_F32, 0},
    {"viewport", "order", FIELD_I32, 0},
    {"mover", "vx", FIELD_F32, 0},
    {"mover", "vy", FIELD_F32, 0},
    {"mover", "on_floor", FIELD_BOOL, 0},
    {"mover", "on_wall", FIELD_BOOL, 0},
    {"mover", "on_ceiling", FIELD_BOOL, 0},
    {"mover", "hit", FIELD_ENTITY, 0},
    {"mover", "floor", FIELD_ENTITY, 0},
    {"mover", "floor_x", FIELD_F32, 0},
    {"mover", "floor_y", FIELD_F32, 0},
    {"path", "points", FIELD_STRING, 0},
    {"path", "speed", FIELD_F32, 40},
    {"path", "loop", FIELD_BOOL, 0},
    {"path", "back", FIELD_BOOL, 0},
    {"path", "next", FIELD_U32, 1},
    {"path", "dir_x", FIELD_F32, 0},
    {"path", "dir_y", FIELD_F32, 0},
    {"swept", "from_x", FIELD_F32, 0},
    {"swept", "from_y", FIELD_F32, 0},
    {"swept", "jumped", FIELD_BOOL, 1},
    {"swept", "time", FIELD_F32, 1},
    {"swept", "hit", FIELD_ENTITY, 0},
    {"swept", "stop_x", FIELD_F32, 0},
    {"swept", "stop_y", FIELD_F32, 0},
    {"map_object", "map", FIELD_ENTITY, 0},
    {"map_object", "id", FIELD_U32, 0},
    {"map_object", "width", FIELD_F32, 0},
    {"map_object", "height", FIELD_F32, 0},
};

FIXTURE(fixture_t, fixture_setup, fixture_teardown)

TEST_IN(new_builtin_components_have_the_documented_types_and_defaults, fixture_t, f) {
  error_info_t error = {0};
  shoal_entity e = world_spawn(f->world, 0, &error);
  for (size_t i = 0; i < sizeof EXPECTED / sizeof EXPECTED[0]; ++i) {
    const expected_t *x = &EXPECTED[i];
    manager_o *m = manager_of(f, x->component);
    if (!world_has_component(f->world, e, m->id))
      add(f, e, x->component);
    assert_int_equal(m->schema.fields[column_of(f, x->component, x->field)].type, x->type);
    assert_near(get(f, e, x->component, x->field), x->initial, 1e-7);
  }
}

// Asserts that the field has these choices; `expected` separates their names with '|'.
static void assert_choices(fixture_t *f, const char *component, const char *field, const char *expected) {
  const field_t *d = &manager_of(f, component)->schema.fields[column_of(f, component, field)];
  char joined[128] = "";
  const char *choice = d->choices;
  for (uint32_t i = 0; i < d->choice_count; ++i, choice += strlen(choice) + 1)
    snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s%s", i > 0 ? "|" : "", choice);
  assert_string_equal(joined, expected);
}

TEST_IN(enums_have_the_documented_choices_in_order, fixture_t, f) {
  assert_choices(f, "shape", "kind", "circle|rect|polygon|line");
  assert_choices(f, "shape", "blend", "alpha|add");
  assert_choices(f, "sprite", "blend", "alpha|add");
  assert_choices(f, "text", "align", "left|center|right");
  assert_choices(f, "text", "space", "world|screen");
  assert_choices(f, "body", "kind", "circle|box");
}

TEST_IN(transform_hides_tree_links_and_derives_world_fields, fixture_t, f) {
  const schema_t *s = &manager_of(f, "transform")->schema;
  assert_int_equal(s->field_count, SHOAL_COLUMN_INDEX(transform, world));
  assert_int_equal(s->derived_count, 3);
  for (uint32_t i = 0; i <= SHOAL_COLUMN_INDEX(transform, world_y); ++i) {
    assert_int_equal((s->fields[i].flags & FIELD_HIDDEN) != 0,
                     i >= SHOAL_COLUMN_INDEX(transform, first_child) && i < SHOAL_COLUMN_INDEX(transform, world));
    assert_int_equal((s->fields[i].flags & FIELD_READ_ONLY) != 0, i >= SHOAL_COLUMN_INDEX(transform, first_child));
    assert_int_equal((s->fields[i].flags & FIELD_DERIVED) != 0, i >= SHOAL_COLUMN_INDEX(transform, world));
  }
}

TEST_IN(collision_event_has_the_documented_fields, fixture_t, f) {
  static const char *const NAMES[] = {"a", "b", "x", "y", "nx", "ny", "depth", "cancelled"};
  const event_o *ev = world_find_event(f->world, "collision");
  assert_int_equal(ev->schema.field_count, 8);
  for (int32_t i = 0; i < 8; ++i)
    assert_int_equal(schema_find_field(&ev->schema, NAMES[i]), i);
  assert_int_equal(ev->cancelled, 7);
}

TEST_IN(builtin_systems_run_in_the_documented_order, fixture_t, f) {
  error_info_t error = {0};
  schedule_o *s = schedule_create(world_allocator(f->world));
  assert_true(components_schedule(f->components, s, &error) && schedule_sort(s, &error));
  assert_string_equal(schedule_system_name(s, PHASE_PRE_UPDATE, 0), "shoal.lifetime");
  assert_string_equal(schedule_system_name(s, PHASE_PRE_UPDATE, 1), "shoal.timer");
  assert_string_equal(schedule_system_name(s, PHASE_PRE_UPDATE, 2), "shoal.tween");
  assert_string_equal(schedule_system_name(s, PHASE_PRE_UPDATE, 3), "shoal.path");
  assert_string_equal(schedule_system_name(s, PHASE_PRE_UPDATE, 4), "shoal.neighbours");
  assert_int_equal(schedule_system_count(s, PHASE_POST_UPDATE), 5);
  assert_string_equal(schedule_system_name(s, PHASE_POST_UPDATE, 0), "shoal.mover");
  assert_string_equal(schedule_system_name(s, PHASE_POST_UPDATE, 1), "shoal.animation");
  assert_string_equal(schedule_system_name(s, PHASE_POST_UPDATE, 2), "shoal.follow");
  assert_string_equal(schedule_system_name(s, PHASE_POST_UPDATE, 3), "shoal.transform");
  assert_string_equal(schedule_system_name(s, PHASE_POST_UPDATE, 4), "shoal.collision");
  schedule_destroy(s);
}

TEST_IN(each_schedule_accepts_the_builtin_systems_once, fixture_t, f) {
  error_info_t error = {0};
  for (int i = 0; i < 3; ++i) {
    schedule_o *s = schedule_create(world_allocator(f->world));
    assert_true(components_schedule(f->components, s, &error) && schedule_sort(s, &error));
    assert_false(components_schedule(f->components, s, &error)); // these systems are already in the schedule
    schedule_run(s, f->world, PHASE_POST_UPDATE, 1.0f / 60);
    schedule_destroy(s);
  }
}

TEST_IN(entity_description_contains_its_name, fixture_t, f) {
  char text[NAME_DESCRIPTION_MAX];
  shoal_entity e = place(f, 0, 0);
  assert_string_equal(name_describe(f->world, e, text, sizeof text), "entity(1:0)");
  add(f, e, "name");
  set(f, e, "name", "value", strings_intern(world_strings(f->world), "Bob"));
  assert_string_equal(name_describe(f->world, e, text, sizeof text), "entity(1:0 \"Bob\")");
  assert_string_equal(name_describe(f->world, 0, text, sizeof text), "entity(0:0)");
  assert_string_equal(name_describe(f->world, 0xffffffff, text, 8), "entity(");
}

TEST_IN(recreating_the_builtin_components_keeps_their_rows, fixture_t, f) {
  error_info_t error = {0};
  shoal_entity e = place(f, 0, 0);
  add(f, e, "body");
  components_o *again = components_create(f->world, NULL, &error); // declaring the same layout again changes nothing
  assert_non_null(again);
  components_destroy(again);
  assert_true(world_has_component(f->world, e, manager_of(f, "body")->id));
}

TEST_IN(component_changes_in_one_world_do_not_affect_another_world, fixture_t, f) {
  fixture_t *other = fixture_open();
  shoal_entity e = place(f, 1, 2), twin = place(other, 3, 4);
  assert_int_equal(e, twin);
  transform_update_child_lists(f->world);
  transform_update_child_lists(other->world);
  assert_near((double)world_matrix(f, e)[12], 1, 0);
  assert_near((double)world_matrix(other, twin)[12], 3, 0);
  world_destroy_entity(other->world, twin);
  assert_true(world_is_alive(f->world, e));
  fixture_close(other);
}
