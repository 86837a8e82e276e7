// Scrubbing: moves a paused session smoothly through the history while a key is held. Owns the reel (time/reel.h), and
// records the movement once it is complete.
#ifndef SHOAL_SESSION_SCRUB_H
#define SHOAL_SESSION_SCRUB_H

#include "base/array.h"
#include "time/reel.h"

typedef struct session_t session_t;

#define SCRUB_IDLE_S 5.0
#define SCRUB_BUDGET_US 6500.0 // time for scrub_run_frame in a frame; leaves time to draw
#define SCRUB_FRAME_SHARE 0.35 // share of the last frame, if that frame is longer: drawing is then slow as well
#define SCRUB_MAX_STEPS 300u   // recorded steps of a movement; a longer one is shown faster in a clip
#define SCRUB_TIMES 128u
#define SCRUB_TIME_US 250.0 // bucket width of scrub_t.frames

typedef struct scrub_t {
  reel_o *reel;          // NULL unless the session is scrubbing
  double position;       // requested tick; fractions add up at slow speeds
  uint64_t target_tick;  // tick to show: the position, rounded to a tick that can be shown
  uint64_t start_tick;   // tick at which the movement that is not recorded yet began
  ARRAY(uint64_t) shown; // ticks shown since then, each earlier than the one before it, down to the current one
  bool forward;          // direction of the most recent movement
  bool continues;        // the history is ready to continue from the shown tick
  double idle_s;         // time since the last movement, in seconds
  // Number of frames from a movement until its tick was shown, by the time of their work; the last entry counts all
  // longer ones (--log debug).
  uint32_t frames[SCRUB_TIMES];
} scrub_t;

// Starts scrubbing at the current tick, or continues. Returns false if there is no history, a recording is replayed, or
// the memory does not suffice.
bool scrub_begin(session_t *s);
// Moves by whole ticks relative to the requested tick; negative: back.
void scrub_step(session_t *s, int ticks);
// Moves by `ticks`, which may be a fraction, like scrub_step, but not while the requested tick is not shown yet.
// `kept_only`: shows only kept snapshots on the way; scrub_settle then moves to the exact tick.
void scrub_move(session_t *s, double ticks, bool kept_only);
// Moves to `tick`, a known one, like scrub_move.
void scrub_seek(session_t *s, uint64_t tick, bool kept_only);
void scrub_keep_open(session_t *s); // restarts the time without movement after which scrubbing ends
void scrub_settle(session_t *s);    // requests the exact tick after a movement over kept snapshots
void scrub_stop(session_t *s);      // like scrub_settle, but stays at the shown tick if it is not the requested one
// Works on the requested tick for about `budget_us`. Call once per frame, with the frame's duration. Ends scrubbing
// once the tick has been shown for SCRUB_IDLE_S without movement, except in a package.
void scrub_run_frame(session_t *s, double frame_s, double budget_us);
bool scrub_is_settled(const session_t *s); // returns true if the requested tick is shown
// Records the movement and frees the states. Call before anything else changes the world or is recorded.
void scrub_end(session_t *s);

#endif
