// The mesh plugin: models, and scenes rendered through a camera.
#include "plugins/mesh/model.h"
#include "plugins/mesh/scene.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const WORDS[] = {"cube", "sphere", "ball", "cylinder", "cone", "pyramid", "torus", "disc", "plane"};
static const float HERE[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
static const float WHITE[4] = {1, 1, 1, 1};

// Returns six times the enclosed volume: positive if the triangles face outward.
static double compute_volume(const model_t *m) {
  double sum = 0;
  for (uint32_t i = 0; i < m->triangle_count; ++i) {
    const float *a = m->vertices[m->triangles[i][0]], *b = m->vertices[m->triangles[i][1]],
                *c = m->vertices[m->triangles[i][2]];
    sum += (double)(a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                    a[2] * (b[0] * c[1] - b[1] * c[0]));
  }
  return sum;
}

// Counts the triangles that contain the edge from a to b.
static uint32_t count_edge(const model_t *m, uint32_t a, uint32_t b) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < m->triangle_count; ++i)
    for (uint32_t k = 0; k < 3; ++k)
      count += m->triangles[i][k] == a && m->triangles[i][(k + 1) % 3] == b;
  return count;
}

TEST(every_builtin_model_is_closed_and_faces_outward) {
  for (size_t w = 0; w < sizeof WORDS / sizeof *WORDS; ++w) {
    model_t m;
    assert_true(model_build_primitive(&m, WORDS[w]));
    for (uint32_t i = 0; i < m.vertex_count; ++i)
      assert_true(hypotf(hypotf(m.vertices[i][0], m.vertices[i][1]), m.vertices[i][2]) <= 1.0001f);
    for (uint32_t i = 0; i < m.triangle_count; i += 7)
      for (uint32_t k = 0; k < 3; ++k) {
        uint32_t a = m.triangles[i][k], b = m.triangles[i][(k + 1) % 3];
        assert_int_equal(count_edge(&m, a, b), count_edge(&m, b, a));
      }
    bool flat = strcmp(WORDS[w], "disc") == 0 || strcmp(WORDS[w], "plane") == 0;
    assert_true(flat ? fabs(compute_volume(&m)) < 1e-6 : compute_volume(&m) > 0.3);
    model_free(&m);
  }
}

TEST(finer_sphere_has_more_triangles_and_volume) {
  model_t coarse, ok;
  model_build_primitive(&coarse, "sphere");
  model_build_primitive(&ok, "ball");
  assert_int_equal(ok.triangle_count, 4 * coarse.triangle_count);
  assert_int_equal(ok.vertex_count, ok.triangle_count / 2 + 2); // vertices are shared, not duplicated
  assert_true(compute_volume(&ok) > compute_volume(&coarse) && compute_volume(&ok) < 8 * 3.14159265);
  model_free(&coarse);
  model_free(&ok);
}

TEST(obj_file_is_read_and_faces_are_triangulated) {
  static const char text[] =
      "# a square\nv 0 0 0\nv 1 0 0\r\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 3//1 4//1\nf -1 -2 -3";
  model_t m;
  uint32_t line;
  assert_null(model_read(&m, text, sizeof text - 1, &line));
  assert_int_equal(m.vertex_count, 4);
  assert_int_equal(m.triangle_count, 3);
  const uint32_t want[3][3] = {{0, 1, 2}, {0, 2, 3}, {3, 2, 1}};
  assert_memory_equal(m.triangles, want, sizeof want);
  model_free(&m);
}

TEST(invalid_obj_file_is_rejected_with_its_line) {
  static const struct {
    const char *text;
    uint32_t line;
  } bad[] = {
      {"", 0},
      {"v 0 0 0\n", 0},
      {"v 0 0\n", 1},
      {"v 0 0 nan\n", 1},
      {"v 0 0 0\nv 1 1 1\nf 1 2\n", 3},
      {"v 0 0 0\nf 1 2 3\n", 2},
      {"v 0 0 0\nf 1 1 0\n", 2},
      {"v 0 0 0\nf 1 1 -2\n", 2},
      {"v 0 0 0\nf 1 1 99999999999999999999\n", 2},
      {"v 0 0 0\nf 1 1 x\n", 2},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    model_t m;
    uint32_t line = 77;
    assert_non_null(model_read(&m, bad[i].text, strlen(bad[i].text), &line));
    assert_int_equal(line, bad[i].line);
    assert_null(m.vertices);
  }
  char longest[3000];
  model_t m;
  uint32_t line = 0;
  memset(longest, 'f', sizeof longest);
  assert_non_null(model_read(&m, longest, sizeof longest, &line));
  assert_int_equal(line, 1);
}

