// Declares the built-in components and adds their systems to a schedule, in one documented order.
#include "components/components.h"

#include "base/assert.h"
#include "components/animation.h"
#include "components/body.h"
#include "components/collision.h"
#include "components/follow.h"
#include "components/later.h"
#include "components/lifetime.h"
#include "components/mover.h"
#include "components/name.h"
#include "components/path.h"
#include "components/plain.h"
#include "components/swept.h"
#include "components/tilemap.h"
#include "components/transform.h"
#include "components/viewport.h"
#include "relation/changes.h"
#include "text/typesetter.h"

struct components_o {
  world_o *world;
  float logical_width, logical_height;
  sheets_o *sheets;
  typesetter_o *type;
  collision_o *collision;
  tilemaps_o *tilemaps;
};

// In this order: ids, and with them the order of everything that goes through the components, follow it.
static bool (*const DECLARATIONS[])(world_o *w, error_t *error) = {
    name_declare,      transform_declare,  sprite_declare,      shape_declare,          text_declare,
    camera_declare,    body_declare,       sound_declare,       lifetime_declare,       script_declare,
    collision_declare, disabled_declare,   timer_declare,       tween_declare,          animation_declare,
    material_declare,  y_sort_declare,     tilemap_declare,     mover_declare,          follow_declare,
    shaken_declare,    sensor_declare,     sound_space_declare, sound_listener_declare, viewport_declare,
    path_declare,      text_style_declare, swept_declare,       changes_declare,
};

components_o *components_create(world_o *w, const assets_t *assets, error_t *error) {
  for (size_t i = 0; i < sizeof DECLARATIONS / sizeof DECLARATIONS[0]; ++i) {
    if (!DECLARATIONS[i](w, error))
      return NULL;
  }
  shoal_assert(world_find_manager(w, "name")->id == 1, "components were declared before the built-in ones");
  components_o *c = alloc_resize(world_allocator(w), NULL, 0, sizeof *c);
  *c = (components_o){.world = w,
                      .logical_width = 1280.0f,
                      .logical_height = 720.0f,
                      .sheets = sheets_create(assets, world_log(w)),
                      .type = typesetter_create(assets, world_log(w)),
                      .collision = collision_create(w),
                      .tilemaps = tilemaps_create(w)};
  return c;
}

void components_destroy(components_o *c) {
  if (c == NULL)
    return;
  tilemaps_destroy(c->tilemaps);
  collision_destroy(c->collision);
  typesetter_destroy(c->type);
  sheets_destroy(c->sheets);
  alloc_resize(world_allocator(c->world), c, sizeof *c, 0);
}

sheets_o *components_sheets(components_o *c) {
  return c->sheets;
}

typesetter_o *components_type(components_o *c) {
  return c->type;
}

asset_fate_t components_asset_changed(components_o *c, const char *name, error_t *why) {
  asset_fate_t fate = typesetter_changed(c->type, name, why);
  return fate == ASSET_UNUSED ? sheets_changed(c->sheets, name, why) : fate;
}

void components_succeed(components_o *c, components_o *old) {
  sheets_o *sheets = c->sheets;
  typesetter_o *type = c->type;
  shoal_assert(c != old, "components do not succeed themselves");
  c->sheets = old->sheets;
  old->sheets = sheets;
  c->type = old->type;
  old->type = type;
  typesetter_set_fallbacks(c->type, typesetter_fallbacks(type)); // as the new code says
}

void components_set_fonts(components_o *c, const char *names) {
  typesetter_set_fallbacks(c->type, names);
}

void components_set_screen(components_o *c, int width, int height) {
  shoal_assert(width > 0 && height > 0, "a logical screen of %d × %d", width, height);
  c->logical_width = (float)width;
  c->logical_height = (float)height;
}

// In post_update, so that a clip that was chosen in update is seen in the same tick.
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

bool components_schedule(components_o *c, schedule_o *s, error_t *error) {
  system_desc_t animation = {
      .name = ANIMATION_NAME, .phase = PHASE_POST_UPDATE, .priority = -1000, .run = run_animation, .context = c};
  system_desc_t follow = {
      .name = "shoal.follow", .phase = PHASE_POST_UPDATE, .priority = -1000, .run = run_follow, .context = c};
  return lifetime_schedule(c->world, s, error) && later_schedule(c->world, s, error) &&
         path_schedule(c->world, s, error) && schedule_add(s, &animation, error) &&
         mover_schedule(c->world, s, error) && schedule_add(s, &follow, error) &&
         transform_schedule(c->world, s, error) && collision_schedule(c->collision, s, error);
}
