// Sound by SDL2_mixer. Runs silently when there is no device (one log line). The simulation never reads anything back
// from it.
#ifndef SHOAL_PLATFORM_AUDIO_H
#define SHOAL_PLATFORM_AUDIO_H

#include "base/error.h"
#include "base/log.h"
#include "platform/assets.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct audio_o audio_o;

// Never fails: without a device, or with `silent`, every call does nothing. `assets` is borrowed and may change
// between games.
audio_o *audio_create(bool silent, const assets_t *assets, log_o *log);
void audio_destroy(audio_o *a);

// Begins to decode a file that is not known yet, off the frame. Is it under way? A sound that is to be heard before it
// is there is decoded at once.
bool audio_preload(audio_o *a, const char *name);
// Plays a file of the assets; volume 0…1, pan -1…1. → a voice, 0 when it could not be played. A missing file is
// logged once and plays nothing. Loaded files are kept.
uint32_t audio_play(audio_o *a, const char *file, float volume, float pan, bool loop);
// The same under a number that the caller gives, from 1 and below AUDIO_FIRST_OWN_VOICE, so that it does not depend
// on whether there are loudspeakers. What plays under it already goes on, and can be reached no more.
#define AUDIO_FIRST_OWN_VOICE 0x80000000u // that audio_play gives
void audio_play_as(audio_o *a, uint32_t voice, const char *file, float volume, float pan, bool loop);
void audio_stop(audio_o *a, uint32_t voice); // any number is fine
void audio_set(audio_o *a, uint32_t voice, float volume, float pan);
bool audio_playing(const audio_o *a, uint32_t voice);
// One piece of music at a time, looped, with a fade of `fade_s` seconds; "" stops it. The same file again goes on. It
// begins a moment later, when it is decoded (audio_frame).
void audio_music(audio_o *a, const char *file, float volume, float fade_s);
void audio_set_volume(audio_o *a, float master);
// Once a frame: takes sounds that were decoded ahead; music that is decoded begins, and is let go when it has faded
// out.
void audio_frame(audio_o *a);
// A file `name` below the assets has changed, appeared or gone: it is loaded again. Voices that loop and the music go
// on with the new one (under the same number, from its beginning), sounds that play once end as they began. `why` is
// filled when the old one is kept. Without a device only what can be seen without decoding is checked.
asset_fate_t audio_asset_changed(audio_o *a, const char *name, error_t *why);
// While it is muted, calls do nothing and ask nothing of the device: what is run on trial makes no sound. What plays
// goes on.
void audio_mute(audio_o *a, bool muted);
// A tick that runs a second time is heard once: while it repeats, calls do nothing.
void audio_repeat(audio_o *a, bool on);
void audio_forget(audio_o *a); // stops everything and unloads (another game, a restart)

#endif
