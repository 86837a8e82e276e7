// A plugin as one was written for version 1 of the interface, for the headers that lie beside it.
#include <shoal/plugin.h>

#define WARM_FIELDS(F) F(f32, value, 20) F(f32, rate, 1)
SHOAL_COMPONENT(warm, WARM_FIELDS)
#define BOILED_FIELDS(F) F(entity, who)
SHOAL_EVENT(boiled, BOILED_FIELDS)

static void grow(shoal_context *c, const shoal_view *v, float dt_s) {
  float *value = SHOAL_COLUMN(v, warm, value);
  const float *rate = SHOAL_COLUMN(v, warm, rate);
  for (uint32_t i = 0; i < v->count; ++i) {
    value[i] += rate[i];
    if (value[i] != 25)
      continue;
    SHOAL_EMIT(c, boiled, 1)->who[0] = v->entities[i];
    shoal_emit_end(c, &boiled_component);
  }
  (void)dt_s;
}

static void warmest(shoal_context *c, const shoal_value *arguments, shoal_value *results) {
  shoal_table t = shoal_rows_of(c, &warm_component);
  (void)arguments;
  for (uint32_t i = 0; i < t.count; ++i)
    if (SHOAL_IN(t, warm)->value[i] > results[0].number)
      results[0].number = SHOAL_IN(t, warm)->value[i];
}

static void draw(shoal_context *c, const shoal_view *v, float dt_s) {
  static const float corners[24] = {0};
  (void)v, (void)dt_s;
  shoal_draw_line(c, 0, 0, 10, 10, 1);
  shoal_draw_solids(c, corners, 1);
}

SHOAL_PLUGIN(.name = "warm", .version = 1, .components = SHOAL_COMPONENTS(warm, boiled),
             .systems = SHOAL_SYSTEMS({.name = "grow", .query = {"warm"}, .run = grow},
                                      {.name = "draw", .phase = SHOAL_PHASE_RENDER, .run = draw}),
             .functions = SHOAL_FUNCTIONS({.name = "warmest", .gives = "value:number", .pure = true, .call = warmest}))
