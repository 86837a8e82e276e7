// Mixer voices of the entities with `sound`. Entries are stored in the row order of the previous frame, so nearly every
// row finds its entry at its own index.
#include "sound/sound_sync.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/hash.h"
#include "base/nearest_name.h"
#include "components/data_components.h"
#include "platform/mixer.h"
#include "transform/transform.h"

#include <math.h>

typedef struct entry_t {
  shoal_entity entity;
  uint64_t file, bus; // hashes of the names, because string ids may change
  uint32_t voice;
  float fade_out_s; // copied from the row, because it is used after the row is removed
  bool loop, playing, seen, warned;
} entry_t;

struct sound_sync_o {
  allocator_t memory;
  log_o *log;
  transform_matrices_t matrices;
  ARRAY(entry_t) entries;
};

// State of one frame's synchronization.
typedef struct sync_t {
  sound_sync_o *s;
  world_o *w;
  audio_o *a;
  const manager_o *m, *space, *transform; // NULL if the world lacks the component
  sound_columns rows;
  sound_space_columns spaces;
  bool paused;
} sync_t;

sound_sync_o *sound_sync_create(log_o *log) {
  allocator_t memory = {0};
  sound_sync_o *s = alloc_resize(&memory, NULL, 0, sizeof *s);
  *s = (sound_sync_o){.memory = memory, .log = log};
  return s;
}

void sound_sync_destroy(sound_sync_o *s) {
  if (!s)
    return;
  array_free(&s->memory, &s->entries);
  transform_matrices_end(&s->matrices);
  allocator_t memory = s->memory;
  alloc_resize(&memory, s, sizeof *s, 0);
  shoal_assert(memory.bytes == 0, "sound_sync leaked %zu bytes", memory.bytes);
}

void sound_sync_clear(sound_sync_o *s) {
  s->entries.count = 0;
}

uint32_t sound_sync_voice(const sound_sync_o *s, shoal_entity e) {
  for (uint32_t i = 0; i < s->entries.count; ++i)
    if (s->entries.items[i].entity == e)
      return s->entries.items[i].voice;
  return 0;
}

// Stores the entity's position and its angle in radians. Returns false if the entity has no transform or its transform
// is disabled.
static bool read_position(sync_t *f, shoal_entity e, float *x, float *y, float *angle) {
  uint32_t row = f->transform ? manager_row(f->transform, e) : ROW_NONE;
  float m[16];
  if (row == ROW_NONE || world_is_disabled(f->w, e, f->transform->id))
    return false;
  transform_compute_world_matrix(&f->s->matrices, row, m);
  *x = m[12];
  *y = m[13];
  *angle = atan2f(m[1], m[0]);
  return true;
}

// Logs invalid fields, once per entity.
static void warn_invalid(sync_t *f, entry_t *entry, const char *bus, float pitch) {
  nearest_name_t similar;
  char hint[SIMILAR_MAX + 32];
  uint32_t index = shoal_entity_index(entry->entity);
  bool pitched = pitch >= MIXER_MIN_PITCH && pitch <= MIXER_MAX_PITCH;
  if (entry->warned || (pitched && audio_has_bus(f->a, bus)))
    return;
  entry->warned = true;
  if (!pitched)
    log_warn(f->s->log, "audio: sound.pitch of entity %u must be from %g to %g, got %g", index, (double)MIXER_MIN_PITCH,
             (double)MIXER_MAX_PITCH, (double)pitch);
  if (audio_has_bus(f->a, bus))
    return;
  nearest_name_init(&similar, bus);
  for (uint32_t i = 0; i < audio_bus_count(f->a); ++i)
    if (audio_has_bus(f->a, audio_bus_name(f->a, i)))
      nearest_name_offer(&similar, audio_bus_name(f->a, i));
  log_warn(f->s->log, "audio: sound.bus of entity %u: unknown bus %s, using effects%s", index, bus,
           nearest_name_hint(&similar, hint, sizeof hint));
}

static entry_t *find_or_add_entry(sound_sync_o *s, shoal_entity e, uint32_t row) {
  if (row < s->entries.count && s->entries.items[row].entity == e)
    return &s->entries.items[row];
  for (uint32_t i = 0; i < s->entries.count; ++i)
    if (s->entries.items[i].entity == e)
      return &s->entries.items[i];
  entry_t fresh = {.entity = e};
  array_push(&s->memory, &s->entries, fresh);
  return &s->entries.items[s->entries.count - 1];
}

static const char *get_bus_name(const sync_t *f, uint32_t row) {
  const char *bus = strings_text(world_strings(f->w), f->rows.bus[row]);
  return bus[0] ? bus : "effects";
}

