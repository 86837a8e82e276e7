// Plugin observers, compared with systems that use enter, leave and changed.
#include <shoal/observe.h>
#include <shoal/world.h>

#define UNIT_FIELDS(F) F(f32, value, 0)
#define HEARD_FIELDS(F) F(i32, entered, 0) F(i32, left, 0) F(i32, changed, 0)
SHOAL_COMPONENT(c_unit, UNIT_FIELDS)
SHOAL_COMPONENT(c_stone, UNIT_FIELDS)
SHOAL_SINGLE(heard, HEARD_FIELDS)

static const heard_columns *heard_in(shoal_context *c) {
  return SHOAL_IN(shoal_rows_of(shoal_world_of(c), &heard_component), heard);
}

static void enter(shoal_context *c, const shoal_entity *entities, uint32_t count, float dt_s) {
  const heard_columns *heard = heard_in(c);
  (void)dt_s;
  for (uint32_t i = 0; i < count; ++i)
    heard->entered[0] += entities[i] != 0;
}

static void leave(shoal_context *c, const shoal_entity *entities, uint32_t count, float dt_s) {
  const heard_columns *heard = heard_in(c);
  (void)dt_s;
  for (uint32_t i = 0; i < count; ++i)
    heard->left[0] += entities[i] != 0;
}

static void changed(shoal_context *c, const shoal_entity *entities, uint32_t count, float dt_s) {
  const heard_columns *heard = heard_in(c);
  (void)dt_s;
  for (uint32_t i = 0; i < count; ++i)
    heard->changed[0] += entities[i] != 0;
}

SHOAL_PLUGIN(.name = "hear", .version = 1, .components = SHOAL_COMPONENTS(c_unit, c_stone, heard),
             .observers = SHOAL_OBSERVERS(
                 {.name = "enter", .query = {"c_unit"}, .after = {"spawn_c"}, .before = {"kill_c"}, .enter = enter},
                 {.name = "leave", .query = {"c_unit"}, .after = {"kill_c"}, .leave = leave},
                 {.name = "changed", .query = {"c_stone"}, .after = {"write_c"}, .changed = changed}))
