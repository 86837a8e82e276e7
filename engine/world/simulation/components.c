// Declares the built-in components and adds their systems to a schedule.
#include "simulation/components.h"

#include "animation/animation.h"
#include "base/assert.h"
#include "camera/follow.h"
#include "camera/viewport.h"
#include "collision/body.h"
#include "collision/body_grid.h"
#include "collision/collision.h"
#include "collision/neighbours.h"
#include "collision/swept_bodies.h"
#include "components/name.h"
#include "components/data_components.h"
#include "countdown/countdown.h"
#include "countdown/lifetime.h"
#include "movement/mover.h"
#include "movement/path.h"
#include "ecs/changes.h"
#include "content/content.h"
#include "content/definitions.h"
#include "content/parked_pieces.h"
#include "ecs/system_rows.h"
#include "text/typesetter.h"
#include "tilemap/tilemap.h"
#include "transform/transform.h"

struct components_o {
  world_o *world;
  float logical_width, logical_height;
  sheets_o *sheets;
  typesetter_o *typesetter;
  collision_o *collision;
  body_grid_o *body_grid;
  neighbours_o *neighbours;
  tilemaps_o *tilemaps;
  waiting_parents_o *waiting_parents;
};

typedef struct declaration_t {
  const shoal_component *component;
  // Function that is called instead of declaring `component`; may be NULL.
  bool (*declare)(world_o *w, error_info_t *error);
} declaration_t;

// The order determines the component ids, and therefore the order of all iterations over components.
static const declaration_t DECLARATIONS[] = {
    {.component = &name_component},        {.declare = transform_declare},
    {.component = &sprite_component},      {.component = &shape_component},
    {.component = &text_component},        {.component = &camera_component},
    {.component = &body_component},        {.component = &sound_component},
    {.component = &lifetime_component},    {.declare = collision_declare},
    {.declare = disabled_declare},         {.component = &timer_component},
    {.component = &tween_component},       {.component = &animation_component},
    {.component = &material_component},    {.component = &y_sort_component},
    {.component = &tilemap_component},     {.component = &map_object_component},
    {.component = &mover_component},       {.component = &follow_component},
    {.component = &shaken_component},      {.declare = sensor_declare},
    {.component = &sound_space_component}, {.component = &sound_listener_component},
    {.component = &viewport_component},    {.component = &path_component},
    {.component = &text_style_component},  {.component = &swept_component},
    {.declare = changes_declare},          {.declare = system_rows_declare},
    {.declare = definitions_declare},      {.declare = parked_pieces_declare},
    {.component = &findable_component},    {.component = &neighbours_component},
    {.declare = one_way_declare},
};

components_o *components_create(world_o *w, const assets_t *assets, error_info_t *error) {
  content_attach(w);
  for (size_t i = 0; i < sizeof DECLARATIONS / sizeof DECLARATIONS[0]; ++i) {
    const declaration_t *declaration = &DECLARATIONS[i];
    if (!(declaration->declare ? declaration->declare(w, error) : builtin_declare(w, declaration->component, error)))
      return NULL;
  }
  shoal_assert(world_find_manager(w, "name")->id == 1, "the built-in components must be declared first");
  components_o *components = alloc_resize(world_allocator(w), NULL, 0, sizeof *components);
  *components = (components_o){.world = w,
                               .logical_width = 1280.0f,
                               .logical_height = 720.0f,
                               .sheets = sheets_create(assets, world_log(w)),
                               .typesetter = typesetter_create(assets, world_log(w)),
                               .collision = collision_create(w),
                               .body_grid = body_grid_create(w),
                               .neighbours = neighbours_create(w),
                               .tilemaps = tilemaps_create(w),
                               .waiting_parents = waiting_parents_create(w)};
  return components;
}

void components_destroy(components_o *components) {
  if (components == NULL)
    return;
  waiting_parents_destroy(components->waiting_parents);
  tilemaps_destroy(components->tilemaps);
  neighbours_destroy(components->neighbours);
  body_grid_destroy(components->body_grid);
  collision_destroy(components->collision);
  typesetter_destroy(components->typesetter);
  sheets_destroy(components->sheets);
  alloc_resize(world_allocator(components->world), components, sizeof *components, 0);
}

sheets_o *components_sheets(components_o *c) {
  return c->sheets;
}

const collision_o *components_collision(const components_o *c) {
  return c->collision;
}

typesetter_o *components_typesetter(components_o *c) {
  return c->typesetter;
}

asset_fate_t components_reload_asset(components_o *c, const char *name, error_info_t *error) {
  asset_fate_t fate = typesetter_asset_changed(c->typesetter, name, error);
  return fate == ASSET_UNUSED ? sheets_reload(c->sheets, name, error) : fate;
}

void components_take_over(components_o *components, components_o *old) {
  sheets_o *sheets = components->sheets;
  typesetter_o *typesetter = components->typesetter;
  shoal_assert(components != old, "old and new components must differ");
  components->sheets = old->sheets;
  old->sheets = sheets;
  components->typesetter = old->typesetter;
  old->typesetter = typesetter;
  // The fallback fonts that the new code has set stay in use.
  typesetter_set_fallbacks(components->typesetter, typesetter_fallbacks(typesetter));
}

void components_set_fonts(components_o *c, const char *names) {
  typesetter_set_fallbacks(c->typesetter, names);
}

void components_set_screen(components_o *c, int width, int height) {
  shoal_assert(width > 0 && height > 0, "the logical screen size must be positive, got %d × %d", width, height);
  c->logical_width = (float)width;
  c->logical_height = (float)height;
}

// Updates animations in post_update, so that a clip chosen in `update` is visible in the same tick.
static void run_animation(void *context, world_o *w, uint32_t number, float dt_s) {
  const components_o *c = context;
  (void)number, (void)dt_s;
  animation_update(w, c->sheets, world_dt_s(w));
}

static void run_follow(void *context, world_o *w, uint32_t number, float dt_s) {
  const components_o *c = context;
  (void)number, (void)dt_s;
  follow_update(w, c->logical_width, c->logical_height, world_dt_s(w));
}

bool components_schedule(components_o *components, schedule_o *schedule, error_info_t *error) {
  system_desc_t animation = {.name = ANIMATION_NAME,
                             .phase = PHASE_POST_UPDATE,
                             .priority = -1000,
                             .run = run_animation,
                             .context = components};
  system_desc_t follow = {
      .name = "shoal.follow", .phase = PHASE_POST_UPDATE, .priority = -1000, .run = run_follow, .context = components};
  return lifetime_schedule(components->world, schedule, error) &&
         neighbours_schedule(components->neighbours, schedule, error) &&
         countdown_schedule(components->world, schedule, error) && path_schedule(components->world, schedule, error) &&
         schedule_add_system(schedule, &animation, error) && mover_schedule(components->world, schedule, error) &&
         schedule_add_system(schedule, &follow, error) &&
         transform_schedule(components->waiting_parents, schedule, error) &&
         collision_schedule(components->collision, schedule, error);
}
