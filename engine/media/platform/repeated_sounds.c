// Stores the sounds of each recent tick in a ring buffer.
#include "platform/repeated_sounds.h"

#include "base/assert.h"

#include <stddef.h>

static started_sounds_t *get_slot(repeated_sounds_t *r, uint64_t tick) {
  return &r->ticks[tick % REPEATED_SOUNDS_TICKS];
}

// Removes a sound, and keeps the order of the remaining sounds.
static void remove_sound(started_sounds_t *t, uint32_t index) {
  for (--t->count; index < t->count; ++index)
    t->sounds[index] = t->sounds[index + 1];
}

bool repeated_sounds_pop_expired(repeated_sounds_t *r, uint64_t confirmed, started_sound_t *out) {
  for (uint32_t slot = 0; slot < REPEATED_SOUNDS_TICKS; ++slot) {
    started_sounds_t *t = &r->ticks[slot];
    for (uint32_t i = 0; t->tick + REPEATED_SOUNDS_WAIT <= confirmed && i < t->count; ++i) {
      if (t->sounds[i].is_current)
        continue;
      *out = t->sounds[i];
      remove_sound(t, i);
      return true;
    }
  }
  return false;
}

void repeated_sounds_begin(repeated_sounds_t *r, uint64_t tick) {
  started_sounds_t *t = get_slot(r, tick);
  shoal_assert(tick > 0 && !r->open, "a tick is running");
  r->open = t;
  t->count = t->tick == tick ? t->count : 0;
  t->tick = tick;
  for (uint32_t i = 0; i < t->count; ++i)
    t->sounds[i].is_current = false;
}

static bool is_near(uint64_t a, uint64_t b) {
  return (a < b ? b - a : a - b) <= REPEATED_SOUNDS_WAIT;
}

// Removes a waiting sound with this key from a tick near the running tick. Returns the sound's sequence number, or 0 if
// no such sound is waiting.
static uint64_t take_waiting(repeated_sounds_t *r, uint64_t key) {
  for (uint64_t k = 1; k <= REPEATED_SOUNDS_TICKS; ++k) { // the oldest tick first
    started_sounds_t *t = get_slot(r, r->open->tick + k);
    for (uint32_t i = 0; t != r->open && is_near(t->tick, r->open->tick) && i < t->count; ++i) {
      uint64_t sequence = t->sounds[i].sequence;
      if (t->sounds[i].key != key || t->sounds[i].is_current)
        continue;
      remove_sound(t, i);
      return sequence;
    }
  }
  return 0;
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
  uint64_t sequence = take_waiting(r, key);
  *is_new = sequence == 0;
  t->sounds[t->count] = (started_sound_t){.key = key, .sequence = sequence, .is_current = true};
  return &t->sounds[t->count++];
}

// Returns the entry of an earlier tick whose sound plays the same file and was started after `missing`, or NULL if
// there is no such entry.
static started_sound_t *find_later_start(repeated_sounds_t *r, const started_sound_t *missing) {
  for (uint64_t k = 1; k <= REPEATED_SOUNDS_WAIT && k < r->open->tick; ++k) {
    started_sounds_t *t = get_slot(r, r->open->tick - k);
    for (uint32_t i = 0; t->tick == r->open->tick - k && i < t->count; ++i)
      if (t->sounds[i].key == missing->key && t->sounds[i].is_current && t->sounds[i].sequence > missing->sequence)
        return &t->sounds[i];
  }
  return NULL;
}

const started_sound_t *repeated_sounds_move_earlier(repeated_sounds_t *r, started_sound_t *stopped) {
  started_sounds_t *t = r->open;
  for (uint32_t i = 0; i < t->count; ++i) {
    if (t->sounds[i].is_current || t->sounds[i].sequence == 0)
      continue;
    started_sound_t *later = find_later_start(r, &t->sounds[i]);
    if (!later)
      continue;
    *stopped = *later;
    later->sequence = t->sounds[i].sequence;
    remove_sound(t, i);
    return later;
  }
  return NULL;
}

void repeated_sounds_end(repeated_sounds_t *r) {
  r->open = NULL;
}
