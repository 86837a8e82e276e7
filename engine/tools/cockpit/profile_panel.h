// Overlay panel with the plugins' profiler scopes (shoal/profile.h). Main thread.
#ifndef SHOAL_COCKPIT_PROFILE_PANEL_H
#define SHOAL_COCKPIT_PROFILE_PANEL_H

#include "overlay/dev_overlay.h"
#include "plugin/plugins.h"

#define SCOPES_TITLE "Parts of plugins"
#define SCOPES_LINES 64u
#define SCOPES_BYTES 128u

typedef struct scopes_t { // valid when zeroed
  char strings[SCOPES_LINES][2][SCOPES_BYTES];
  dev_overlay_widget_t shown[SCOPES_LINES];
  uint32_t count;
  double next_s; // time of the next update
} scopes_t;

// Fills `to`, with content if `open` is true; `to` borrows from `s`. Returns false if no plugin has scopes.
bool scopes_build_panel(scopes_t *s, const plugins_o *plugins, bool open, double now_s, dev_overlay_panel_t *to);

#endif
