// Decoded sounds by the names of their files. A WAV is decoded in this process by an own reader (sound_file.h); every
// other format is decoded by a library in a decoder process (decode/decoder.h): what plays in this process are samples,
// which can do no harm. Files are decoded whole: nothing that plays depends on a file that is about to change.
#ifndef SHOAL_PLATFORM_SOUND_BANK_H
#define SHOAL_PLATFORM_SOUND_BANK_H

#include "base/error.h"
#include "base/log.h"
#include "platform/assets.h"
#include "platform/mixer.h"

typedef struct sound_bank_o sound_bank_o;

// `assets` is borrowed and may change between games.
sound_bank_o *sound_bank_create(const assets_t *assets, log_o *log);
void sound_bank_destroy(sound_bank_o *b);
void sound_bank_clear(sound_bank_o *b); // no voice may play its sounds
// Without loudspeakers nothing is decoded; files that are missing or of another format are still reported.
void sound_bank_set_silent(sound_bank_o *b, bool silent);

// Returns a sound, decoded now unless it is known; without samples if it cannot be played, which is logged once.
mixer_sound_t sound_bank_find(sound_bank_o *b, const char *name);
// Begins to decode a file that is not known yet, in the background. Returns true while it is being decoded.
bool sound_bank_preload(sound_bank_o *b, const char *name);
// Returns a piece of music; without samples until it is decoded in the background. It is released when this has not
// been called for some seconds and no voice plays it, unless it was loaded by one of the functions above.
mixer_sound_t sound_bank_music(sound_bank_o *b, const char *name);
// Returns the file that a name without its ending stands for: that file, or one of NAME_1, NAME_2, …, never the same
// twice in a row. Which one depends on `voice` alone. `out` holds ASSETS_SOUND_NAME bytes.
const char *sound_bank_choose(sound_bank_o *b, const char *name, uint32_t voice, char *out);

// Once a frame: takes what was decoded in the background.
void sound_bank_advance(sound_bank_o *b);
// Once a frame: releases replaced sounds and music that nothing plays. The mixer must not run.
void sound_bank_sweep(sound_bank_o *b, const mixer_t *m);

// Loads a file again that has changed. Fills `before` and `after` if it was replaced, and `why` if it was not:
// `before` is valid until the next sound_bank_sweep after no voice plays it.
asset_fate_t sound_bank_changed(sound_bank_o *b, const char *name, mixer_sound_t *before, mixer_sound_t *after,
                                error_t *why);

#endif
