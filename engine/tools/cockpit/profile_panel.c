// Overlay panel with the plugins' profiler scopes (shoal/profile.h): one line for each system or function with scopes,
// followed by the scopes, indented by nesting.
#include "cockpit/profile_panel.h"

#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UPDATE_INTERVAL_S 0.25 // seconds between updates, slow enough to read
#define MAX_SCOPES 1024u
#define SEPARATOR ": " // separator of owner, parent and scope in a scope's name

typedef struct scope_time_t {
  const char *name;
  double median_us;
} scope_time_t;

// Orders scopes by full name, which groups them by owner and puts parents first.
static int compare_names(const void *a, const void *b) {
  return strcmp(((const scope_time_t *)a)->name, ((const scope_time_t *)b)->name);
}

// Adds a line. Returns the buffers of its label and its value, PROFILE_PANEL_LINE_BYTES each.
static char *add_panel_line(profile_panel_t *panel, dev_overlay_widget_kind_t kind) {
  shoal_assert(panel->count < PROFILE_PANEL_LINES, "the profile panel is full (%u lines)", panel->count);
  char(*strings)[PROFILE_PANEL_LINE_BYTES] = panel->strings[panel->count];
  panel->widgets[panel->count++] = (dev_overlay_widget_t){.kind = kind, .label = strings[0], .text = strings[1]};
  strings[0][0] = strings[1][0] = '\0';
  return strings[0];
}

static size_t get_owner_length(const char *name) {
  const char *end = strstr(name, SEPARATOR);
  return end ? (size_t)(end - name) : strlen(name);
}

static void add_scope(profile_panel_t *panel, const scope_time_t *scope) {
  const char *scope_name = scope->name;
  int depth = 0;
  for (const char *next; (next = strstr(scope_name, SEPARATOR)) != NULL; ++depth)
    scope_name = next + strlen(SEPARATOR);
  char *label = add_panel_line(panel, DEV_OVERLAY_VALUE), *value = label + PROFILE_PANEL_LINE_BYTES;
  snprintf(label, PROFILE_PANEL_LINE_BYTES, "%*s%.40s", 3 * depth, "", scope_name);
  if (scope->median_us < 1000)
    snprintf(value, PROFILE_PANEL_LINE_BYTES, "%.1f µs", scope->median_us);
  else
    snprintf(value, PROFILE_PANEL_LINE_BYTES, "%.2f ms", scope->median_us / 1000);
}

static void add_scopes(profile_panel_t *panel, const scope_time_t *scopes, uint32_t count) {
  panel->count = 0;
  for (uint32_t i = 0; i < count; ++i) {
    size_t owner_bytes = get_owner_length(scopes[i].name);
    // Compares the names up to and including the separator's colon.
    bool is_new_owner = i == 0 || strncmp(scopes[i].name, scopes[i - 1].name, owner_bytes + 1) != 0;
    if (panel->count + is_new_owner + (i + 1 < count) >= PROFILE_PANEL_LINES) {
      snprintf(add_panel_line(panel, DEV_OVERLAY_LABEL), PROFILE_PANEL_LINE_BYTES, "more on the cockpit page");
      return;
    }
    if (is_new_owner)
      snprintf(add_panel_line(panel, DEV_OVERLAY_LABEL), PROFILE_PANEL_LINE_BYTES, "%.*s", (int)owner_bytes,
               scopes[i].name);
    add_scope(panel, &scopes[i]);
  }
}

bool profile_panel_build(profile_panel_t *panel, const plugins_o *plugins, bool open, double now_s,
                         dev_overlay_panel_t *out) {
  const plugin_scope_t *scope;
  uint32_t count = 0;
  if (!plugins || !plugins_get_scope(plugins, 0, NULL))
    return false;
  *out = (dev_overlay_panel_t){.title = PROFILE_PANEL_TITLE, .widgets = panel->widgets};
  if (open && (now_s >= panel->next_s || panel->count == 0)) {
    scope_time_t *scopes = malloc(MAX_SCOPES * sizeof *scopes);
    shoal_assert(scopes, "out of memory for scopes");
    for (double median_us; count < MAX_SCOPES && (scope = plugins_get_scope(plugins, count, &median_us)) != NULL;
         ++count)
      scopes[count] = (scope_time_t){scope->name, median_us};
    qsort(scopes, count, sizeof *scopes, compare_names);
    add_scopes(panel, scopes, count);
    free(scopes);
    panel->next_s = now_s + UPDATE_INTERVAL_S;
  }
  out->widget_count = open ? panel->count : 0;
  return true;
}
