// Emitters and their particles: particles/.
#include "components/builtin.h"
#include "components_fixture.h"
#include "particles/emitter.h"
#include "snapshot/snapshot.h"
#include "snapshot/state.h"
#include "ecs/world_hash.h"

typedef struct stage_t {
  fixture_t *f;
  emitters_o *emitters;
} stage_t;

SETUP(stage_t, s) {
  error_info_t error = {0};
  s->f = fixture_open();
  s->emitters = emitters_create(s->f->world, &error);
  if (!s->emitters)
    fail_msg("%s", error.text);
}

TEARDOWN(stage_t, s) {
  emitters_destroy(s->emitters);
  fixture_close(s->f);
}

static shoal_entity spawn_emitter(stage_t *s, double x, double y) {
  shoal_entity e = place(s->f, x, y);
  add(s->f, e, "emitter");
  return e;
}

static void run_ticks(stage_t *s, int count) {
  for (int i = 0; i < count; ++i)
    emitters_update(s->emitters, 1.0 / 60.0);
}

// Collects all visible particles. Returns their number.
static uint32_t collect_particles(stage_t *s, particle_t *out, uint32_t capacity) {
  uint32_t clouds = emitters_group_births(s->emitters), count = 0;
  for (uint32_t i = 0; i < clouds; ++i) {
    particle_cloud_t cloud;
    if (!emitters_get_cloud(s->emitters, i, &cloud))
      continue;
    for (uint32_t k = 0; k < cloud.count; ++k) {
      const particle_births_t *b = &cloud.births[cloud.indices[k]];
      if (count + b->count > capacity)
        fail_msg("more than %u particles", capacity);
      count += particles_compute(&cloud.look, cloud.has_forces ? &cloud.forces : NULL, b, 0, b->count, cloud.clock_s,
                                 cloud.local, &out[count]);
    }
  }
  return count;
}

TEST_IN(emitter_rate_is_in_particles_per_second, stage_t, s) {
  static particle_t some[1000];
  shoal_entity e = spawn_emitter(s, 100, 50);
  set(s->f, e, "emitter", "rate", 90);
  set(s->f, e, "emitter", "life", 4);
  run_ticks(s, 61); // the first tick already emits a particle
  assert_int_equal((int)get(s->f, e, "emitter", "living"), 91);
  assert_int_equal(collect_particles(s, some, 1000), 91);
}

TEST_IN(stationary_emitter_of_700_particles_per_second_has_one_record, stage_t, s) {
  shoal_entity e = spawn_emitter(s, 100, 50);
  particle_cloud_t cloud;
  set(s->f, e, "emitter", "rate", 700);
  run_ticks(s, 600);
  assert_int_equal(emitters_group_births(s->emitters), 1);
  assert_true(emitters_get_cloud(s->emitters, 0, &cloud));
  assert_int_equal(cloud.count, 1);
  assert_true(get(s->f, e, "emitter", "living") > 700 && get(s->f, e, "emitter", "living") < 1000);
}

TEST_IN(particle_burst_is_emitted_once, stage_t, s) {
  static particle_t some[1000];
  shoal_entity e = spawn_emitter(s, 100, 50);
  set(s->f, e, "emitter", "rate", 0);
  set(s->f, e, "emitter", "burst", 40);
  run_ticks(s, 1);
  assert_int_equal((int)get(s->f, e, "emitter", "burst"), 0);
  assert_int_equal(collect_particles(s, some, 1000), 40);
  for (int i = 0; i < 40; ++i) {
    assert_near((double)some[i].x, 100, 1e-6);
    assert_near((double)some[i].y, 50, 1e-6);
  }
  run_ticks(s, 100);
  assert_int_equal(collect_particles(s, some, 1000), 0);
}

TEST_IN(particle_bursts_repeat_at_their_interval, stage_t, s) {
  shoal_entity e = spawn_emitter(s, 0, 0);
  set(s->f, e, "emitter", "rate", 0);
  set(s->f, e, "emitter", "life", 100);
  set(s->f, e, "emitter", "burst", 5);
  set(s->f, e, "emitter", "every", 0.5);
  run_ticks(s, 62);
  assert_int_equal((int)get(s->f, e, "emitter", "living"), 15);
  set(s->f, e, "emitter", "enabled", 0);
  run_ticks(s, 62);
  assert_int_equal((int)get(s->f, e, "emitter", "living"), 15);
}

