// What the simulation has read from outside the world: a save that was loaded, a scene from the folder of saves,
// whether an asset is there, how far assets are loaded, what a plugin has got from a network or a device, a chunk of
// --exec. Who wants such bytes asks here. The first time the reader is called; the answer becomes part of the recording
// (recording.h) and of what the game has heard (input_log.h), and whoever lives the tick again gets it, without the
// reader: the file may be gone.
//
// A frame is a tick and what the host does for it afterwards, a frame of a paused game, or a chunk of --exec. Within
// one the same question has the same answer, also when the tick runs a second time without a piece that failed. Main
// thread, but outside_asset may be called from any.
#ifndef SHOAL_TIME_OUTSIDE_H
#define SHOAL_TIME_OUTSIDE_H

#include "platform/assets.h"
#include "time/input_log.h"
#include "time/outside_answer.h"
#include "time/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct outside_o outside_o;

outside_o *outside_create(allocator_t *a);
void outside_destroy(outside_o *o); // NULL is fine

// From here on answers come from the recording. NULL: no longer. Borrowed.
void outside_set_replay(outside_o *o, recording_o *replay);
// In a copy of the process that tries something out: nothing outside is touched, plugins hear nothing.
void outside_set_deaf(outside_o *o);

// A new frame, which leads to `tick`. `lived`: what was heard when it was lived before, and is heard again; NULL when
// it is lived for the first time. Borrowed until the next frame.
void outside_begin(outside_o *o, uint64_t tick, const input_log_o *lived);
void outside_begin_chunk(outside_o *o, uint64_t tick); // of --exec: a frame of its own, before the first tick
// A frame of a tick that was lived before and is tried once more (rollback.h): what was heard then is heard again,
// and nothing of it is for the recording.
void outside_rehearse(outside_o *o, uint64_t tick, const input_log_o *lived);
// The frame runs once more, from its beginning.
void outside_again(outside_o *o);
// In a replay: is what the recording does not hold a mistake (true), or read from outside (it was made up, and its
// ticks have not been lived yet)?
void outside_set_strict(outside_o *o, bool strict);
void outside_put(outside_o *o, outside_answer_t *a); // by a replay; retained

// The bytes as file_read gives them: allocated with `a`, a '\0' behind them. False with a sentence.
typedef bool (*outside_read_t)(void *context, const char *key, allocator_t *a, void **bytes, size_t *size,
                               error_t *error);

// Never NULL; borrowed until the next frame. Whoever asks more than OUTSIDE_MAX_BYTES is told so.
const outside_answer_t *outside_ask(outside_o *o, outside_kind_t kind, const char *key, outside_read_t read,
                                    void *context);
// What came of it was undone for a reason that may be another one next time (it took too long): whoever hears the
// answer again gets the sentence in its place.
void outside_undo(outside_o *o, outside_kind_t kind, const char *key, const char *why);
// What the host read by itself, before the first tick.
void outside_note(outside_o *o, outside_kind_t kind, const char *key, bool found, const void *bytes, size_t size);
// In a replay, before the first tick: the i-th of a kind, NULL behind the last. Borrowed.
const outside_answer_t *outside_recorded(outside_o *o, outside_kind_t kind, uint32_t i);

// In a replay, between two ticks: the next of a kind that nobody has asked for, the caller's; NULL for none.
outside_answer_t *outside_take_recorded(outside_o *o, outside_kind_t kind);

// Returns whether the asset exists for the simulation: the first answer holds until outside_forget_assets. `assets` may
// be NULL for none. Any thread.
bool outside_asset(outside_o *o, const char *name, const assets_t *assets);
void outside_forget_assets(outside_o *o);

// A file that the simulation uses, as it is from here on, by the hash of its bytes (0: there is none): noted for the
// recording when it is another one. In a replay: false when it was another file here, once for each.
bool outside_content(outside_o *o, const char *name, uint64_t hash);

// The number of this call on a channel, from 1, in this run of the frame.
uint32_t outside_number(outside_o *o, const char *channel);

// The next answer that the recording has not taken yet, and the tick it belongs to; NULL when there is none.
// Borrowed until the next frame.
outside_answer_t *outside_take(outside_o *o, uint64_t *tick);
// Something was asked that the recording does not hold, since it was last asked: the sentence.
bool outside_take_missing(outside_o *o, error_t *out);

#endif
