// Blocks that a client of a journal keeps, for example to re-run past ticks, and external results by tick. The blocks
// also contain the results, but a result is in the record that follows its request, which can belong to a later tick.
//
// A child forked from a crashing process can read a log wherever the process was interrupted. Main thread only, except
// for reading a copy.
#ifndef SHOAL_JOURNAL_INPUT_LOG_H
#define SHOAL_JOURNAL_INPUT_LOG_H

#include "journal/block.h"
#include "journal/external_result.h"
#include "journal/parked_item.h"

#define INPUT_LOG_MAX_FRAMES 4096u // maximum number of frames of a pause that a reader returns; the rest is skipped

typedef struct input_log_o input_log_o;

input_log_o *input_log_create(allocator_t *a); // `a`: the journal's allocator
void input_log_destroy(input_log_o *log);      // accepts NULL
// Returns a copy, which shares all blocks except the journal's open block.
input_log_o *input_log_copy(const input_log_o *log);

// Adds the result of a request in `tick`, which must not be before the tick of the previous result. Retains the result.
void input_log_add_result(input_log_o *log, uint64_t tick, external_result_t *result);
// Discards the input and results from `tick` on, but not the frames assigned to `tick` - 1.
void input_log_discard_from(input_log_o *log, uint64_t tick);
// Discards blocks and results that only ticks before `tick` need.
void input_log_discard_before(input_log_o *log, uint64_t tick);
// Discards the block before the newest block if it contains only frames without input, which do not run again. Call it
// after each frame of a paused game, so that the log does not grow in a long pause.
void input_log_discard_idle_block(input_log_o *log);

// Assigns the frames of a pause after `tick`, up to the record `last_number`, to `tick`. Does nothing if no such frame
// has input. Call it when a reload or an edit during the pause replaces the state of `tick`.
void input_log_move_frames(input_log_o *log, uint64_t tick, uint64_t last_number);
// Returns true if frames were assigned to `tick`.
bool input_log_has_moved_frames(const input_log_o *log, uint64_t tick);

// --- blocks

// Retains the block. Does nothing if it is already the newest block.
void input_log_add_block(input_log_o *log, block_t *block);
// Discards all but the newest `count` blocks. Keeps the results.
void input_log_keep_newest(input_log_o *log, uint32_t count);
uint32_t input_log_block_count(const input_log_o *log);
const block_t *input_log_get_block(const input_log_o *log, uint32_t i); // index 0 is the oldest block; borrowed

// --- ticks

uint64_t input_log_last_tick(const input_log_o *log); // returns the most recent tick, or 0 if the log has no tick
// Returns the result of a request in `tick`, owned by the caller, or NULL if the tick did not make the request.
external_result_t *input_log_find_result(const input_log_o *log, uint64_t tick, external_kind_t kind, const char *key);
// Stores the i-th system or function that was parked after `tick`, borrowed until the log changes. Returns true on
// success, or false if `i` is out of range or the item is malformed.
bool input_log_get_parked(const input_log_o *log, uint64_t tick, uint32_t i, parked_item_t *out);

typedef struct logged_input_t {
  bool paused; // true: a frame of a paused game; false: the tick itself
  input_state_t previous_input, input;
} logged_input_t;

// Iterates over the inputs that lead to the state of a tick: the inputs of frames of a paused game, of the tick itself,
// and of the frames that input_log_move_frames has assigned to it.
typedef struct input_log_reader_t {
  const input_log_o *log; // log that is read; borrowed
  uint64_t tick;
  uint32_t next_block, frame_count;
  bool has_ended;
  block_reader_t block;
} input_log_reader_t;

void input_log_begin(input_log_reader_t *r, const input_log_o *log, uint64_t tick);
// Stores the next input in `out`. Skips frames without input, and all but the first INPUT_LOG_MAX_FRAMES frames.
// Returns true if an input was stored, or false after the last input, or if the log lacks the tick. The log must not
// have changed since input_log_begin.
bool input_log_next(input_log_reader_t *r, logged_input_t *out);
// Stores the input of the tick itself, without frames of a pause. Returns true, or false if the log lacks the tick.
bool input_log_get_tick(const input_log_o *log, uint64_t tick, logged_input_t *out);

#endif
