// The host's way through the past: what is kept of it, rewinding, and stepping a game that the host holds. The history itself is in
// history.c; here is who asks for it.
#include "host/host_state.h"

#define LARGEST_UNASKED_BYTES (1u << 20)

uint32_t past_history_mb(const host_o *h) {
  if (h->replay)
    return replay_head(h->replay)->history_mb;
  if (h->options.has_history)
    return (uint32_t)h->options.history_mb;
  return h->options.headless ? 0 : h->game->facts.history_mb;
}

void past_begin(host_o *h) {
  past_end(h);
  uint64_t bytes = h->game ? (uint64_t)past_history_mb(h) << 20 : 0;
  if (bytes == 0)
    return;
  h->history = history_create(&h->memory, bytes);
  history_add(h->history, h->game->world);
}

void past_end(host_o *h) {
  history_destroy(h->history);
  h->history = NULL;
  h->held = false;
  h->want_steps = 0;
}

// The world of this tick may have been converted and merged on the way: it takes the place of the state that was kept of it.
void past_reloaded(host_o *h) {
  if (h->history)
    history_add(h->history, h->game->world);
}

// Comparing states costs about two milliseconds per megabyte and tick: nobody pays more than that without having asked. By size and
// not by time, so that a replay does the same.
static bool is_too_large(const host_o *h) {
  bool asked = h->replay ? replay_head(h->replay)->history_asked : h->options.has_history;
  return !asked && history_stats(h->history).state_bytes > LARGEST_UNASKED_BYTES;
}

void past_tick(host_o *h) {
  if (!h->history)
    return;
  history_add(h->history, h->game->world);
  if (!is_too_large(h))
    return;
  log_warn(h->log, "no history is kept any more: the world has more than 1 MB (--history MB keeps it all the same)");
  history_destroy(h->history);
  h->history = NULL;
}

bool past_rewind(host_o *h, uint64_t ticks) {
  error_t error = {{0}};
  if (!h->history) {
    log_error(h->log, "world.rewind: no history is kept (game.lua's history, or --history MB)");
    return false;
  }
  double began_s = platform_seconds(h->platform);
  uint64_t went = history_back(h->history, h->game->world, ticks, &error);
  log_debug(h->log, "rewind: %llu ticks in %.2f ms", (unsigned long long)went,
            (platform_seconds(h->platform) - began_s) * 1e3);
  if (went == 0) {
    log_warn(h->log, "rewind: %s", error.text);
    toast_add(&h->toasts, TOAST_BAD, "Rewind: %s", error.text);
    return false;
  }
  if (went < ticks)
    log_info(h->log, "rewind: %llu of %llu ticks, for that is all that is known", (unsigned long long)went,
             (unsigned long long)ticks);
  return true;
}

static void step_forward(host_o *h) {
  error_t error = {{0}};
  if (h->replay)
    record_play(h);
  else if (!h->history || !history_has_next(h->history))
    host_tick(h, NULL);
  else if (!history_forward(h->history, h->game->world, &error))
    toast_add(&h->toasts, TOAST_BAD, "Step: %s", error.text);
  else if (h->recorder)
    recorder_forward(h->recorder);
}

static bool step_back(host_o *h) {
  if (h->replay) {
    toast_add(&h->toasts, TOAST_BAD, "A replay goes on only");
    return false;
  }
  if (!past_rewind(h, 1))
    return false;
  if (h->recorder)
    recorder_back(h->recorder, 1);
  return true;
}

void past_frame(host_o *h) {
  input_state_t unheard; // what is pressed meanwhile is for the host
  platform_sample(h->platform, &unheard);
  for (; h->want_steps < 0; h->want_steps++)
    if (!step_back(h))
      h->want_steps = -1;
  for (; h->want_steps > 0 && !h->stopping; h->want_steps--)
    step_forward(h);
}

void past_keys(host_o *h, const platform_events_t *events) {
  if (events->hold) {
    h->held = !h->held;
    toast_add(&h->toasts, TOAST_PLAIN, h->held ? "Held: F9 one tick back, F10 one tick on, F6 goes on" : "Goes on");
  }
  if (events->step_back || events->step_forward)
    h->held = true;
  h->want_steps += events->step_forward - events->step_back;
}

void past_print(const host_o *h) {
  if (!h->history)
    return;
  history_stats_t s = history_stats(h->history);
  double adds = s.adds ? (double)s.adds : 1.0;
  printf("stats: history %llu ticks in %.1f MB, %.0f bytes and %.1f us per tick, a state has %.1f KB\n",
         (unsigned long long)s.ticks, (double)s.bytes / 1048576.0, (double)s.added_bytes / adds, s.add_us / adds,
         (double)s.state_bytes / 1024.0);
}
