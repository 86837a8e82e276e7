// Overlay panel with the plugins' profiler scopes (shoal/profile.h). Main thread.
#ifndef SHOAL_COCKPIT_PROFILE_PANEL_H
#define SHOAL_COCKPIT_PROFILE_PANEL_H

#include "overlay/dev_overlay.h"
#include "plugin/plugins.h"

#define PROFILE_PANEL_TITLE "Parts of plugins"
#define PROFILE_PANEL_LINES 64u
#define PROFILE_PANEL_LINE_BYTES 128u

// Contents of the panel. Valid when zeroed.
typedef struct profile_panel_t {
  char strings[PROFILE_PANEL_LINES][2][PROFILE_PANEL_LINE_BYTES]; // label and value of each line
  dev_overlay_widget_t widgets[PROFILE_PANEL_LINES];
  uint32_t count;
  double next_s; // time of the next update
} profile_panel_t;

// Fills `out`, which borrows from `panel`. Fills in the content only if `open` is true. Returns true if at least one
// plugin has scopes. Otherwise, returns false and leaves `out` unchanged.
bool profile_panel_build(profile_panel_t *panel, const plugins_o *plugins, bool open, double now_s,
                         dev_overlay_panel_t *out);

#endif
