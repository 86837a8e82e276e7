// A farm: crops grow by the hour, sprinklers water them, and they are harvested every day.
#include "plain.h"

#include <math.h>
#include <stdbool.h>

enum { SEED, SPROUT, LEAFY, RIPE, WITHERED };
enum { KINDS = 4, MAX_DRY_HOURS = 12 };
static const double THIRST[KINDS] = {0.2, 0.3, 0.15, 0.25};
static const float NEED[KINDS] = {30, 40, 50, 80};
static const int SEASON[KINDS] = {1, 1, 2, 2}, PRICE[KINDS] = {3, 5, 6, 11};
static const double EVAPORATION[4] = {0.004, 0.01, 0.004, 0.001};

typedef struct farm_t {
  float *restrict fertility, *restrict moisture, *restrict progress;
  int32_t *restrict kind, *restrict stage, *restrict dry_hours, *restrict harvests;
  int hour, day, season, gold;
  bool is_raining, is_new_day;
} farm_t;

static void advance_calendar(farm_t *f) {
  f->is_new_day = ++f->hour == 24;
  if (f->is_new_day) {
    f->hour = 0;
    f->season = ++f->day / 28 % 4;
  }
  f->is_raining = f->day % 5 == 0 && f->hour > 5 && f->hour < 9;
}

LOOP void evaporate(float *restrict moisture, size_t count, double amount) {
  for (size_t i = 0; i < count; ++i) {
    double left = (double)moisture[i] - amount;
    moisture[i] = (float)(left > 0 ? left : 0);
  }
}

LOOP void rain(float *restrict moisture, size_t count) {
  for (size_t i = 0; i < count; ++i)
    moisture[i] = 1;
}

// Selects one of four values without a branch.
static inline float choose(int kind, float a, float b, float c, float d) {
  float low = kind == 0 ? a : b, high = kind == 2 ? c : d;
  return kind < 2 ? low : high;
}

typedef struct season_t {
  float thirst[KINDS], rate[KINDS], need[KINDS];
} season_t;

static season_t describe_season(int season) {
  season_t s;
  for (int k = 0; k < KINDS; ++k) {
    s.thirst[k] = (float)THIRST[k];
    if ((double)s.thirst[k] < THIRST[k]) // no float is between the two, so that comparing floats gives the same result
      s.thirst[k] = nextafterf(s.thirst[k], 1);
    s.rate[k] = SEASON[k] == season ? 1 : 0.25f;
    s.need[k] = NEED[k];
  }
  return s;
}

// gcc 12 does not vectorise this loop, although its rows are independent.
SCALAR_LOOP void grow(float *restrict progress, int32_t *restrict stage, int32_t *restrict dry_hours,
                      const float *restrict fertility, const float *restrict moisture, const int32_t *restrict kind,
                      size_t count, season_t s) {
  const float t0 = s.thirst[0], t1 = s.thirst[1], t2 = s.thirst[2], t3 = s.thirst[3];
  const float r0 = s.rate[0], r1 = s.rate[1], r2 = s.rate[2], r3 = s.rate[3];
  const float n0 = s.need[0], n1 = s.need[1], n2 = s.need[2], n3 = s.need[3];
  for (size_t i = 0; i < count; ++i) {
    int is_alive = stage[i] < RIPE, is_dry = moisture[i] < choose(kind[i], t0, t1, t2, t3),
        grows = is_alive & (is_dry ^ 1);
    float sum = progress[i] + fertility[i] * choose(kind[i], r0, r1, r2, r3) * (float)grows;
    int advances = grows & (sum >= choose(kind[i], n0, n1, n2, n3)), hours = is_dry ? dry_hours[i] + 1 : 0;
    int withers = is_alive & is_dry & (hours > MAX_DRY_HOURS), old_hours = dry_hours[i], old_stage = stage[i];
    progress[i] = advances ? 0 : sum;
    dry_hours[i] = is_alive ? hours : old_hours;
    stage[i] = withers ? WITHERED : old_stage + advances;
  }
}

LOOP void sprinkle(float *restrict moisture, const int32_t *restrict stage, size_t count) {
  for (size_t i = 0; i < count; ++i)
    moisture[i] = (float)((double)moisture[i] + ((stage[i] == SPROUT) & (moisture[i] < 0.5f) ? 0.02 : 0.0));
}

SCALAR_LOOP void harvest(farm_t *f, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (f->stage[i] == RIPE) {
      f->gold += PRICE[f->kind[i]];
      f->harvests[i]++;
      f->stage[i] = SEED;
    } else if (f->stage[i] == WITHERED) {
      f->stage[i] = SEED, f->progress[i] = 0, f->dry_hours[i] = 0;
    }
}

static void print_checks(const farm_t *f, uint32_t count) {
  double moisture = 0, progress = 0, harvests = 0, dry_hours = 0;
  for (uint32_t i = 0; i < count; ++i) {
    moisture += (double)f->moisture[i], progress += (double)f->progress[i];
    harvests += f->harvests[i] * (double)((i + 1) % 7), dry_hours += f->dry_hours[i];
  }
  print_check("gold", f->gold);
  print_check("moisture", moisture);
  print_check("progress", progress);
  print_check("harvests", harvests);
  print_check("dry", dry_hours);
}

void run_farm(uint32_t count, uint32_t ticks) {
  farm_t f = {.fertility = memory(count, 4), .moisture = memory(count, 4), .progress = memory(count, 4)};
  f.kind = memory(count, 4), f.stage = memory(count, 4), f.dry_hours = memory(count, 4), f.harvests = memory(count, 4);
  for (uint32_t row = 0; row < count; ++row) {
    uint64_t i = row + 1;
    f.kind[row] = (int32_t)(i * 7919 % 101 % 4);
    f.fertility[row] = (float)(0.5 + (double)(i * 37 % 1000) / 1000), f.moisture[row] = (float)(i * 91 % 1000) / 1000;
  }
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    advance_calendar(&f);
    double began_s = now_s();
    if (f.is_raining)
      rain(f.moisture, count);
    else
      evaporate(f.moisture, count, EVAPORATION[f.season]);
    double dried_s = now_s();
    grow(f.progress, f.stage, f.dry_hours, f.fertility, f.moisture, f.kind, count, describe_season(f.season));
    double grown_s = now_s();
    sprinkle(f.moisture, f.stage, count);
    if (f.is_new_day)
      harvest(&f, count);
    add_time("dry", dried_s - began_s, count);
    add_time("grow", grown_s - dried_s, count);
    add_time("tend", now_s() - grown_s, count);
  }
  print_checks(&f, count);
}
