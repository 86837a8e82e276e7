// Overlay panel with the plugins' profiler scopes (shoal/profile.h): one line for each system or function with scopes,
// followed by the scopes, indented by nesting.
#include "cockpit/profile_panel.h"

#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UPDATE_INTERVAL_S 0.25 // seconds between updates, slow enough to read
#define MAX_SCOPES 1024u
#define SEPARATOR ": " // separates owner, parent and scope in a scope's name

typedef struct measured_t {
  const char *name;
  double median_us;
} measured_t;

// Sorts scopes by owner, each after its parent.
static int compare_names(const void *a, const void *b) {
  return strcmp(((const measured_t *)a)->name, ((const measured_t *)b)->name);
}

// Adds a line. Returns the buffers of its label and its value, SCOPES_BYTES each.
static char *add_panel_line(scopes_t *s, dev_overlay_widget_kind_t kind) {
  shoal_assert(s->count < SCOPES_LINES, "the profile panel is full (%u lines)", s->count);
  char(*strings)[SCOPES_BYTES] = s->strings[s->count];
  s->shown[s->count++] = (dev_overlay_widget_t){.kind = kind, .label = strings[0], .text = strings[1]};
  strings[0][0] = strings[1][0] = '\0';
  return strings[0];
}

static size_t owner_length(const char *name) {
  const char *end = strstr(name, SEPARATOR);
  return end ? (size_t)(end - name) : strlen(name);
}

static void add_scope(scopes_t *s, const measured_t *m) {
  const char *part = m->name;
  int depth = 0;
  for (const char *next; (next = strstr(part, SEPARATOR)) != NULL; ++depth)
    part = next + strlen(SEPARATOR);
  char *label = add_panel_line(s, DEV_OVERLAY_VALUE), *value = label + SCOPES_BYTES;
  snprintf(label, SCOPES_BYTES, "%*s%.40s", 3 * depth, "", part);
  if (m->median_us < 1000)
    snprintf(value, SCOPES_BYTES, "%.1f µs", m->median_us);
  else
    snprintf(value, SCOPES_BYTES, "%.2f ms", m->median_us / 1000);
}

static void add_scopes(scopes_t *s, const measured_t *all, uint32_t count) {
  s->count = 0;
  for (uint32_t i = 0; i < count; ++i) {
    size_t owner_bytes = owner_length(all[i].name);
    // compares up to and including the separator's colon
    bool begins = i == 0 || strncmp(all[i].name, all[i - 1].name, owner_bytes + 1) != 0;
    if (s->count + begins + (i + 1 < count) >= SCOPES_LINES) {
      snprintf(add_panel_line(s, DEV_OVERLAY_LABEL), SCOPES_BYTES, "more on the cockpit page");
      return;
    }
    if (begins)
      snprintf(add_panel_line(s, DEV_OVERLAY_LABEL), SCOPES_BYTES, "%.*s", (int)owner_bytes, all[i].name);
    add_scope(s, &all[i]);
  }
}

bool scopes_build_panel(scopes_t *s, const plugins_o *plugins, bool open, double now_s, dev_overlay_panel_t *to) {
  const plugin_scope_t *scope;
  uint32_t count = 0;
  if (!plugins || !plugins_get_scope(plugins, 0, NULL))
    return false;
  *to = (dev_overlay_panel_t){.title = SCOPES_TITLE, .widgets = s->shown};
  if (open && (now_s >= s->next_s || s->count == 0)) {
    measured_t *all = malloc(MAX_SCOPES * sizeof *all);
    shoal_assert(all, "out of memory for scopes");
    for (double us; count < MAX_SCOPES && (scope = plugins_get_scope(plugins, count, &us)) != NULL; ++count)
      all[count] = (measured_t){scope->name, us};
    qsort(all, count, sizeof *all, compare_names);
    add_scopes(s, all, count);
    free(all);
    s->next_s = now_s + UPDATE_INTERVAL_S;
  }
  to->widget_count = open ? s->count : 0;
  return true;
}
