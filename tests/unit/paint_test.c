// Drawing resources of plugins: messages for rejected arguments, and release of all resources together with their
// owner.
#include "base/file_system.h"
#include "paint/paint.h"

#include "base/files.h"
#include "temporary_folder.h"
#include "test.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int ME = 1, YOU = 2; // owners are compared by address

static int setup(void **state) {
  *state = paint_create();
  return 0;
}

static int teardown(void **state) {
  paint_destroy(*state);
  return 0;
}
FIXTURE(paint_o, setup, teardown)

static paint_id add_texture(paint_o *p, uint32_t width, uint32_t height, error_info_t *error) {
  return paint_texture_add(p, &ME, &(paint_texture_desc_t){.name = "t", .width = width, .height = height}, error);
}

TEST_IN(textures_are_limited_in_size_and_count, paint_o, p) {
  error_info_t error;
  assert_int_equal(add_texture(p, 0, 4, &error), 0);
  assert_string_equal(error.text, "texture t: width and height must be from 1 to 4096 texels, got 0 × 4");
  assert_int_equal(add_texture(p, 4, 4097, &error), 0);
  assert_int_equal(paint_texture_add(p, &ME, &(paint_texture_desc_t){.width = 4, .height = 4}, &error), 0);
  assert_string_equal(error.text, "a texture's name must have 1 to 63 bytes, got 0");
  assert_true(add_texture(p, 4096, 4096, &error));
  assert_true(add_texture(p, 4096, 4096, &error));
  assert_int_equal(add_texture(p, 1, 1, &error), 0);
  assert_string_equal(error.text, "cannot create texture t of 0 KB: plugins already use 128 of 128 MB: "
                                  "free textures with shoal_texture_destroy");
  paint_release_owner(p, &ME);
  assert_int_equal(p->texture_bytes, 0);
  for (uint32_t i = 0; i < PAINT_MAX_TEXTURES; ++i)
    assert_true(add_texture(p, 1, 1, &error));
  assert_int_equal(add_texture(p, 1, 1, &error), 0);
  assert_string_equal(error.text, "cannot create texture t: too many textures (at most 256 for all plugins): "
                                  "free one with shoal_texture_destroy");
}

TEST_IN(texels_are_premultiplied_when_written, paint_o, p) {
  error_info_t error = {0};
  const uint8_t texels[8] = {200, 100, 50, 128, 255, 255, 255, 0};
  paint_id id = add_texture(p, 3, 2, &error);
  assert_true(paint_texture_write(p, &ME, id, &(paint_region_t){1, 1, 2, 1}, texels, &error));
  const paint_texture_t *t = paint_find_texture(p, id);
  const uint8_t wanted[8] = {100, 50, 25, 128, 0, 0, 0, 0};
  assert_memory_equal(t->pixels + (3 + 1) * 4, wanted, 8);
  assert_int_equal(t->dirty_top, 0); // the whole texture is dirty
  assert_false(paint_texture_write(p, &ME, id, &(paint_region_t){2, 1, 2, 1}, texels, &error));
  assert_string_equal(error.text, "the region of 2 × 1 texels at (2, 1) must be inside texture t of 3 × 2 texels");
  assert_false(paint_texture_write(p, &ME, id, &(paint_region_t){UINT32_MAX, 0, 2, 1}, texels, &error));
  assert_false(paint_texture_write(p, &ME, id, &(paint_region_t){0, 0, 1, 1}, NULL, &error));
  // the texture belongs to a different owner
  assert_false(paint_texture_write(p, &YOU, id, &(paint_region_t){0, 0, 1, 1}, texels, &error));
}

TEST_IN(removed_texture_id_is_invalid, paint_o, p) {
  error_info_t error = {0};
  paint_id old = add_texture(p, 2, 2, &error);
  assert_true(paint_texture_remove(p, &ME, old, &error));
  paint_id fresh = add_texture(p, 2, 2, &error); // reuses the slot of the old texture
  assert_int_not_equal(old, fresh);
  assert_null(paint_find_texture(p, old));
  assert_false(paint_texture_remove(p, &ME, old, &error));
  assert_non_null(
      strstr(error.text,
             "the texture never existed, was freed, belongs to a different plugin, or was created before a reload"));
  assert_null(paint_find_texture(p, 0));
  assert_null(paint_find_texture(p, UINT32_MAX));
  const paint_vertex_t three[3] = {{0}};
  const paint_mesh_desc_t mesh = {.image = old, .vertices = three, .count = 3};
  assert_int_equal(paint_mesh_add(p, &ME, &mesh, &error), UINT32_MAX);
}

TEST_IN(releasing_an_owner_frees_its_drawing_resources, paint_o, p) {
  error_info_t error = {0};
  for (int i = 0; i < 5000; ++i) { // more often than an 8-bit generation can count
    assert_true(add_texture(p, 16, 16, &error));
    assert_true(paint_shader_add(p, &ME, &(paint_shader_desc_t){.name = "s", .text = {"void main() {}"}}, &error));
    paint_release_owner(p, &ME);
  }
  assert_int_equal(paint_texture_count(p), 0);
  assert_int_equal(p->allocator.bytes, 0);
}

static paint_id add_shader(paint_o *p, const char *fragment, const char *uniform, uint32_t floats,
                           error_info_t *error) {
  return paint_shader_add(p, &ME,
                          &(paint_shader_desc_t){.name = "waves",
                                                 .text = {fragment},
                                                 .uniforms = {uniform},
                                                 .floats = {floats},
                                                 .uniform_count = uniform ? 1 : 0},
                          error);
}

