// `shoal clip GAME --replay FILE --from S --to S --out FILE.webp|.mp4|.gif`: replays a recording offscreen and writes a
// part of it as a clip. The frames are the same as with `--every-tick`, so the same recording gives the same bytes.
#ifndef SHOAL_CLIP_CLIP_H
#define SHOAL_CLIP_CLIP_H

#include "start/package.h"

// Runs `shoal clip`. argv[1] must be "clip". `package`: the package whose game is rendered, or NULL for a game's
// folder. Returns the exit code: 0 on success; 1 if the replay differs from the recording, the run ends early or the
// file cannot be written; 2 after a usage error. Errors are printed.
int clip_run(int argc, const char *const *argv, const package_t *package);

#endif
