// Cache of decoded sounds by file name. This process decodes only WAV files that are needed immediately (sound_file.h).
// A decoder process decodes all other files (decode/decoder.h), so that malicious files cannot harm this process. Files
// are decoded completely, so playback never depends on a file that may change.
#ifndef SHOAL_PLATFORM_SOUND_BANK_H
#define SHOAL_PLATFORM_SOUND_BANK_H

#include "base/error.h"
#include "base/log.h"
#include "decode/decoder.h"
#include "platform/assets.h"
#include "platform/mixer.h"

typedef struct sound_bank_o sound_bank_o;

extern const decoder_type_t SOUND_DECODER; // decodes the sounds of all banks

// Creates a sound bank. `assets` is borrowed. Its contents may change between games.
sound_bank_o *sound_bank_create(const assets_t *assets, log_o *log);
void sound_bank_destroy(sound_bank_o *b);
// Releases all sounds. No voice may be playing sounds of the bank.
void sound_bank_clear(sound_bank_o *b);
// While silent, nothing is decoded, but missing files and unknown formats are still reported.
void sound_bank_set_silent(sound_bank_o *b, bool silent);

// Returns a sound, and decodes it first if necessary. The sound has no samples if it cannot be played, which is logged
// once.
mixer_sound_t sound_bank_find_or_load(sound_bank_o *b, const char *name);
// Starts decoding a file in the background. Returns true while the file is being decoded.
bool sound_bank_preload(sound_bank_o *b, const char *name);
// Returns a piece of music, which has no samples until it is decoded in the background. A piece is released if this
// function has not been called for 600 frames and no voice plays the piece, unless sound_bank_find_or_load or
// sound_bank_preload loaded it first.
mixer_sound_t sound_bank_get_music(sound_bank_o *b, const char *name);
// Resolves a name without extension to a file: the file of that name, or one of NAME_1, NAME_2, …. Never selects the
// same variant twice in a row. `voice` determines the choice. Returns the file name, stored in `out`
// (ASSETS_SOUND_NAME_BYTES bytes). Returns `name` itself if it has an extension or no file matches.
const char *sound_bank_choose_variant(sound_bank_o *b, const char *name, uint32_t voice, char *out);

// Call once per frame: collects sounds decoded in the background. `wait`: first waits until all sounds are decoded.
void sound_bank_advance(sound_bank_o *b, bool wait);
// Call once per frame: releases replaced sounds and unused music. The mixer must not run during this call.
void sound_bank_release_unused(sound_bank_o *b, const mixer_t *m);

// Reloads a changed file. Returns ASSET_RELOADED after storing the old and new versions in `old_sound` and `new_sound`,
// ASSET_UNUSED if the file is not loaded, or ASSET_KEPT with the reason in `error`. `old_sound` stays valid until no
// voice plays it and sound_bank_release_unused is called.
asset_fate_t sound_bank_asset_changed(sound_bank_o *b, const char *name, mixer_sound_t *old_sound,
                                      mixer_sound_t *new_sound, error_info_t *error);

#endif