TEST_IN(moving_emitter_spreads_particles_along_its_path, stage_t, s) {
  static particle_t some[1000];
  shoal_entity e = spawn_emitter(s, 0, 0);
  set(s->f, e, "emitter", "rate", 600);
  set(s->f, e, "emitter", "speed", 0);
  set(s->f, e, "emitter", "life", 10);
  for (int i = 0; i < 10; ++i) {
    set(s->f, e, "transform", "x", i * 10);
    run_ticks(s, 1);
  }
  uint32_t count = collect_particles(s, some, 1000);
  assert_int_equal(count, 91);
  for (uint32_t i = 0; i < count; ++i)
    assert_near((double)some[i].x, (double)i, 0.01);
}

TEST_IN(teleporting_emitter_leaves_no_particles_in_between, stage_t, s) {
  static particle_t some[1000];
  shoal_entity e = spawn_emitter(s, 0, 0);
  set(s->f, e, "emitter", "rate", 600);
  set(s->f, e, "emitter", "speed", 0);
  run_ticks(s, 1);
  set(s->f, e, "transform", "x", 1000);
  run_ticks(s, 1);
  uint32_t count = collect_particles(s, some, 1000);
  for (uint32_t i = 0; i < count; ++i)
    assert_true(some[i].x == 0.0f || some[i].x == 1000.0f);
}

TEST_IN(particles_outlive_their_entity, stage_t, s) {
  static particle_t before[1000], after[1000];
  shoal_entity e = spawn_emitter(s, 10, 20);
  run_ticks(s, 30);
  uint32_t count = collect_particles(s, before, 1000);
  assert_true(count > 5);
  world_destroy_entity(s->f->world, e);
  assert_int_equal(collect_particles(s, after, 1000), count);
  assert_memory_equal(before, after, count * sizeof *after);
  run_ticks(s, 100);
  assert_int_equal(emitters_group_births(s->emitters), 0);
}

TEST_IN(particles_die_with_their_entity_if_configured, stage_t, s) {
  static particle_t some[1000];
  shoal_entity e = spawn_emitter(s, 10, 20), local = spawn_emitter(s, 10, 20);
  set(s->f, e, "emitter", "outlive", 0);
  set(s->f, local, "emitter", "space", 1);
  run_ticks(s, 30);
  world_destroy_entity(s->f->world, e);
  world_destroy_entity(s->f->world, local);
  assert_int_equal(collect_particles(s, some, 1000), 0);
}

TEST_IN(finished_emitter_destroys_its_entity, stage_t, s) {
  shoal_entity e = spawn_emitter(s, 10, 20);
  set(s->f, e, "emitter", "duration", 0.25);
  set(s->f, e, "emitter", "finish", 1);
  run_ticks(s, 20);
  assert_int_equal((int)get(s->f, e, "emitter", "enabled"), 0);
  assert_true(entities_is_alive(world_entities(s->f->world), e));
  run_ticks(s, 90);
  assert_false(entities_is_alive(world_entities(s->f->world), e));
}

TEST_IN(burst_without_a_rate_destroys_its_entity_when_finished, stage_t, s) {
  shoal_entity e = spawn_emitter(s, 10, 20), every = spawn_emitter(s, 10, 20), none = spawn_emitter(s, 10, 20);
  const shoal_entity all[] = {e, every, none};
  for (uint32_t i = 0; i < 3; ++i) {
    set(s->f, all[i], "emitter", "rate", 0);
    set(s->f, all[i], "emitter", "burst", i < 2 ? 5 : 0);
    set(s->f, all[i], "emitter", "finish", 1);
  }
  set(s->f, every, "emitter", "every", 0.25);
  run_ticks(s, 2);
  assert_true(entities_is_alive(world_entities(s->f->world), e));
  run_ticks(s, 118);
  assert_false(entities_is_alive(world_entities(s->f->world), e));
  assert_true(entities_is_alive(world_entities(s->f->world), every));
  assert_true(entities_is_alive(world_entities(s->f->world), none)); // the emitter has not emitted anything yet
}

