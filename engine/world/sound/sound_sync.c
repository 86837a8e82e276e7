// Mixer voices of the entities with `sound`. Entries are stored in the row order of the previous frame, so nearly every
// row finds its entry at its own index.
#include "sound/sound_sync.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/hash.h"
#include "base/nearest_name.h"
#include "camera/viewport.h"
#include "components/access.h"
#include "components/data_components.h"
#include "platform/mixer.h"
#include "transform/transform.h"

#include <math.h>
#include <string.h>

typedef struct entry_t {
  shoal_entity entity;
  uint64_t file, bus; // hashes of the names, because string ids may change
  uint32_t voice;
  float fade_out_s; // fade-out in seconds, copied because the fade-out begins after the row is removed
  bool loop, playing, visited, warned;
} entry_t;

struct sound_sync_o {
  allocator_t memory;
  log_o *log;
  transform_matrices_t matrices;
  ARRAY(entry_t) entries;
};

typedef struct sync_t {
  sound_sync_o *state;
  world_o *world;
  audio_o *audio;
  const manager_o *manager, *space, *transform; // managers; NULL if the world lacks the component
  sound_columns columns;
  sound_space_columns spaces;
  bool paused;
} sync_t;

sound_sync_o *sound_sync_create(log_o *log) {
  allocator_t memory = {0};
  sound_sync_o *s = alloc_resize(&memory, NULL, 0, sizeof *s);
  *s = (sound_sync_o){.memory = memory, .log = log};
  return s;
}

