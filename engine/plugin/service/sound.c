// API functions for sounds. A sound is an entity with the component `sound`. The component `lifetime` destroys it.
#include "service/api.h"

#include "base/assert.h"
#include "plugin/plugin.h"
#include "plugin/context.h"
#include "shoal/sound.h"
#include "shoal/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_DURATION_S 30.0f // lifetime of a sound that does not loop and has no `duration_s`
#define MAX_SETTINGS 16u

typedef struct sound_limit_t {
  const char *field;
  float value, min, max;
} sound_limit_t;

static bool is_within(float value, float min, float max) {
  return value >= min && value <= max;
}

static bool check_sound(context_t *context, const shoal_sound_desc *desc) {
  if (!desc || !desc->file || !desc->file[0])
    return context_fail(context, "shoal_play_sound: .file must not be empty");
  const sound_limit_t limits[] = {{"volume", desc->volume, 0, 1},
                                  {"pan", desc->pan, -1, 1},
                                  {"pitch", desc->pitch == 0 ? 1 : desc->pitch, 0.05f, 20},
                                  {"fade_in_s", desc->fade_in_s, 0, 60},
                                  {"fade_out_s", desc->fade_out_s, 0, 60},
                                  {"duration_s", desc->duration_s, 0, 1e6f},
                                  {"range", desc->positional ? desc->range : 0, 0, 1e6f}};
  for (uint32_t i = 0; i < sizeof limits / sizeof *limits; ++i)
    if (!is_within(limits[i].value, limits[i].min, limits[i].max))
      return context_fail(context, "shoal_play_sound of %.100s: .%s must be from %g to %g, got %g", desc->file,
                          limits[i].field, (double)limits[i].min, (double)limits[i].max, (double)limits[i].value);
  return !desc->positional || (isfinite(desc->x) && isfinite(desc->y)) ||
         context_fail(context, "shoal_play_sound of %.100s: .x and .y must be finite, got %g, %g", desc->file,
                      (double)desc->x, (double)desc->y);
}

typedef struct settings_t {
  shoal_field_value items[MAX_SETTINGS];
  uint32_t count;
} settings_t;

static void add_setting(settings_t *settings, const char *component, const char *field, double number,
                        const char *string) {
  shoal_assert(settings->count < MAX_SETTINGS, "%u settings of a sound exceed the maximum %u", settings->count,
               MAX_SETTINGS);
  settings->items[settings->count++] =
      (shoal_field_value){.component = component, .field = field, .number = number, .string = string};
}

shoal_entity api_play_sound(shoal_context *c, const shoal_sound_desc *desc) {
  context_t *context = context_of(c);
  settings_t settings = {.count = 0};
  if (!check_sound(context, desc))
    return SHOAL_ENTITY_NONE;
  add_setting(&settings, "sound", "file", 0, desc->file);
  add_setting(&settings, "sound", "volume", desc->volume > 0 ? (double)desc->volume : 1, NULL);
  add_setting(&settings, "sound", "pan", (double)desc->pan, NULL);
  add_setting(&settings, "sound", "pitch", desc->pitch > 0 ? (double)desc->pitch : 1, NULL);
  add_setting(&settings, "sound", "loop", desc->loop, NULL);
  add_setting(&settings, "sound", "bus", 0, desc->bus ? desc->bus : "");
  add_setting(&settings, "sound", "fade_in", (double)desc->fade_in_s, NULL);
  add_setting(&settings, "sound", "fade_out", (double)desc->fade_out_s, NULL);
  if (desc->duration_s > 0 || !desc->loop)
    add_setting(&settings, "lifetime", "seconds", (double)(desc->duration_s > 0 ? desc->duration_s : MAX_DURATION_S),
                NULL);
  if (desc->positional) {
    add_setting(&settings, "transform", "x", (double)desc->x, NULL);
    add_setting(&settings, "transform", "y", (double)desc->y, NULL);
    add_setting(&settings, "sound_space", "range", desc->range > 0 ? (double)desc->range : 800, NULL);
  }
  return world_access_spawn_with(&c->world, "", settings.items, settings.count, NULL, 0);
}

// Returns the manager of `sound` and stores the column of `field`. Returns NULL if the entity has no `sound` and no
// queued command adds one, or if the entity is about to be destroyed.
static const manager_o *find_sound(context_t *context, shoal_entity entity, const char *field, int32_t *column) {
  const manager_o *manager = world_find_manager(context->plugins->world, "sound");
  *column = manager ? schema_find_field(&manager->schema, field) : -1;
  bool found = *column >= 0 && (world_has_component(context->plugins->world, entity, manager->id) ||
                                world_is_component_pending(context->plugins->world, entity, manager->id));
  return found && !world_is_doomed(context->plugins->world, entity) ? manager : NULL;
}

// Destroys the entity of a sound, whose voice sound_sync then fades out. Returns true on success, or false if the
// entity is not a sound.
bool api_stop_sound(shoal_context *c, shoal_entity entity) {
  context_t *context = context_of(c);
  int32_t column;
  return find_sound(context, entity, "file", &column) && world_destroy_entity(context->plugins->world, entity);
}

bool api_set_sound_volume(shoal_context *c, shoal_entity entity, float volume) {
  context_t *context = context_of(c);
  int32_t column;
  error_info_t error;
  if (!is_within(volume, 0, 1))
    return context_fail(context, "shoal_set_sound_volume: volume must be from 0 to 1, got %g", (double)volume);
  const manager_o *manager = find_sound(context, entity, "volume", &column);
  return manager &&
         world_set_field(context->plugins->world, entity, manager->id, 0, (uint32_t)column, (double)volume, &error);
}