TEST_IN(particle_count_is_limited, stage_t, s) {
  shoal_entity e = spawn_emitter(s, 0, 0);
  set(s->f, e, "emitter", "rate", 1e9);
  set(s->f, e, "emitter", "life", 1e9);
  set(s->f, e, "emitter", "burst", 4e9);
  run_ticks(s, 300);
  assert_int_equal((int)get(s->f, e, "emitter", "living"), EMITTER_MAX_ALIVE);
  assert_int_equal(s->f->line_count, 1); // the error is logged only once
  assert_non_null(strstr(s->f->line, "emitter.rate must be from 0 to 500000 particles per second"));
}

TEST_IN(nan_and_infinite_emitter_values_do_not_crash, stage_t, s) {
  static const char *const FIELDS[] = {"rate", "life", "speed", "size", "spread", "clock", "next", "due", "ahead", "x"};
  static particle_t some[1100000];
  for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; ++i) {
    shoal_entity e = spawn_emitter(s, 0, 0);
    run_ticks(s, 3);
    set(s->f, e, "emitter", FIELDS[i], i % 2 ? NAN : INFINITY);
    run_ticks(s, 3);
    collect_particles(s, some, 1100000);
    world_destroy_entity(s->f->world, e);
  }
}

TEST_IN(snapshot_restores_the_same_particles, stage_t, s) {
  static particle_t before[1000], after[1000];
  error_info_t error = {0};
  allocator_t a = {0};
  shoal_entity e = spawn_emitter(s, 10, 20), other = spawn_emitter(s, 500, 20);
  for (int i = 0; i < 30; ++i) {
    set(s->f, e, "transform", "x", i * 3);
    run_ticks(s, 1);
  }
  world_destroy_entity(s->f->world, other);
  uint32_t count = collect_particles(s, before, 1000);
  uint64_t hash = world_hash(s->f->world);
  snapshot_o *snapshot = snapshot_create(&a);
  assert_true(snapshot_take(snapshot, s->f->world, &error));
  run_ticks(s, 25);
  assert_int_not_equal(world_hash(s->f->world), hash);
  assert_true(snapshot_restore(snapshot, s->f->world, &error));
  assert_int_equal(world_hash(s->f->world), hash);
  assert_int_equal(collect_particles(s, after, 1000), count);
  assert_memory_equal(before, after, count * sizeof *after);
  snapshot_release(snapshot);
}

TEST_IN(damaged_particle_data_is_skipped_and_logged, stage_t, s) {
  manager_o *m = manager_of(s->f, "emitter");
  static particle_t some[1100000];
  uint64_t bytes[512];
  spawn_emitter(s, 0, 0);
  uint64_t x = 1;
  for (uint32_t round = 0; round < 200; ++round) {
    for (uint32_t i = 0; i < 512; ++i)
      bytes[i] = round % 2 ? x = x * 6364136223846793005u + 1442695040888963407u : round;
    uint32_t head[4] = {round % 7, round % 3, 5, 0};
    memcpy(bytes, head, sizeof head);
    m->hooks.load(m->hooks.context, s->f->world, m, 1, bytes, 16 + (round % 7) * 96 + (round % 3) * (round % 5) * 8);
    run_ticks(s, 1);
    collect_particles(s, some, 1100000);
  }
  assert_true(s->f->line_count > 0);
  assert_non_null(strstr(s->f->line, "the saved particles are damaged"));
}

