// What tools see and do of a host between two frames: engine/cockpit is one. Main thread.
//
// Whatever changes the world goes through console_run (host/console.h), as a chunk of Lua that runs between two ticks:
// it is part of the recording and of the external input, so that a replay does the same.
#ifndef SHOAL_HOST_HOST_TOOLS_H
#define SHOAL_HOST_HOST_TOOLS_H

#include "host/host.h"
#include "overlay/error_card.h"
#include "session/session.h"

typedef struct host_look_t {
  bool held;    // by the host: no tick passes
  bool paused;  // by the game
  bool replays; // a recording is played: nothing can be changed
  bool again;   // what was heard in the timeline that was left is heard again
  bool has_past;
  uint64_t tick, first, last; // of the past that is kept, where there is one; `last` is after `tick` in the past
  size_t past_bytes;          // that it takes
  double speed;
  const char *folder; // of the game
  const error_card_t *card;
} host_look_t;

void host_look(host_o *h, host_look_t *out);
// What draws over the frame between host_begin_frame and host_end_frame. False if the run is headless.
typedef struct host_picture_t {
  platform_o *platform;
  render_o *render;
  draw_o *draw;
  float width, height; // of the screen, in logical pixels
} host_picture_t;
bool host_picture(host_o *h, host_picture_t *out);
session_t *host_session(host_o *h);
platform_o *host_platform(host_o *h);
const render_o *host_render(const host_o *h);
game_o *host_game(host_o *h); // NULL while it could not start; another one after a reload
log_o *host_log(host_o *h);
const options_t *host_options(const host_o *h);
const paths_t *host_places(const host_o *h);
bool host_takes_tools(host_o *h); // F1 since the last call

void host_hold(host_o *h, bool on);                       // F6
void host_again(host_o *h);                               // F7
bool host_seek(host_o *h, uint64_t tick, error_t *error); // holds it, and goes to this tick of the past
void host_set_speed(host_o *h, double speed);             // 1 is as it is meant; until another game comes
// Holds it, and these ticks have passed: fewer when the game ends in one of them.
void host_step_now(host_o *h, uint32_t ticks);
// What is wanted of the two below, and what scripts have asked for, is done now and not in the next frame.
void host_apply(host_o *h);
bool host_records(const host_o *h); // into the file of --record
// Around a change of the world that no recording knows of: who lives the tick again lives it without.
void host_edited(host_o *h, bool before);
void host_wants_reload(host_o *h);
void host_wants_restart(host_o *h);

#endif
