// Reloads changed assets in place, independently of code: an unreadable image does not block a code reload, and invalid
// code does not block the reload of assets.
#include "host/game_switch.h"

#include "host/host_internal.h"
#include "store/map_objects.h"

#include <stdio.h>
#include <string.h>

// Returns the name by which the game uses an asset. "assets/hero.png" and "shoal/assets/hero.png" are both "hero.png".
// "addons/menu/assets/frame.png" is "menu/frame.png", which is written to `out`. Returns NULL if the path is not in an
// assets folder.
static const char *get_asset_name(const char *path, char *out, size_t out_bytes) {
  static const char *const PREFIXES[] = {"assets/", GAME_SWITCH_ENGINE_ASSETS};
  static const char ADDONS[] = SOURCES_ADDONS, ASSETS[] = "/assets/";
  for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; ++i) {
    size_t prefix_bytes = strlen(PREFIXES[i]);
    if (strncmp(path, PREFIXES[i], prefix_bytes) == 0)
      return path + prefix_bytes;
  }
  const char *name = strncmp(path, ADDONS, sizeof ADDONS - 1) == 0 ? path + sizeof ADDONS - 1 : "";
  const char *slash = strchr(name, '/');
  if (!slash || strncmp(slash, ASSETS, sizeof ASSETS - 1) != 0)
    return NULL;
  snprintf(out, out_bytes, "%.*s/%s", (int)(slash - name), name, slash + sizeof ASSETS - 1);
  return out;
}

static void log_change(void *context, const char *line) {
  log_info(((host_o *)context)->session.log, "reload: %s", line);
}

static void log_problem(void *context, const char *line) {
  log_warn(((host_o *)context)->session.log, "%s", line);
}

// Applies changed maps to the map objects of their tilemaps.
static void apply_map_changes(host_o *h) {
  const map_change_t *changes;
  uint32_t count = maps_changes(h->maps, &changes);
  for (uint32_t i = 0; h->session.game && i < count; ++i)
    map_objects_update(h->session.game->world,
                       &(map_objects_update_t){.name = changes[i].name,
                                               .level = changes[i].level,
                                               .old_map = changes[i].old_map,
                                               .new_map = changes[i].new_map,
                                               .listener = {.log_line = log_change, .context = h},
                                               .log_problem = log_problem});
}

bool game_switch_reload_asset(host_o *h, const char *path) {
  error_info_t reason = {0};
  char addon_asset[1024];
  const char *name = get_asset_name(path, addon_asset, sizeof addon_asset);
  if (!name)
    return false;
  external_clear_assets(h->session.external);
  asset_fate_t fate =
      h->session.game ? components_reload_asset(h->session.game->components, name, &reason) : ASSET_UNUSED;
  // A changed .aseprite file is applied to both its sheet and its image.
  if (fate == ASSET_RELOADED && render_asset_changed(h->session.render, name, &reason) == ASSET_KEPT)
    fate = ASSET_KEPT;
  if (fate == ASSET_UNUSED && h->session.game)
    fate = plugins_reload_asset(h->session.game->plugins, name, &reason);
  if (fate == ASSET_UNUSED)
    fate = render_asset_changed(h->session.render, name, &reason);
  if (fate == ASSET_UNUSED)
    fate = audio_asset_changed(h->audio, name, &reason);
  if (fate == ASSET_UNUSED) {
    fate = maps_asset_changed(h->maps, name, &reason);
    apply_map_changes(h);
  }
  if (fate == ASSET_RELOADED) {
    log_info(h->session.log, "reloaded %s", path);
    notice_add(&h->session.notices, NOTICE_RELOAD, "Reloaded %s", path);
  } else if (fate == ASSET_KEPT) {
    log_warn(h->session.log, "cannot load %s: %s: keeping the previous version", path, reason.text);
    notice_add(&h->session.notices, NOTICE_BAD, "Cannot load %s: %s: keeping the previous version", path, reason.text);
  }
  return true;
}
