// Plugin observers, to be compared with systems that use enter, leave and changed.
#include <shoal/observe.h>
#include <shoal/world.h>

#define UNIT_FIELDS(F) F(f32, value, 0)
#define CALL_FIELDS(F) F(i32, entered, 0) F(i32, left, 0) F(i32, changed, 0)
SHOAL_COMPONENT(c_unit, UNIT_FIELDS)
SHOAL_COMPONENT(c_stone, UNIT_FIELDS)
SHOAL_SINGLE(c_calls, CALL_FIELDS)

static const c_calls_columns *calls_of(shoal_context *c) {
  return SHOAL_ROWS_COLUMNS(shoal_get_rows(shoal_get_world(c), &c_calls_component), c_calls);
}

static void enter(shoal_context *c, const shoal_entity *entities, uint32_t count, float dt_s) {
  const c_calls_columns *calls = calls_of(c);
  (void)dt_s;
  for (uint32_t i = 0; i < count; ++i)
    calls->entered[0] += entities[i] != 0;
}

static void leave(shoal_context *c, const shoal_entity *entities, uint32_t count, float dt_s) {
  const c_calls_columns *calls = calls_of(c);
  (void)dt_s;
  for (uint32_t i = 0; i < count; ++i)
    calls->left[0] += entities[i] != 0;
}

static void changed(shoal_context *c, const shoal_entity *entities, uint32_t count, float dt_s) {
  const c_calls_columns *calls = calls_of(c);
  (void)dt_s;
  for (uint32_t i = 0; i < count; ++i)
    calls->changed[0] += entities[i] != 0;
}

SHOAL_PLUGIN(.name = "observers", .version = 1, .components = SHOAL_COMPONENTS(c_unit, c_stone, c_calls),
             .observers = SHOAL_OBSERVERS(
                 {.name = "enter", .query = {"c_unit"}, .after = {"spawn_c"}, .before = {"kill_c"}, .enter = enter},
                 {.name = "leave", .query = {"c_unit"}, .after = {"kill_c"}, .leave = leave},
                 {.name = "changed", .query = {"c_stone"}, .after = {"write_c"}, .changed = changed}))
