// Assets change in place and by themselves: a picture that cannot be read holds up no code, and the other way round.
#include "host/host_internal.h"
#include "store/map_objects.h"

#include <string.h>

// "assets/hero.png" and "shoal/assets/hero.png" are both hero.png to who uses it; NULL for what is no asset.
static const char *asset_name(const char *path) {
  static const char *const PREFIXES[] = {"assets/", GAME_SWITCH_ENGINE_ASSETS};
  for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; ++i) {
    size_t n = strlen(PREFIXES[i]);
    if (strncmp(path, PREFIXES[i], n) == 0)
      return path + n;
  }
  return NULL;
}

static void say(void *context, const char *line) {
  log_info(((host_o *)context)->log, "reload: %s", line);
}

// Its tiles are there with it; what the game has set in it stays. Its objects follow.
static void follow_map(void *context, const char *name, const char *level, const map_t *before, const map_t *now) {
  host_o *h = context;
  if (h->game)
    map_objects_follow(
        h->game->world,
        &(map_objects_follow_t){.name = name, .level = level, .before = before, .now = now, .say = say, .context = h});
}

bool game_switch_asset(host_o *h, const char *path) {
  error_t why = {0};
  const char *name = asset_name(path);
  if (!name)
    return false;
  outside_forget_assets(h->outside);
  asset_fate_t fate = h->game ? components_asset_changed(h->game->components, name, &why) : ASSET_UNUSED;
  if (fate == ASSET_UNUSED && h->game)
    fate = plugins_asset_changed(h->game->plugins, name, &why);
  if (fate == ASSET_UNUSED)
    fate = render_asset_changed(h->render, name, &why);
  if (fate == ASSET_UNUSED)
    fate = audio_asset_changed(h->audio, name, &why);
  if (fate == ASSET_UNUSED)
    fate = maps_changed(h->maps, name, follow_map, h, &why);
  if (fate == ASSET_RELOADED) {
    log_info(h->log, "reloaded %s", path);
    toast_add(&h->toasts, TOAST_GOOD, "Reloaded %s", path);
  } else if (fate == ASSET_KEPT) {
    log_warn(h->log, "%s cannot be used, the one before stays: %s", path, why.text);
    toast_add(&h->toasts, TOAST_BAD, "%s: the one before stays: %s", path, why.text);
  }
  return true;
}
