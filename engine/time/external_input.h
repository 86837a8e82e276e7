// What the simulation has read from outside the world: a save that was loaded, a scene from the folder of saves,
// whether an asset is there, how far assets are loaded, what a plugin has got from a network or a device, a chunk of
// --exec. Who wants such bytes asks here. The first time the reader is called; the answer becomes part of the recording
// (recording.h) and of what the game has heard (input_log.h), and whoever lives the tick again gets it, without the
// reader: the file may be gone.
//
// A frame is a tick and what the host does for it afterwards, a frame of a paused game, or a chunk of --exec. Within
// one the same question has the same answer, also when the tick runs a second time without a piece that failed. Main
// thread, but external_asset may be called from any.
#ifndef SHOAL_TIME_EXTERNAL_INPUT_H
#define SHOAL_TIME_EXTERNAL_INPUT_H

#include "platform/assets.h"
#include "time/input_log.h"
#include "time/external_answer.h"
#include "time/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct external_o external_o;

external_o *external_create(allocator_t *a);
void external_destroy(external_o *o); // NULL is fine

// From here on answers come from the recording. NULL: no longer. Borrowed.
void external_set_replay(external_o *o, recording_o *replay);
// In a copy of the process that tries something out: nothing outside is touched, plugins hear nothing.
void external_set_deaf(external_o *o);

// A new frame, which leads to `tick`. `lived`: what was heard when it was lived before, and is heard again; NULL when
// it is lived for the first time. Borrowed until the next frame.
void external_begin(external_o *o, uint64_t tick, const input_log_o *lived);
void external_begin_chunk(external_o *o, uint64_t tick); // of --exec: a frame of its own, before the first tick
// A frame of a tick that was lived before and is tried once more (rollback.h): what was heard then is heard again,
// and nothing of it is for the recording.
void external_rehearse(external_o *o, uint64_t tick, const input_log_o *lived);
// The frame runs once more, from its beginning.
void external_again(external_o *o);
// In a replay: is what the recording does not hold a mistake (true), or read from outside (it was made up, and its
// ticks have not been lived yet)?
void external_set_strict(external_o *o, bool strict);
void external_put(external_o *o, external_answer_t *a); // by a replay; retained

// The bytes as file_read gives them: allocated with `a`, a '\0' behind them. False with a sentence.
typedef bool (*external_read_t)(void *context, const char *key, allocator_t *a, void **bytes, size_t *size,
                                error_t *error);

// Never NULL; borrowed until the next frame. Whoever asks more than OUTSIDE_MAX_BYTES is told so.
const external_answer_t *external_ask(external_o *o, external_kind_t kind, const char *key, external_read_t read,
                                      void *context);
// What came of it was undone for a reason that may be another one next time (it took too long): whoever hears the
// answer again gets the sentence in its place.
void external_undo(external_o *o, external_kind_t kind, const char *key, const char *why);
// What the host read by itself, before the first tick.
void external_note(external_o *o, external_kind_t kind, const char *key, bool found, const void *bytes, size_t size);
// In a replay, before the first tick: the i-th of a kind, NULL behind the last. Borrowed.
const external_answer_t *external_recorded(external_o *o, external_kind_t kind, uint32_t i);

// In a replay, between two ticks: the next of a kind that nobody has asked for, the caller's; NULL for none.
external_answer_t *external_take_recorded(external_o *o, external_kind_t kind);

// Returns whether the asset exists for the simulation: the first answer holds until external_forget_assets. `assets`
// may be NULL for none. Any thread.
bool external_asset(external_o *o, const char *name, const assets_t *assets);
void external_forget_assets(external_o *o);

// A file that the simulation uses, as it is from here on, by the hash of its bytes (0: there is none): noted for the
// recording when it is another one. In a replay: false when it was another file here, once for each.
bool external_content(external_o *o, const char *name, uint64_t hash);

// The number of this call on a channel, from 1, in this run of the frame.
uint32_t external_number(external_o *o, const char *channel);

// The next answer that the recording has not taken yet, and the tick it belongs to; NULL when there is none.
// Borrowed until the next frame.
external_answer_t *external_take(external_o *o, uint64_t *tick);
// Something was asked that the recording does not hold, since it was last asked: the sentence.
bool external_take_missing(external_o *o, error_t *out);

#endif