TEST(obj_file_over_the_vertex_limit_is_rejected) {
  model_t m;
  uint32_t line = 0;
  size_t each = 8, bytes = each * (MODEL_MAX_ELEMENTS + 1);
  char *text = malloc(bytes);
  for (size_t i = 0; i <= MODEL_MAX_ELEMENTS; ++i)
    memcpy(text + each * i, "v 0 0 0\n", each);
  const char *why = model_read(&m, text, bytes, &line);
  assert_non_null(why);
  assert_non_null(strstr(why, "at most 200000 each"));
  assert_int_equal(line, MODEL_MAX_ELEMENTS + 1);
  assert_null(m.vertices);
  free(text);
}

static const scene_view_t LENS = {.eye = {0, 0, 5}, .fov = 1, .near = 0.1f, .far = 100, .width = 1280, .height = 720};
static const scene_light_t SUN = {.direction = {0, 0, -1}, .ambient = 0.2f};

TEST(back_faces_are_culled) {
  scene_t s = {0};
  model_t cube;
  model_build_primitive(&cube, "cube");
  scene_begin(&s, &LENS, &SUN);
  scene_add(&s, &cube, HERE, WHITE, 0);
  assert_int_equal(s.count, 2); // seen from the front: one side, two triangles
  for (uint32_t i = 0; i < s.count * 3; ++i) {
    const float *at = s.vertices + i * 8;
    assert_true(fabsf(at[3] - 4.5f) < 1e-4f); // w is the distance from the camera
    assert_true(at[2] > -at[3] && at[2] < at[3] && fabsf(at[0]) < at[3] && fabsf(at[1]) < at[3]);
  }
  float mirrored[16];
  memcpy(mirrored, HERE, sizeof mirrored);
  mirrored[0] = -1;
  scene_begin(&s, &LENS, &SUN);
  scene_add(&s, &cube, mirrored, WHITE, 0);
  assert_int_equal(s.count, 2);
  assert_true(fabsf(s.vertices[3] - 4.5f) < 1e-4f); // a mirrored model still shows its front side
  model_free(&cube);
  scene_free(&s);
}

TEST(sun_glow_and_fog_determine_the_colour_of_a_side) {
  scene_t s = {0};
  model_t cube;
  scene_light_t behind = SUN;
  behind.direction[2] = 1;
  model_build_primitive(&cube, "cube");
  scene_begin(&s, &LENS, &SUN);
  scene_add(&s, &cube, HERE, WHITE, 0);
  float front = s.vertices[4];
  scene_begin(&s, &LENS, &behind);
  scene_add(&s, &cube, HERE, WHITE, 0);
  float dark = s.vertices[4];
  scene_begin(&s, &LENS, &behind);
  scene_add(&s, &cube, HERE, WHITE, 1);
  float glowing = s.vertices[4];
  assert_true(front > 0.9f && dark < 0.25f && dark > 0.1f && fabsf(glowing - 1) < 1e-5f);
  scene_light_t fog = {.direction = {0, 0, -1}, .ambient = 0.2f, .fog = {0.3f, 0, 0}, .fog_from = 1, .fog_to = 2};
  scene_begin(&s, &LENS, &fog);
  scene_add(&s, &cube, HERE, WHITE, 0);
  assert_true(fabsf(s.vertices[4] - 0.3f) < 1e-5f && s.vertices[5] < 1e-5f);
  model_free(&cube);
  scene_free(&s);
}

TEST(degenerate_view_directions_give_a_finite_matrix) {
  const float eyes[3][3] = {{0, 5, 0}, {0, -5, 0}, {0, 0, 0}};
  scene_t s = {0};
  for (uint32_t i = 0; i < 3; ++i) {
    scene_view_t lens = LENS;
    memcpy(lens.eye, eyes[i], sizeof lens.eye);
    scene_begin(&s, &lens, &SUN);
    for (uint32_t k = 0; k < 16; ++k)
      assert_true(isfinite(s.view[k]));
  }
  scene_free(&s);
}
