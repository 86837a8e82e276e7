// The list of last frame is in the order of last frame's rows, so nearly every row finds its entry at its own place.
#include "host/sound_sync.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/hash.h"

typedef struct entry_t {
  shoal_entity entity;
  uint64_t file; // hash of the name: ids of texts may be given anew
  uint32_t voice;
  bool loop, playing, seen;
} entry_t;

struct sound_sync_o {
  allocator_t memory;
  ARRAY(entry_t) entries;
};

// Columns of the manager by name; any of them may be missing in a world without the component.
typedef struct sound_rows_t {
  const uint32_t *file;
  const float *volume, *pan;
  const uint8_t *loop, *playing;
} sound_rows_t;

sound_sync_o *sound_sync_create(void) {
  allocator_t memory = {0};
  sound_sync_o *s = alloc_resize(&memory, NULL, 0, sizeof *s);
  *s = (sound_sync_o){.memory = memory};
  return s;
}

void sound_sync_destroy(sound_sync_o *s) {
  if (!s)
    return;
  array_free(&s->memory, &s->entries);
  allocator_t memory = s->memory;
  alloc_resize(&memory, s, sizeof *s, 0);
  shoal_assert(memory.bytes == 0, "sounds kept %zu bytes", memory.bytes);
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

static const void *column(const manager_o *m, const char *field) {
  int32_t c = manager_find_column(m, field);
  return c < 0 ? NULL : manager_column(m, (uint32_t)c);
}

static bool open_rows(const manager_o *m, sound_rows_t *out) {
  *out = (sound_rows_t){
      .file = column(m, "file"),
      .volume = column(m, "volume"),
      .pan = column(m, "pan"),
      .loop = column(m, "loop"),
      .playing = column(m, "playing"),
  };
  return m->count > 0 && out->file && out->volume && out->pan && out->loop && out->playing;
}

static entry_t *find_entry(sound_sync_o *s, shoal_entity e, uint32_t row) {
  if (row < s->entries.count && s->entries.items[row].entity == e)
    return &s->entries.items[row];
  for (uint32_t i = 0; i < s->entries.count; ++i)
    if (s->entries.items[i].entity == e)
      return &s->entries.items[i];
  entry_t fresh = {.entity = e};
  array_push(&s->memory, &s->entries, fresh);
  return &s->entries.items[s->entries.count - 1];
}

static void follow_row(sound_sync_o *s, world_o *w, audio_o *a, const manager_o *m, const sound_rows_t *rows,
                       uint32_t row, bool paused) {
  const char *file = strings_text(world_strings(w), rows->file[row]);
  entry_t *entry = find_entry(s, m->owner[row], row);
  bool playing = rows->playing[row] && file[0], loop = rows->loop[row];
  uint64_t hash = hash_text(file);
  float volume = paused && loop ? 0.0f : rows->volume[row];
  if (entry->playing && (!playing || entry->file != hash || entry->loop != loop)) {
    audio_stop(a, entry->voice);
    entry->voice = 0;
    entry->playing = false;
  }
  if (playing && !entry->playing)
    entry->voice = audio_play(a, file, volume, rows->pan[row], loop);
  else if (playing)
    audio_set(a, entry->voice, volume, rows->pan[row]);
  entry->file = hash;
  entry->loop = loop;
  entry->playing = playing;
  entry->seen = true;
  shoal_assert(playing || entry->voice == 0, "a sound that is silent is voice %u", entry->voice);
}

void sound_sync_frame(sound_sync_o *s, world_o *w, audio_o *a, bool paused) {
  manager_o *m = w ? world_find_manager(w, "sound") : NULL;
  sound_rows_t rows;
  for (uint32_t i = 0; i < s->entries.count; ++i)
    s->entries.items[i].seen = false;
  if (m && open_rows(m, &rows))
    for (uint32_t row = 0; row < m->count; ++row)
      if (!world_is_disabled(w, m->owner[row], m->id))
        follow_row(s, w, a, m, &rows, row, paused);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < s->entries.count; ++i) {
    if (s->entries.items[i].seen)
      s->entries.items[kept++] = s->entries.items[i];
    else if (s->entries.items[i].playing)
      audio_stop(a, s->entries.items[i].voice);
  }
  s->entries.count = kept;
}
