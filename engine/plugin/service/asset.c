// API functions for assets: whole files, and files of a plugin's asset types.
#include "service/api.h"
#include "service/permissions.h"

#include "base/files.h"
#include "base/nearest_name.h"
#include "plugin/plugin.h"
#include "plugin/asset.h"
#include "shoal/asset.h"

#include <stdio.h>
#include <string.h>

void *api_read_asset(shoal_context *c, const char *name, size_t *size) {
  context_t *x = context_of(c);
  char path[1100];
  error_info_t error = {0};
  void *file = NULL;
  *size = 0;
  if (x->where == WHERE_PART || !name)
    return NULL;
  if (!x->plugins->desc.assets || !assets_find(x->plugins->desc.assets, name, path, sizeof path))
    error_set(&error, "%s", x->plugins->desc.assets ? path : "no assets are available: the game has no asset folder");
  else
    file = file_read(&x->plugin->memory, path, size, &error);
  if (!file && !x->plugins->quiet)
    log_error(x->plugins->desc.log, "plugin %s: %s", x->plugin->name, error.text);
  return file;
}

// --- asset types

static const shoal_asset_type *find_asset_type(context_t *c, const char *name) {
  char hint[SIMILAR_MAX + 32];
  const char *ending = strrchr(name, '.');
  nearest_name_t meant;
  nearest_name_init(&meant, ending ? ending : name);
  for (const shoal_asset_type *t = c->plugin->def->assets; t && t->extension; ++t) {
    if (ending && strcmp(ending, t->extension) == 0)
      return t;
    nearest_name_offer(&meant, t->extension);
  }
  nearest_name_hint(&meant, hint, sizeof hint);
  context_fail(c, "shoal_get_asset: no asset type for %.100s%s", name, hint[0] ? hint : ": declare one in .assets");
  return NULL;
}

// Warns in a replay if an asset differs from the recorded run. Recordings contain a hash of each asset, not its bytes.
static void warn_if_asset_differs(const context_t *x, const plugin_asset_t *a) {
  const plugins_o *p = x->plugins;
  bool simulates =
      (x->where == WHERE_SYSTEM || x->where == WHERE_FUNCTION || x->where == WHERE_PRESS) && !service_is_pure_call(x);
  if (!simulates || !p->desc.external || p->desc.copied || p->quiet)
    return;
  if (!external_check_content(p->desc.external, a->name, a->data ? a->hash : 0))
    log_warn(p->desc.log, "replay: assets/%s differs from the recorded file: the replay may diverge", a->name);
}

const void *api_get_asset(shoal_context *c, const char *name, uint32_t *version) {
  context_t *x = context_of(c);
  if (x->asset || !name || strlen(name) >= sizeof((plugin_asset_t *)0)->name) {
    if (x->asset)
      context_fail(x, "shoal_get_asset cannot be called in `load`: an asset must not depend on other assets");
    else
      context_fail(x, "shoal_get_asset: name must have at most %zu bytes, got %s",
                   sizeof((plugin_asset_t *)0)->name - 1, name ? name : "NULL");
    return NULL;
  }
  const shoal_asset_type *type = find_asset_type(x, name);
  if (!type)
    return NULL;
  const plugin_asset_t *a = plugin_request_asset(x->plugin, type, name);
  warn_if_asset_differs(x, a);
  if (version)
    *version = a->data ? a->version : 0;
  return a->data;
}

void api_asset_error(shoal_context *c, uint32_t line, const char *text) {
  context_t *x = context_of(c);
  char place[160];
  snprintf(place, sizeof place, line > 0 ? "assets/%s:%u: " : "assets/%s: ", x->asset ? x->asset : "", line);
  context_fail(x, "%s%.900s", x->asset ? place : "", text);
}
