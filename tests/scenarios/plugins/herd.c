// A plugin that uses version 2 of the world interface: it spawns sheep with values and children, makes them enter a
// state, counts them with an observer and queries, and shears them with a command.
#include <shoal/command.h>
#include <shoal/observe.h>
#include <shoal/profile.h>
#include <shoal/world.h>

#include <stdio.h>

#define HERD_FIELDS(F)                                                                                                 \
  F(u32, born, 0) F(u32, gone, 0) F(u32, moved, 0) F(u32, black, 0) F(u32, wool, 0) F(u32, asked, 0) F(entity, first)
SHOAL_SINGLE(herd, HERD_FIELDS)
#define WOOL_FIELDS(F) F(f32, length, 1) F(enum, colour, "white black")
SHOAL_COMPONENT(wool, WOOL_FIELDS)
#define LEG_FIELDS(F) F(f32, length, 3)
SHOAL_MANY(leg, LEG_FIELDS)
SHOAL_COMPONENT(transform, SHOAL_TRANSFORM_FIELDS)

static const herd_columns *herd_of(shoal_context *c) {
  return SHOAL_ROWS_COLUMNS(shoal_get_rows(shoal_get_world(c), &herd_component), herd);
}

static void breed(shoal_context *c, const shoal_view *v, float dt_s) {
  shoal_world *w = shoal_get_world(c);
  const shoal_field_value set[] = {
      {.component = "transform", .field = "x", .number = (double)shoal_tick(c)},
      {.component = "wool", .field = "colour", .string = shoal_tick(c) % 3 ? "white" : "black"},
      {.component = "leg", .instance = "front", .field = "length", .number = 4},
      {.child = "bell", .component = "name", .field = "value", .string = "bell"}};
  (void)v, (void)dt_s;
  shoal_entity e = shoal_spawn_with(w, "sheep", set, 4);
  if (e && shoal_random_f32(c) < 0.5f)
    shoal_enter_state(w, e, "asleep");
}

static void count(shoal_context *c, const shoal_view *v, float dt_s) {
  shoal_world *w = shoal_get_world(c);
  const shoal_query_desc awake = {.with = {"wool", "transform"}, .without = {"sleeping"}, .reads = {"wool"}};
  const shoal_query_desc legs = {.with = {"leg", "wool"}};
  const herd_columns *herd = herd_of(c);
  shoal_view rows;
  (void)v, (void)dt_s;
  herd->black[0] = herd->wool[0] = 0;
  if (!shoal_query_begin(w, &awake, &rows))
    return;
#ifdef MANY_SCOPES // 128 together with the two scopes below
  for (uint32_t i = 0; i < 126; ++i) {
    char name[16];
    snprintf(name, sizeof name, "n%u", i);
    shoal_profile_begin(c, name);
    shoal_profile_end(c);
  }
#endif
  shoal_profile_begin(c, "move");
  for (uint32_t i = 0; i < rows.count; ++i) {
    SHOAL_COLUMN(&rows, transform, y)[i] += 1;
    herd->black[0] += SHOAL_COLUMN(&rows, wool, colour)[i];
  }
  shoal_profile_begin(c, "nothing");
#ifndef LEAVES_OPEN
  shoal_profile_end(c);
  shoal_profile_end(c);
#endif
#ifdef ENDS_TWICE
  shoal_profile_end(c);
#endif
  shoal_query_end(w, &rows);
  if (!shoal_query_begin(w, &legs, &rows))
    return;
  for (uint32_t i = 0; i < rows.count; ++i)
    herd->wool[0] += strcmp(shoal_string(w, shoal_row_instance(w, &rows, &leg_component, i)), "front") == 0;
  herd->asked[0] += shoal_change_count(c, &wool_component) > 0;
  shoal_entity bell = shoal_find_entity(w, "bell");
  herd->first[0] = bell;
  if (bell && shoal_get_children(w, bell, NULL, 0) != 0)
    shoal_fail(c, "a bell has no children");
}

static void born(shoal_context *c, const shoal_entity *entities, uint32_t n, float dt_s) {
  (void)entities, (void)dt_s;
  herd_of(c)->born[0] += n;
}

static void gone(shoal_context *c, const shoal_entity *entities, uint32_t n, float dt_s) {
  (void)entities, (void)dt_s;
  herd_of(c)->gone[0] += n;
}

static void moved(shoal_context *c, const shoal_entity *entities, uint32_t n, float dt_s) {
  (void)entities, (void)dt_s;
  herd_of(c)->moved[0] += n;
#ifdef ENDLESS
  shoal_world *w = shoal_get_world(c);
  const transform_columns *place = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &transform_component), transform);
  for (uint32_t i = 0; i < n; ++i)
    ++place->x[shoal_find_row(w, &transform_component, entities[i])];
#endif
}

static void shear(shoal_context *c, shoal_entity picked) {
  shoal_world *w = shoal_get_world(c);
  const wool_columns *wool = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &wool_component), wool);
  shoal_rows rows = shoal_get_rows(w, &wool_component);
  for (uint32_t i = 0; i < rows.count; ++i)
    wool->length[i] = 0;
  shoal_destroy_many(w, rows.entities, rows.count < 2 ? rows.count : 2);
  if (picked)
    shoal_fail(c, "this one stays as it is");
}

SHOAL_PLUGIN(.name = "herd", .version = 1, .components = SHOAL_COMPONENTS(herd, wool, leg),
             .uses = SHOAL_COMPONENTS(transform),
             .systems = SHOAL_SYSTEMS({.name = "breed", .interval_ticks = 5, .run = breed},
                                      {.name = "count", .run = count}),
             .observers = SHOAL_OBSERVERS({.name = "ear",
                                           .query = {"wool", "transform"},
                                           .phase = SHOAL_PHASE_POST_UPDATE,
                                           .enter = born,
                                           .leave = gone,
                                           .changed = moved}),
             .commands = SHOAL_COMMANDS({.name = "Shear all", .help = "and two go", .run = shear}))
