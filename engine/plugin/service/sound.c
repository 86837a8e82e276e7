// API functions for sounds. A sound is an entity with the component `sound`; the component `lifetime` destroys it.
#include "service/api.h"

#include "base/assert.h"
#include "plugin/plugin.h"
#include "plugin/context.h"
#include "shoal/sound.h"
#include "shoal/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_S 30.0f // lifetime of a sound that does not loop and has no `seconds`
#define MAX_SETTINGS 16u

typedef struct sound_limit_t {
  const char *field;
  float value, min, max;
} sound_limit_t;

static bool is_within(float v, float min, float max) {
  return v >= min && v <= max;
}

static bool check_sound(context_t *x, const shoal_sound_desc *s) {
  if (!s || !s->file || !s->file[0])
    return context_fail(x, "shoal_play_sound: .file must not be empty");
  const sound_limit_t limits[] = {{"volume", s->volume, 0, 1},
                                  {"pan", s->pan, -1, 1},
                                  {"pitch", s->pitch == 0 ? 1 : s->pitch, 0.05f, 20},
                                  {"fade_in_s", s->fade_in_s, 0, 60},
                                  {"fade_out_s", s->fade_out_s, 0, 60},
                                  {"duration_s", s->duration_s, 0, 1e6f},
                                  {"range", s->positional ? s->range : 0, 0, 1e6f}};
  for (uint32_t i = 0; i < sizeof limits / sizeof *limits; ++i)
    if (!is_within(limits[i].value, limits[i].min, limits[i].max))
      return context_fail(x, "shoal_play_sound of %.100s: .%s must be from %g to %g, got %g", s->file, limits[i].field,
                          (double)limits[i].min, (double)limits[i].max, (double)limits[i].value);
  return !s->positional || (isfinite(s->x) && isfinite(s->y)) ||
         context_fail(x, "shoal_play_sound of %.100s: .x and .y must be finite, got %g, %g", s->file, (double)s->x,
                      (double)s->y);
}

typedef struct settings_t {
  shoal_field_value items[MAX_SETTINGS];
  uint32_t count;
} settings_t;

static void add_setting(settings_t *to, const char *component, const char *field, double number, const char *text) {
  shoal_assert(to->count < MAX_SETTINGS, "%u settings of a sound exceed the maximum %u", to->count, MAX_SETTINGS);
  to->items[to->count++] =
      (shoal_field_value){.component = component, .field = field, .number = number, .string = text};
}

shoal_entity api_play_sound(shoal_context *c, const shoal_sound_desc *s) {
  context_t *x = context_of(c);
  settings_t set = {.count = 0};
  if (!check_sound(x, s))
    return SHOAL_ENTITY_NONE;
  add_setting(&set, "sound", "file", 0, s->file);
  add_setting(&set, "sound", "volume", s->volume > 0 ? (double)s->volume : 1, NULL);
  add_setting(&set, "sound", "pan", (double)s->pan, NULL);
  add_setting(&set, "sound", "pitch", s->pitch > 0 ? (double)s->pitch : 1, NULL);
  add_setting(&set, "sound", "loop", s->loop, NULL);
  add_setting(&set, "sound", "bus", 0, s->bus ? s->bus : "");
  add_setting(&set, "sound", "fade_in", (double)s->fade_in_s, NULL);
  add_setting(&set, "sound", "fade_out", (double)s->fade_out_s, NULL);
  if (s->duration_s > 0 || !s->loop)
    add_setting(&set, "lifetime", "seconds", (double)(s->duration_s > 0 ? s->duration_s : LONGEST_S), NULL);
  if (s->positional) {
    add_setting(&set, "transform", "x", (double)s->x, NULL);
    add_setting(&set, "transform", "y", (double)s->y, NULL);
    add_setting(&set, "sound_space", "range", s->range > 0 ? (double)s->range : 800, NULL);
  }
  return api_spawn_with(&c->world, "", set.items, set.count, NULL, 0);
}

// Returns the manager of `sound` and stores the column of `field`. Returns NULL if the entity has no `sound` and no
// queued command adds one, or if the entity is about to be destroyed.
static const manager_o *find_sound(context_t *x, shoal_entity e, const char *field, int32_t *column) {
  const manager_o *m = world_find_manager(x->plugins->world, "sound");
  *column = m ? schema_find_field(&m->schema, field) : -1;
  bool there = *column >= 0 && (world_has_component(x->plugins->world, e, m->id) ||
                                world_is_component_pending(x->plugins->world, e, m->id));
  return there && !world_is_doomed(x->plugins->world, e) ? m : NULL;
}

// Destroys the entity of a sound. sound_sync then fades out its voice.
bool api_stop_sound(shoal_context *c, shoal_entity e) {
  context_t *x = context_of(c);
  int32_t column;
  return find_sound(x, e, "file", &column) && world_destroy_entity(x->plugins->world, e);
}

bool api_set_sound_volume(shoal_context *c, shoal_entity e, float v) {
  context_t *x = context_of(c);
  int32_t column;
  error_info_t error;
  if (!is_within(v, 0, 1))
    return context_fail(x, "shoal_set_sound_volume: volume must be from 0 to 1, got %g", (double)v);
  const manager_o *m = find_sound(x, e, "volume", &column);
  return m && world_set_field(x->plugins->world, e, m->id, 0, (uint32_t)column, (double)v, &error);
}
