// External input: everything the simulation reads from outside the world, such as saves, scenes in the saves folder,
// the existence of assets, the progress of preloading, data that a plugin received from a network or device, and --exec
// chunks. The first request calls the reader. The answer is stored in the recording (recording.h) and the input log
// (input_log.h); when the tick runs again it is reused without calling the reader, because the file may be gone.
//
// A frame is a tick and the host's work after it, a frame of a paused game, or an --exec chunk. Within a frame the same
// request has the same answer, even if the tick runs again without a system that failed. Main thread; external_asset
// may be called from any thread.
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
void external_destroy(external_o *o); // accepts NULL

// Takes answers from this recording from now on; NULL ends that. Borrowed.
void external_set_replay(external_o *o, recording_o *replay);
// For a forked child that tries something out: plugin requests get an empty answer instead of calling the plugin.
void external_set_deaf(external_o *o);

// Begins a new frame that leads to `tick`. `lived` is the input log of an earlier run of the tick, whose answers are
// reused; NULL if the tick runs for the first time. Borrowed until the next frame.
void external_begin(external_o *o, uint64_t tick, const input_log_o *lived);
void external_begin_chunk(external_o *o, uint64_t tick); // frame of an --exec chunk, before the first tick
// Begins a frame that tries an earlier tick again (rollback.h): it reuses the answers of that tick and adds none to the
// recording.
void external_rehearse(external_o *o, uint64_t tick, const input_log_o *lived);
// Restarts the current frame, because its tick runs again.
void external_again(external_o *o);
// In a replay: true makes a request that the recording cannot answer an error; false calls the reader, for hand-made
// recordings whose ticks have never run.
void external_set_strict(external_o *o, bool strict);
void external_put(external_o *o, external_answer_t *a); // called by a replay; retains the answer

// Reads `key` into bytes allocated with `a` and followed by '\0', as file_read does. Returns false with a message on
// failure.
typedef bool (*external_read_t)(void *context, const char *key, allocator_t *a, void **bytes, size_t *size,
                                error_t *error);

// Returns the answer, never NULL, borrowed until the next frame. Data larger than OUTSIDE_MAX_BYTES gives an answer
// that is not found, with a message.
const external_answer_t *external_ask(external_o *o, external_kind_t kind, const char *key, external_read_t read,
                                      void *context);
// Replaces an answer of this frame by the message `why`, because its effects were undone for a reason that may not
// recur (it took too long). A replay then gets the message.
void external_undo(external_o *o, external_kind_t kind, const char *key, const char *why);
// Adds input that the host itself read before the first tick.
void external_note(external_o *o, external_kind_t kind, const char *key, bool found, const void *bytes, size_t size);
// In a replay, before the first tick: returns the i-th answer of a kind, or NULL past the last. Borrowed.
const external_answer_t *external_recorded(external_o *o, external_kind_t kind, uint32_t i);

// In a replay, between two ticks: returns the next unused answer of a kind, owned by the caller, or NULL.
external_answer_t *external_take_recorded(external_o *o, external_kind_t kind);

// Returns whether the asset exists for the simulation: the first answer holds until external_forget_assets. `assets`
// may be NULL for none. Any thread.
bool external_asset(external_o *o, const char *name, const assets_t *assets);
void external_forget_assets(external_o *o);

// Notes the content of a file that the simulation uses from now on, as a hash of its bytes (0: missing). A changed hash
// is added to the recording. In a replay, returns false if the recorded hash differs, once for each recorded hash.
bool external_content(external_o *o, const char *name, uint64_t hash);

// Returns the number of this call on a channel, counted from 1 in each run of the frame.
uint32_t external_number(external_o *o, const char *channel);

// Returns the next answer that has not been written to the recording, and stores its tick; NULL if there is none.
// Borrowed until the next frame.
external_answer_t *external_take(external_o *o, uint64_t *tick);
// Returns true if a request could not be answered by the recording since the last call, with the message in `out`.
bool external_take_missing(external_o *o, error_t *out);

#endif