void sound_sync_destroy(sound_sync_o *voices) {
  if (!voices)
    return;
  array_free(&voices->memory, &voices->entries);
  transform_matrices_end(&voices->matrices);
  allocator_t memory = voices->memory;
  alloc_resize(&memory, voices, sizeof *voices, 0);
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

// Stores the entity's position and its angle in radians. Returns true on success, or false if the entity has no
// transform or its transform is disabled.
static bool read_position(sync_t *sync, shoal_entity entity, float *x, float *y, float *angle) {
  uint32_t row = sync->transform ? manager_row(sync->transform, entity) : ROW_NONE;
  float matrix[16];
  if (row == ROW_NONE || world_is_disabled(sync->world, entity, sync->transform->id))
    return false;
  transform_compute_world_matrix(&sync->state->matrices, row, matrix);
  *x = matrix[12];
  *y = matrix[13];
  *angle = atan2f(matrix[1], matrix[0]);
  return true;
}

// Logs invalid fields, once per entity.
static void warn_invalid(sync_t *sync, entry_t *entry, const char *bus, float pitch) {
  nearest_name_t nearest;
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  uint32_t index = shoal_entity_index(entry->entity);
  bool is_pitch_valid = pitch >= MIXER_MIN_PITCH && pitch <= MIXER_MAX_PITCH;
  if (entry->warned || (is_pitch_valid && audio_has_bus(sync->audio, bus)))
    return;
  entry->warned = true;
  if (!is_pitch_valid)
    log_warn(sync->state->log, "audio: sound.pitch of entity %u must be from %g to %g, got %g", index,
             (double)MIXER_MIN_PITCH, (double)MIXER_MAX_PITCH, (double)pitch);
  if (audio_has_bus(sync->audio, bus))
    return;
  nearest_name_init(&nearest, bus);
  for (uint32_t i = 0; i < audio_bus_count(sync->audio); ++i)
    if (audio_has_bus(sync->audio, audio_bus_name(sync->audio, i)))
      nearest_name_offer(&nearest, audio_bus_name(sync->audio, i));
  log_warn(sync->state->log, "audio: sound.bus of entity %u: unknown bus %s, using effects%s", index, bus,
           nearest_name_hint(&nearest, hint, sizeof hint));
}

static entry_t *find_or_add_entry(sound_sync_o *voices, shoal_entity entity, uint32_t row) {
  if (row < voices->entries.count && voices->entries.items[row].entity == entity)
    return &voices->entries.items[row];
  for (uint32_t i = 0; i < voices->entries.count; ++i)
    if (voices->entries.items[i].entity == entity)
      return &voices->entries.items[i];
  entry_t entry = {.entity = entity};
  array_push(&voices->memory, &voices->entries, entry);
  return &voices->entries.items[voices->entries.count - 1];
}

static const char *get_bus_name(const sync_t *sync, uint32_t row) {
  const char *bus = strings_text(world_strings(sync->world), sync->columns.bus[row]);
  return bus[0] ? bus : "effects";
}

static audio_sound_t compute_sound(sync_t *sync, uint32_t row) {
  const sound_columns *columns = &sync->columns;
  shoal_entity entity = sync->manager->owner[row];
  float angle;
  audio_sound_t params = {.volume = sync->paused && columns->loop[row] ? 0.0f : columns->volume[row],
                          .pan = columns->pan[row],
                          .pitch = columns->pitch[row] == columns->pitch[row] ? columns->pitch[row] : 1.0f,
                          .loop = columns->loop[row]};
  shoal_assert(row < sync->manager->count, "sound row %u is out of range (count %u)", row, sync->manager->count);
  uint32_t space_row = sync->space ? manager_row(sync->space, entity) : ROW_NONE;
  if (space_row == ROW_NONE || world_is_disabled(sync->world, entity, sync->space->id))
    return params;
  params.placed = read_position(sync, entity, &params.x, &params.y, &angle);
  params.range = sync->spaces.range[space_row];
  params.within = sync->spaces.within[space_row];
  return params;
}

static void stop_entry(sync_t *sync, entry_t *entry) {
  audio_stop(sync->audio, entry->voice, entry->fade_out_s);
  entry->voice = 0;
  entry->playing = false;
}

static void sync_row(sync_t *sync, uint32_t row) {
  const char *file = strings_text(world_strings(sync->world), sync->columns.file[row]), *bus = get_bus_name(sync, row);
  entry_t *entry = find_or_add_entry(sync->state, sync->manager->owner[row], row);
  bool playing = sync->columns.playing[row] && file[0], loop = sync->columns.loop[row];
  uint64_t file_hash = hash_text(file), bus_hash = hash_text(bus);
  audio_sound_t params = compute_sound(sync, row);
  bool unchanged = entry->file == file_hash && entry->bus == bus_hash && entry->loop == loop;
  if (entry->playing && (!playing || !unchanged))
    stop_entry(sync, entry);
  warn_invalid(sync, entry, bus, sync->columns.pitch[row]);
  if (playing && !entry->playing) {
    params.bus = audio_has_bus(sync->audio, bus) ? bus : "effects";
    params.fade_s = sync->columns.fade_in[row];
    entry->voice = audio_play(sync->audio, file, &params);
  } else if (playing) {
    audio_update_voice(sync->audio, entry->voice, &params);
  }
  entry->file = file_hash;
  entry->bus = bus_hash;
  entry->fade_out_s = sync->columns.fade_out[row];
  entry->loop = loop;
  entry->playing = playing;
  entry->visited = true;
  shoal_assert(playing || entry->voice == 0, "a stopped sound still has voice %u", entry->voice);
}

// --- the listener and the settings

static shoal_entity find_listener(world_o *w) {
  uint32_t players = world_view_players(w);
  const manager_o *listeners = builtin_find(w, "sound_listener"), *camera = world_find_manager(w, "camera");
  const manager_o *canvas = builtin_find(w, "canvas"); // cameras with a canvas are not listeners
  const int32_t *player = sound_listener_columns_of(listeners).player;
  for (uint32_t row = 0; listeners && row < listeners->count; ++row)
    if (viewport_is_for(player[row], players) && !world_is_disabled(w, listeners->owner[row], listeners->id))
      return listeners->owner[row];
  camera_columns columns = camera_columns_of(camera);
  for (uint32_t row = 0; camera && row < camera->count; ++row)
    if (columns.enabled[row] && viewport_is_for(columns.player[row], players) &&
        !world_is_disabled(w, camera->owner[row], camera->id) &&
        !(canvas && manager_row(canvas, camera->owner[row]) != ROW_NONE))
      return camera->owner[row];
  return 0;
}

static void update_listener(sync_t *sync, const sound_view_t *view) {
  shoal_entity listener = find_listener(sync->world);
  float x = view->middle_x, y = view->middle_y, angle = 0.0f;
  if (listener)
    read_position(sync, listener, &x, &y, &angle);
  audio_set_listener(sync->audio, x, y, angle);
}

// Returns the setting with this name, or `fallback` if there is no such setting or it is not a number.
static float read_volume(const manager_o *settings, const char *name, float fallback) {
  int32_t column = settings && settings->count > 0 ? manager_find_column(settings, name) : -1;
  bool is_number = column >= 0 && (settings->schema.fields[column].type == FIELD_F32 ||
                                   settings->schema.fields[column].type == FIELD_F64);
  return is_number ? (float)columns_get(&settings->columns, 0, (uint32_t)column) : fallback;
}

// Sets mono output and the bus volumes: a number field of `settings` with a bus's name is the volume of that bus.
// Without such a field, `master` and `music` have full volume, and any other bus has the volume of `effects`, because
// otherwise only `master` would silence it.
static void apply_settings(world_o *w, audio_o *audio) {
  const manager_o *settings = w ? world_find_manager(w, "settings") : NULL;
  float effects = read_volume(settings, "effects", 1.0f);
  audio_set_mono(audio, access_read(w).mono);
  for (uint32_t bus = 0; bus < audio_bus_count(audio); ++bus) {
    const char *name = audio_bus_name(audio, bus);
    bool is_effect = strcmp(name, "master") != 0 && strcmp(name, "music") != 0;
    audio_set_player_volume(audio, bus, read_volume(settings, name, is_effect ? effects : 1.0f));
  }
}

void sound_sync_frame(sound_sync_o *voices, world_o *w, audio_o *audio, const sound_view_t *view) {
  sync_t sync = {.state = voices, .world = w, .audio = audio, .paused = view->paused};
  if (w) {
    sync.manager = world_find_manager(w, "sound");
    sync.space = builtin_find(w, "sound_space");
    sync.transform = world_find_manager(w, "transform");
  }
  sync.columns = sound_columns_of(sync.manager);
  sync.spaces = sound_space_columns_of(sync.space);
  for (uint32_t i = 0; i < voices->entries.count; ++i)
    voices->entries.items[i].visited = false;
  apply_settings(w, audio);
  audio_layers_set_silent(audio, view->paused);
  if (sync.transform)
    transform_matrices_begin(&voices->matrices, sync.transform);
  if (w)
    update_listener(&sync, view);
  for (uint32_t row = 0; sync.manager && row < sync.manager->count; ++row)
    if (!world_is_disabled(w, sync.manager->owner[row], sync.manager->id))
      sync_row(&sync, row);
  uint32_t kept_count = 0;
  for (uint32_t i = 0; i < voices->entries.count; ++i) {
    if (voices->entries.items[i].visited)
      voices->entries.items[kept_count++] = voices->entries.items[i];
    else if (voices->entries.items[i].playing)
      stop_entry(&sync, &voices->entries.items[i]);
  }
  voices->entries.count = kept_count;
}
