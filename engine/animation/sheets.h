// The sheets of a game's images, by the image's name: each is read when it is first asked for. Animations ask it in the
// simulation and the renderer when it draws, with a window and without. Main thread.
#ifndef SHOAL_ANIMATION_SHEETS_H
#define SHOAL_ANIMATION_SHEETS_H

#include "animation/sheet.h"
#include "base/log.h"
#include "platform/assets.h"

typedef struct sheets_o sheets_o;

sheets_o *sheets_create(const assets_t *assets, log_o *log); // both borrowed; `assets` NULL: there are no sheets
void sheets_destroy(sheets_o *s);

// The sheet beside an image: hero.json for hero.png. NULL when there is no such file, or it is invalid, which is logged
// once. Valid until the next sheets_changed.
const sheet_t *sheets_find(sheets_o *s, const char *image);

// A file below the assets has changed, appeared or gone. `why` is filled when the old one is kept. Between two ticks.
asset_fate_t sheets_changed(sheets_o *s, const char *name, error_t *why);

// Says something once until the sheets change.
bool sheets_say_once(sheets_o *s, uint64_t what);

#endif
