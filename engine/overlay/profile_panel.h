// What plugins measure of themselves (shoal/profile.h), as a panel of the overlay. Main thread.
#ifndef SHOAL_OVERLAY_PROFILE_PANEL_H
#define SHOAL_OVERLAY_PROFILE_PANEL_H

#include "overlay/desk.h"
#include "plugin/plugins.h"

#define SCOPES_TITLE "Parts of plugins"
#define SCOPES_LINES 64u
#define SCOPES_BYTES 128u

typedef struct scopes_t { // zeros: nothing was looked at
  char texts[SCOPES_LINES][2][SCOPES_BYTES];
  desk_widget_t shown[SCOPES_LINES];
  uint32_t count;
  double next_s; // when it is looked at again
} scopes_t;

// The panel, with what is in it where it is open; valid as long as `s`. False: no plugin measures anything.
bool scopes_panel(scopes_t *s, const plugins_o *plugins, bool open, double now_s, desk_panel_t *to);

#endif
