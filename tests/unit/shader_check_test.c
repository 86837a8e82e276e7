// Shaders that could hang the GPU or the driver's compiler are rejected, and valid shaders are accepted:
// paint/shader_check.h.
#include "base/files.h"
#include "paint/shader_check.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static bool check_shader(const char *text, error_info_t *error) {
  return shader_check("x.frag", text, strlen(text), error);
}

static void assert_accepted(const char *text) {
  error_info_t error = {0};
  if (!check_shader(text, &error))
    fail_msg("%s: %s", text, error.text);
}

static void assert_rejected(const char *text, const char *words) {
  error_info_t error = {0};
  if (check_shader(text, &error))
    fail_msg("taken: %s", text);
  if (!strstr(error.text, words))
    fail_msg("not '%s': %s", words, error.text);
}

TEST(engine_shaders_are_accepted) {
  file_list_t list = {0};
  allocator_t memory = {0};
  error_info_t error = {0};
  assert_true(file_list(&memory, "assets/shaders", "", &list, &error));
  assert_true(list.count > 8);
  for (uint32_t i = 0; i < list.count; ++i) {
    char path[200];
    size_t bytes = 0;
    char *text = file_read(&memory, path_join(path, sizeof path, "assets/shaders", list.paths[i]), &bytes, &error);
    if (!shader_check(list.paths[i], text, bytes, &error))
      fail_msg("%s", error.text);
    file_free(&memory, text, bytes);
  }
  file_list_free(&memory, &list);
}

TEST(bounded_shaders_are_accepted) {
  assert_accepted("#version 330 core\nlayout(location = 0) in vec4 a;\nvoid main() { gl_Position = a; }");
  assert_accepted("void main() { for (int i = 0; i < 16; ++i) { x += float(i) * a[i]; if (i == 7) break; } }");
  assert_accepted(
      "#define N 8\nconst int M = 4;\nvoid main() { for (int i = N; i > 0; i--) { for (int k = 0; k <= M; k += 2) { "
      "x; } } }");
  assert_accepted(
      "#define PI 3.14159\n#define TAU (2.0 * PI)\n#define RED vec3(1.0, 0.0, 0.0)\nvoid main() { x = TAU * RED; }");
  assert_accepted(
      "float f(float x) { return x * x; }\nfloat g(float x) { return f(x) + f(x + 1.0); }\nvoid main() { x = "
      "g(g(1.0)); }");
  assert_accepted(
      "uniform float weights[64];\nconst float a[3] = float[3](1.0, 2.0, 3.0);\nvoid main() { x = a[2] + m[i][j + 1]; "
      "}");
  assert_accepted("/* while (true) {} */ void main() { // for (;;)\n x = 1; }");
  assert_accepted("uniform Block { vec4 a; };\nstruct S { float x; };\nvoid main() { switch (1) { case 1: break; } }");
}

TEST(unbounded_loop_is_rejected_with_its_line) {
  const char *words = "a loop must have constant bounds";
  assert_rejected("void main() {\n\n  while (true) {}\n}", "x.frag:3: a loop must have constant bounds");
  assert_rejected("void main() { do { } while (true); }", words);
  assert_rejected("void main() { for (;;) { } }", words);
  assert_rejected("void main() { for (int i = 0; i < 10; ) { } }", words);
  assert_rejected("void main() { for (int i = 0; i < 10; --i) { } }", words);
  assert_rejected("void main() { for (int i = 0; i < 10; i += 0) { } }", words);
  assert_rejected("void main() { for (int i = 0; i < count; ++i) { } }", words);
  assert_rejected("void main() { for (int i = 0; i < 10; ++k) { } }", words);
  assert_rejected("void main() { for (uint i = 9u; i >= 0u; --i) { } }", words);
  assert_rejected("void main() { for (float x = 16777216.0; x < 16777300.0; x += 1.0) { } }", words);
  assert_rejected("void main() { for (int i = 2147483000; i <= 2147483647; ++i) { } }", words);
  assert_rejected("void main() { for (int i = 0; i < 10; ++i) x; }", words);
  assert_rejected("const int N = 8; void f() { int N = 1000000; for (int i = 0; i < N; ++i) { } }", words);
  assert_rejected("const int N = 8; void f() { int a = 1, N = b; for (int i = 0; i < N; ++i) { } }", words);
  assert_rejected("const int N = 8; void f(int N) { for (int i = 0; i < N; ++i) { } }", words);
}

TEST(shader_that_changes_its_loop_counter_is_rejected) {
  const char *bodies[] = {"i = 0;", "i -= 1;", "i--;", "--i;", "(i) = 0;", "i <<= 1;", "i ^= i;"};
  const char *hidden[] = {"i /* */ = 0;", "i\n= 0;"};
  char text[200];
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; ++i) {
    snprintf(text, sizeof text, "void main() { for (int i = 0; i < 10; ++i) { %s } }", bodies[i]);
    assert_rejected(text, "the body of a loop must not change the loop variable i");
  }
  for (size_t i = 0; i < sizeof hidden / sizeof *hidden; ++i) {
    snprintf(text, sizeof text, "void main() { for (int i = 0; i < 10; ++i) { %s } }", hidden[i]);
    assert_rejected(text, "no comment or line break may follow the loop variable i");
  }
  assert_rejected("void f(inout int x) { x = 0; }", "return the value instead");
  assert_rejected("#define BACK --\nvoid main() { }", "a macro must be a numeric expression");
  assert_rejected("#define SET = 0\nvoid main() { }", "a macro must be a numeric expression");
}

TEST(shaders_with_too_many_tokens_or_unsupported_macros_are_rejected) {
  char text[8000] = "float f0(float x) { return x; }\n";
  for (int i = 1; i < 40; ++i) {
    char line[100];
    snprintf(line, sizeof line, "float f%d(float x) { return f%d(x) + f%d(x); }\n", i, i - 1, i - 1);
    strcat(text, line);
  }
  assert_rejected(text, "more than 50000 tokens may execute per pixel");
  strcpy(text, "#define A0 1.0\n");
  for (int i = 1; i < 40; ++i) {
    char line[100];
    snprintf(line, sizeof line, "#define A%d A%d + A%d\n", i, i - 1, i - 1);
    strcat(text, line);
  }
  assert_rejected(text, "is too long");
  assert_rejected("void main() { for (int i = 0; i < 1000; ++i) { for (int k = 0; k < 1000; ++k) { } } }",
                  "more than 50000 tokens");
  assert_rejected("float f(float x);\nvoid main() { }", "function f is declared but not defined");
  assert_rejected("#define F(x) x x\nvoid main() { }", "macros with parameters are not supported");
  assert_rejected("#define F f\nvoid main() { }", "numeric expression, got f");
  assert_rejected("#define N 1\n#define N 2\nvoid main() { }", "two declarations are named N");
  assert_rejected("#define N 1\n#undef N\nvoid main() { }", "#undef is not supported");
}

TEST(shader_array_size_is_limited) {
  assert_rejected("void main() { float a[100000000]; }", "at most 1024");
  assert_rejected("void main() { float[100000000] a; }", "at most 1024");
  assert_rejected("const int N = 1000; void main() { float a[N * N]; }", "at most 1024");
  assert_rejected("void main() { float a[2][1 << 28]; }", "at most 1024");
  assert_rejected("void main() { \\ }", "GLSL has no character \\: remove it");
}
