// What tools see and do of a host between two frames: engine/cockpit is one. Main thread.
//
// Whatever changes the world goes through host_console, as a chunk of Lua that runs between two ticks: it is part of
// the recording and of what was heard, so that a replay and whoever lives the tick again do the same.
#ifndef SHOAL_HOST_HOST_TOOLS_H
#define SHOAL_HOST_HOST_TOOLS_H

#include "host/game.h"
#include "host/ghosts.h"
#include "host/host.h"
#include "overlay/error_card.h"
#include "platform/paths.h"

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
// What is drawn over everything else in each frame of a window, behind its ticks and before its picture; it changes no
// world. NULL: nothing.
typedef struct host_picture_t {
  platform_o *platform;
  render_o *render;
  draw_o *draw;
  float width, height; // of the screen, in logical pixels
} host_picture_t;
typedef struct host_face_t {
  void *context;
  void (*draw)(void *context, const host_picture_t *picture);
} host_face_t;
void host_set_face(host_o *h, const host_face_t *face);
platform_o *host_platform(host_o *h);
const render_o *host_render(const host_o *h);
game_o *host_game(host_o *h); // NULL while it could not start; another one after a reload
log_o *host_log(host_o *h);
const options_t *host_options(const host_o *h);
const paths_t *host_places(const host_o *h);
bool host_takes_tools(host_o *h); // F1 since the last call

// Runs it at once. `out` gets what it returns, as text. False with the report; then what the chunk did before it failed
// stays, as with --exec.
bool host_console(host_o *h, const char *text, char *out, size_t out_bytes, script_report_t *report);

void host_hold(host_o *h, bool on);                       // F6
void host_again(host_o *h);                               // F7
void host_step(host_o *h, int ticks);                     // F9 and F10: holds it
bool host_seek(host_o *h, uint64_t tick, error_t *error); // holds it, and goes to this tick of the past
void host_set_speed(host_o *h, double speed);             // 1 is as it is meant; until another game comes
// Holds it, and these ticks have passed: fewer when the game ends in one of them.
void host_step_now(host_o *h, uint32_t ticks);
// What is wanted of the two below, and what scripts have asked for, is done now and not in the next frame.
void host_apply(host_o *h);
bool host_records(const host_o *h); // into the file of --record
// Around a change of the world that no recording knows of: who lives the tick again lives it without.
void host_edited(host_o *h, bool before);
// Between two frames. False with a message; then the file, or the world, is as it was.
bool host_save(host_o *h, const char *path, error_t *error);
bool host_load(host_o *h, const char *path, error_t *error);
const ghosts_o *host_ghosts(host_o *h); // the trails that the window shows; NULL for none
void host_wants_reload(host_o *h);
void host_wants_restart(host_o *h);

#endif