TEST_IN(invalid_shaders_are_rejected, paint_o, p) {
  static const struct {
    const char *fragment, *uniform;
    uint32_t floats;
    const char *words;
  } WRONG[] = {
      {NULL, NULL, 0, "shader waves has no fragment source: set .fragment"},
      {"void main() {\n  while (true) {}\n}", NULL, 0, "shader waves:2: a loop must have constant bounds"},
      {"#version 330 core\n", NULL, 0, "(the engine adds this line): remove the line"},
      {"void main() {}", "time", 1,
       "invalid uniform name “time”: reserved names are not allowed: choose a different name"},
      {"void main() {}", "3d", 1, "invalid uniform name “3d”"},
      {"void main() {}", "gl_x", 1, "reserved names are not allowed: choose a different name"},
      {"void main() {}", "wind", 5, "uniform wind must have 1 to 4 floats, got 5"},
  };
  for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; ++i) {
    error_info_t error = {0};
    assert_int_equal(add_shader(p, WRONG[i].fragment, WRONG[i].uniform, WRONG[i].floats, &error), 0);
    if (!strstr(error.text, WRONG[i].words))
      fail_msg("got “%s”, expected “%s”", error.text, WRONG[i].words);
  }
}

TEST_IN(shader_uniforms_are_set_by_name_with_matching_finite_values, paint_o, p) {
  error_info_t error = {0};
  const float value[2] = {1, 2}, bad[2] = {1, NAN};
  paint_id s = add_shader(p, "void main() {}", "wind", 2, &error);
  assert_true(paint_shader_set(p, &ME, s, "wind", value, 2, &error));
  assert_false(paint_shader_set(p, &ME, s, "wnid", value, 2, &error));
  assert_string_equal(error.text, "shader waves has no uniform wnid: did you mean wind?");
  assert_false(paint_shader_set(p, &ME, s, "wind", value, 1, &error));
  assert_string_equal(error.text, "uniform wind of shader waves must have 2 floats, got 1");
  assert_false(paint_shader_set(p, &ME, s, "wind", bad, 2, &error));
  assert_false(paint_shader_set(p, &ME, s, NULL, value, 2, &error));
  const paint_mesh_desc_t whole = {.shader = s};
  assert_int_equal(paint_mesh_add(p, &ME, &whole, &error), 0);
  assert_int_equal(p->values.count, 4);
  assert_true(p->values.items[1] == 2.0f);
}

TEST_IN(drawn_triangles_must_be_complete_and_finite, paint_o, p) {
  error_info_t error = {0};
  paint_vertex_t four[4] = {{0}};
  paint_mesh_desc_t mesh = {.vertices = four, .count = 4};
  assert_int_equal(paint_mesh_add(p, &ME, &mesh, &error), UINT32_MAX);
  assert_string_equal(error.text, "the vertex count must be a multiple of 3, got 4");
  mesh.count = 3;
  four[2].v = INFINITY;
  assert_int_equal(paint_mesh_add(p, &ME, &mesh, &error), UINT32_MAX);
  assert_string_equal(error.text, "all numbers of vertex 2 (count 3) must be finite");
  mesh.vertices = NULL;
  assert_int_equal(paint_mesh_add(p, &ME, &mesh, &error), UINT32_MAX);
  assert_int_equal(p->vertices.count, 0);
  paint_vertex_t *many = calloc(3 * 200000, sizeof *many);
  mesh = (paint_mesh_desc_t){.vertices = many, .count = 3 * 200000};
  assert_int_equal(paint_mesh_add(p, &ME, &mesh, &error), 0);
  assert_int_equal(paint_mesh_add(p, &ME, &mesh, &error), UINT32_MAX);
  assert_non_null(strstr(error.text, "at most 1048576"));
  free(many);
  paint_clear(p);
  assert_int_equal(p->vertices.count, 0);
}

static void write_file(const char *folder, const char *name, const char *text) {
  char path[600];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  assert_true(file_write(path, text, strlen(text), NULL));
}

TEST_IN(game_file_replaces_the_built_in_shader_source, paint_o, p) {
  error_info_t error = {0};
  assets_t assets = {.game = "/tmp/shoal_paint_XXXXXX"};
  assert_true(file_system_create_temporary_folder(assets.game));
  const paint_shader_desc_t desc = {
      .name = "s", .text = {"void main() { a(); }"}, .file = {"s.frag"}, .assets = &assets};
  paint_id id = paint_shader_add(p, &ME, &desc, &error);
  const paint_shader_t *s = paint_find_shader(p, id);
  assert_string_equal(s->text[PAINT_FRAGMENT], "void main() { a(); }");
  write_file(assets.game, "s.frag", "void main() { b(); }");
  assert_int_equal(paint_asset_changed(p, "other.frag", &error), ASSET_UNUSED);
  assert_int_equal(paint_asset_changed(p, "s.frag", &error), ASSET_RELOADED);
  assert_string_equal(s->text[PAINT_FRAGMENT], "void main() { b(); }");
  uint32_t version = s->version;
  write_file(assets.game, "s.frag", "void main() { for (;;) {} }");
  assert_int_equal(paint_asset_changed(p, "s.frag", &error), ASSET_KEPT); // the previous source remains in use
  assert_non_null(strstr(error.text, "s.frag:1: a loop must have constant bounds"));
  assert_string_equal(s->text[PAINT_FRAGMENT], "void main() { b(); }");
  assert_int_equal(s->version, version);
  temporary_folder_remove(assets.game);
  assert_int_equal(paint_asset_changed(p, "s.frag", &error), ASSET_RELOADED); // the built-in source is used again
  assert_string_equal(s->text[PAINT_FRAGMENT], "void main() { a(); }");
}
