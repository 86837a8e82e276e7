// A plugin that plays sounds: a hum that becomes louder and is later stopped, and a bang every ten ticks.
#include <shoal/sound.h>

#define BELL_FIELDS(F) F(entity, hum) F(u32, stopped, 0) F(u32, again, 0)
SHOAL_SINGLE(bell, BELL_FIELDS)

static void ring(shoal_context *c, const shoal_view *v, float dt_s) {
  const bell_columns *bell = SHOAL_ROWS_COLUMNS(shoal_get_rows(shoal_get_world(c), &bell_component), bell);
  const shoal_sound_desc hum = {.file = "hum.ogg", .loop = true, .positional = true, .x = 7, .volume = 0.25f},
                         bang = {.file = "bang.ogg", .duration_s = 0.2f, .bus = "effects"};
  (void)v, (void)dt_s;
#ifdef WRONG
  shoal_play_sound(c, &(shoal_sound_desc){WRONG});
#endif
#ifdef LOUD
  shoal_set_sound_volume(c, bell->hum[0], 3);
#endif
  if (shoal_tick(c) == 0)
    bell->hum[0] = shoal_play_sound(c, &hum);
  if (shoal_tick(c) == 0 && !shoal_set_sound_volume(c, bell->hum[0], 0.5f)) // the sound has no row yet
    shoal_fail(c, "a sound that was just played is no sound");
  if (shoal_tick(c) == 30) {
    bell->stopped[0] = shoal_stop_sound(c, bell->hum[0]);
    bell->again[0] = shoal_stop_sound(c, bell->hum[0]);
  }
  if (shoal_tick(c) % 10 == 0)
    shoal_play_sound(c, &bang);
}

SHOAL_PLUGIN(.name = "bell", .version = 1, .components = SHOAL_COMPONENTS(bell),
             .systems = SHOAL_SYSTEMS({.name = "ring", .run = ring}))
