// Panels and commands of plugins in the cockpit.
#ifndef SHOAL_PLUGIN_PANEL_H
#define SHOAL_PLUGIN_PANEL_H

#include "plugin/context.h"
#include "schema/schema.h"

#define PLUGIN_MAX_PANELS 8u
#define PLUGIN_MAX_WIDGETS 64u
#define PLUGIN_FIRST_COMMAND 1000u // commands are panels without widgets that are pressed

// What a panel of a plugin has said, with its texts.
typedef struct plugin_widget_t {
  shoal_widget_kind kind;
  char label[128], text[256];
  double value, min, max;
  bool whole; // of a field that holds whole numbers
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
  const char *pressed; // label of the pressed button; may be NULL
  plugin_widgets_t *out;
  context_t *c;
};

// Draws a panel, while `picked` is selected (0: nothing); with `pressed`, the label of a button, that is pressed. From
// PLUGIN_FIRST_COMMAND on: runs a command. False with a message.
bool plugin_draw_panel(plugins_o *p, uint32_t plugin, uint32_t panel, shoal_entity picked, const char *pressed,
                       plugin_widgets_t *out, error_t *error);

#endif
