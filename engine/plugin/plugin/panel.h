// Panels and commands of plugins in the cockpit.
#ifndef SHOAL_PLUGIN_PANEL_H
#define SHOAL_PLUGIN_PANEL_H

#include "plugin/context.h"
#include "schema/schema.h"

#define PLUGIN_MAX_PANELS 8u
#define PLUGIN_MAX_WIDGETS 64u
#define PLUGIN_COMMANDS_OFFSET 1000u // index of the first command; lower indices are panels

// A widget added by a panel, with copies of its strings.
typedef struct plugin_widget_t {
  shoal_widget_kind kind;
  char label[128], text[256];
  double value, min, max;
  bool is_integer; // true if the field is an integer
  shoal_entity entity;
  char component[COMPONENT_NAME_MAX], field[FIELD_NAME_MAX];
} plugin_widget_t;

typedef struct plugin_widgets_t {
  uint32_t count;
  plugin_widget_t items[PLUGIN_MAX_WIDGETS];
} plugin_widgets_t;

// A panel while its `draw` runs.
struct plugin_drawing_t {
  const shoal_panel *panel;
  shoal_entity picked;
  const char *pressed; // label of the pressed button; NULL if no button was pressed
  plugin_widgets_t *out;
  context_t *context;
};

// Draws the panel with index `panel`, or runs a command if `panel` is at least PLUGIN_COMMANDS_OFFSET. `picked` is the
// selected entity, or 0. `pressed` is the label of the pressed button, or NULL. Returns true on success, or false with
// a message if the plugin or panel is missing or its function fails.
bool plugin_draw_panel(plugins_o *plugins, uint32_t plugin, uint32_t panel, shoal_entity picked, const char *pressed,
                       plugin_widgets_t *out, error_info_t *error);

#endif
