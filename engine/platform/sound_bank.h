// Cache of decoded sounds by file name. WAV is decoded in this process by sound_file.h; other formats in a decoder
// process (decode/decoder.h), so that a malicious file cannot harm this one. Files are decoded completely: playback
// never depends on a file that may change.
#ifndef SHOAL_PLATFORM_SOUND_BANK_H
#define SHOAL_PLATFORM_SOUND_BANK_H

#include "base/error.h"
#include "base/log.h"
#include "platform/assets.h"
#include "platform/mixer.h"

typedef struct sound_bank_o sound_bank_o;

// Creates a bank. `assets` is borrowed; its contents may change between games.
sound_bank_o *sound_bank_create(const assets_t *assets, log_o *log);
void sound_bank_destroy(sound_bank_o *b);
void sound_bank_clear(sound_bank_o *b); // no voice may be playing its sounds
// While silent, nothing is decoded, but missing files and unknown formats are still reported.
void sound_bank_set_silent(sound_bank_o *b, bool silent);

// Returns a sound, decoding it now if necessary. It has no samples if it cannot be played, which is logged once.
mixer_sound_t sound_bank_find(sound_bank_o *b, const char *name);
// Starts decoding a file in the background. Returns true while it is being decoded.
bool sound_bank_preload(sound_bank_o *b, const char *name);
// Returns a piece of music; it has no samples until it is decoded in the background. Music is released when this has
// not been called for several seconds and no voice plays it, unless one of the functions above also loaded it.
mixer_sound_t sound_bank_music(sound_bank_o *b, const char *name);
// Resolves a name without extension: to that file, or to one of NAME_1, NAME_2, …, never the same twice in a row. The
// choice depends on `voice`. `out` holds ASSETS_SOUND_NAME bytes; returns it.
const char *sound_bank_choose(sound_bank_o *b, const char *name, uint32_t voice, char *out);

// Call once per frame: collects sounds decoded in the background.
void sound_bank_advance(sound_bank_o *b);
// Call once per frame: releases replaced sounds and unused music. The mixer must not run meanwhile.
void sound_bank_sweep(sound_bank_o *b, const mixer_t *m);

// Reloads a changed file. Stores the old and new sound in `before` and `after` if it was replaced, otherwise the
// reason in `why`. `before` stays valid until the first sound_bank_sweep at which no voice plays it.
asset_fate_t sound_bank_changed(sound_bank_o *b, const char *name, mixer_sound_t *before, mixer_sound_t *after,
                                error_t *why);

#endif
