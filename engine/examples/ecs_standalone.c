// Example for the standalone ECS: simulates a hundred thousand sparks that move, cool down and are destroyed, without
// Lua, a window or files.
//
//   ecs_standalone [TICKS]
//
// Built against the installed library: cc ecs_standalone.c $(pkg-config --cflags --libs shoal-ecs)
#include <shoal/ecs.h>

#include <stdio.h>
#include <stdlib.h>

#define MOTION(F) F(vec2, pos, 0, 0) F(vec2, velocity, 0, 0)
#define HEAT(F) F(f32, value, 100.0f) F(string, colour, "white")
#define LIVED(F) F(u32, sparks, 0)
SHOAL_COMPONENT(motion, MOTION)
SHOAL_COMPONENT(heat, HEAT)
SHOAL_SINGLE(lived, LIVED)

enum { SPARKS = 100000 };

static shoal_world *world;

static void check_result(bool ok) {
  if (ok)
    return;
  fprintf(stderr, "ecs_standalone: %s\n", shoal_ecs_last_error());
  exit(2);
}

static const shoal_query_desc SPARK_QUERY = {.with = {"motion", "heat"}};

static void move_sparks(float dt_s) {
  shoal_view view;
  check_result(shoal_query_begin(world, &SPARK_QUERY, &view));
  const motion_columns *motion = SHOAL_COLUMNS(&view, motion);
  for (uint32_t i = 0; i < view.count; ++i) {
    motion->pos.x[i] += motion->velocity.x[i] * dt_s;
    motion->pos.y[i] += motion->velocity.y[i] * dt_s;
  }
  check_result(shoal_query_end(world, &view));
}

// Cools the sparks, destroys the sparks that have burned out, and returns the number of destroyed sparks. While the
// query is open, destroyed sparks keep their rows.
static uint32_t cool_sparks(float amount) {
  shoal_view view;
  uint32_t dead_count = 0;
  check_result(shoal_query_begin(world, &SPARK_QUERY, &view));
  float *value = SHOAL_COLUMN(&view, heat, value);
  for (uint32_t i = 0; i < view.count; ++i) {
    value[i] -= amount * (float)(1 + i % 7);
    if (value[i] <= 0 && ++dead_count)
      check_result(shoal_destroy(world, view.entities[i]));
  }
  check_result(shoal_query_end(world, &view));
  return dead_count;
}

int main(int argc, char **argv) {
  int ticks = argc > 1 ? atoi(argv[1]) : 60;
  uint32_t dead_count = 0;
  world = shoal_ecs_create(SHOAL_COMPONENTS(motion, heat, lived));
  check_result(world != NULL);
  check_result(shoal_ecs_define_assemblage(world, "spark", SHOAL_COMPONENTS(motion, heat)));
  check_result(
      shoal_ecs_define_assemblage_set(world, "spark", &motion_component, SHOAL_COLUMN_INDEX(motion, velocity.x), 12.0));
  check_result(shoal_ecs_create_group(world, &SPARK_QUERY));
  check_result(shoal_spawn_many(world, "spark", SPARKS, NULL) == SPARKS);
  for (int i = 0; i < ticks; ++i) {
    move_sparks(1.0f / 60.0f);
    dead_count += cool_sparks(0.5f);
    check_result(shoal_ecs_run_tick(world));
  }
  lived_values total = {SPARKS};
  check_result(SHOAL_SET(world, 0, lived, &total));
  printf("%d ticks: %u of %d sparks burned out, %u remain\n", ticks, dead_count, SPARKS, shoal_ecs_entity_count(world));
  shoal_ecs_destroy(world);
  if (shoal_spawn(world, "spark")) // must fail, because the world was destroyed
    return 2;
  printf("%s\n", shoal_ecs_last_error());
  return 0;
}
