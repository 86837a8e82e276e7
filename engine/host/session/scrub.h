// Scrubbing: moves a paused session through the history while a key is held or the scrub bar is dragged, or by single
// steps. Owns the reel, which shows past ticks (time/reel.h), and records each movement once it is complete.
#ifndef SHOAL_SESSION_SCRUB_H
#define SHOAL_SESSION_SCRUB_H

#include "base/array.h"
#include "time/reel.h"

typedef struct session_t session_t;

#define SCRUB_IDLE_S 5.0
#define SCRUB_BUDGET_US 6500.0 // time budget of scrub_run_frame; leaves time to draw
#define SCRUB_FRAME_SHARE 0.35 // time budget in slow frames, as a share of the last frame: drawing is slow as well
#define SCRUB_MAX_STEPS 300u   // maximum number of recorded steps per movement; a clip shows longer movements faster
#define SCRUB_TIMES 128u
#define SCRUB_TIME_US 250.0 // bucket width of scrub_t.frames

typedef struct scrub_t {
  reel_o *reel;          // reel that shows past ticks; NULL unless the session is scrubbing
  double position;       // requested tick, with a fraction so that slow movements add up
  uint64_t target_tick;  // tick to show: the tick nearest to `position` that can be shown
  uint64_t start_tick;   // tick at which the movement that is not yet recorded began
  ARRAY(uint64_t) shown; // ticks shown since the movement began at `start_tick`, in descending order
  bool forward;          // true if the most recent movement was forward
  bool continues;        // true once the history is ready to continue from the shown tick
  double idle_s;         // time since the last movement, in seconds
  // Histogram of the durations of scrub_run_frame, for --log debug. Counts only the frames from a movement until its
  // tick was shown. The last bucket also counts all longer durations.
  uint32_t frames[SCRUB_TIMES];
} scrub_t;

// Starts scrubbing at the current tick, unless scrubbing has begun. Returns true on success or if it has begun, or
// false if no game or history exists, past input or a recording is being replayed, or the memory does not suffice.
bool scrub_begin(session_t *s);
// Moves by whole ticks relative to the requested tick. Negative values move backwards.
void scrub_step(session_t *s, int ticks);
// Moves like scrub_step, but by a number of ticks that may have a fraction. Ignored until the tick of the previous
// movement is shown. `kept_only`: shows only kept snapshots on the way. scrub_settle then moves to the exact tick.
void scrub_move(session_t *s, double ticks, bool kept_only);
// Moves to `tick` like scrub_move. Clamped to the known ticks.
void scrub_seek(session_t *s, uint64_t tick, bool kept_only);
void scrub_keep_open(session_t *s); // keeps scrubbing open for at least SCRUB_IDLE_S / 2
void scrub_settle(session_t *s);    // requests the exact tick after a movement over kept snapshots
void scrub_stop(session_t *s);      // like scrub_settle, but stays at the shown tick if that is not the target
// Works on the requested tick for about `budget_us`. Call once per frame, with the frame's duration. Ends scrubbing
// once the tick has been shown for SCRUB_IDLE_S without movement, except in a package. Also ends scrubbing, with a
// notice, if the tick cannot be restored.
void scrub_run_frame(session_t *s, double frame_s, double budget_us);
bool scrub_is_settled(const session_t *s); // returns true if the requested tick is shown
// Records the movement and frees the states. Call before anything else changes the world or is recorded.
void scrub_end(session_t *s);

#endif
