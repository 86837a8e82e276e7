// A list of sounds for each recent tick, in a ring.
#include "platform/repeated_sounds.h"

#include "base/assert.h"

#include <stddef.h>

void repeated_sounds_begin(repeated_sounds_t *r, uint64_t tick) {
  started_sounds_t *t = &r->ticks[tick % REPEATED_SOUNDS_TICKS];
  shoal_assert(tick > 0 && !r->open, "a tick is running");
  r->open = t;
  t->count = t->tick == tick ? t->count : 0;
  t->tick = tick;
  for (uint32_t i = 0; i < t->count; ++i)
    t->sounds[i].is_current = false;
}

started_sound_t *repeated_sounds_add(repeated_sounds_t *r, uint64_t key, bool *is_new) {
  started_sounds_t *t = r->open;
  *is_new = false;
  for (uint32_t i = 0; t && i < t->count; ++i) {
    started_sound_t *sound = &t->sounds[i];
    if (sound->key != key || sound->is_current)
      continue;
    sound->is_current = true;
    return sound;
  }
  *is_new = true;
  if (!t || t->count == REPEATED_SOUNDS_MAX)
    return NULL;
  t->sounds[t->count] = (started_sound_t){.key = key, .is_current = true};
  return &t->sounds[t->count++];
}

bool repeated_sounds_pop_missing(repeated_sounds_t *r, started_sound_t *out) {
  started_sounds_t *t = r->open;
  for (uint32_t i = 0; i < t->count; ++i) {
    if (t->sounds[i].is_current)
      continue;
    *out = t->sounds[i];
    // the order of the others is that of their calls
    for (--t->count; i < t->count; ++i)
      t->sounds[i] = t->sounds[i + 1];
    return true;
  }
  return false;
}

void repeated_sounds_end(repeated_sounds_t *r) {
  r->open = NULL;
}
