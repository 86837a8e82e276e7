// `shoal clip GAME --replay FILE --from S --to S --out FILE.webp|.mp4|.gif`: replays a recording offscreen and writes a
// part of it as a clip. Renders each tick, as with `--every-tick`, so the same recording gives the same bytes
// regardless of the speed of the machine.
#ifndef SHOAL_CLIP_CLIP_H
#define SHOAL_CLIP_CLIP_H

#include "start/package.h"

// Runs `shoal clip`. argv[1] must be "clip". `package`: the package whose game is rendered, or NULL for a game's
// folder. Returns the exit code: 0 on success; 1 if the run fails (for example, because the replay differs from the
// recording) or ends early, or if the file cannot be written; 2 if the arguments are invalid, or if the game or the
// recording is not found. Errors are printed.
int clip_run(int argc, const char *const *argv, const package_t *package);

#endif
