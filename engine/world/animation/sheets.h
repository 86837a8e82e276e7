// Cache of sheets by image name, read on first use. Used by the renderer, and by animations in the simulation,
// including in headless runs. Main thread only.
#ifndef SHOAL_ANIMATION_SHEETS_H
#define SHOAL_ANIMATION_SHEETS_H

#include "animation/sheet.h"
#include "base/log.h"
#include "platform/assets.h"

typedef struct sheets_o sheets_o;

sheets_o *sheets_create(const assets_t *assets, log_o *log); // borrows `log` and `assets` (may be NULL)
void sheets_destroy(sheets_o *s);

// Returns the sheet of an image: hero.json for hero.png. Returns NULL if the sheet is missing or invalid; an invalid
// sheet is logged once. Valid until the next sheets_reload.
const sheet_t *sheets_find_or_load(sheets_o *s, const char *image);

// Returns true if the image has a sheet that could not be read. The error has been logged.
bool sheets_is_invalid(const sheets_o *s, const char *image);

#define SHEETS_PROBLEM_BYTES 1024
// Returns true if the image's sheet is missing or lacks the clip, and describes the problem in `out`. Returns false if
// the clip can be played or the image is "". Also returns false if the caller must not log the problem: the sheet is
// invalid (which has been logged), the log is muted, or the problem was returned before.
bool sheets_find_clip_problem(sheets_o *s, const char *image, const char *clip, char out[SHEETS_PROBLEM_BYTES]);

// Reloads the sheet whose file was changed, added or deleted. Returns ASSET_RELOADED, ASSET_UNUSED if no image uses the
// sheet, or ASSET_KEPT with the reason in `error` if the new version is invalid. Call between ticks.
asset_fate_t sheets_reload(sheets_o *s, const char *name, error_info_t *error);

// Records a warning with this key. Returns true if the caller should log the warning: it is the first such warning
// since the sheets last changed, and the log is not muted.
bool sheets_record_warning(sheets_o *s, uint64_t key);

#endif