TEST_WITH(curves_are_parsed_and_interpolated, stage_t) {
  curve_t c;
  colour_curve_t colours;
  float out[4];
  assert_true(curve_read(" 1 0.5  0 ", &c));
  assert_int_equal(c.count, 3);
  assert_near((double)curve_at(&c, 0.25f), 0.75, 1e-6);
  assert_near((double)curve_at(&c, 1.0f), 0, 1e-6);
  assert_near((double)curve_area(&c, 1.0f), 0.5, 1e-6);
  assert_near((double)curve_area(&c, 0.5f), 0.375, 1e-6);
  assert_true(curve_read("-.5", &c));
  assert_near((double)curve_at(&c, 0.3f), -0.5, 1e-6);
  assert_true(curve_read("", &c));
  assert_near((double)curve_at(&c, 0.3f), 1, 1e-6);
  assert_false(curve_read("1 x", &c));
  assert_false(curve_read("1,2", &c));
  assert_false(curve_read("nan", &c));
  assert_false(curve_read("-", &c));
  assert_false(curve_read("1 2 3 4 5 6 7 8 9", &c));
  assert_true(colour_curve_read("#f00 #00ff0080 2,0.5,0", &colours));
  assert_int_equal(colours.count, 3);
  colour_curve_at(&colours, 0.25f, out);
  assert_near((double)out[0], 0.5, 1e-6);
  assert_near((double)out[3], (1 + 128 / 255.0) / 2, 1e-6);
  colour_curve_at(&colours, 1.0f, out);
  assert_near((double)out[0], 2, 1e-6);
  assert_false(colour_curve_read("#ff", &colours));
  assert_false(colour_curve_read("red", &colours));
  assert_false(colour_curve_read("1,2", &colours));
  assert_false(colour_curve_read("1,2,3,4,5", &colours));
}

// --- forces

static shoal_entity spawn_emitter_with_forces(stage_t *s, double x, double y, double speed, double angle) {
  error_info_t error = {0};
  if (!builtin_find(s->f->world, "emitter_forces") && !forces_declare(s->f->world, &error))
    fail_msg("%s", error.text);
  shoal_entity e = spawn_emitter(s, x, y);
  static const char *const NONE[] = {"rate", "speed_vary", "life_vary", "size_vary", "spread"};
  for (uint32_t i = 0; i < sizeof NONE / sizeof *NONE; ++i)
    set(s->f, e, "emitter", NONE[i], 0);
  set(s->f, e, "emitter", "burst", 1);
  set(s->f, e, "emitter", "life", 20);
  set(s->f, e, "emitter", "speed", speed);
  set(s->f, e, "emitter", "angle", angle);
  add(s->f, e, "emitter_forces");
  return e;
}

static particle_t get_only_particle(stage_t *s) {
  particle_t p[4];
  assert_int_equal(collect_particles(s, p, 4), 1);
  return p[0];
}

TEST_IN(drag_slows_particles_and_wind_carries_them, stage_t, s) {
  shoal_entity e = spawn_emitter_with_forces(s, 100, 100, 60, 0);
  set(s->f, e, "emitter_forces", "drag", 2);
  run_ticks(s, 61);
  double came = (double)get_only_particle(s).x;
  assert_near(came, 100 + 60 * (1 - exp(-2)) / 2, 1.2);
  run_ticks(s, 600);
  assert_near((double)get_only_particle(s).x, 130, 0.2); // the particle is at rest
  set(s->f, e, "emitter_forces", "wind_y", 50);
  assert_near((double)get_only_particle(s).y, 100 + 50 * (11 - 0.5), 2);
}

TEST_IN(pull_attracts_and_swirl_rotates_particles, stage_t, s) {
  shoal_entity e = spawn_emitter_with_forces(s, 100, 100, 60, 0);
  run_ticks(s, 61);
  set(s->f, e, "emitter_forces", "swirl", M_PI / 2);
  particle_t p = get_only_particle(s);
  assert_near((double)p.x, 100, 2);
  assert_near((double)p.y, 160, 2);
  set(s->f, e, "emitter_forces", "pull", 1);
  assert_near((double)get_only_particle(s).y, 100 + 60 * exp(-1), 1.5);
}

