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

// Returns the bytes of a file, followed by a '\0', in memory of shoal_realloc, or NULL with an error if reading fails.
static void *read_file_for_plugin(context_t *context, const char *path, size_t *size, error_info_t *error) {
  allocator_t *a = &context->plugin->plugins->memory;
  char *bytes = file_read(a, path, size, error);
  if (!bytes)
    return NULL;
  void *copy = memcpy(api_realloc(&context->shared, NULL, 0, *size + 1), bytes, *size + 1);
  file_free(a, bytes, *size);
  return copy;
}

void *api_read_asset(shoal_context *c, const char *name, size_t *size) {
  context_t *context = context_of(c);
  char path[1100];
  error_info_t error = {0};
  void *bytes = NULL;
  *size = 0;
  if (context->call_kind == PLUGIN_CALL_PART || !name)
    return NULL;
  if (!context->plugins->desc.assets || !assets_find(context->plugins->desc.assets, name, path, sizeof path))
    error_set(&error, "%s",
              context->plugins->desc.assets ? path : "no assets are available: the game has no asset folder");
  else
    bytes = read_file_for_plugin(context, path, size, &error);
  if (!bytes && !context->plugins->quiet)
    log_error(context->plugins->desc.log, "plugin %s: %s", context->plugin->name, error.text);
  return bytes;
}

// --- asset types

static const shoal_asset_type *find_asset_type(context_t *context, const char *name) {
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  const char *extension = strrchr(name, '.');
  nearest_name_t nearest;
  nearest_name_init(&nearest, extension ? extension : name);
  for (const shoal_asset_type *type = context->plugin->def->assets; type && type->extension; ++type) {
    if (extension && strcmp(extension, type->extension) == 0)
      return type;
    nearest_name_offer(&nearest, type->extension);
  }
  nearest_name_hint(&nearest, hint, sizeof hint);
  context_fail(context, "shoal_get_asset: no asset type for %.100s%s", name,
               hint[0] ? hint : ": declare one in .assets");
  return NULL;
}

// Warns in a replay if an asset differs from the recorded run. Recordings contain a hash of each asset, not its bytes.
static void warn_if_asset_differs(const context_t *context, const plugin_asset_t *asset) {
  const plugins_o *plugins = context->plugins;
  bool simulates = (context->call_kind == PLUGIN_CALL_SYSTEM || context->call_kind == PLUGIN_CALL_FUNCTION ||
                    context->call_kind == PLUGIN_CALL_PRESS) &&
                   !service_is_pure_call(context);
  if (!simulates || !plugins->desc.external || plugins->desc.forked || plugins->quiet)
    return;
  if (!external_check_content(plugins->desc.external, asset->name, asset->data ? asset->hash : 0))
    log_warn(plugins->desc.log, "replay: assets/%s differs from the recorded file: the replay may diverge",
             asset->name);
}

const void *api_get_asset(shoal_context *c, const char *name, uint32_t *version) {
  context_t *context = context_of(c);
  if (context->asset || !name || strlen(name) >= sizeof((plugin_asset_t *)0)->name) {
    if (context->asset)
      context_fail(context, "shoal_get_asset cannot be called in `load`: an asset must not depend on other assets");
    else
      context_fail(context, "shoal_get_asset: name must have at most %zu bytes, got %s",
                   sizeof((plugin_asset_t *)0)->name - 1, name ? name : "NULL");
    return NULL;
  }
  const shoal_asset_type *type = find_asset_type(context, name);
  if (!type)
    return NULL;
  const plugin_asset_t *asset = plugin_request_asset(context->plugin, type, name);
  warn_if_asset_differs(context, asset);
  if (version)
    *version = asset->data ? asset->version : 0;
  return asset->data;
}

void api_report_asset_error(shoal_context *c, uint32_t line, const char *text) {
  context_t *context = context_of(c);
  char location[160];
  snprintf(location, sizeof location, line > 0 ? "assets/%s:%u: " : "assets/%s: ", context->asset ? context->asset : "",
           line);
  context_fail(context, "%s%.900s", context->asset ? location : "", text);
}
