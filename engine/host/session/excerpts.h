// F12: saves about the last 30 seconds as a recording, and renders a clip of the last 10 (tools/clip). A forked child
// writes the recording from its copy of the history, so that the game's frames do not wait for it, and is then replaced
// by `shoal clip`, which replays the recording offscreen at a low priority.
#ifndef SHOAL_SESSION_EXCERPTS_H
#define SHOAL_SESSION_EXCERPTS_H

#include "process/child.h"

#define EXCERPTS_MAX 4 // maximum number of clips that are rendered at the same time

typedef struct session_t session_t;

typedef struct excerpt_t {
  child_t child;
  bool is_running;
  bool is_saved;                // the recording is complete, and the clip is being rendered
  bool has_ticks;               // false: the recording contains only the current state
  char recording[40], clip[40]; // file names, in the current folder; `clip` is "" if none is rendered
} excerpt_t;

// Valid when zeroed.
typedef struct excerpts_t {
  excerpt_t items[EXCERPTS_MAX];
} excerpts_t;

// Saves shoal-TICK.replay, and renders shoal-TICK.webp unless the program is embedded or the recording has no ticks.
// Notices report both. After a rewind, both end with the newest tick that was played.
void excerpts_add(session_t *s);
void excerpts_poll(session_t *s); // call once per frame: reports finished files
void excerpts_end(session_t *s);  // children that are still running finish their files

#endif