TEST_IN(falling_particles_bounce_lower_and_come_to_rest, stage_t, s) {
  shoal_entity e = spawn_emitter_with_forces(s, 0, 0, 40, 0);
  set(s->f, e, "emitter", "gravity_y", 800);
  set(s->f, e, "emitter_forces", "walls", PARTICLES_FLOOR);
  set(s->f, e, "emitter_forces", "bottom", 102); // the particle's radius is 2, so it falls 100 pixels in half a second
  float highest[3] = {1000, 1000, 1000};
  for (int tick = 0; tick < 600; ++tick) {
    run_ticks(s, 1);
    particle_t p = get_only_particle(s);
    assert_true(p.y <= 100.01f);
    int part = tick < 31 ? 0 : tick < 60 ? 1 : 2;
    highest[part] = p.y < highest[part] ? p.y : highest[part];
  }
  assert_near((double)highest[1], 75, 1.5); // a quarter of the height, because it bounces with half the speed
  assert_true(highest[2] > 90);
  particle_t rests = get_only_particle(s);
  run_ticks(s, 60);
  assert_near((double)get_only_particle(s).x, (double)rests.x, 1e-3);
  assert_near((double)rests.y, 100, 0.01);
  set(s->f, e, "emitter_forces", "drag", 1);
  assert_true(get_only_particle(s).y <= 100.01f);
}

TEST_IN(box_walls_contain_particles, stage_t, s) {
  shoal_entity e = spawn_emitter_with_forces(s, 50, 50, 300, 0.7);
  set(s->f, e, "emitter_forces", "walls", PARTICLES_BOX);
  set(s->f, e, "emitter_forces", "right", 100);
  set(s->f, e, "emitter_forces", "bottom", 80);
  for (int gravity = 0; gravity < 2; ++gravity) {
    set(s->f, e, "emitter", "gravity_y", gravity * 500);
    for (int tick = 0; tick < 300; ++tick) {
      run_ticks(s, 1);
      particle_t p = get_only_particle(s);
      assert_true(p.x >= 1.9f && p.x <= 98.1f && p.y >= 1.9f && p.y <= 78.1f);
    }
  }
}

TEST_IN(forces_apply_and_are_saved_after_the_emitter_is_destroyed, stage_t, s) {
  shoal_entity e = spawn_emitter_with_forces(s, 0, 0, 40, 0);
  set(s->f, e, "emitter", "gravity_y", 800);
  set(s->f, e, "emitter_forces", "walls", PARTICLES_FLOOR);
  set(s->f, e, "emitter_forces", "bottom", 102);
  run_ticks(s, 20);
  world_destroy_entity(s->f->world, e);
  run_ticks(s, 100);
  assert_true(get_only_particle(s).y <= 100.01f);
  uint64_t before = world_hash(s->f->world);
  error_info_t error = {0};
  allocator_t a = {0};
  snapshot_o *saved = snapshot_create(&a);
  assert_true(snapshot_take(saved, s->f->world, &error));
  run_ticks(s, 30);
  particle_t later = get_only_particle(s);
  assert_true(snapshot_restore(saved, s->f->world, &error));
  assert_true(world_hash(s->f->world) == before);
  run_ticks(s, 30);
  assert_near((double)get_only_particle(s).y, (double)later.y, 0);
  snapshot_release(saved);
}

TEST_IN(nan_and_infinite_forces_give_finite_positions_and_one_log_line, stage_t, s) {
  shoal_entity e = spawn_emitter_with_forces(s, 0, 0, 40, 0);
  set(s->f, e, "emitter", "gravity_y", 100);
  set(s->f, e, "emitter_forces", "walls", PARTICLES_BOX);
  run_ticks(s, 1);
  assert_non_null(strstr(s->f->line, "emitter_forces.walls: left must be less than right"));
  static const char *const ALL[] = {"drag", "wind_x", "pull", "swirl", "left", "bottom", "bounce", "slide"};
  static const double BAD[] = {(double)NAN, (double)INFINITY, -1e30, 1e30};
  for (uint32_t i = 0; i < 32; ++i) {
    set(s->f, e, "emitter_forces", "walls", i % 3);
    set_in_place(s->f, e, "emitter_forces", ALL[i / 4], BAD[i % 4]);
    run_ticks(s, 2);
    assert_true(isfinite(get_only_particle(s).x) && isfinite(get_only_particle(s).y));
  }
  assert_int_equal(s->f->line_count, 1); // an invalid emitter is reported once until it is fixed
}
