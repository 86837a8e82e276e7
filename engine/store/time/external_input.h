// External input: everything the simulation reads from outside the world, such as saves, scenes in the saves folder,
// the existence of assets, the progress of preloading, data that a plugin received from a network or device, and --exec
// chunks. The first request calls a function that reads the input, the reader. The result is stored in the journal
// (journal/journal.h) and the history's input log (journal/input_log.h). When the tick runs again, the stored result is
// reused, because the file may have changed or vanished.
//
// A frame is a tick with the host's work after it, a frame of a paused game, or an --exec chunk. Within a frame the
// same request has the same result, even if the tick runs again without a system that failed. Main thread, except
// external_asset_exists and external_check_content, which any thread may call.
#ifndef SHOAL_TIME_EXTERNAL_INPUT_H
#define SHOAL_TIME_EXTERNAL_INPUT_H

#include "platform/assets.h"
#include "journal/input_log.h"
#include "time/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct external_o external_o;

external_o *external_create(allocator_t *a);
void external_destroy(external_o *external); // accepts NULL

// Sets the recording from which all following results are read; borrowed. NULL: the readers are called again.
void external_set_replay(external_o *external, recording_o *replay);
// Makes plugin requests return no bytes instead of calling the plugin. Used in a forked child that runs a trial.
void external_set_isolated(external_o *external);

// Sources of a result that is stored neither for an earlier request of the tick nor in the tick's log.
typedef enum external_source_t {
  EXTERNAL_LIVE, // the recording that is replayed, or the readers; results are added to the recording
  EXTERNAL_LOG,  // the readers, because an earlier tick runs again; results are not added to the recording
  EXTERNAL_HOST, // the readers, on the host of a match, up to the limits below; results are for the tick's record
  EXTERNAL_PEER, // nothing, on the other machines of a match: such requests fail
} external_source_t;

// Limits of a match's tick. Requests that exceed them fail on all machines, with the same message.
#define EXTERNAL_MATCH_RESULTS 16u
#define EXTERNAL_MATCH_BYTES 3000u // size limit of a tick's keys and results

// Sets the size limit of the results of the following ticks, at most EXTERNAL_MATCH_BYTES. For the host of a match.
void external_limit_match_bytes(external_o *external, size_t bytes);
// Begins a frame that leads to `tick`. `log`: log with the results of an earlier run of this tick, which are reused;
// NULL: no earlier results. Borrowed until external_end_tick or, for EXTERNAL_LIVE, until the next frame.
void external_begin_tick(external_o *external, uint64_t tick, external_source_t source, const input_log_o *log);
// Releases the log. Does nothing if the source is EXTERNAL_LIVE, because the host's work after such a tick belongs to
// the frame.
void external_end_tick(external_o *external);
// Begins a frame for an --exec chunk, before the first tick.
void external_begin_exec_frame(external_o *external, uint64_t tick);
// Returns the i-th result that the host has read in this tick, for the tick's record, or NULL after the last result.
// Borrowed.
const external_result_t *external_get_match_result(const external_o *external, uint32_t i);
// Returns true if a request in the current tick of a match had no result.
bool external_has_missed(const external_o *external);
// external_begin_start suspends the current frame, and begins a frame for a game that is starting. The new frame does
// not use the running game's results for assets. external_end_start ends that frame. `keep`: true if the game has
// started. If false, external_end_start discards the frame's results and resumes the suspended frame with its assets.
void external_begin_start(external_o *external);
void external_end_start(external_o *external, bool keep);
// Restarts the current frame because its tick is re-run: calls are counted from 1 again.
void external_restart_frame(external_o *external);
// Sets how a replay handles a request whose result is not in the recording. True: the request fails. False: the reader
// is called. Recordings that were written by hand need this, because their ticks have never run.
void external_set_strict(external_o *external, bool strict);
// Queues a recorded result for a later request of the replay. Retains the result.
void external_queue_recorded(external_o *external, external_result_t *result);

// Reads `key` into bytes allocated with `a` and followed by '\0', as file_read does. Returns true on success, or false
// with a message.
typedef bool (*external_read_t)(void *context, const char *key, allocator_t *a, void **bytes, size_t *size,
                                error_info_t *error);

// Requests external input: returns the stored result or, if no result is stored, calls `read` and stores its result.
// Never returns NULL. The result is borrowed until the next frame. If `read` fails or returns more than
// EXTERNAL_RESULT_MAX_BYTES, the result's `found` is false, and its bytes are the error message. The same applies if a
// strict replay lacks the result (external_set_strict). `read` is then not called.
const external_result_t *external_request(external_o *external, external_kind_t kind, const char *key,
                                          external_read_t read, void *context);
// Returns the stored result of an optional request, which only some runs of the tick make. Returns NULL if no result is
// stored. Reads nothing. Borrowed until the next frame.
const external_result_t *external_find(external_o *external, external_kind_t kind, const char *key);
// Replaces a result of this frame with the error message `message`. Call this if the effects of the result were undone
// for a reason that may not recur, such as a timeout. A replay then returns the message.
void external_replace_with_error(external_o *external, external_kind_t kind, const char *key, const char *message);
// Adds a result without a request: input that the host itself read, such as an --exec chunk.
void external_add_result(external_o *external, external_kind_t kind, const char *key, bool found, const void *bytes,
                         size_t size);
// Returns the i-th recorded result of a kind, or NULL if there are fewer results. Borrowed. Only in a replay, before
// the first tick.
const external_result_t *external_get_recorded(external_o *external, external_kind_t kind, uint32_t i);

// Returns the next unused recorded result of a kind, owned by the caller, or NULL if no result is left. Only in a
// replay, between two ticks.
external_result_t *external_pop_recorded(external_o *external, external_kind_t kind);

// Returns true if the asset exists for the simulation. A replay returns the recorded result. The first result is kept
// until external_clear_assets. If `assets` is NULL, an asset without a recorded result does not exist. Any thread.
bool external_asset_exists(external_o *external, const char *name, const assets_t *assets);
void external_clear_assets(external_o *external);

// Results of external_asset_exists on a thread that prepares a change. Zero-initialize.
typedef struct external_deferred_t {
  struct deferred_asset_t *items;
  uint32_t count, capacity;
} external_deferred_t;
// Defers the asset requests of the calling thread, until external_defer(NULL). The requests read the file system, and
// their results are stored in `list`, because the recording must not contain them before the game that the thread loads
// takes effect. Any thread.
void external_defer(external_deferred_t *list);
// Repeats the requests in the list. Returns true if no result differs from the stored result. Main thread.
bool external_request_deferred(external_o *external, const external_deferred_t *list, const assets_t *assets);
void external_free_deferred(external_deferred_t *list);

// Records that the simulation uses this version of a file from now on. `hash`: hash of the file's bytes; 0 if the file
// is missing. Writes the hash to the recording if it has changed. Returns true. In a replay, returns false instead if
// the recorded hash differs, but only once for each recorded hash. Any thread.
bool external_check_content(external_o *external, const char *name, uint64_t hash);

// Counts a call on a channel. Returns its number, starting at 1 in each run of the frame.
uint32_t external_count_call(external_o *external, const char *channel);

// Returns the next result that has not been written to the recording, and stores its tick. Returns NULL if all results
// have been written. Borrowed until the next frame.
external_result_t *external_next_unrecorded(external_o *external, uint64_t *tick);
// Returns true if the recording could not answer a request since the last call. `out` then receives the error of the
// first such request.
bool external_pop_missing(external_o *external, error_info_t *out);

#endif