static audio_sound_t compute_sound(sync_t *f, uint32_t row) {
  const sound_columns *r = &f->rows;
  shoal_entity e = f->m->owner[row];
  float angle;
  audio_sound_t how = {.volume = f->paused && r->loop[row] ? 0.0f : r->volume[row],
                       .pan = r->pan[row],
                       .pitch = r->pitch[row] == r->pitch[row] ? r->pitch[row] : 1.0f,
                       .loop = r->loop[row]};
  shoal_assert(row < f->m->count, "sound row %u is out of range (count %u)", row, f->m->count);
  uint32_t space = f->space ? manager_row(f->space, e) : ROW_NONE;
  if (space == ROW_NONE || world_is_disabled(f->w, e, f->space->id))
    return how;
  how.placed = read_position(f, e, &how.x, &how.y, &angle);
  how.range = f->spaces.range[space];
  how.within = f->spaces.within[space];
  return how;
}

static void stop_entry(sync_t *f, entry_t *entry) {
  audio_stop(f->a, entry->voice, entry->fade_out_s);
  entry->voice = 0;
  entry->playing = false;
}

static void sync_row(sync_t *f, uint32_t row) {
  const char *file = strings_text(world_strings(f->w), f->rows.file[row]), *bus = get_bus_name(f, row);
  entry_t *entry = find_or_add_entry(f->s, f->m->owner[row], row);
  bool playing = f->rows.playing[row] && file[0], loop = f->rows.loop[row];
  uint64_t file_hash = hash_text(file), bus_hash = hash_text(bus);
  audio_sound_t how = compute_sound(f, row);
  bool same = entry->file == file_hash && entry->bus == bus_hash && entry->loop == loop;
  if (entry->playing && (!playing || !same))
    stop_entry(f, entry);
  warn_invalid(f, entry, bus, f->rows.pitch[row]);
  if (playing && !entry->playing) {
    how.bus = audio_has_bus(f->a, bus) ? bus : "effects";
    how.fade_s = f->rows.fade_in[row];
    entry->voice = audio_play(f->a, file, &how);
  } else if (playing) {
    audio_update_voice(f->a, entry->voice, &how);
  }
  entry->file = file_hash;
  entry->bus = bus_hash;
  entry->fade_out_s = f->rows.fade_out[row];
  entry->loop = loop;
  entry->playing = playing;
  entry->seen = true;
  shoal_assert(playing || entry->voice == 0, "a stopped sound still has voice %u", entry->voice);
}

// --- the listener and the settings

static shoal_entity find_listener(world_o *w) {
  const manager_o *own = builtin_find(w, "sound_listener"), *camera = world_find_manager(w, "camera");
  const manager_o *canvas = builtin_find(w, "canvas"); // cameras with a canvas are not listeners
  for (uint32_t row = 0; own && row < own->count; ++row)
    if (!world_is_disabled(w, own->owner[row], own->id))
      return own->owner[row];
  const uint8_t *enabled = camera_columns_of(camera).enabled;
  for (uint32_t row = 0; enabled && row < camera->count; ++row)
    if (enabled[row] && !world_is_disabled(w, camera->owner[row], camera->id) &&
        !(canvas && manager_row(canvas, camera->owner[row]) != ROW_NONE))
      return camera->owner[row];
  return 0;
}

static void update_listener(sync_t *f, const sound_view_t *view) {
  shoal_entity e = find_listener(f->w);
  float x = view->middle_x, y = view->middle_y, angle = 0.0f;
  if (e)
    read_position(f, e, &x, &y, &angle);
  audio_set_listener(f->a, x, y, angle);
}

// Sets the volumes of buses: a number field of `settings` with the name of a bus is the volume of that bus.
static void apply_settings(world_o *w, audio_o *a) {
  const manager_o *m = w ? world_find_manager(w, "settings") : NULL;
  for (uint32_t bus = 0; bus < audio_bus_count(a); ++bus) {
    int32_t c = m && m->count > 0 ? manager_find_column(m, audio_bus_name(a, bus)) : -1;
    bool number = c >= 0 && (m->schema.fields[c].type == FIELD_F32 || m->schema.fields[c].type == FIELD_F64);
    audio_set_player_volume(a, bus, number ? (float)columns_get(&m->columns, 0, (uint32_t)c) : 1.0f);
  }
}

void sound_sync_frame(sound_sync_o *s, world_o *w, audio_o *a, const sound_view_t *view) {
  sync_t f = {.s = s, .w = w, .a = a, .paused = view->paused};
  if (w) {
    f.m = world_find_manager(w, "sound");
    f.space = builtin_find(w, "sound_space");
    f.transform = world_find_manager(w, "transform");
  }
  f.rows = sound_columns_of(f.m);
  f.spaces = sound_space_columns_of(f.space);
  for (uint32_t i = 0; i < s->entries.count; ++i)
    s->entries.items[i].seen = false;
  apply_settings(w, a);
  audio_layers_set_silent(a, view->paused);
  if (f.transform)
    transform_matrices_begin(&s->matrices, f.transform);
  if (w)
    update_listener(&f, view);
  for (uint32_t row = 0; f.m && row < f.m->count; ++row)
    if (!world_is_disabled(w, f.m->owner[row], f.m->id))
      sync_row(&f, row);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < s->entries.count; ++i) {
    if (s->entries.items[i].seen)
      s->entries.items[kept++] = s->entries.items[i];
    else if (s->entries.items[i].playing)
      stop_entry(&f, &s->entries.items[i]);
  }
  s->entries.count = kept;
}
